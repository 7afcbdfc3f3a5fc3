// Orders the test files: long ones begin first, those that wait and those that compute in turns, so that no core is idle.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files of ten seconds and more that spend most of them waiting for processes, timers and the daemon, the longest first. A file that
 * is missing in both lists begins later; nothing else depends on them.
 */
const waiting = [
  'test/fleet/chaos.test.ts',
  'test/e2e/trial.test.ts',
  'test/web/console/conflicts.test.ts',
  'test/web/console/held.test.ts',
  'test/cli/init/found.test.ts',
  'test/engine/daemon/faults.test.ts',
  'test/cli/init/flags.test.ts',
  'test/web/console/retry.test.ts',
  'test/e2e/apply.test.ts',
  'test/e2e/proxy.test.ts',
  'test/web/console/undo.test.ts',
  'test/engine/daemon/daemon.test.ts',
  'test/web/console/live.test.ts',
  'test/limits/shared-postgres.test.ts',
  'test/web/console/cancel.test.ts',
  'test/web/console/login.test.ts',
  'test/web/console/eyes.test.ts',
  'test/e2e/progress.test.ts',
  'test/engine/daemon/refused-plan.test.ts',
  'test/web/hooks.test.ts',
  'test/state/lying-disk.test.ts',
  'test/engine/idle.test.ts',
  'test/web/console/console.test.ts',
  'test/web/local.test.ts',
];

/** Files of five seconds of processor time and more, the longest first. */
const computing = [
  'test/web/console/browser.test.ts',
  'test/simulation/cases.test.ts',
  'test/simulation/simulation.test.ts',
  'test/e2e/crash.test.ts',
  'test/e2e/stop.test.ts',
  'test/e2e/daemon.test.ts',
  'test/engine/daemon/queue.test.ts',
  'test/engine/incomplete.test.ts',
  'test/engine/first-run.test.ts',
  'test/engine/moved-cells.test.ts',
  'test/engine/moved-person.test.ts',
  'test/e2e/live.test.ts',
  'test/web/console/stories.test.ts',
  'test/engine/undo.test.ts',
  'test/crm/scan-incomplete.test.ts',
  'test/engine/key-swap.test.ts',
  'test/e2e/output.test.ts',
  'test/standin/service/fuzz.test.ts',
  'test/cli/init/terminal.test.ts',
  'test/sheets/schedules/schedules.test.ts',
  'test/web/console/pages.test.ts',
  'test/sync/properties/properties.test.ts',
  'test/engine/outbox/rules.test.ts',
  'test/engine/feed/rules.test.ts',
  'test/engine/refusals.test.ts',
  'test/state/late.test.ts',
  'test/state/lock.test.ts',
  'test/engine/enrolment/restored.test.ts',
  'test/engine/killed-and-edited.test.ts',
  'test/engine/feed/undo.test.ts',
  'test/engine/values.test.ts',
  'test/cli/plan.test.ts',
  'test/engine/recovery.test.ts',
  'test/e2e/package.test.ts',
  'test/e2e/start.test.ts',
  'test/engine/feed/large.test.ts',
  'test/state/postgres/contract.test.ts',
  'test/standin/sheets/properties.test.ts',
  'test/cli/user.test.ts',
  'test/config/example.test.ts',
  'test/e2e/pager.test.ts',
  'test/crm/scan.test.ts',
  'test/engine/outbox/cancel.test.ts',
];

// Two that compute beside each that waits: with as many of both, two cores were idle for a sixth of the first three minutes. Six that
// wait, begun together, left them idle for half of the first minute.
const order = Array.from({ length: Math.max(waiting.length, Math.ceil(computing.length / 2)) }, (_, index) =>
  [waiting[index], computing[2 * index], computing[2 * index + 1]].filter((name) => name !== undefined),
).flat();

/** The named files, then the others as vitest sorts them: by their last duration, or by their size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = order.findIndex((name) => moduleId.endsWith(`/${name}`));
      return index === -1 ? order.length : index;
    };
    // A process goes from one sharing file to the next, and ends before a file that does not share: those come first.
    const sharing = ({ project }: TestSpecification) => Number(!project.config.isolate);
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's, and sorts nothing in place
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => sharing(a) - sharing(b) || place(a) - place(b));
  }
}
