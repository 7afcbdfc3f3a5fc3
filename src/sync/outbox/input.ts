// The input of the plan of an outbox: rows, ledger, answers of the service, and what people allow.
import type { Message, MessageKind, OutboxField, OutboxRow } from './message.ts';

export interface Sender {
  readonly uuid: string;
  /** Names that people may use for it. The first one is shown to people. */
  readonly names: readonly string[];
  readonly isEnabled: boolean;
}

export type RecipientAnswer =
  | { readonly kind: 'here'; readonly uuid: string; readonly name: string }
  | { readonly kind: 'none' };

/** The answers of the service so far. */
export interface OutboxAnswers {
  /** undefined: not asked. */
  readonly senders?: readonly Sender[];
  /** By the text that was asked for (`readRecipient`). */
  readonly recipients: ReadonlyMap<string, RecipientAnswer>;
}

/** Headers of the columns that are not sent. For people. */
export type OwnHeaders = Readonly<Record<'send' | 'uuid' | 'sentAt', string>>;

/** A person asks to try a row again. */
export interface RetryAsked {
  /** Of the request. */
  readonly key: string;
  /** Even if the message was sent, or may have been. */
  readonly isSure: boolean;
  /** Digest of what the row said when the person looked. Left out: not known. */
  readonly said?: string;
}

export interface OutboxInput {
  readonly kind: MessageKind;
  readonly fields: readonly OutboxField[];
  readonly headers: OwnHeaders;
  readonly rows: readonly OutboxRow[];
  /** Missing headers without which nothing is sent (W11). */
  readonly missing: readonly string[];
  /** The ledger, by the ID of the row. */
  readonly messages: ReadonlyMap<string, Message>;
  /** False for a new, lost or restored state, until a person approved what it would send (P6). */
  readonly isTrusted: boolean;
  /** What people asked to have tried again, by the ID of the row. */
  readonly retried: ReadonlyMap<string, readonly RetryAsked[]>;
  /** P3: IDs that earlier plans of this run had in `OutboxPlan.edited`. */
  readonly edited: ReadonlySet<string>;
  /** P6, P8: how many messages a person approved. */
  readonly approved: number;
  readonly answers: OutboxAnswers;
  readonly perHour: number;
  /** How many rows are judged to the end at once. The others wait. */
  readonly batchMax: number;
  /** IDs of the rows that may be judged to the end. Left out: all. The others wait. */
  readonly only?: ReadonlySet<string>;
  /** By ID: messages of this run that were surely not sent, and why. */
  readonly tried: ReadonlyMap<string, string>;
  /** Epoch milliseconds on the service's clock. */
  readonly now: number;
  /** W10; undefined: a person asked for this run and waits for it. */
  readonly settleMs?: number;
  /** For a plan that is not carried out: rows need no ID. */
  readonly isDryRun: boolean;
  /** A digest: equal for equal texts, different for different ones. */
  readonly digest: (text: string) => string;
  readonly nearest: (word: string, words: readonly string[]) => string | undefined;
}
