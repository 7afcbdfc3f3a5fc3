// A reader of the output that stops early, as `head` does.
import { expect, test } from 'vitest';
import { historyFolder } from '../support/history-folder.ts';
import { startProgram } from '../support/program.ts';

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
