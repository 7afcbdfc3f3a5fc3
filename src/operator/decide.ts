// Records a decision: its request, who made it, when, through what, and what the person saw.
import { takeUpNow } from '../engine/at-once.ts';
import {
  type DecisionOrigin,
  type DecisionRequest,
  idOf,
  type Seen,
  type Through,
  toStored,
} from '../engine/decision.ts';
import type { RequestsAnswer } from './answers/conflicts.ts';
import type { DecisionAnswer } from './answers/shared.ts';
import { StateError } from '../state/errors.ts';
import type { Operator } from './operator.ts';

/** The person who decides, and the face they use. */
export interface Decider {
  readonly by: string;
  readonly through: Through;
}

/** Omit for each member of a union. */
type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

export interface Decision {
  readonly sync: string;
  readonly request: DistributiveOmit<DecisionRequest, 'origin'>;
  /** What is to be done, in words. */
  readonly text: string;
  readonly seen: Seen;
}

/**
 * The next run of each sync carries the decisions out; pauses and refusals are in effect at once. Throws StateError if one cannot be
 * recorded; those that were recorded before stay. One that is recorded has not failed: if it cannot be taken up at once, a warning
 * says so.
 */
export async function record(
  { store, now, warn }: Operator,
  { by, through }: Decider,
  decisions: readonly Decision[],
): Promise<RequestsAnswer> {
  const at = new Date(now()).toISOString();
  const requests: RequestsAnswer['requests'] = [];
  for (const { sync, request, text, seen } of decisions) {
    const origin: DecisionOrigin = { by, at, through, text, seen };
    const recorded = { ...request, origin };
    await store.sync(sync).addRequest(toStored(recorded));
    requests.push({ sync, ...decisionToAnswer(recorded) });
  }
  for (const sync of new Set(decisions.map((each) => each.sync))) {
    try {
      await takeUpNow({ state: store.sync(sync), name: sync, now });
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      warn?.(`${sync}: ${recordedOnly}: ${error.message}`);
    }
  }
  return { requests };
}

const recordedOnly = 'the decision is recorded and stays; taking it up at once failed, so the next run does it';

/** Whether it needs no run: it is in effect as soon as it is recorded. */
function isInEffect({ decision }: Pick<DecisionAnswer, 'decision'>): boolean {
  return decision === 'pause' || decision === 'resume' || decision === 'refuse';
}

/** S8: the end of the text of an approved undo, which waits for the person who gives it again. */
export const givenAgain = 'it is carried out when the same undo is given again';

/** When a decision that waits is carried out, as the rest of a sentence. */
export function whenCarriedOut({ decision, text }: Pick<DecisionAnswer, 'decision' | 'text'>): string {
  if (isInEffect({ decision })) return 'it is in effect';
  return decision === 'approve' && text?.endsWith(givenAgain) === true ? givenAgain : 'the next run carries it out';
}

/** E8, P7: of several decisions about one enrolment or message, the later counts. `id`: the one that `cancel` records. */
export function isCancelWaiting(requests: readonly DecisionRequest[], id: string): boolean {
  const last = requests.findLast((each) => (each.kind === 'cancel' || each.kind === 'retry') && each.id === id);
  return last?.kind === 'cancel';
}

/** What such an enrolment or message waits for. */
export const cancelWaits = 'it is cancelled: the next run tells its row';

/** How much of a held plan is approved, as of decisions that no run has carried out yet. A refusal ends those before it (G7). */
export function approvalOf(
  run: string,
  waiting: readonly Pick<DecisionAnswer, 'decision' | 'id'>[],
): 'whole' | 'some' | 'none' {
  const isGiven = (kind: DecisionAnswer['decision']) =>
    waiting.some(({ id, decision }) => id === run && decision === kind);
  if (isGiven('approve')) return 'whole';
  return isGiven('approve-records') ? 'some' : 'none';
}

/** Decisions that wait. Of several about one conflict the later counts (M1), and the others are not told as to be carried out. */
export function waitingDecisions(requests: readonly DecisionRequest[]): readonly DecisionRequest[] {
  const last = new Map(requests.flatMap((each) => (each.kind === 'resolve' ? [[each.id, each] as const] : [])));
  return requests.filter((each) => each.kind !== 'resolve' || last.get(each.id) === each);
}

/** A decision that is not in the history yet. */
export function decisionToAnswer(request: DecisionRequest): DecisionAnswer {
  const { text = null, by = null, at = null, through = null } = request.origin ?? {};
  return { decision: request.kind, id: idOf(request), text, by, at, through };
}
