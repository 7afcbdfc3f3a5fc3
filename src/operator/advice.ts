// The advice for a person about a problem, with the commands as they can be copied.
import type { JobKind } from '../engine/kind.ts';
import type { StoredProblem } from '../engine/stored/run.ts';
import type { Problem, ProblemKind } from '../sync/change.ts';
import { commandText } from './explain/commands.ts';
import { isOfEnrolment, namedAnew, remediesOfLost, retryCommand, takesNoRetry } from './explain/remedies.ts';

/** The job that has the problem. */
export interface AdvisedJob {
  readonly name: string;
  readonly kind: JobKind;
}

export function adviceFor(problem: StoredProblem, job: AdvisedJob): string {
  const { kind, rule } = problem;
  if (kind === 'ignored' && rule === 'E4') return vetoed;
  // A retry asks for nothing here: what the row lacks is its contact.
  const ofLost = kind === 'ignored' ? remediesOfLost(problem) : undefined;
  if (ofLost !== undefined) return `nothing, or ${ofLost.join(', or ')}`;
  // S4: an enrolment has no value that somebody could type.
  const isNoField = rule === 'S4' && problem.field === null;
  const ofHeld = kind === 'held' ? adviceToHeld[isNoField ? 'S7' : rule] : undefined;
  const ofWish = kind === 'refused' && rule === 'E4' ? adviceToRefusedWish(problem) : undefined;
  // Of a row without a contact, the next run finds out.
  const ofCall = rule === 'E3' && isOfEnrolment(problem) && kind !== 'waiting' ? adviceToUnknownCall : undefined;
  // A waiting record needs no command, whatever it waits for.
  const ofRule = kind === 'waiting' ? undefined : adviceByRule[rule];
  // W5: an outbox takes no retry for what the spreadsheet refused.
  const isWithoutRetry = job.kind === 'feed' || (job.kind === 'outbox' && rule === 'W5') || takesNoRetry(problem);
  const withoutRetry = isWithoutRetry ? adviceWithoutRetry[kind] : undefined;
  const advise = ofWish ?? ofHeld ?? ofCall ?? ofRule ?? withoutRetry ?? advice[kind];
  return advise({
    approve: commandText('approve', job.name),
    plan: commandText('plan', job.name),
    resolve: commandText('resolve', problem.id),
    retry: retryCommand(problem, { job: job.name, kind: job.kind }),
  });
}

/** Commands about the problem, and about its job. */
interface Commands {
  readonly approve: string;
  readonly plan: string;
  readonly resolve: string;
  readonly retry: string;
}

type Advise = (commands: Commands) => string;

const vetoed = 'nothing: unless in the configuration says so; it is enrolled once the value is another one';

/** E3: nothing that a run reads tells what came of the call. */
const adviceToUnknownCall: Advise = ({ retry }) =>
  `look in the service; if it is not in the automation, ${retry} --yes, else nothing`;

/** A name that no automation has is looked up by each run. What the service refused once is not asked for again by itself (E1). */
const adviceToRefusedWish = (problem: StoredProblem): Advise =>
  isOfEnrolment(problem)
    ? ({ retry }) => `correct what it names; then ${retry}, or ${namedAnew}`
    : () => 'correct what it names; the next run looks at it again';

/** Feeds take no decisions by command. An outbox sends nothing that a person did not ask for. */
const adviceByRule: Partial<Record<Problem['rule'], Advise>> = {
  G6: ({ plan }) => `look at ${plan}, and approve it again`,
  E6: ({ approve }) => `look at what these rows wish for; then ${approve}`,
  E8: ({ retry }) => `nothing, or to take it up again: ${retry}, or ${namedAnew}`,
  E7: () => 'nothing: the cell shows what the service has; type on or off to ask again',
  P2: () => 'do what it says; nothing of it is sent before',
  P3: ({ retry }) => `look in the service; if it is not there, ${retry} --yes, else type its uuid into the row`,
  P4: ({ retry }) =>
    `correct the row; if the service was changed, it is asked again within the hour, and at once by ${retry}`,
  P5: ({ retry }) => `read the row; if it is still to be sent, ${retry} --yes, else nothing`,
  P6: ({ plan, approve }) => `${plan} shows what would be sent; then ${approve}`,
  P7: ({ retry }) => `nothing, or to have it sent: ${retry}, or empty its cell and fill it after a run`,
  P8: ({ plan, approve }) => `put its column back; or ${plan} shows what would be sent, then ${approve}`,
  F2: () => 'nothing: rows of your own are left alone',
  F3: () => 'nothing; delete the row if you do not want it',
  S4: () => 'nothing: the undo leaves it as it is',
};

/** Nothing that they name is wrong. Other kinds of problems with these rules have the advice of their kind. */
const adviceToHeld: Partial<Record<Problem['rule'], Advise>> = {
  E5: ({ retry }) => `${retry} --yes to enrol it again, or take it out of its cell`,
  E7: () => 'start or stop it in the service, and empty the cell',
  D5: () => 'nothing: it is deleted once what it waits for is done',
  S4: () => 'nothing: the undo leaves it as it is; type the value that it is to have',
  S7: () => 'nothing: the undo leaves it as it is',
  W3: ({ plan }) => `nothing, or make a new plan of it: ${plan} --out plan.json`,
};

/** Where `retry` reaches nothing. */
const adviceWithoutRetry: Partial<Record<ProblemKind, Advise>> = {
  quarantined: () => 'correct what it names',
  refused: () => 'correct what it names; it is tried again by itself',
  parked: () => 'change it on either side',
  ignored: () => 'nothing',
};

const advice: Readonly<Record<ProblemKind, Advise>> = {
  conflict: ({ resolve }) => `${resolve} --use crm, or --use sheet, or --value TEXT; or make both sides equal`,
  quarantined: ({ retry }) => `correct what it names; if that changes neither side, ${retry}`,
  held: () => 'correct what it names',
  parked: ({ retry }) => `change it on either side, or ${retry}`,
  unreadable: () => 'correct the cell',
  refused: ({ retry }) => `correct what it names; it is tried again by itself, and in a sync at once by ${retry}`,
  failed: () => 'nothing: the next run tries again',
  unknown: () => 'look on both sides whether it happened; the next run reads it back',
  incomplete: () =>
    'nothing, if it passes: the next run reads again; if it stays, docs/service.md says what the service may lack',
  waiting: () => 'nothing but what it names: it is done once what it waits for is there',
  ignored: ({ retry }) => `nothing, or ${retry}`,
};
