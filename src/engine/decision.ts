// A person's decision: what the next run is to do, who made it, when, through what, and what that person saw.
import { asStoredRecord } from './stored/json.ts';
import type { JsonObject } from '../state/port.ts';
import type { PlanCounts, Resolution } from '../sync/input.ts';

/**
 * The form in which a decision is recorded and carried out. Decisions that an earlier version recorded have no `origin`.
 */
export type DecisionRequest = (
  | { readonly kind: 'resolve'; readonly id: string; readonly resolution: Resolution }
  /** `isSure`: the person has looked, and wants a message sent that was sent or may have been (P3). */
  | { readonly kind: 'retry'; readonly id: string; readonly isSure?: true }
  /** `undoes`: the run is an undo that was held, of this run (S8). */
  | { readonly kind: 'approve'; readonly run: string; readonly counts: PlanCounts; readonly undoes?: string }
) & { readonly origin?: DecisionOrigin };

export interface DecisionOrigin {
  /** An account of the operating system, or a user of the console. */
  readonly by: string;
  /** ISO instant. */
  readonly at: string;
  readonly through: Through;
  /** What is to be done, in words. */
  readonly text: string;
  readonly seen: Seen;
}

export const throughs = ['cli', 'console', 'hook'] as const;
export type Through = (typeof throughs)[number];

/** The values or counts that were shown when the person decided. */
export type Seen =
  /** For an approval. `digest`: of run, counts and reasons. */
  | { readonly counts: PlanCounts; readonly reasons: readonly string[]; readonly digest: string }
  /** For a resolution: the three values; null also means not known. */
  | { readonly base: Value; readonly crm: Value; readonly sheet: Value }
  /** For a retry: the open problems of the record. */
  | { readonly problems: readonly { readonly kind: string; readonly rule: string; readonly reason: string }[] };

type Value = string | number | boolean | null;

/** The id that `retry`, `resolve` or `approve` was given: of a record, a field, or a run. */
export function idOf(request: DecisionRequest): string {
  return request.kind === 'approve' ? request.run : request.id;
}

/** The decision in the form that the store takes. */
export function toStored(request: DecisionRequest): JsonObject {
  return asStoredRecord({ ...request });
}
