// Orders the test files: long ones begin first, those that wait beside those that compute, so that no core is idle.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files of ten seconds and more that spend most of them waiting for processes, timers and the daemon: seconds of a clock, beside all
 * others on two cores (`21e7f41f`). Nothing but the order depends on these figures.
 */
const waiting: Readonly<Record<string, number>> = {
  'test/fleet/chaos.test.ts': 82,
  'test/web/console/held.test.ts': 69,
  'test/e2e/trial.test.ts': 59,
  'test/engine/daemon/queue.test.ts': 52,
  'test/web/console/conflicts.test.ts': 50,
  'test/e2e/stop.test.ts': 39,
  'test/e2e/live.test.ts': 38,
  'test/cli/init/found.test.ts': 38,
  'test/engine/daemon/faults.test.ts': 35,
  'test/cli/init/flags.test.ts': 33,
  'test/limits/shared-postgres.test.ts': 30,
  'test/web/console/retry.test.ts': 29,
  'test/e2e/apply.test.ts': 28,
  'test/e2e/proxy.test.ts': 27,
  'test/e2e/daemon.test.ts': 27,
  'test/web/console/undo.test.ts': 25,
  'test/web/console/stories.test.ts': 25,
  'test/e2e/crash.test.ts': 24,
  'test/web/console/safety.test.ts': 22,
  'test/web/console/live.test.ts': 21,
  'test/state/postgres/whole.test.ts': 21,
  'test/web/console/cancel.test.ts': 19,
  'test/web/console/login.test.ts': 18,
  'test/cli/init/terminal.test.ts': 18,
  'test/engine/daemon/daemon.test.ts': 17,
  'test/web/console/eyes.test.ts': 16,
  'test/web/console/console.test.ts': 16,
  'test/state/postgres/fence.test.ts': 16,
  'test/postgres/stopped.test.ts': 16,
  'test/e2e/progress.test.ts': 16,
  'test/state/postgres/copy.test.ts': 15,
  'test/engine/daemon/refused-plan.test.ts': 15,
  'test/web/hooks.test.ts': 14,
  'test/state/lock.test.ts': 14,
  'test/e2e/package.test.ts': 14,
  'test/web/console/roles.test.ts': 13,
  'test/web/console/pages.test.ts': 13,
  'test/sheets/client.test.ts': 13,
  'test/e2e/budget.test.ts': 13,
  'test/cli/init/account.test.ts': 13,
  'test/state/lying-disk.test.ts': 12,
  'test/sheets/update.test.ts': 12,
  'test/web/local.test.ts': 11,
  'test/engine/daemon/pause.test.ts': 11,
  'test/cli/user.test.ts': 11,
};

/** The others of ten seconds and more, which compute. */
const computing: Readonly<Record<string, number>> = {
  'test/web/console/browser.test.ts': 46,
  'test/simulation/cases.test.ts': 30,
  'test/state/versions/taken-up.test.ts': 22,
  'test/engine/undo.test.ts': 19,
  'test/engine/incomplete.test.ts': 19,
  'test/crm/scan-incomplete.test.ts': 18,
  'test/engine/writes.test.ts': 17,
  'test/engine/refusals.test.ts': 15,
  'test/engine/outbox/rules.test.ts': 13,
  'test/engine/moved-person.test.ts': 13,
  'test/engine/moved-cells.test.ts': 12,
  'test/engine/first-run.test.ts': 12,
  'test/engine/feed/rules.test.ts': 12,
  'test/e2e/output.test.ts': 12,
  'test/state/late.test.ts': 12,
  'test/simulation/simulation.test.ts': 12,
  'test/engine/mapping.test.ts': 12,
  'test/state/postgres/logins.test.ts': 11,
  'test/standin/sheets/properties.test.ts': 11,
  'test/engine/enrolment/cancel.test.ts': 11,
  'test/operator/approve-records.test.ts': 10,
  'test/engine/keys.test.ts': 10,
  'test/crm/scan.test.ts': 10,
};

/** What all the others take on average. */
const secsOfOthers = 2;

/** Longest first, the others as vitest sorts them: by their last duration, or by their size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's, and sorts nothing in place
    const sorted = await super.sort(files);
    // A process goes from one sharing file to the next, and ends before a file that does not share: those come first.
    const isAlone = ({ project }: TestSpecification) => project.config.isolate;
    return [...sorted.filter(isAlone), ...inTurns(sorted.filter((file) => !isAlone(file)))];
  }
}

/**
 * At each time as large a share of the waiting is begun as of the computing. Where one runs out before the other, two cores are idle, or
 * what waits is left for the end.
 */
function inTurns(files: readonly TestSpecification[]): TestSpecification[] {
  const waits = longestFirst(files, waiting, undefined);
  const computes = longestFirst(files, computing, secsOfOthers).filter(
    ({ file }) => secsOf(file, waiting) === undefined,
  );
  const queues = [waits, computes].map((timed) => ({ timed, left: sum(timed), all: sum(timed) }));
  return files.map(() => {
    const next = queues.toSorted((a, b) => b.left / b.all - a.left / a.all).find(({ timed }) => timed.length > 0)!;
    const { file, secs } = next.timed.shift()!;
    next.left -= secs;
    return file;
  });
}

interface Timed {
  readonly file: TestSpecification;
  readonly secs: number;
}

/** `others`: seconds of a file that is not named; undefined: it is left out. */
function longestFirst(
  files: readonly TestSpecification[],
  named: Readonly<Record<string, number>>,
  others: number | undefined,
): Timed[] {
  const timed = files.flatMap((file) => {
    const secs = secsOf(file, named) ?? others;
    return secs === undefined ? [] : [{ file, secs }];
  });
  return timed.toSorted((a, b) => b.secs - a.secs);
}

function secsOf({ moduleId }: TestSpecification, named: Readonly<Record<string, number>>): number | undefined {
  return Object.entries(named).find(([name]) => moduleId.endsWith(`/${name}`))?.[1];
}

function sum(timed: readonly Timed[]): number {
  return timed.reduce((total, { secs }) => total + secs, 0);
}
