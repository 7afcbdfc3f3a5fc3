// Every decision is recorded in one way: what it asks for, who made it, when, through what, and what they saw.
import {
  type DecisionOrigin,
  type DecisionRequest,
  idOf,
  type Seen,
  type Through,
  toStored,
} from '../engine/decision.ts';
import type { DecisionAnswer, RequestsAnswer } from './answers.ts';
import type { Operator } from './operator.ts';

/** The person who decides, and the face through which they do. */
export interface Decider {
  readonly by: string;
  readonly through: Through;
}

export interface Decision {
  readonly sync: string;
  readonly request: DecisionRequest;
  /** In words: what is to be done. */
  readonly text: string;
  readonly seen: Seen;
}

/** The next run of each sync carries them out. Throws StateError; what was recorded before it stays recorded. */
export async function record(
  { store, now }: Operator,
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
  return { requests };
}

/** A decision that no run has carried out yet. */
export function decisionToAnswer(request: DecisionRequest): DecisionAnswer {
  const { text = null, by = null, at = null, through = null } = request.origin ?? {};
  return { decision: request.kind, id: idOf(request), text, by, at, through };
}
