import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startProgram } from '../support/program.ts';

/* A configuration that is refused, as whoever starts the process sees it. */

const password = 'pa55word-of-the-tests';

function fileWith(state: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'leadsheet.yaml');
  const options = {
    crm: { base_url: 'https://crm.invalid', token: 'the-token-of-the-tests' },
    google: { credentials_file: join(folder, 'key.json') },
    state,
    syncs: {
      prospects: {
        contacts: { list: 'Prospects' },
        sheet: { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: 'Prospects' },
        match: ['email'],
        columns: { Email: 'email' },
      },
    },
  };
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(options, undefined, 2));
  return file;
}

test.each([
  { args: ['check'], state: `postgres://me:${password}@/leadsheet`, allowed: /an address with one host/ },
  {
    args: ['check', '--json'],
    state: `postgresql://me:${password}@db.example/leadsheet?sslmode=prefer`,
    allowed: /an address with sslmode=verify-full/,
  },
  { args: ['status'], state: `mysql://me:${password}@db.example/leadsheet`, allowed: /file:FOLDER, .*, or postgres:/ },
  { args: ['run'], state: `postgres://me:${password}@one.example,two.example/leadsheet`, allowed: /with one host/ },
])('$args with a wrong database exits 78, names the option and shows no password', async ({ args, state, allowed }) => {
  const { code, stdout, stderr } = await startProgram([...args, '--config', fileWith(state)]).ended;
  expect({ code, said: stdout + stderr }).toEqual({
    code: 78,
    said: expect.stringMatching(/state: found a value that is not shown; allowed: /),
  });
  expect(stdout + stderr).toMatch(allowed);
  expect(stdout + stderr).not.toContain('pa55');
});

test.each(['status', 'check', 'run'])(
  '%s says that .env cannot be read, where a variable of it is missing',
  async (command) => {
    const file = fileWith('file:./state');
    const folder = join(file, '..');
    writeFileSync(file, readFileSync(file, 'utf8').replace('the-token-of-the-tests', '${OUTREACH_TOKEN}'));
    // A folder, as Docker makes of a file that it is to mount and that is not there: the superuser may read every file.
    mkdirSync(join(folder, '.env'));
    const { code, stderr } = await startProgram([command, '--config', file], { cwd: folder }).ended;
    expect(code).toBe(78);
    expect(stderr).toContain('leadsheet: .env is there and cannot be read (EISDIR), so that no variable comes from it');
  },
);

test('init: whether secrets go into .env is answered by a flag that Node does not take for its own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { code, stderr } = await startProgram(['init', '--yes', '--dotenv', 'none'], { cwd: folder }).ended;
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining('--base-url is missing') });
});
