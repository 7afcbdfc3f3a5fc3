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
  const found: string[] = link.standing === undefined ? [term.linked] : [];
  const conflicts = Object.entries(link.notes ?? {}).filter(([, { conflictSince }]) => conflictSince !== undefined);
  if (conflicts.length > 0) found.push(term.conflict, ...conflicts.map(([field]) => `${term.conflictOfField}${field}`));
  const [crm, sheet] = [lastSeen(link, 'crm'), lastSeen(link, 'sheet')];
  const places = placesIn(fields);
  pushNames(found, crm, places);
  if (sheet !== crm) pushNames(found, sheet, places);
  return found;
}

/** A commit asks for the terms of each changed record: most of its time in the process was spent here. */
function pushNames(found: string[], packed: Packed, { name: namePlaces, emails }: Places): void {
  let values: readonly Reading[];
  try {
    values = unpack(packed);
  } catch {
    // Values that cannot be unpacked are found by the key alone.
    return;
  }
  const name = plainName(nameAmong(values, namePlaces));
  if (name !== '') found.push(`name:${name}`);
  for (const email of textsAmong(values, emails)) found.push(emailTerm(email));
}

export const emailFields = ['email', 'work_email', 'personal_email'];

export function plainName(text: string): string {
  // A single space stays, so that most texts are not copied.
  return normalText(text)
    .replaceAll(/\s{2,}|[^\S ]/g, ' ')
    .toLowerCase();
}

export function nameIn(packed: Packed, fields: readonly string[]): string {
  return nameAmong(unpack(packed), placesIn(fields).name);
}

export function textsIn(packed: Packed, fields: readonly string[], names: readonly string[]): readonly string[] {
  return textsAmong(unpack(packed), placesOf(fields, names));
}

/** Where in packed values the texts stand by which a link is found. */
interface Places {
  readonly name: { readonly whole: readonly number[]; readonly parts: readonly number[] };
  readonly emails: readonly number[];
}

/** By the list of fields itself: all links of a state share one. */
const knownPlaces = new WeakMap<readonly Json[], Places>();

function placesIn(fields: readonly Json[]): Places {
  const known = knownPlaces.get(fields);
  if (known) return known;
  const places: Places = {
    name: { whole: placesOf(fields, ['name']), parts: placesOf(fields, ['first_name', 'last_name']) },
    emails: placesOf(fields, emailFields),
  };
  knownPlaces.set(fields, places);
  return places;
}

function placesOf(fields: readonly Json[], names: readonly string[]): readonly number[] {
  return names.map((name) => fields.indexOf(name)).filter((place) => place !== -1);
}

function nameAmong(values: readonly Reading[], { whole, parts }: Places['name']): string {
  const [name = textsAmong(values, parts).join(' ')] = textsAmong(values, whole);
  return name;
}

function textsAmong(values: readonly Reading[], places: readonly number[]): readonly string[] {
  const texts: string[] = [];
  for (const place of places) {
    const value = values[place];
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
