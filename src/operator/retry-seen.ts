// Tries records again that a person saw: all of them as they were seen, or none.
import { createHash } from 'node:crypto';
import { type Standing, standingOf } from '../engine/standing.ts';
import { enrolmentIdToKey } from '../sync/record/ledger.ts';
import type { RequestsAnswer } from './answers/conflicts.ts';
import type { DoubtAnswer } from './answers/doubt.ts';
import type { DecisionAnswer } from './answers/shared.ts';
import { type Decider, decisionToAnswer } from './decide.ts';
import { isNameTyped, ledgerKeysOf, readDoubt } from './doubt.ts';
import { OperatorError } from './errors.ts';
import { takesNoRetry } from './explain/remedies.ts';
import type { Operator } from './operator.ts';
import { retry } from './retry.ts';
import { selectDeciding } from './select.ts';

/** What a person may do about one problem, an enrolment or a row of an outbox. */
export interface RetryView {
  /** Whether a second try is of any use. */
  readonly canRetry: boolean;
  /** Before a second try the person has to look, and to type the name; null: no question. */
  readonly doubt: DoubtAnswer | null;
  /** A second try that is asked for already. */
  readonly decision: DecisionAnswer | null;
  /** The digest of all that a person sees of it. */
  readonly digest: string;
}

export interface RetrySubject {
  readonly job: string;
  /** As `retry` takes it. */
  readonly id: string;
}

/** Kinds of problems that a second try may end; others end by themselves, or when a side changes. */
const retriedKinds = new Set(['quarantined', 'parked', 'refused', 'ignored']);

/** One view for each of `subjects`, in their order. Throws OperatorError and StateError. */
export async function readRetries(
  operator: Operator,
  subjects: readonly RetrySubject[],
): Promise<readonly RetryView[]> {
  const deciding = new Map(selectDeciding(operator.config, []).map(({ name, kind }) => [name, kind]));
  const standings = new Map<string, Standing>();
  for (const [job, ofJob] of Map.groupBy(subjects, (each) => each.job)) {
    if (!deciding.has(job)) continue;
    // Problems and decisions of the job, with the ledger of these alone.
    const keys = ofJob.flatMap(({ id }) => ledgerKeysOf(id));
    standings.set(job, standingOf(await operator.store.sync(job).loadSome({ keys })));
  }
  const views: RetryView[] = [];
  for (const { job, id } of subjects) {
    const standing = standings.get(job);
    const doubt = standing ? await readDoubt(operator, { job, id }, standing) : null;
    views.push(standing ? viewOf({ job, id }, standing, doubt) : noRetry);
  }
  return views;
}

const noRetry: RetryView = { canRetry: false, doubt: null, decision: null, digest: '' };

function viewOf({ job, id }: RetrySubject, standing: Standing, doubt: DoubtAnswer | null): RetryView {
  const problems = standing.lastRun?.problems.filter((problem) => problem.id === id) ?? [];
  // E4: a veto ends when the value of its cell does.
  const isOpen = problems.some(
    (problem) => retriedKinds.has(problem.kind) && problem.rule !== 'E4' && !takesNoRetry(problem),
  );
  const entry = standing.messages.get(id) ?? standing.ledger.get(enrolmentIdToKey(id));
  const request = standing.requests.findLast((each) => each.kind === 'retry' && each.id === id);
  const decision = request ? decisionToAnswer(request) : null;
  const shown = [
    job,
    id,
    problems.map(({ kind, reason }) => [kind, reason]),
    entry && [entry.state, entry.at, 'saysNow' in entry ? entry.saysNow : null],
    decision,
  ];
  return {
    canRetry: isOpen || doubt !== null || entry?.state === 'refused' || entry?.state === 'cancelled',
    doubt,
    decision,
    digest: createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 32),
  };
}

export interface SeenProblem extends RetrySubject {
  readonly digest: string;
}

export type RetriedSeen =
  | { readonly outcome: 'recorded'; readonly answer: RequestsAnswer }
  /** Nothing is recorded: these are not as they were seen. */
  | { readonly outcome: 'changed'; readonly changed: readonly SeenProblem[] }
  /** Nothing is recorded: these may be done twice, so that each is asked for alone, with the name. */
  | { readonly outcome: 'doubt'; readonly doubts: readonly DoubtAnswer[] }
  /** Nothing is recorded: another name was typed. */
  | { readonly outcome: 'another name'; readonly doubt: DoubtAnswer };

/**
 * `typed`: the name, for one record that may be done twice. Throws OperatorError and StateError; decisions of several jobs
 * that were recorded before a StateError stay.
 */
export async function retrySeen(
  operator: Operator,
  decider: Decider,
  { seen, typed }: { readonly seen: readonly SeenProblem[]; readonly typed?: string | undefined },
): Promise<RetriedSeen> {
  if (seen.length === 0) throw new OperatorError('invalid', 'no record is ticked');
  const views = await readRetries(operator, seen);
  const changed = seen.filter(({ digest }, index) => views[index]!.digest !== digest);
  if (changed.length > 0) return { outcome: 'changed', changed };
  const doubts = views.flatMap(({ doubt }) => doubt ?? []);
  const isSure = typed !== undefined;
  const [doubt] = doubts;
  if (doubt && (!isSure || seen.length > 1)) return { outcome: 'doubt', doubts };
  if (doubt && isSure && !isNameTyped(doubt, typed)) return { outcome: 'another name', doubt };
  const requests: RequestsAnswer['requests'] = [];
  for (const [job, ofJob] of Map.groupBy(seen, (each) => each.job)) {
    const ids = ofJob.map(({ id }) => id);
    const said = doubt?.said ?? undefined;
    const answer = await retry(operator, decider, { ids, sync: job, isSure: doubt !== undefined, said });
    requests.push(...answer.requests);
  }
  return { outcome: 'recorded', answer: { requests } };
}
