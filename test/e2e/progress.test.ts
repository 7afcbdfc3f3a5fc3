// What a terminal shows while a side lets a command wait. The stand-in holds its answers back until the test has seen it.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Served } from '../../src/standin/serve.ts';
import { startProgram } from '../support/program.ts';
import { createSides } from '../support/sides.ts';
import { startInTerminal } from '../support/terminal.ts';

/** Forty rows that are to become contacts, beside sides that answer nothing until `release`. */
async function createWaiting() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const around = (served: Served): Served => ({
    async fetch(request, bindings) {
      await promise;
      return served.fetch(request, bindings);
    },
  });
  const people = Array.from({ length: 40 }, (_, index) => [`P${index}`, `p${index}@wait.test`]);
  const sides = await createSides({
    values: [['First name', 'Email'], ...people],
    rowCount: 500,
    around,
    sync: {
      match: ['email'],
      columns: { 'First name': 'first_name', Email: 'email' },
      limits: { creates: 1000 },
    },
  });
  onTestFinished(sides.close);
  const pager = join(sides.folder, 'pager.sh');
  writeFileSync(pager, '#!/bin/sh\ncat\necho PAGED\n');
  chmodSync(pager, 0o755);
  return { ...sides, release, env: { LEADSHEET_PAGER: pager } };
}

test.each([
  ['check', 0, /looked at, waiting for \d+ s/, 'all is well', false],
  ['sync', 0, /: begins, waiting for \d+ s/, 'contacts: 40 created', false],
  ['plan', 2, /: begins, waiting for \d+ s/, '40 contacts to create in the service', true],
] as const)(
  '%s rewrites one line while it waits, and wipes it before it prints',
  async (name, code, line, end, isPaged) => {
    const { folder, configFile, release, env } = await createWaiting();
    const terminal = startInTerminal([name, '--config', configFile], { cwd: folder, env });
    await terminal.until(line);
    release();
    const { shown, code: ended } = await terminal.ended;
    expect(ended).toBe(code);
    expect(shown).toContain(end);
    // Every line that was begun anew is wiped before the next one: no text of the result stands behind a rest of it.
    for (const text of shown.split('\r\n')) expect(text.split('\r').at(-1)).not.toMatch(/\[2K.*waiting for/);
    expect(shown.includes('PAGED')).toBe(isPaged);
  },
);

test('in a pipe nothing is said of a wait', async () => {
  const { folder, configFile, release } = await createWaiting();
  const terminal = startInTerminal(['check', '--config', configFile], { cwd: folder });
  const { ended, child } = startProgram(['check', '--config', configFile], { cwd: folder });
  await new Promise((resolve) => void child.stdout.once('data', resolve));
  await terminal.until(/waiting for (?:[3-9]|\d\d+) s/);
  release();
  const { stdout, stderr } = await ended;
  expect(stdout + stderr).not.toContain('waiting for');
  expect(stdout).toContain('all is well');
});
