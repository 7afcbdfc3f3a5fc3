// Long output on a terminal: a pager shows it, and a person quits the pager.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { historyFolder } from '../support/history-folder.ts';
import { startInTerminal } from '../support/terminal.ts';

/** Many times what a pipe holds. */
const many = 5_000;

/** A pager of the test: it says what it was given, and ends when a line is typed. Every machine has the shell. */
function pagerIn(folder: string, script: string): string {
  const file = join(folder, 'pager.sh');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const countsLines = 'echo "PAGED $(grep -c append) LESS=$LESS"; read line </dev/tty; echo "QUIT $line"';
const readsOneLine = 'read first; echo "FIRST $first"; read key </dev/tty; exit 0';

test('a long log goes through the pager of PAGER, whole; the command ends when the person quits it', async () => {
  const { folder, config } = historyFolder(many);
  const pager = pagerIn(folder, countsLines);
  const terminal = startInTerminal(['log', '--config', config], { cwd: folder, env: { PAGER: pager } });
  await terminal.until(`PAGED ${many} LESS=FRX`);
  terminal.type('bye\r');
  const { code, shown } = await terminal.ended;
  expect(shown).toContain('QUIT bye');
  expect(code).toBe(0);
});

test('a person who quits early ends the command quietly: exit 0, and nothing is printed after the pager, which got colour', async () => {
  const { folder, config } = historyFolder(many);
  const pager = pagerIn(folder, readsOneLine);
  const terminal = startInTerminal(['log', '--config', config], { cwd: folder, env: { LEADSHEET_PAGER: pager } });
  const before = await terminal.until(/FIRST .*append/);
  expect(before).toContain('\u001b[2m');
  terminal.type('q\r');
  const { code, shown } = await terminal.ended;
  expect(code).toBe(0);
  expect(shown.slice(before.length).trim()).toBe('q');
});

test('LEADSHEET_PAGER outweighs PAGER, and the exit code of the command is kept', async () => {
  const { folder, config } = historyFolder(60);
  const pager = pagerIn(folder, 'cat >/dev/null; echo OURS; exit 5');
  const env = { LEADSHEET_PAGER: pager, PAGER: 'false' };
  const { code, shown } = await startInTerminal(['log', '--config', config], { cwd: folder, env }).ended;
  expect(shown).toContain('OURS');
  expect(code).toBe(0);
});

test('Ctrl-C while the pager shows belongs to the pager: the command goes on until the person quits', async () => {
  const { folder, config } = historyFolder(many);
  const pager = pagerIn(
    folder,
    `trap 'echo KEPT' INT; cat >/dev/null; echo READY; while ! read line </dev/tty; do :; done`,
  );
  const terminal = startInTerminal(['log', '--config', config], { cwd: folder, env: { PAGER: pager } });
  await terminal.until('READY');
  terminal.type('\u0003');
  await terminal.until('KEPT');
  terminal.type('\r');
  const { code, shown } = await terminal.ended;
  expect(shown).not.toContain('stopping');
  expect(code).toBe(0);
});

test.each([
  ['output that fits the screen', 5, [], {}],
  ['--no-pager', 60, ['--no-pager'], {}],
  ['--json', 60, ['--json'], {}],
  ['PAGER=cat', 60, [], { PAGER: 'cat' }],
  ['an empty LEADSHEET_PAGER', 60, [], { LEADSHEET_PAGER: '' }],
  ['a pager that this machine does not have', 60, [], { PAGER: 'no-such-pager -x' }],
  ['a dumb terminal', 60, [], { TERM: 'dumb' }],
])('%s needs no pager: everything is printed at once', async (_, lines, options, changed: Record<string, string>) => {
  const { folder, config } = historyFolder(lines);
  const env = { PAGER: pagerIn(folder, 'cat >/dev/null; echo PAGED'), ...changed };
  const { code, shown } = await startInTerminal(['log', '--config', config, ...options], { cwd: folder, env }).ended;
  expect(shown).not.toContain('PAGED');
  expect({ code, count: shown.match(/append/g)?.length }).toEqual({ code: 0, count: lines });
});

test('--follow is never paged', async () => {
  const { folder, config } = historyFolder(60);
  const env = { PAGER: pagerIn(folder, 'cat >/dev/null; echo PAGED') };
  const terminal = startInTerminal(['log', '--follow', '--config', config], { cwd: folder, env });
  await terminal.until(/row 61(?!\d)/);
  terminal.type('\u0003');
  const { code, shown } = await terminal.ended;
  expect(shown).not.toContain('PAGED');
  expect(code).toBe(0);
});

test('a failure is told without the pager', async () => {
  const { folder, config } = historyFolder(60);
  const env = { PAGER: pagerIn(folder, 'cat >/dev/null; echo PAGED') };
  const { code, shown } = await startInTerminal(['runs', 'show', 'nope', '--config', config], { cwd: folder, env })
    .ended;
  expect(shown).toContain('no report of a run nope is kept');
  expect(shown).not.toContain('PAGED');
  expect(code).toBe(64);
});
