// What the plan of one person consists of, and what it is made from.
import type { Change, Problem, Question } from '../change.ts';
import type { PlanInput } from '../input.ts';
import type { Link } from '../record/base.ts';
import type { ContactRecord } from '../record/record.ts';

export interface PersonPlan {
  /** As it becomes if none of the changes succeeds; null: there is nothing left to remember. */
  readonly link: Link | null;
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
  /** The contact is to be asked for before anything is concluded; the rule that wants it (D3, D5, W4). */
  readonly question?: 'D3' | 'D5' | 'W4';
  /** What else is to be asked before the plan is final (V2). */
  readonly keyQuestions?: readonly Question[];
  /** As it was answered to such a question, where the plan was made from that. */
  readonly answered?: ContactRecord;
}

export interface PersonContext extends PlanInput {
  /** Numbers of rows whose ID is in doubt: while there are any, no row that is missing is gone (I5). */
  readonly doubtfulRows: readonly number[];
  /** A row without an ID may be this contact's, and says so: the contact's row is not gone (I2, L7). */
  readonly isWithheld: boolean;
  /** Another row has the same ID (I4). */
  readonly isCopied: boolean;
}
