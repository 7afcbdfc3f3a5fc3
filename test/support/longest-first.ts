// Orders the test files: long ones begin first, so that none runs alone at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files of ten seconds and more, the longest first. A file that is missing here begins later; nothing else depends on this.
 */
const longest = [
  'test/fleet/chaos.test.ts',
  'test/e2e/trial.test.ts',
  'test/web/console/conflicts.test.ts',
  'test/web/console/held.test.ts',
  'test/engine/daemon/queue.test.ts',
  'test/cli/init/found.test.ts',
  'test/e2e/live.test.ts',
  'test/e2e/stop.test.ts',
  'test/simulation/simulation.test.ts',
  'test/e2e/crash.test.ts',
  'test/engine/daemon/faults.test.ts',
  'test/e2e/apply.test.ts',
  'test/web/console/browser.test.ts',
  'test/e2e/proxy.test.ts',
  'test/web/console/undo.test.ts',
  'test/web/console/stories.test.ts',
  'test/engine/daemon/daemon.test.ts',
  'test/web/console/retry.test.ts',
  'test/cli/init/flags.test.ts',
  'test/e2e/package.test.ts',
  'test/web/console/live.test.ts',
  'test/e2e/daemon.test.ts',
  'test/limits/shared-postgres.test.ts',
  'test/web/console/login.test.ts',
  'test/web/console/pages.test.ts',
  'test/engine/first-run.test.ts',
  'test/web/console/cancel.test.ts',
  'test/state/postgres/fence.test.ts',
  'test/engine/undo.test.ts',
  'test/web/console/eyes.test.ts',
  'test/e2e/progress.test.ts',
  'test/cli/init/terminal.test.ts',
  'test/engine/daemon/refused-plan.test.ts',
  'test/engine/outbox/cancel.test.ts',
  'test/cli/plan.test.ts',
  'test/web/console/lists.test.ts',
  'test/engine/incomplete.test.ts',
  'test/engine/key-swap.test.ts',
  'test/engine/enrolment/rules.test.ts',
  'test/web/hooks.test.ts',
  'test/web/console/console.test.ts',
  'test/state/lock.test.ts',
  'test/engine/outbox/rules.test.ts',
  'test/e2e/budget.test.ts',
  'test/e2e/completion.test.ts',
  'test/state/postgres/copy.test.ts',
  'test/web/local.test.ts',
  'test/cli/user.test.ts',
  'test/crm/scan-incomplete.test.ts',
  'test/simulation/cases.test.ts',
  'test/web/console/safety.test.ts',
  'test/engine/enrolment/schedules.test.ts',
  'test/sync/properties/properties.test.ts',
  'test/engine/writes.test.ts',
  'test/engine/outbox/schedules.test.ts',
  'test/engine/enrolment/cancel.test.ts',
];

/** The named files, then the others as vitest sorts them: by their last duration, or by their size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((name) => moduleId.endsWith(`/${name}`));
      return index === -1 ? longest.length : index;
    };
    // A process goes from one sharing file to the next, and ends before a file that does not share: those come first.
    const sharing = ({ project }: TestSpecification) => Number(!project.config.isolate);
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's, and sorts nothing in place
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => sharing(a) - sharing(b) || place(a) - place(b));
  }
}
