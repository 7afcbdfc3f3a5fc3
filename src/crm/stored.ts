import type { Contact, ContactUpdate } from './operations/records.ts';

/**
 * What became of a field that was written. `reformatted`: stored in a form of the service's own, neither the sent nor the
 * old value. `not_stored`: the old value is still there, although the call succeeded; writing it again will not help.
 * `unverifiable`: the service never gives this field back.
 */
export type StoredOutcome =
  | { readonly outcome: 'stored' | 'not_stored' | 'unverifiable' }
  | { readonly outcome: 'reformatted'; readonly value: string };

/** Fields of a contact that hold text. */
type Place = Exclude<keyof ContactUpdate, 'email' | 'domain'> | 'work_email' | 'personal_email';

/** The fields of a contact that show a written one, the first that is not blank first. */
export const readBack = {
  first_name: ['first_name'],
  last_name: ['last_name'],
  company_name: ['company_name'],
  ln_id: ['ln_id'],
  sn_id: ['sn_id'],
  network: ['network'],
  // Written as one field, stored by the service as work or as personal address, as it sees fit.
  email: ['work_email', 'personal_email'],
  about: ['about'],
  headline: ['headline'],
  position: ['position'],
  raw_address: ['raw_address'],
  domain: [],
} as const satisfies Readonly<Record<keyof ContactUpdate, readonly Place[]>>;

/** Compares an update with the contact before it and the contact the service answered, field by field. */
export function storedOutcomes(
  sent: ContactUpdate,
  before: Contact,
  after: Contact,
): Readonly<Partial<Record<keyof ContactUpdate, StoredOutcome>>> {
  const fields = Object.keys(sent) as (keyof ContactUpdate)[];
  return Object.fromEntries(fields.map((field) => [field, outcomeOf(field, sent[field] ?? '', before, after)]));
}

function outcomeOf(field: keyof ContactUpdate, sent: string, before: Contact, after: Contact): StoredOutcome {
  const places: readonly Place[] = readBack[field];
  if (places.length === 0) return { outcome: 'unverifiable' };
  if (places.every((place) => after[place] === undefined)) return { outcome: 'unverifiable' };
  const texts = (contact: Contact) => places.map((place) => contact[place] ?? '');
  const now = texts(after);
  if (sent === '' ? now.every((text) => text === '') : now.includes(sent)) return { outcome: 'stored' };
  const changedAt = now.findIndex((text, place) => text !== texts(before)[place]);
  if (changedAt === -1) return { outcome: 'not_stored' };
  return { outcome: 'reformatted', value: now[changedAt] ?? '' };
}
