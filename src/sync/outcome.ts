// The outcomes of the changes of a plan, as the run that carried them out reports them.
import { type Change, type Problem, problem } from './change.ts';
import type { ContactRecord } from './record/record.ts';
import type { RuleId } from './rules.ts';
import type { Reading, Value } from './value/value.ts';

/** The outcome of one change. A change without an outcome was not begun; the next run plans it again. */
export type Outcome =
  | Done
  /** The service or the sheet rejects this record (W5). */
  | ({ readonly kind: 'refused'; readonly message: string } & Partly & CellsOnly & Misplaced)
  /** The record changed since it was read (W3). `message`: how it changed, or what the change waits for. */
  | { readonly kind: 'moved'; readonly message?: string }
  /** The write may have happened (W4). */
  | ({ readonly kind: 'unknown'; readonly message: string } & Partly & Misplaced)
  | ({ readonly kind: 'failed'; readonly message: string } & Partly & Covered);

export interface Done {
  readonly kind: 'done';
  /** What the service answered to a create or update. */
  readonly contact?: ContactRecord;
  /** E2, W4: the call did not answer the contact, and a reading after it did. By then somebody may have changed it. */
  readonly isFound?: true;
  /**
   * I8, L1: names of fields of a create that were to be sent once the contact is there, and were not, because it holds another
   * value by then.
   */
  readonly unsent?: readonly string[];
  /** What the cells hold after a set or append. */
  readonly stored?: Readonly<Record<string, Reading>>;
}

/**
 * A part of an update was carried out: these fields, and the contact as it was answered (two calls, or keys that are let go). Without
 * fields nothing was, and the answer counts all the same.
 */
interface Partly {
  readonly written?: { readonly fields: readonly string[]; readonly contact: ContactRecord };
}

/** W1: the contact of this uuid was given these values in the place of the one that they were for. */
export interface Misplaced {
  readonly misplaced?: { readonly uuid: string; readonly fields: readonly { field: string; after: Value }[] };
}

/** V3: nothing was tried, because merged cells cover what the change follows from. A person has to unmerge them. */
interface Covered {
  readonly isCovered?: true;
}

/** The ID alone of a set was refused: its other cells were written, and hold this. */
interface CellsOnly {
  readonly stored?: Readonly<Record<string, Reading>>;
}

export type Outcomes = ReadonlyMap<Change, Outcome>;

export type Failure = Exclude<Outcome, { kind: 'done' }>;

/** W3: what a run of a sync says of a record that changed while it was being written. */
export const plannedAgain = 'changed while it was being written: planned again';

/** L12: a failure as people read it. */
export function failureProblem(
  about: { readonly uuid?: string; readonly row: number | null },
  failure: Failure,
): Problem {
  const [kind, rule, reason] = failureText(failure);
  return problem(kind, about, rule, reason);
}

function failureText(failure: Failure): readonly [Problem['kind'], RuleId, string] {
  switch (failure.kind) {
    case 'refused':
      return ['refused', 'W5', `refused: ${failure.message}`];
    case 'moved':
      return ['waiting', 'W3', failure.message ?? plannedAgain];
    case 'unknown':
      return ['unknown', 'W4', `it may have been written: ${failure.message}`];
    case 'failed':
      return failure.isCovered ? ['held', 'V3', failure.message] : ['failed', 'W4', failure.message];
  }
}
