// P rules, the deciding half: which rows are sent now, which wait, and what each row is told. A row is sent once, ever; when
// in doubt it is not (L8). Pure: rows, ledger and answers in, plain data out; the same again with more answers goes further.
// Each step is a file: whose message a row is (identity), what the row itself says (wish), whose turn it is (queue) and what
// the service says of it (judge); what was sent is told by report.
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
  /** Oldest first; `batchMax` at most. */
  readonly due: readonly Due[];
  readonly namings: readonly Naming[];
  /** For the ledger. */
  readonly messages: ReadonlyMap<string, Message>;
  /** Cells that say what was sent, when, and what became of it. */
  readonly sets: readonly (Change & { readonly op: 'set' })[];
  readonly problems: readonly Problem[];
  /** Sentence for the status column by row number; a row without one keeps what it says. */
  readonly statuses: ReadonlyMap<number, string>;
  /** What has to be asked before more can be said. */
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
