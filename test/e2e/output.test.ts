// A reader of the output that stops early, as `head` does.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { countRun, nothingPlanned } from '../../src/engine/report.ts';
import { startProgram } from '../support/program.ts';
import { createSides } from '../support/sides.ts';
import { openTrial } from '../support/state.ts';

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

/** Runs a command whose reader stops after the first bytes, as `head -1` does. `own`: its exit code without that. */
async function readBeginning(cwd: string, args: readonly string[], own = 0) {
  const { child, ended, printed } = startProgram(args, { cwd });
  child.stdout.once('data', () => child.stdout.destroy());
  const { code, stderr } = await ended;
  return { isQuiet: stderr === '', isCodeOfPipes: code === own || code === 141, hasBegun: printed.stdout.length > 0 };
}

const quiet = { isQuiet: true, isCodeOfPipes: true, hasBegun: true };

test.each([['api --openapi'], ['api --list'], ['config --schema'], ['config --example'], ['config'], ['--help']])(
  '%s ends quietly when its reader stops',
  async (command) => {
    const { folder, config } = historyFolder();
    const args = command === 'config' ? ['config', '--config', config] : command.split(' ');
    expect(await readBeginning(folder, args)).toEqual(quiet);
  },
);

test.each([[[]], [['--json']]])('runs %j ends quietly when its reader stops', async (options) => {
  const { folder, config } = historyFolder();
  const { store } = openTrial(join(folder, 'state'));
  const time = new Date().toISOString();
  await using lease = await store.sync('people').acquireLease();
  for (let index = 0; index < 300; index += 1) {
    await lease.appendRun({
      sync: 'people',
      kind: 'sync',
      run: `run-${index}`,
      status: 'succeeded',
      startedAt: time,
      endedAt: time,
      isFull: false,
      counts: { ...countRun(0, [], new Map()) },
      cost: { crmCalls: 1, sheetReads: 1, sheetWrites: 0, seconds: 1 },
      problems: [],
      holds: [],
      planned: { ...nothingPlanned },
    });
  }
  expect(await readBeginning(folder, ['runs', '--limit', '300', '--config', config, ...options])).toEqual(quiet);
});

test('plan ends quietly when its reader stops', async () => {
  const people = Array.from({ length: 400 }, (_, index) => [`P${index}`, `p${index}@pipe.test`]);
  const sides = await createSides({
    values: [['First name', 'Email'], ...people],
    rowCount: 500,
    sync: { match: ['email'], columns: { 'First name': 'first_name', Email: 'email' }, limits: { creates: 1000 } },
  });
  onTestFinished(sides.close);
  expect(await readBeginning(sides.folder, ['plan', '--json', '--config', sides.configFile], 2)).toEqual(quiet);
}, 60_000);
