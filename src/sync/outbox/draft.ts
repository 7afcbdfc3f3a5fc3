// The plan of an outbox while it is made. Each step of `outbox.ts` adds to it; nothing outside this folder sees it.
import { type Change, type Problem, problem } from '../change.ts';
import type { Agreed } from './again.ts';
import type { OutboxInput } from './input.ts';
import type { Keepers, Known } from './known.ts';
import type { MovedYes } from './moved-yes.ts';
import type { Message, OutboxRow, Said } from './message.ts';
import type { RuleId } from '../rules.ts';

/** An ID for a row: a new one, or (`id`) the one that the row has lost. */
export interface Naming {
  readonly row: number;
  readonly id?: string;
  /** The entry of the ledger for the new ID. */
  readonly message?: Message;
}

/** A row that says yes and may be sent. */
export interface Wish {
  /** undefined: the row has none yet. */
  readonly id: string | undefined;
  readonly row: OutboxRow;
  readonly values: readonly Said[];
  readonly said: string;
  readonly message: Message;
  readonly recipient: string;
}

/** Fields of the same names as in `OutboxPlan` mean the same. */
export interface Draft extends Keepers, MovedYes {
  readonly input: OutboxInput;
  readonly known: Known;
  readonly agreed: Agreed;
  /** IDs of rows that say something else than when a person wanted them sent again. */
  readonly edited: Set<string>;
  /** IDs of rows whose wish was judged. */
  readonly judged: Set<string>;
  readonly namings: Naming[];
  readonly messages: Map<string, Message>;
  readonly sets: (Change & { readonly op: 'set' })[];
  /** Statuses of rows without a problem, by row number. */
  readonly texts: Map<number, string>;
  readonly problems: Problem[];
  /** Problems that the row does not show yet: a person may still be typing there. */
  readonly silent: Set<Problem>;
  readonly queue: Wish[];
  sent: number;
  /** Rows that say yes and cannot be judged yet. An approval has to count them. */
  pending: number;
  /** A row proves a message that the ledger does not have (P6). */
  isBehind: boolean;
}

/** `retryAt`: when what was refused is asked about again by itself, epoch milliseconds. */
export function addProblem(
  draft: Draft,
  row: OutboxRow,
  kind: Problem['kind'],
  rule: RuleId,
  reason: string,
  retryAt?: number,
): void {
  const said = problemOf(draft, row, kind, rule, reason);
  draft.problems.push(retryAt === undefined ? said : { ...said, retryAt });
}

/** For problems that end by themselves within a run or two, and for rows with a sentence of their own: the report has them, the status of the row stays. */
export function addSilentProblem(
  draft: Draft,
  row: OutboxRow,
  rule: RuleId,
  reason: string,
  kind: 'waiting' | 'ignored' = 'waiting',
): void {
  const said = problemOf(draft, row, kind, rule, reason);
  draft.problems.push(said);
  draft.silent.add(said);
}

function problemOf({ keepers }: Draft, row: OutboxRow, kind: Problem['kind'], rule: RuleId, reason: string): Problem {
  const said = problem(kind, { row: row.number }, rule, reason);
  return keepers.get(row.id) === row ? { ...said, id: row.id } : said;
}

/** Whether a person asked to send it again although it was sent, or may have been. */
export function isResendAsked({ agreed }: Draft, id: string): boolean {
  return agreed.again.has(id);
}
