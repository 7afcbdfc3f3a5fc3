// A person's decision: what the next run is to do, who made it, when, through what, and what that person saw.
import { asStoredRecord } from './stored/json.ts';
import type { JsonObject } from '../state/port.ts';
import type { PlanCounts, Resolution } from '../sync/input.ts';

/**
 * The form in which a decision is recorded and carried out. Decisions that an earlier version recorded have no `origin`.
 */
export type DecisionRequest = (
  | { readonly kind: 'resolve'; readonly id: string; readonly resolution: Resolution }
  /**
   * `isSure`: the person has looked, and wants a message sent that was sent or may have been (P3). `said`: digest of what the
   * row of an outbox said then; left out: not known, or no outbox. `contents`: digest of what the row without a contact held that is
   * named by its number; left out: another record is meant, or an earlier version recorded it.
   */
  | {
      readonly kind: 'retry';
      readonly id: string;
      readonly isSure?: true;
      readonly said?: string;
      readonly contents?: string;
    }
  | Cancel
  /** `undoes`: the run is an undo that was held, of this run (S8). */
  | { readonly kind: 'approve'; readonly run: string; readonly counts: PlanCounts; readonly undoes?: string }
  | ApproveRecords
  | ({ readonly kind: 'refuse'; readonly run: string } & Signed)
  /** `until`: ISO instant; left out: until somebody resumes the job. */
  | ({ readonly kind: 'pause'; readonly until?: string; readonly reason?: string } & Signed)
  | ({ readonly kind: 'resume' } & Signed)
  | ({ readonly kind: 'run' } & Signed)
) & { readonly origin?: DecisionOrigin };

/**
 * Lets through exactly these records of a held plan (G6). `ids`: for people. `digests`: of the changes that were seen. The
 * kind has a name of its own, so that an earlier version sets the decision aside instead of approving the whole plan.
 */
interface ApproveRecords extends Signed {
  readonly kind: 'approve-records';
  readonly run: string;
  readonly ids: readonly string[];
  readonly digests: readonly string[];
}

/** Of an enrolment (`UUID/AUTOMATION`), or of a row of an outbox by its ID: it is not carried out (E8, P7). */
interface Cancel extends Signed {
  readonly kind: 'cancel';
  readonly id: string;
}

/** No earlier version recorded these kinds. */
interface Signed {
  readonly origin: DecisionOrigin;
}

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

export const decisionKinds = [
  'approve',
  'resolve',
  'retry',
  'cancel',
  'approve-records',
  'refuse',
  'pause',
  'resume',
  'run',
] as const satisfies readonly DecisionRequest['kind'][];

export const throughs = ['cli', 'console', 'hook'] as const;
export type Through = (typeof throughs)[number];

/** The values or counts that were shown when the person decided. */
export type Seen =
  /** For an approval or a refusal. `digest`: of run, counts, reasons and records. */
  | { readonly counts: PlanCounts; readonly reasons: readonly string[]; readonly digest: string }
  /** For a resolution: the three values. A `base` that is left out is not known; an earlier version wrote null for it. */
  | { readonly base?: Value; readonly crm: Value; readonly sheet: Value }
  /** For a cancel: what the ledger had. */
  | { readonly state: string }
  /** For a retry: the open problems of the record. */
  | { readonly problems: readonly { readonly kind: string; readonly rule: string; readonly reason: string }[] }
  /** For a pause, its end, and a run that was asked for: how the last run ended; null: there was none. */
  | { readonly status: string | null };

type Value = string | number | boolean | null;

/** The subject of the decision: a record, a field, or a held run. Empty: the job as a whole. */
export function idOf(request: DecisionRequest): string {
  if ('run' in request) return request.run;
  return 'id' in request ? request.id : '';
}

/** Whether the decision is about a held plan. */
export function isApproval(
  request: DecisionRequest,
): request is Extract<DecisionRequest, { kind: 'approve' | 'approve-records' }> {
  return request.kind === 'approve' || request.kind === 'approve-records';
}

/** The decision in the form that the store takes. */
export function toStored(request: DecisionRequest): JsonObject {
  return asStoredRecord({ ...request });
}
