// By what the records of a state are found: names, e-mail addresses, what is open about them. And what a person is called.
import type { Json, JsonObject, Terms } from '../state/port.ts';
import { lastSeen, type Link } from '../sync/record/base.ts';
import { type Packed, unpack } from '../sync/record/record.ts';
import { normalEmail, normalText } from '../sync/value/same.ts';
import type { Reading } from '../sync/value/value.ts';
import { whyNotRecord } from './stored/records.ts';

/** Terms of links and of the ledger. Those with a text behind them are made by functions below. */
export const term = {
  /** A link whose contact and row are both there; of a feed, a row whose record is there. */
  linked: 'linked',
  /** A link with a conflict. */
  conflict: 'conflict',
  /** Begins a term for each field in conflict. */
  conflictOfField: 'conflict:',
  /** A record that is not what it should be: whoever reads it says so. */
  damaged: 'damaged',
  /** A message of an outbox that was sent. */
  sent: 'sent',
} as const;

export function emailTerm(email: string): string {
  return `email:${normalEmail(email)}`;
}

/** Case and white space do not matter. */
export function nameTerm(name: string): string {
  return `name:${plainName(name)}`;
}

/** Messages to a contact: `named` is its uuid, or its e-mail address in normal form. */
export function recipientTerm(named: string): string {
  return `to:${named}`;
}

export const stateTerms: Terms = {
  version: 'engine-2',
  basis: (facts) => JSON.stringify(facts.get('fields') ?? null),
  of(collection, _key, record, facts) {
    if (collection === 'ledger') return termsOfEntry(record as JsonObject);
    return collection === 'links' ? termsOfLink(record as JsonObject, facts) : [];
  },
};

function termsOfEntry(entry: JsonObject): readonly string[] {
  if (!('said' in entry)) return whyNotRecord.ledgerEntry(entry) === undefined ? [] : [term.damaged];
  if (whyNotRecord.message(entry) !== undefined) return [term.damaged];
  const { state, to, recipient } = entry;
  const named = new Set([to, recipient].filter((each) => typeof each === 'string'));
  return [...(state === 'sent' ? [term.sent] : []), ...[...named].map(recipientTerm)];
}

function termsOfLink(record: JsonObject, facts: ReadonlyMap<string, Json>): readonly string[] {
  const fields = facts.get('fields');
  if (!Array.isArray(fields)) {
    if (whyNotRecord.feedLink(record) !== undefined) return [term.damaged];
    return record['isGone'] === true ? [] : [term.linked];
  }
  if (whyNotRecord.link(record) !== undefined) return [term.damaged];
  const link = record as JsonObject & Link;
  const conflicts = Object.entries(link.notes ?? {}).filter(([, { conflictSince }]) => conflictSince !== undefined);
  return [
    ...(link.standing === undefined ? [term.linked] : []),
    ...(conflicts.length > 0 ? [term.conflict] : []),
    ...conflicts.map(([field]) => `${term.conflictOfField}${field}`),
    ...namesOf(link, fields.map(String)),
  ];
}

function namesOf(link: Link, fields: readonly string[]): readonly string[] {
  const sides = new Set([lastSeen(link, 'crm'), lastSeen(link, 'sheet')]);
  try {
    return [...sides].flatMap((seen) => {
      const values = unpack(seen);
      const name = plainName(nameAmong(values, fields));
      const emails = textsAmong(values, fields, emailFields).map(emailTerm);
      return name === '' ? emails : [`name:${name}`, ...emails];
    });
  } catch {
    // Values that cannot be unpacked are found by the key alone.
    return [];
  }
}

export const emailFields = ['email', 'work_email', 'personal_email'];

export function plainName(text: string): string {
  return normalText(text).replaceAll(/\s+/g, ' ').toLowerCase();
}

export function nameIn(packed: Packed, fields: readonly string[]): string {
  return nameAmong(unpack(packed), fields);
}

export function textsIn(packed: Packed, fields: readonly string[], names: readonly string[]): readonly string[] {
  return textsAmong(unpack(packed), fields, names);
}

function nameAmong(values: readonly Reading[], fields: readonly string[]): string {
  const [name = textsAmong(values, fields, ['first_name', 'last_name']).join(' ')] = textsAmong(values, fields, [
    'name',
  ]);
  return name;
}

function textsAmong(values: readonly Reading[], fields: readonly string[], names: readonly string[]) {
  const texts: string[] = [];
  for (const name of names) {
    const value = values[fields.indexOf(name)];
    if (typeof value === 'string' && value !== '') texts.push(value);
  }
  return texts;
}

/** The words of a name or an address, in the form in which a store looks for them (`Wanted`). */
export function searchWords(text: string): readonly string[] {
  return normalText(text)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
