// What became of the changes of a plan, as whoever carried them out tells it.
import { type Change, type Problem, problem } from './change.ts';
import type { ContactRecord } from './record/record.ts';
import type { RuleId } from './rules.ts';
import type { Reading } from './value/value.ts';

/** What became of a change. Changes without an outcome were not begun; the next run plans them again. */
export type Outcome =
  /** `contact`: as the service answered it after a create or update. `stored`: what cells hold after a set or append. */
  | { readonly kind: 'done'; readonly contact?: ContactRecord; readonly stored?: Readonly<Record<string, Reading>> }
  /** The service or the sheet says no to this record (W5). */
  | { readonly kind: 'refused'; readonly message: string }
  /** It is not what it was when it was read (W3). `message`: how, or for what it waits, where nobody changed it. */
  | { readonly kind: 'moved'; readonly message?: string }
  /** It may have happened (W4). */
  | { readonly kind: 'unknown'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

export type Outcomes = ReadonlyMap<Change, Outcome>;

export type Failure = Exclude<Outcome, { kind: 'done' }>;

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
      return ['waiting', 'W3', failure.message ?? 'changed while it was being written: planned again'];
    case 'unknown':
      return ['unknown', 'W4', `it may have been written: ${failure.message}`];
    case 'failed':
      return ['failed', 'W4', failure.message];
  }
}
