// A reader of the output that stops early, as `head` does.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startProgram } from '../support/program.ts';

/** More than a pipe holds. */
const lines = 20_000;

function historyFolder(): { readonly folder: string; readonly config: string } {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-output-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const history = join(folder, 'state', 'people', 'history');
  mkdirSync(history, { recursive: true });
  const day = new Date().toISOString().slice(0, 10);
  const line = (row: number) => ({
    time: `${day}T00:00:00.000Z`,
    sync: 'people',
    run: '20260101-000000-test',
    side: 'sheet',
    op: 'append',
    contact: '00000000-0000-4000-8000-000000000001',
    row,
    field: null,
    before: null,
    after: null,
    rule: 'I2',
    reason: 'new in the service',
    outcome: 'done',
  });
  const text = Array.from({ length: lines }, (_, index) => `${JSON.stringify(line(index + 2))}\n`).join('');
  writeFileSync(join(history, `${day}.ndjson`), text);
  writeFileSync(join(folder, 'key.json'), '{}', { mode: 0o600 });
  const config = join(folder, 'leadsheet.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      crm: { base_url: 'http://127.0.0.1:4010', token: 'the-token-of-the-tests' },
      google: { credentials_file: join(folder, 'key.json') },
      state: `file:${join(folder, 'state')}`,
      syncs: {
        people: {
          contacts: { list: 'People' },
          sheet: { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: 'People' },
          columns: { Email: 'email' },
        },
      },
    }),
  );
  return { folder, config };
}

test.each([[[]], [['--json']]])(
  'log %j ends quietly when its reader stops, with the code of SIGPIPE',
  async (options) => {
    const { folder, config } = historyFolder();
    const { child, ended, printed } = startProgram(['log', '--config', config, ...options], { cwd: folder });
    child.stdout.once('data', () => child.stdout.destroy());
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 141, stderr: '' });
    expect(printed.stdout.length).toBeLessThan(lines * 50);
  },
);

test('log that is read to its end ends well', async () => {
  const { folder, config } = historyFolder();
  const { code, stdout, stderr } = await startProgram(['log', '--config', config], { cwd: folder }).ended;
  expect({ code, stderr, count: stdout.split('\n').length - 1 }).toEqual({ code: 0, stderr: '', count: lines });
});
