// The scripts of the tests say what is wrong with their options in one line.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

function start(script: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, script), ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test.each([
  [
    ['--sedes', '3'],
    /^npm run simulate: Unknown option '--sedes', did you mean --seeds\?; npm run simulate -- --help .*\n$/,
  ],
  [['--seed'], /^npm run simulate: Option '--seed <value>' argument missing; .*\n$/],
  [['3'], /^npm run simulate: Unexpected argument '3'.*\n$/],
])('simulate %j: one line without a stack, exit 64', (args, line) => {
  expect(start('test/simulation/main.ts', ...args)).toEqual({
    status: 64,
    stdout: '',
    stderr: expect.stringMatching(line),
  });
});

test.each(['test/simulation/main.ts', 'test/sync/properties/main.ts', 'test/sheets/schedules/main.ts'])(
  '%s --help names the options and does nothing else',
  (script) => {
    expect(start(script, '--help')).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^npm run \w+ -- \[--\w+.*\n$/),
    });
  },
);
