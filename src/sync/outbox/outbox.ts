// The plan of an outbox (P rules): which rows are sent now, which wait, and what each row is told.
//
// A row is sent once, ever; in doubt it is not sent (L8). Pure: rows, ledger and answers go in, plain data comes out.
// With more answers the same plan goes further. Each step is a file: identity.ts decides whose message a row is, wish.ts
// checks what the row itself says, queue.ts decides whose turn it is, judge.ts checks what the service says, report.ts
// tells what was sent.
import type { Change, Problem } from '../change.ts';
import type { Message } from './message.ts';
import type { Draft, Naming } from './draft.ts';
import { identifyRows } from './identity.ts';
import type { OutboxInput } from './input.ts';
import type { Due } from './judge.ts';
import { findKeepers, indexLedger } from './known.ts';
import { planQueue } from './queue.ts';
import { statusByRow } from '../status.ts';

export interface OutboxPlan {
  /** Oldest first; at most `batchMax`. */
  readonly due: readonly Due[];
  readonly namings: readonly Naming[];
  /** Entries for the ledger, by ID. */
  readonly messages: ReadonlyMap<string, Message>;
  /** Writes of the cells that say what was sent, when, and its status. */
  readonly sets: readonly (Change & { readonly op: 'set' })[];
  readonly problems: readonly Problem[];
  /** The sentence for the status column, by row number. A row without one keeps its status. */
  readonly statuses: ReadonlyMap<number, string>;
  /** Questions for the service that the plan needs before it goes further. */
  readonly questions: { readonly recipients: readonly string[]; readonly senders: boolean };
  /** Rows whose message was sent. */
  readonly sent: number;
  /** Rows that only an approval lets through (P6). */
  readonly unapproved: number;
  /** P6: the ledger knows all that was sent, as far as the tab can tell. */
  readonly isTrusted: boolean;
}

export function planOutbox(input: OutboxInput): OutboxPlan {
  const draft: Draft = {
    input,
    known: indexLedger(input),
    ...findKeepers(input),
    namings: [],
    messages: new Map(),
    sets: [],
    problems: [],
    texts: new Map(),
    silent: new Set(),
    queue: [],
    sent: 0,
    pending: 0,
    isBehind: false,
  };
  identifyRows(draft);
  const turns = planQueue(draft);
  const { namings, messages, sets, problems, texts, silent, sent } = draft;
  const urgent = statusByRow(problems.filter((each) => !silent.has(each)));
  return {
    ...turns,
    namings,
    messages,
    sets,
    problems,
    statuses: new Map([...texts, ...urgent]),
    sent,
    isTrusted: turns.unapproved === 0,
  };
}
