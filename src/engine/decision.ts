// A person's decision: what it asks of the next run, and who made it, when, through what, and what they saw.
import { asStoredRecord } from './stored/json.ts';
import type { JsonObject } from '../state/port.ts';
import type { PlanCounts, Resolution } from '../sync/input.ts';

/** As it is recorded, and as a run carries it out. Decisions that an earlier version recorded have no `origin`. */
export type DecisionRequest = (
  | { readonly kind: 'resolve'; readonly id: string; readonly resolution: Resolution }
  /** `isSure`: somebody looked, and wants a message sent that was sent or may have been (P3). */
  | { readonly kind: 'retry'; readonly id: string; readonly isSure?: true }
  | { readonly kind: 'approve'; readonly run: string; readonly counts: PlanCounts }
) & { readonly origin?: DecisionOrigin };

export interface DecisionOrigin {
  /** Account of the operating system, or user of the console. */
  readonly by: string;
  /** ISO instant. */
  readonly at: string;
  readonly through: Through;
  /** In words: what is to be done. */
  readonly text: string;
  readonly seen: Seen;
}

export const throughs = ['cli', 'console', 'hook'] as const;
export type Through = (typeof throughs)[number];

/** What the person was shown of what they decided on. */
export type Seen =
  /** Of an approval. `digest`: of run, counts and reasons. */
  | { readonly counts: PlanCounts; readonly reasons: readonly string[]; readonly digest: string }
  /** Of a resolution: the three values; null also where one is not known. */
  | { readonly base: Value; readonly crm: Value; readonly sheet: Value }
  /** Of a retry: what was open about the record. */
  | { readonly problems: readonly { readonly kind: string; readonly rule: string; readonly reason: string }[] };

type Value = string | number | boolean | null;

/** What `retry`, `resolve` and `approve` name: the id of a record or field, or the run. */
export function idOf(request: DecisionRequest): string {
  return request.kind === 'approve' ? request.run : request.id;
}

/** As the store takes it. */
export function toStored(request: DecisionRequest): JsonObject {
  return asStoredRecord({ ...request });
}
