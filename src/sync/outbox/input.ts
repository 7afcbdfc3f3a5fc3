// What the plan of an outbox is made from: the rows, the ledger, what the service said when asked, and what people allow.
import type { Message, MessageKind, OutboxField, OutboxRow } from './message.ts';

export interface Sender {
  readonly uuid: string;
  /** What people may call it; the first one is for people. */
  readonly names: readonly string[];
  readonly isEnabled: boolean;
}

export type RecipientAnswer =
  | { readonly kind: 'here'; readonly uuid: string; readonly name: string }
  | { readonly kind: 'none' };

/** What the service said when asked. */
export interface OutboxAnswers {
  /** Undefined: not asked. */
  readonly senders?: readonly Sender[];
  /** By what was asked for (`readRecipient`). */
  readonly recipients: ReadonlyMap<string, RecipientAnswer>;
}

/** Headers of the columns that are no payload, for people. */
export type OwnHeaders = Readonly<Record<'send' | 'uuid' | 'sentAt', string>>;

export interface OutboxInput {
  readonly kind: MessageKind;
  readonly fields: readonly OutboxField[];
  readonly headers: OwnHeaders;
  readonly rows: readonly OutboxRow[];
  /** Headers without which nothing is sent (W11). */
  readonly missing: readonly string[];
  /** The ledger, by the ID of the row. */
  readonly messages: ReadonlyMap<string, Message>;
  /** False for a new, lost or restored state, until a person approved what it would send (P6). */
  readonly isTrusted: boolean;
  /** Ids that are to be tried again; true: although they were or may have been sent. */
  readonly retried: ReadonlyMap<string, boolean>;
  /** How many a person let through. */
  readonly approved: number;
  readonly answers: OutboxAnswers;
  readonly perHour: number;
  /** How many are judged to the end at once; the rest is for later. */
  readonly batchMax: number;
  /** Of this run, by ID: surely not sent, for this reason. */
  readonly tried: ReadonlyMap<string, string>;
  /** Epoch milliseconds on the service's clock. */
  readonly now: number;
  /** W10; undefined: a person asked for this run and waits for it. */
  readonly settleMs?: number;
  /** Of a plan that nobody carries out: rows need no ID for it. */
  readonly isDryRun: boolean;
  /** Of any text, the same for the same; two texts have two. */
  readonly digest: (text: string) => string;
  readonly nearest: (word: string, words: readonly string[]) => string | undefined;
}
