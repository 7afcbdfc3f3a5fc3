// A message of an outbox: what its row says, what the ledger stores about it, and when two messages say the same.
import { type Cell, readCell } from '../value/kinds.ts';
import type { RuleId } from '../rules.ts';
import { normalEmail, normalText } from '../value/same.ts';

export type MessageKind = 'emails' | 'network_messages';

export interface OutboxField {
  /** Its name in the call: `lead_uuid`. */
  readonly name: string;
  readonly header: string;
  /** In characters; undefined: no limit is known. */
  readonly lengthMax?: number;
  /** Several values in one cell, separated by commas or line breaks. */
  readonly isList: boolean;
}

export interface OutboxRow {
  readonly number: number;
  /** Given by leadsheet; `''`: none. */
  readonly id: string;
  /** In the order of the fields; undefined: the column was not found. */
  readonly cells: readonly (Cell | undefined)[];
  readonly send: Cell | undefined;
  /** P1: a formula is not the decision of a person. */
  readonly isSendFormula: boolean;
  /** Written by an earlier run: the uuid of what was sent, when, and its status. */
  readonly uuid: Cell | undefined;
  readonly sentAt: Cell | undefined;
  readonly delivery: Cell | undefined;
  /** The status sentence. Left out: the column was not found. */
  readonly status?: Cell | undefined;
}

/**
 * The entry of the ledger for a row, by the ID that the row was given:
 *
 *   waiting  -> intended   written down before the call
 *   intended -> sent       the service took it and gave it a uuid
 *            -> refused    the service said no
 *            -> waiting    surely not carried out: tried again
 *            -> unknown    no answer, or the process ended before it came (P3)
 *   unknown  -> sent       the listing has it
 *   refused  -> waiting    the row says something else, or it is time to ask again
 *   any      -> waiting    a person says `retry`
 *   waiting  -> cancelled  a person says `cancel` (P7); so does refused
 *   cancelled-> waiting    a run saw the row without its yes
 */
export interface Message {
  readonly state: 'waiting' | 'intended' | 'sent' | 'refused' | 'unknown' | 'cancelled';
  /** Epoch milliseconds on the service's clock: since when, or when. */
  readonly at: number;
  /** Empty: sent by no run of this state. */
  readonly run: string;
  /** H2: of the lease under which the call was intended. */
  readonly epoch?: number;
  /** Digest of what the row said then. Empty: not known. */
  readonly said: string;
  /** Digest of what the row said when a run saw it last, if that is another. Left out: the same, or not known. */
  readonly saysNow?: string;
  /** Digest of contact and content, once the contact is known. */
  readonly key?: string;
  /** The uuid of what was sent, in the service. */
  readonly uuid?: string;
  /** Its status in the service, as last seen. */
  readonly delivery?: string;
  /** How the row names the contact, a uuid or an e-mail address; left out where it cannot be read, and by earlier versions. */
  readonly recipient?: string;
  /** The contact: its uuid, and its name for people. */
  readonly to?: string;
  readonly name?: string;
  /** Why it was refused. */
  readonly message?: string;
  readonly rule?: RuleId;
  /** When a refused message is tried again by itself. Left out: only after the row changes. */
  readonly retryAt?: number;
  /** A person looked, and wants it sent although it was sent, or may have been. */
  readonly isAgain?: true;
  /**
   * P1: the last run that looked found no yes in its row. What waits or was refused is withdrawn with its row, too, and only the next yes
   * has it sent.
   */
  readonly isWithdrawn?: true;
  /** P8: the yes of its row came from elsewhere, as far as a run could tell, and no person has let it through. */
  readonly isMoved?: true;
  /** P2: digests of what was sent, or may have been, before a person asked for it again. They still count as sent. */
  readonly before?: readonly string[];
  /** P7: the last of it, which a cancel restores. */
  readonly was?: SentBefore;
  /** P6: uuids of what was sent then. A copy of the row may still show one, which proves nothing new. */
  readonly uuidsBefore?: readonly string[];
  /** When calls were made that sent or may have, epoch milliseconds. The cap counts them, whatever happened since. */
  readonly calls?: readonly number[];
}

