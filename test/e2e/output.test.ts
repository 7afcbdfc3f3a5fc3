// A reader of the output that stops early, as `head` does.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { countRun, nothingPlanned } from '../../src/engine/report.ts';
import { historyFolder } from '../support/history-folder.ts';
import { startProgram } from '../support/program.ts';
import { createSides } from '../support/sides.ts';
import { openTrial } from '../support/state.ts';

/** More than a pipe holds. */
const lines = 20_000;

test.each([[[]], [['--json']]])(
  'log %j ends quietly when its reader stops, with the code of SIGPIPE',
  async (options) => {
    const { folder, config } = historyFolder(lines);
    const { child, ended, printed } = startProgram(['log', '--config', config, ...options], { cwd: folder });
    child.stdout.once('data', () => child.stdout.destroy());
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 141, stderr: '' });
    expect(printed.stdout.length).toBeLessThan(lines * 50);
  },
);

test('log that is read to its end ends well', async () => {
  const { folder, config } = historyFolder(lines);
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
    const { folder, config } = historyFolder(1);
    const args = command === 'config' ? ['config', '--config', config] : command.split(' ');
    expect(await readBeginning(folder, args)).toEqual(quiet);
  },
);

test.each([[[]], [['--json']]])('runs %j ends quietly when its reader stops', async (options) => {
  const { folder, config } = historyFolder(1);
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
  // Without progress, which is told from the tenth second on: a busy machine takes longer.
  const args = ['plan', '--json', '--log-level', 'warn', '--config', sides.configFile];
  expect(await readBeginning(sides.folder, args, 2)).toEqual(quiet);
});
