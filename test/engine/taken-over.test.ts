// A worker that is suspended in the middle of a run, and another one that takes its job over meanwhile (H2, E1, P2).
import { expect, test } from 'vitest';
import type { App } from '../../src/app.ts';
import type { RunReport } from '../../src/engine/report.ts';
import type { Store } from '../../src/state/port.ts';
import { createMemoryDatabase, type StatementInstant } from '../support/memory-store.ts';
import { trialTerms } from '../support/state.ts';
import { createEnrolmentTrial } from './enrolment/support.ts';
import { createOutboxTrial } from './outbox/support.ts';

const leaseMs = 60_000;
const request = () => ({ isFull: false, isAsked: true, signal: new AbortController().signal });

/**
 * Two workers, of which the first is suspended, and its clock with it, as in a virtual machine that is paused: it sends what it
 * would not send otherwise (H3). `createTrial`: the job, on the store of the first one.
 */
function createWorkers<Trial extends { startBeside(store: Store): Promise<App> }>(
  job: string,
  createTrial: (store: Store) => Trial,
) {
  const clock = { ms: 0 };
  const database = createMemoryDatabase({
    elapsed: () => clock.ms,
    leaseMs,
    renewMs: 5_000,
    terms: trialTerms,
  });
  let instant: StatementInstant = () => {};
  const first = database.worker({
    host: 'a',
    pid: 1,
    elapsed: () => 0,
    instant: (when, what) => instant(when, what),
  });
  const second = database.worker({ host: 'b', pid: 2 });
  const trial = createTrial(first.store);
  /** The first worker is suspended before or after a save, at the nth of these instants, until its lease is over and the second one has run. */
  const suspendAt = (nth: number) => {
    const seen = { statements: 0, heir: undefined as RunReport | undefined };
    instant = async (_when, what) => {
      if (what !== 'commit' || (seen.statements += 1) !== nth) return;
      first.pause();
      clock.ms += leaseMs + 1;
      const heir = await trial.startBeside(second.store);
      seen.heir = await heir.jobs.get(job)!.run(request());
      first.resume();
    };
    return seen;
  };
  return { ...trial, first, second, suspendAt };
}

test('E1, H2: wherever a worker is suspended past its lease, its clock too, nobody is enrolled twice', async () => {
  let sentByTheFirst = 0;
  for (let nth = 1; ; nth += 1) {
    const trial = createWorkers('prospects', (store) => createEnrolmentTrial({ store }));
    const stale = await trial.startBeside(trial.first.store);
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    const seen = trial.suspendAt(nth);
    const report = await stale.jobs.get('prospects')!.run(request());
    if (seen.statements < nth) break;
    expect(seen.heir?.status).toMatch(/succeeded|partial|failed/);
    await (await trial.startBeside(trial.second.store)).jobs.get('prospects')!.run(request());
    // The stand-in would take a second call without a word.
    const calls = trial.callsOf('automations.add-contact');
    expect(calls).toBeLessThanOrEqual(1);
    const { ledger } = await trial.second.store.sync('prospects').load();
    const states = [...ledger.values()].map(({ state }) => state);
    expect(states).toEqual([
      expect.stringMatching(seen.heir?.counts.enrolled === 1 ? /^enrolled$/ : /enrolled|unknown/),
    ]);
    if (seen.heir?.counts.enrolled === 0 && calls === 1 && report.status === 'failed') sentByTheFirst += 1;
  }
  expect(sentByTheFirst).toBeGreaterThan(0);
});

test('H2: an intent names the epoch under which its call is made', async () => {
  const trial = createWorkers('prospects', (store) => createEnrolmentTrial({ store }));
  await trial.linked('ann@firm.io');
  trial.type('ann@firm.io', 'Automation', 'Welcome');
  let intents: unknown[] = [];
  trial.atEachInstant(async (what) => {
    if (!(what instanceof Request) || !/\/flows\/[^/]+\/leads\//.test(what.url)) return;
    const { ledger } = await trial.second.store.sync('prospects').load();
    intents = [...ledger.values()].map(({ state, epoch }) => ({ state, epoch }));
  });
  await trial.run();
  expect(intents).toEqual([{ state: 'intended', epoch: 2 }]);
});

test('P2, H2: wherever a worker is suspended past its lease, its clock too, no message is sent twice', async () => {
  for (let nth = 1; ; nth += 1) {
    const trial = createWorkers('messages', (store) => createOutboxTrial({ store }));
    const stale = await trial.startBeside(trial.first.store);
    await trial.ready(['ann@firm.io', 'Sales', 'Hi Ann', 'yes']);
    const seen = trial.suspendAt(nth);
    await stale.jobs.get('messages')!.run(request());
    if (seen.statements < nth) break;
    await (await trial.startBeside(trial.second.store)).jobs.get('messages')!.run(request());
    expect(trial.sends()).toBeLessThanOrEqual(1);
    const { ledger } = await trial.second.store.sync('messages').load();
    expect([...ledger.values()].map(({ state }) => state)).toEqual([expect.stringMatching(/sent|unknown/)]);
  }
});
