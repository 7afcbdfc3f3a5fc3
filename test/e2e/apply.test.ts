// `apply` as a process of its own: what it shows while it waits for a side, and for the lease of another process.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Served } from '../../src/standin/serve.ts';
import { openStore } from '../../src/state/open.ts';
import { startProgram } from '../support/program.ts';
import { createSides } from '../support/sides.ts';
import { startInTerminal } from '../support/terminal.ts';

const count = 12;

/** The saved plan of twelve new contacts, beside sides that answer at once until `hold` is called. */
async function createPlan() {
  let gate = Promise.resolve();
  const around = (served: Served): Served => ({
    async fetch(request, bindings) {
      await gate;
      return served.fetch(request, bindings);
    },
  });
  const people = Array.from({ length: count }, (_, index) => [`P${index}`, `p${index}@apply.test`]);
  const sides = await createSides({
    values: [['First name', 'Email'], ...people],
    rowCount: 500,
    around,
    sync: { match: ['email'], columns: { 'First name': 'first_name', Email: 'email' }, limits: { creates: 1000 } },
  });
  onTestFinished(sides.close);
  const { folder, configFile } = sides;
  const options = { cwd: folder };
  const file = join(folder, 'plan.json');
  expect(await sides.run('plan', '--out', file)).toMatchObject({ code: 2 });
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  /** The lease, as this process has it. */
  const takeLease = async () => {
    const store = openStore(`file:${join(folder, 'state')}`, {
      now: Date.now,
      randomId: randomUUID,
      process: { pid: process.pid, probe: (pid) => process.kill(pid, 0) },
      warn: () => {},
    });
    return store.sync('prospects').acquireLease();
  };
  const words = ['apply', file, '--config', configFile];
  const atTerminal = () => startInTerminal(words, options);
  const inPipe = () => startProgram(words, options).ended;
  return { ...sides, file, hold, takeLease, atTerminal, inPipe };
}

test('apply rewrites one line while a side lets it wait, and wipes it before its result', async () => {
  const { hold, atTerminal } = await createPlan();
  const release = hold();
  const terminal = atTerminal();
  await terminal.until(/: begins, waiting for \d+ s/);
  release();
  const { shown, code } = await terminal.ended;
  expect(code).toBe(0);
  expect(shown).toContain(`contacts: ${count} created`);
  for (const text of shown.split('\r\n')) expect(text.split('\r').at(-1)).not.toMatch(/\[2K.*waiting for/);
});

test('W7: apply waits for the lease of another process, says so at a terminal, and goes on when it is given back', async () => {
  const { takeLease, atTerminal } = await createPlan();
  const lease = await takeLease();
  const terminal = atTerminal();
  await terminal.until(/: begins, waiting for \d+ s/);
  await lease[Symbol.asyncDispose]();
  const { shown, code } = await terminal.ended;
  expect(code).toBe(0);
  expect(shown).toContain(`contacts: ${count} created`);
});

test('W7: apply names the process whose lease it does not get, writes nothing, and applies the plan later', async () => {
  const { takeLease, inPipe, run, file } = await createPlan();
  const lease = await takeLease();
  const { code, stdout, stderr } = await inPipe();
  expect(code).toBe(1);
  expect(stdout).toMatch(new RegExp(`is being run by process ${process.pid} on \\S+, since `));
  expect(stderr).not.toContain('waiting for');
  await lease[Symbol.asyncDispose]();
  const later = await run('apply', file);
  expect(later).toMatchObject({ code: 0, stdout: expect.stringContaining(`contacts: ${count} created`) });
});

test('W8: apply ends with 130 at Ctrl-C, also while it waits for the lease of another process', async () => {
  const { takeLease, hold, atTerminal } = await createPlan();
  const lease = await takeLease();
  const waiting = atTerminal();
  await waiting.until(/: begins, waiting for \d+ s/);
  waiting.type('\u0003');
  expect(await waiting.ended).toMatchObject({ code: 130 });
  await lease[Symbol.asyncDispose]();
  const release = hold();
  const reading = atTerminal();
  await reading.until(/: begins, waiting for \d+ s/);
  reading.type('\u0003');
  await reading.until('stopping');
  release();
  expect(await reading.ended).toMatchObject({ code: 130 });
});
