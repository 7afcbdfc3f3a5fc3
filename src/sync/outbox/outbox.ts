// The plan of an outbox (P rules): which rows are sent now, which wait, and what each row is told.
//
// A row is sent once, ever; in doubt it is not sent (L8). Pure: rows, ledger and answers go in, plain data comes out.
// With more answers the same plan goes further. Each step is a file: moved-yes.ts looks whether words in Send moved, identity.ts decides
// whose message a row is, wish.ts checks what the row itself says, again.ts what people want sent again, queue.ts decides whose turn it is,
// judge.ts checks what the service says, report.ts tells what was sent.
import type { Change, Problem } from '../change.ts';
import type { Message } from './message.ts';
import { judgeRetries } from './again.ts';
import type { Draft, Naming } from './draft.ts';
import { identifyRows } from './identity.ts';
import type { OutboxInput } from './input.ts';
import type { Due } from './judge.ts';
import { findKeepers, indexLedger } from './known.ts';
import { findMovedYes, type MovedYes } from './moved-yes.ts';
import { planQueue } from './queue.ts';
import { statusByRow } from '../status.ts';

export interface OutboxPlan extends MovedYes {
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
  /** Rows that only an approval lets through (P6, P8). */
  readonly unapproved: number;
  /** P6: the ledger knows all that was sent, as far as the tab can tell. */
  readonly isTrusted: boolean;
  /** P3: IDs of rows that were edited since a person wanted them sent again. They are told so, once. */
  readonly edited: ReadonlySet<string>;
  /**
   * Keys of requests of which nothing comes: the row says something else than the person saw (P3), is not there, or is not to be
   * sent.
   */
  readonly voided: readonly string[];
  /** Keys of requests that wait: the row has to get its ID back, or cannot be told from a copy (P2), or a column is missing. */
  readonly postponed: readonly string[];
}

export function planOutbox(input: OutboxInput): OutboxPlan {
  const keepers = findKeepers(input);
  const agreed = judgeRetries(input, keepers);
  const known = indexLedger(input);
  const movedYes = findMovedYes(input, keepers, known, agreed);
  const draft: Draft = {
    input,
    known,
    agreed,
    edited: new Set([...input.edited, ...agreed.edited]),
    ...keepers,
    ...movedYes,
    judged: new Set(),
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
    ...movedYes,
    namings,
    messages,
    sets,
    problems,
    statuses: new Map([...texts, ...urgent]),
    sent,
    edited: draft.edited,
    ...retriesLeft(draft),
  };
}

/** P3: what becomes of the requests of people. */
function retriesLeft(draft: Draft): Pick<OutboxPlan, 'voided' | 'postponed'> {
  const { input, agreed, judged, doubted, namings } = draft;
  const named = new Set(namings.map(({ id }) => id));
  const voided = new Set(agreed.voided);
  const postponed: string[] = [];
  for (const [id, requests] of input.retried) {
    const isPostponed = input.missing.length > 0 || doubted.has(id) || (named.has(id) && !judged.has(id));
    for (const { key } of requests) {
      if (isPostponed) postponed.push(key);
      else if (!judged.has(id)) voided.add(key);
    }
  }
  return { voided: [...voided], postponed };
}
