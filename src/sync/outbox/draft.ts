// The plan of an outbox while it is made: what has been found out so far, and how rows are told. The steps of `outbox.ts`
// each add to it; nobody else sees it.
import { type Change, type Problem, problem } from '../change.ts';
import type { OutboxInput } from './input.ts';
import type { Keepers, Known } from './known.ts';
import type { Message, OutboxRow, Said } from './message.ts';
import type { RuleId } from '../rules.ts';

/** A row that is to carry an ID: a new one of ours, or (`id`) one that it has lost. */
export interface Naming {
  readonly row: number;
  readonly id?: string;
  /** What the ledger is to have under the new ID. */
  readonly message?: Message;
}

/** A row that says yes and may be sent. */
export interface Wish {
  /** Undefined: it has none yet. */
  readonly id: string | undefined;
  readonly row: OutboxRow;
  readonly values: readonly Said[];
  readonly said: string;
  readonly message: Message;
  readonly recipient: string;
}

/** Fields of the same names as in `OutboxPlan` mean the same. */
export interface Draft extends Keepers {
  readonly input: OutboxInput;
  readonly known: Known;
  readonly namings: Naming[];
  readonly messages: Map<string, Message>;
  readonly sets: (Change & { readonly op: 'set' })[];
  /** What rows say that have no problem. */
  readonly texts: Map<number, string>;
  readonly problems: Problem[];
  /** Of these, what the row does not say yet: somebody may still be typing there. */
  readonly silent: Set<Problem>;
  readonly queue: Wish[];
  sent: number;
  /** Rows that say yes and cannot be judged yet: an approval is for them too. */
  pending: number;
  /** Some row proves what the ledger has not (P6). */
  isBehind: boolean;
}

export function addProblem(draft: Draft, row: OutboxRow, kind: Problem['kind'], rule: RuleId, reason: string): void {
  draft.problems.push(problemOf(draft, row, kind, rule, reason));
}

/** What takes care of itself within a run or two: the report has it, the row keeps what it says. */
export function addSilentProblem(draft: Draft, row: OutboxRow, rule: RuleId, reason: string): void {
  const said = problemOf(draft, row, 'waiting', rule, reason);
  draft.problems.push(said);
  draft.silent.add(said);
}

function problemOf({ keepers }: Draft, row: OutboxRow, kind: Problem['kind'], rule: RuleId, reason: string): Problem {
  const said = problem(kind, { row: row.number }, rule, reason);
  return keepers.get(row.id) === row ? { ...said, id: row.id } : said;
}

/** A person asked for it again although it was sent, or may have been. */
export function isResendAsked({ input }: Draft, id: string): boolean {
  return input.retried.get(id) ?? false;
}
