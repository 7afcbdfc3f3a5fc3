// A message of an outbox: what its row says, what the ledger knows of it, and when two of them say the same.
import { type Cell, readCell } from '../value/kinds.ts';
import type { RuleId } from '../rules.ts';
import { normalEmail, normalText } from '../value/same.ts';

export type MessageKind = 'emails' | 'network_messages';

export interface OutboxField {
  /** Of the payload: `lead_uuid`. */
  readonly name: string;
  readonly header: string;
  /** In characters; undefined: no limit is known. */
  readonly lengthMax?: number;
  /** Several values in one cell, with commas or line breaks between. */
  readonly isList: boolean;
}

export interface OutboxRow {
  readonly number: number;
  /** Given by us; `''`: none. */
  readonly id: string;
  /** In the order of the fields; undefined: the column was not found. */
  readonly cells: readonly (Cell | undefined)[];
  readonly send: Cell | undefined;
  /** A formula is nobody's word (P1). */
  readonly isSendFormula: boolean;
  /** What an earlier run wrote: the uuid of what was sent, when, and its status. */
  readonly uuid: Cell | undefined;
  readonly sentAt: Cell | undefined;
  readonly delivery: Cell | undefined;
}

/**
 * What the ledger knows of a row, by the ID that the row was given:
 *
 *   waiting  -> intended   written down before the call
 *   intended -> sent       the service took it and gave it a uuid
 *            -> refused    the service said no
 *            -> waiting    surely not carried out: tried again
 *            -> unknown    no answer, or the process ended before it came (P3)
 *   unknown  -> sent       the listing has it
 *   refused  -> waiting    the row says something else, or it is time to ask again
 *   any      -> waiting    a person says `retry`
 */
export interface Message {
  readonly state: 'waiting' | 'intended' | 'sent' | 'refused' | 'unknown';
  /** Epoch milliseconds on the service's clock: since when, or when. */
  readonly at: number;
  /** Empty: no run of ours. */
  readonly run: string;
  /** Digest of what the row said then; empty: not known. */
  readonly said: string;
  /** Digest of contact and content, once the contact was found. */
  readonly key?: string;
  /** Of what was sent, in the service. */
  readonly uuid?: string;
  /** Its status, as last seen there. */
  readonly delivery?: string;
  /** The contact: uuid, and for people. */
  readonly to?: string;
  readonly name?: string;
  /** Why it was refused. */
  readonly message?: string;
  readonly rule?: RuleId;
  /** Of a refusal: from when on it is asked again by itself; left out: only once the row says something else. */
  readonly retryAt?: number;
  /** A person looked, and wants it sent although it was, or may have been. */
  readonly isAgain?: true;
  /** Digests of what was sent, or may have been, before a person asked for it again: it still counts as sent (P2). */
  readonly before?: readonly string[];
  /** Uuids of what was sent then: a copy of the row may still show one, which proves nothing new (P6). */
  readonly uuidsBefore?: readonly string[];
  /** When calls were made that sent or may have, epoch milliseconds: what the cap counts, whatever became of it since. */
  readonly calls?: readonly number[];
}

/** What a cell of the payload says: a value, null for a blank, or why it says nothing. */
export type Said = string | null | { readonly unreadable: string };

export function readPayload(cell: Cell | undefined): Said {
  const reading = readCell('text', cell);
  if (typeof reading === 'object' && reading !== null) return reading;
  return reading === undefined || reading === null ? null : String(reading);
}

/** Commas and line breaks stand between values. */
export function listIn(text: string): readonly string[] {
  return text
    .split(/[,;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** As the digest takes it: columns that say nothing do not count, so that one may be added. */
export function saidText(fields: readonly OutboxField[], values: readonly Said[]): string {
  const said = fields.flatMap(({ name }, index) => {
    const value = values[index];
    return typeof value === 'string' ? [[name, normalText(value)] as const] : [];
  });
  return JSON.stringify(said.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const contentFields = ['text', 'body', 'subject', 'template_uuid'];

/** Contact and content: who sends it does not make it another message. */
export function contentText(contact: string, payload: Readonly<Record<string, unknown>>): string {
  const content = contentFields.flatMap((name) => {
    const value = payload[name];
    return typeof value === 'string' && normalText(value) !== '' ? [[name, normalText(value)]] : [];
  });
  return JSON.stringify([contact.toLowerCase(), ...content]);
}

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidForm.test(text);
}

/** How a contact is asked for: by e-mail address or uuid; undefined: it is neither. */
export function readRecipient(text: string): string | undefined {
  const trimmed = normalText(text);
  if (trimmed.includes('@')) return normalEmail(trimmed);
  return isUuid(trimmed) ? trimmed.toLowerCase() : undefined;
}

/** Does the Send cell say yes? `no` and a blank say nothing. */
export function readSend({ send, isSendFormula }: Pick<OutboxRow, 'send' | 'isSendFormula'>) {
  const said = readPayload(send);
  const word = typeof said === 'string' ? normalText(said).toLowerCase() : '';
  if (word === '' || word === 'no') return 'no';
  if (word !== 'yes') return 'other';
  return isSendFormula ? 'formula' : 'yes';
}

/** What was sent and nothing more will be heard of. */
const finals: Readonly<Record<MessageKind, readonly string[]>> = {
  network_messages: ['done', 'failed'],
  emails: ['cancelled', 'missing_body', 'error', 'bounced'],
};
/** A status that is final unless it bounces. */
const delivered = new Set(['sent', 'sync', 'idle']);

/** No status is waited for longer: outreach is queued for office hours and holidays, not for a month. */
const watchMs = 30 * 86_400_000;
/** Mail is tried for four to five days before it bounces, https://www.rfc-editor.org/rfc/rfc5321#section-4.5.4.1 */
const bounceMs = 5 * 86_400_000;
/** An unknown outcome that the listing does not have by then will not be in it. */
const lateMs = 86_400_000;

/** Whether the listing may have news of it; `rarely`: only a bounce, which is no hurry. */
export function watchOf(kind: MessageKind, message: Message, now: number): 'closely' | 'rarely' | 'not' {
  const { state, at, delivery = '' } = message;
  const age = now - at;
  if (state === 'unknown') return kind === 'network_messages' && age < lateMs ? 'closely' : 'not';
  if (state !== 'sent' || message.uuid === undefined) return 'not';
  const status = delivery.toLowerCase();
  if (finals[kind].includes(status)) return 'not';
  if (kind === 'emails' && delivered.has(status)) return age < bounceMs ? 'rarely' : 'not';
  return age < watchMs ? 'closely' : 'not';
}

const hourMs = 3_600_000;

/** When calls were made that sent or may have; the cap forgets them after an hour. */
export function callsOf({ calls = [] }: Message, now: number): readonly number[] {
  return calls.filter((at) => at > now - hourMs);
}
