// Keeps what lookups and looks of a run showed of contacts. A search lags behind the writes of people, and a lookup does not.
import type { Contact, CrmCall, Identifiers } from '../../crm/port.ts';
import type { Link } from '../../sync/record/base.ts';
import { withShown } from '../../sync/record/shown.ts';
import type { RunContext } from './context.ts';

type LookedUp = Pick<RunContext, 'lookedUp'>;

/** Finds a contact in any list, and keeps what the answer shows of it. Throws as `Contacts.findByIdentifiers`. */
export async function findContact(
  context: Pick<RunContext, 'contacts' | 'lookedUp'>,
  identifiers: Identifiers,
  call: CrmCall,
): Promise<Contact | undefined> {
  const contact = await context.contacts.findByIdentifiers(identifiers, call);
  if (contact) noteShown(context, contact);
  return contact;
}

/** An answer other than to a search showed the contact. The latest counts: a contact that the run moves here is noted again. */
export function noteShown({ lookedUp }: LookedUp, contact: Contact): void {
  lookedUp.set(contact.uuid, contact);
}

/**
 * An answer to another question showed the contact, or the look before a write or an enrolment did. It may have asked for this contact
 * alone, which does not lag, where the search of the next run still does. A later reading of the run stays.
 */
export function noteLooked({ lookedUp }: LookedUp, found: Contact): void {
  const shown = lookedUp.get(found.uuid);
  if (shown === undefined || (found.updatedAt ?? NaN) > (shown.updatedAt ?? NaN)) lookedUp.set(found.uuid, found);
}

/**
 * The readings that tell whether the contact changed since the plan: `found`, which a search gave, and what a lookup
 * showed before. The one that the service dates earlier says nothing. Without a date, or with the same one, both count:
 * dates are whole seconds.
 */
export function readingsOf({ lookedUp }: LookedUp, found: Contact): readonly Contact[] {
  const shown = lookedUp.get(found.uuid);
  if (shown === undefined) return [found];
  const laterMs = (shown.updatedAt ?? NaN) - (found.updatedAt ?? NaN);
  if (laterMs > 0) return [shown];
  return laterMs < 0 ? [found] : [found, shown];
}

/**
 * `settled`, and with each link when its contact was dated that a lookup of the run showed. A scan of the next run may lag
 * behind it (I8, L1). `known`: the links as they are stored; `before`: as they were before the run.
 */
export function withShownDates(
  { lookedUp, shape }: Pick<RunContext, 'lookedUp' | 'shape'>,
  { known, before }: Readonly<Record<'known' | 'before', ReadonlyMap<string, Link>>>,
  settled: ReadonlyMap<string, Link | null>,
  now: number,
): ReadonlyMap<string, Link | null> {
  const links = new Map(settled);
  for (const [uuid, contact] of lookedUp) {
    const link = settled.has(uuid) ? settled.get(uuid) : known.get(uuid);
    const dated = link && withShown(link, before.get(uuid), shape.toRecord(contact), now);
    if (dated && dated !== link) links.set(uuid, dated);
  }
  return links;
}
