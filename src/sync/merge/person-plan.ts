// The parts of the plan of one person, and its input.
import type { Change, Problem, Question } from '../change.ts';
import type { PlanInput } from '../input.ts';
import type { Link } from '../record/base.ts';
import type { ContactRecord } from '../record/record.ts';

export interface PersonPlan {
  /** The link if no change succeeds; null: nothing is left to store. */
  readonly link: Link | null;
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
  /** The contact has to be asked for before anything is concluded. The rule that needs it (D3, D5, W4). */
  readonly question?: 'D3' | 'D5' | 'W4';
  /** V2: other questions whose answers the plan needs before it is final. */
  readonly keyQuestions?: readonly Question[];
  /** The answer to such a question, if the plan was made from it. */
  readonly answered?: ContactRecord;
}

export interface PersonContext extends PlanInput {
  /** Numbers of rows whose ID is in doubt. While there are any, no missing row counts as deleted (I5). */
  readonly doubtfulRows: readonly number[];
  /** Numbers of rows without an ID of which the service has not said yet whose they are. Until then the same holds (L7). */
  readonly undecidedRows: readonly number[];
  /** A row without an ID may be this contact's row, and says so. The contact's row does not count as deleted (I2, L7). */
  readonly isWithheld: boolean;
  /** Another row has the same ID (I4). */
  readonly isCopied: boolean;
}