export type SentBefore = Pick<Message, 'state' | 'at' | 'run' | 'said' | 'key' | 'uuid' | 'delivery'>;

/**
 * P7: the entry of a message that a person cancelled; undefined: it is not there to be sent. A message that was sent, or may
 * have been, before a person asked for it again, is restored: it is never called cancelled. `at`: epoch milliseconds.
 */
export function cancelledMessage(message: Message, at: number): Message | undefined {
  if (message.state !== 'waiting' && message.state !== 'refused') return undefined;
  const {
    was,
    isAgain: _again,
    isWithdrawn: _idle,
    isMoved: _moved,
    message: _words,
    rule: _rule,
    retryAt: _retryAt,
    ...rest
  } = message;
  if (was) return { ...rest, ...was };
  // An earlier version kept the digests of what was sent, and not what came of it.
  if (rest.before && rest.before.length > 0) return { ...rest, state: 'unknown' };
  return { ...rest, state: 'cancelled', at, run: '' };
}

/** The content of a cell that is sent: a value, null for a blank, or why it cannot be read. */
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

/** The text that the digest is made of. Blank columns do not count, so that a column may be added. */
export function saidText(fields: readonly OutboxField[], values: readonly Said[]): string {
  const said = fields.flatMap(({ name }, index) => {
    const value = values[index];
    return typeof value === 'string' ? [[name, normalText(value)] as const] : [];
  });
  return JSON.stringify(said.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const contentFields = ['text', 'body', 'subject', 'template_uuid'];

/** Contact and content. Another sender does not make it another message. */
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

/** How the service is asked for the contact: by e-mail address or uuid. undefined: the text is neither. */
export function readRecipient(text: string): string | undefined {
  const trimmed = normalText(text);
  if (trimmed.includes('@')) return normalEmail(trimmed);
  return isUuid(trimmed) ? trimmed.toLowerCase() : undefined;
}

/** P7: whether a person emptied the Send cell, typed no, or took the tick out of a box. An error, a formula and a missing column say nothing. */
export function isTakenBack({ send, isSendFormula }: Pick<OutboxRow, 'send' | 'isSendFormula'>): boolean {
  if (send === undefined || isSendFormula) return false;
  if (send === false) return true;
  const said = readPayload(send);
  return said === null || (typeof said === 'string' && ['', 'no'].includes(normalText(said).toLowerCase()));
}

/** The meaning of the Send cell. A blank means no, and so does a box without a tick: boxes are dragged down below the rows. */
export function readSend({ send, isSendFormula }: Pick<OutboxRow, 'send' | 'isSendFormula'>) {
  if (send === false) return isSendFormula ? 'other' : 'no';
  const said = readPayload(send);
  const word = typeof said === 'string' ? normalText(said).toLowerCase() : '';
  if (word === '' || word === 'no') return 'no';
  if (word !== 'yes') return 'other';
  return isSendFormula ? 'formula' : 'yes';
}

/** Statuses after which nothing changes. */
const finals: Readonly<Record<MessageKind, readonly string[]>> = {
  network_messages: ['done', 'failed'],
  emails: ['cancelled', 'missing_body', 'error', 'bounced'],
};
/** Statuses after which only a bounce can follow. */
const delivered = new Set(['sent', 'sync', 'idle']);

/** A status is watched this long: messages are queued for office hours and holidays, not for a month. */
const watchMs = 30 * 86_400_000;
/**
 * Mail servers retry for four to five days before a mail bounces, https://www.rfc-editor.org/rfc/rfc5321#section-4.5.4.1
 */
const bounceMs = 5 * 86_400_000;
/** If the listing does not have a message of unknown outcome by then, it never will. */
const lateMs = 86_400_000;

/** Whether to look for the message in the listing. `rarely`: only a bounce can come, which is not urgent. */
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

/** When calls were made that sent or may have, in the last hour, which is what the cap counts. */
export function callsOf({ calls = [] }: Message, now: number): readonly number[] {
  return calls.filter((at) => at > now - hourMs);
}
