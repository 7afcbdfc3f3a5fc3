// The payload of a row, by the names that the service uses, and the faults of the row itself (P4).
import { listIn, type OutboxField, type Said } from './message.ts';

/** As the service takes it, by field name. */
export type Payload = Readonly<Record<string, string | readonly string[]>>;

/** Why a row cannot be sent, whatever the service would say. */
export interface Fault {
  readonly kind: 'refused' | 'unreadable';
  readonly reason: string;
}

/** At least one field of each line must be filled. */
const required = [['lead_uuid'], ['sender_profile_uuid'], ['text', 'body', 'template_uuid']];

/** Fields of e-mail addresses. A word such as "none" would go out with the e-mail, which may then reach nobody. */
const addresses = new Set(['to_email', 'from_email', 'cc', 'bcc']);

export function faultIn(fields: readonly OutboxField[], values: readonly Said[]): Fault | undefined {
  for (const [index, { header, lengthMax = Infinity }] of fields.entries()) {
    const value = values[index];
    if (typeof value === 'object' && value !== null) {
      return { kind: 'unreadable', reason: `${header} shows ${value.unreadable}` };
    }
    if (typeof value === 'string' && value.length > lengthMax) {
      return { kind: 'refused', reason: `${header} has ${value.length} characters, and ${lengthMax} are the most` };
    }
  }
  for (const { name, header, isList } of fields.filter((field) => addresses.has(field.name))) {
    const text = textIn(fields, name, values);
    const parts = isList ? listIn(text) : [text.trim()];
    const wrong = parts.find((part) => part !== '' && !part.includes('@'));
    if (wrong !== undefined) return { kind: 'refused', reason: `${header} has "${wrong}", which is no e-mail address` };
  }
  for (const names of required) {
    if (names.some((name) => valueOf(fields, name, values) !== null)) continue;
    const headers = fields.filter(({ name }) => names.includes(name)).map(({ header }) => header);
    return { kind: 'refused', reason: `${headers.join(' and ')} is empty: nothing is sent` };
  }
  return undefined;
}

export function payloadOf(
  fields: readonly OutboxField[],
  values: readonly Said[],
  contact: string,
  sender: string,
): Payload {
  const entries = fields.flatMap(({ name, isList }, index): [string, string | readonly string[]][] => {
    const value = values[index];
    if (name === 'lead_uuid') return [[name, contact]];
    if (name === 'sender_profile_uuid') return [[name, sender]];
    return typeof value === 'string' ? [[name, isList ? listIn(value) : value]] : [];
  });
  return Object.fromEntries(entries);
}

export function textIn(fields: readonly OutboxField[], name: string, values: readonly Said[]): string {
  const value = valueOf(fields, name, values);
  return typeof value === 'string' ? value : '';
}

export function headerOf(fields: readonly OutboxField[], wanted: string): string | undefined {
  return fields.find(({ name }) => name === wanted)?.header;
}

function valueOf(fields: readonly OutboxField[], name: string, values: readonly Said[]): Said {
  return values[fields.findIndex((field) => field.name === name)] ?? null;
}
