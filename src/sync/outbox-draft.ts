// The plan of an outbox while it is made: what has been found out so far, and how rows are told. The steps of `outbox.ts`
// each add to it; nobody else sees it.
import { type Change, type Problem, problem } from './change.ts';
import type { OutboxInput } from './outbox-input.ts';
import type { Known } from './outbox-known.ts';
import type { Message, OutboxRow, Said } from './message.ts';
import type { RuleId } from './rules.ts';

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
export interface Draft {
  readonly input: OutboxInput;
  readonly known: Known;
  /** Of the rows that carry an ID, the one that it is of; rows are added that get theirs back. */
  readonly keepers: Map<string, OutboxRow>;
  readonly namings: Naming[];
  readonly messages: Map<string, Message>;
  readonly sets: (Change & { readonly op: 'set' })[];
  readonly problems: Problem[];
  /** What rows say that have no problem. */
  readonly texts: Map<number, string>;
  /** Rows that have one and do not say it yet: somebody may still be typing there. */
  readonly silent: Set<number>;
  readonly queue: Wish[];
  sent: number;
  /** Rows that say yes and cannot be judged yet: an approval is for them too. */
  pending: number;
  /** Some row proves what the ledger has not (P6). */
  isBehind: boolean;
}

export function tell(draft: Draft, row: OutboxRow, kind: Problem['kind'], rule: RuleId, reason: string): void {
  const said = problem(kind, { row: row.number }, rule, reason);
  const isOwn = row.id !== '' && draft.keepers.get(row.id) === row;
  draft.problems.push(isOwn ? { ...said, id: row.id } : said);
}

/** A person asked for it again although it was sent, or may have been. */
export function mayAgain({ input }: Draft, id: string): boolean {
  return input.retried.get(id) ?? false;
}
