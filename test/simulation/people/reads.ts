// What people read of the state, in the console and by command, while runs go on: answers that change nothing.
import type { Operator } from '../../../src/operator/operator.ts';
import { readDecisionsPage } from '../../../src/operator/audit.ts';
import { decisionsPage } from '../../../src/operator/answers/audit.ts';
import { conflictsPage } from '../../../src/operator/answers/conflicts.ts';
import { explainAnswer } from '../../../src/operator/answers/explain.ts';
import { heldAnswer } from '../../../src/operator/answers/held.ts';
import { logPage } from '../../../src/operator/answers/history.ts';
import { jobsPage } from '../../../src/operator/answers/jobs.ts';
import { enrolmentsPage } from '../../../src/operator/answers/ledgers.ts';
import { problemsPage } from '../../../src/operator/answers/problems.ts';
import { runPage, runsPage } from '../../../src/operator/answers/runs.ts';
import { statusAnswer } from '../../../src/operator/answers/status.ts';
import { readConflictsPage } from '../../../src/operator/conflicts.ts';
import { readEnrolmentsPage } from '../../../src/operator/enrolments.ts';
import { explain } from '../../../src/operator/explain.ts';
import { readHeld } from '../../../src/operator/held.ts';
import { readLogPage } from '../../../src/operator/history.ts';
import { readJobsPage } from '../../../src/operator/jobs.ts';
import { readLifeLine } from '../../../src/operator/life-line.ts';
import { readProblemsPage } from '../../../src/operator/problems.ts';
import { findRecords } from '../../../src/operator/records.ts';
import { readRunPage, readRuns } from '../../../src/operator/runs.ts';
import { readStatus } from '../../../src/operator/standing.ts';
import type { ReadName } from '../scenario/scenario.ts';
import { syncName } from '../world/setting.ts';

/** `reference`: a contact as a person names it; `contact`: a uuid. */
export interface About {
  readonly reference: string;
  readonly contact: string;
}

const page = { limit: 20 };

/** Each throws OperatorError and StateError, and ZodError for an answer of another shape than its schema. */
export const reads = {
  status: async (operator: Operator) => statusAnswer.parse(await readStatus(operator, [])),
  jobs: async (operator: Operator) => jobsPage.parse(await readJobsPage(operator, {}, page)),
  problems: async (operator: Operator) => problemsPage.parse(await readProblemsPage(operator, {}, page)),
  conflicts: async (operator: Operator) => conflictsPage.parse(await readConflictsPage(operator, {}, page)),
  runs: async (operator: Operator) => runsPage.parse(await readRuns(operator, { names: [], limit: 20 })),
  'last run': async (operator: Operator) => {
    const { runs } = await readRuns(operator, { names: [], limit: 1 });
    const [last] = runs;
    return last && runPage.parse(await readRunPage(operator, last.run, page));
  },
  log: async (operator: Operator) => logPage.parse(await readLogPage(operator, {}, page)),
  held: async (operator: Operator) => heldAnswer.parse(await readHeld(operator, syncName)),
  explain: async (operator: Operator, { reference }: About) =>
    explainAnswer.parse(await explain(operator, { reference })),
  records: (operator: Operator, { reference }: About) => findRecords(operator, reference, [syncName]),
  enrolments: async (operator: Operator) => enrolmentsPage.parse(await readEnrolmentsPage(operator, {}, page)),
  decisions: async (operator: Operator) => decisionsPage.parse(await readDecisionsPage(operator, {}, page)),
  'life line': (operator: Operator, { contact }: About) =>
    readLifeLine(operator, { contact, syncs: [syncName], jobs: [syncName] }, page),
} as const satisfies Record<ReadName, (operator: Operator, at: About) => Promise<unknown>>;
