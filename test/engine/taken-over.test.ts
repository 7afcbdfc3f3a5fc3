// A worker that is suspended in the middle of a run, and another one that takes its job over meanwhile (H2, E1, P2).
import { expect, test } from 'vitest';
import type { RunReport } from '../../src/engine/report.ts';
import { createMemoryDatabase, type StatementInstant } from '../support/memory-store.ts';
import { trialTerms } from '../support/state.ts';
import { createEnrolmentTrial } from './enrolment/support.ts';

const leaseMs = 60_000;
const request = () => ({ isFull: false, isAsked: true, signal: new AbortController().signal });

/** `clockStops`: of the suspended worker, as of a virtual machine that is paused. */
function createWorkers({ clockStops }: { readonly clockStops: boolean }) {
  const clock = { ms: 0, own: 0 };
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
    elapsed: () => clock.own,
    instant: (when, what) => instant(when, what),
  });
  const second = database.worker({ host: 'b', pid: 2 });
  const trial = createEnrolmentTrial({ store: first.store });
  /** The first worker is suspended before or after a save, at the nth of these instants, until its lease is over and the second one has run. */
  const suspendAt = (nth: number) => {
    const seen = { statements: 0, heir: undefined as RunReport | undefined };
    instant = async (_when, what) => {
      if (what !== 'commit' || (seen.statements += 1) !== nth) return;
      first.pause();
      clock.ms += leaseMs + 1;
      if (!clockStops) clock.own += leaseMs + 1;
      const heir = await trial.startBeside(second.store);
      seen.heir = await heir.jobs.get('prospects')!.run(request());
      first.resume();
    };
    return seen;
  };
  return { ...trial, first, second, suspendAt };
}

test.each([{ clockStops: false }, { clockStops: true }])(
  'E1, H2: wherever a worker is suspended past its lease, nobody is enrolled twice (its clock stops: $clockStops)',
  async ({ clockStops }) => {
    let sentByTheFirst = 0;
    for (let nth = 1; ; nth += 1) {
      const trial = createWorkers({ clockStops });
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
      expect(states).toEqual(
        calls === 1 && seen.heir?.counts.enrolled === 1 ? ['enrolled'] : [expect.stringMatching(/enrolled|unknown/)],
      );
      if (seen.heir?.counts.enrolled === 0 && calls === 1 && report.status === 'failed') sentByTheFirst += 1;
    }
    if (clockStops) expect(sentByTheFirst).toBeGreaterThan(0);
  },
);

test('H2: an intent names the epoch under which its call is made', async () => {
  const trial = createWorkers({ clockStops: false });
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
