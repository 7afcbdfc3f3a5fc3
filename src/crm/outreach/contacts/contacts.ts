// The contacts of one mapping behind the port, read and written through the operations of the service.
import { OutcomeUnknownError } from '../../errors.ts';
import type { Contact, Contacts, ContactsSpec, Identifiers, NewContact, Refused } from '../../port.ts';
import type { ContactFilter } from '../operations/filter.ts';
import type { Lead } from '../operations/records.ts';
import type { Capabilities } from '../scan/capabilities.ts';
import type { ContactRow } from '../scan/contact-row.ts';
import { scanContacts } from '../scan/scan.ts';
import type { SharedSearches } from '../scan/shared-search.ts';
import type { CallOptions, ServiceClient } from '../service-client.ts';
import { createContactBodies, hasIdentifier, leadOf } from './bodies.ts';
import { contactsByUuid } from './by-uuid.ts';
import { createTombstones, deleteContact } from './deletion.ts';
import { createContactReader } from './reading.ts';
import { sendOnce } from './send-once.ts';
import { getUnread, lookupUnread, updateUnread, upsertUnread } from './unread.ts';

export interface ContactsDep {
  readonly client: ServiceClient;
  readonly capabilities: Capabilities;
  readonly shared: SharedSearches;
}

export function openContacts({ client, capabilities, shared }: ContactsDep, spec: ContactsSpec): Contacts {
  const filter = (spec.filter ?? {}) as ContactFilter;
  const scopeOf = (list: string): ContactFilter => ({ ...filter, list_uuid: list });
  const reader = createContactReader(spec);
  const bodies = createContactBodies(spec);
  // Our own clock may be set while the service still shows what was deleted.
  const tombstones = createTombstones(() => client.serviceNow());

  return {
    scan: ({ list, keep, since, signal }) =>
      scanContacts({
        client,
        capabilities,
        shared,
        tombstones,
        scope: scopeOf(list),
        keep: (row) => keep(reader.toSharedReading(row)),
        ...(signal && { signal }),
        ...(since !== undefined && { since }),
      }),

    async count(list, call) {
      return (await client.contacts.search({ filter: scopeOf(list), limit: 1 }, call)).total;
    },

    async get(uuids, call) {
      const living = uuids.filter((uuid) => !tombstones.has(uuid));
      const found = await contactsByUuid(client, capabilities, living, call);
      return new Map([...found].map(([uuid, row]) => [uuid, reader.toContact(row)]));
    },

    getNow: async (uuid, call) => reader.toContact(await client.call(getUnread, { uuid }, call)),

    async findByIdentifiers(identifiers, call) {
      for (const input of lookupsOf(identifiers)) {
        const row: ContactRow | undefined = await client.call(lookupUnread, input, call);
        if (row && !tombstones.has(row.uuid)) return reader.toContact(row);
      }
      return undefined;
    },

    isIdentifiedBy: (fields) => hasIdentifier(bodies.toLead(fields)),

    create: (given, call) => sendOnce(call, (once) => upsert(given, bodies.toLead(given.fields), false, once)),

    async moveToList({ uuid, identifiers, ...given }, call) {
      const lead = leadOf(identifiers);
      const refused = await unlessFound('a contact is moved', lead, uuid, call);
      return refused ?? sendOnce(call, (once) => upsert(given, lead, true, once));
    },

    async createEnrolled({ list, fields, automation, segment, movesToList }, call) {
      const body = {
        lead: bodies.toLead(fields),
        list_uuid: list,
        update_lead_if_exists: false,
        move_to_list: movesToList,
        flow_segment_id: segment,
        // An existing contact is skipped. It is found and linked, then enrolled as an existing contact.
        skip_if_lead_exists: true,
        ...bodies.toCustomFields(fields),
      };
      const answer = await client.automations.addNewLead({ flowUuid: automation, ...body }, call);
      if (answer.outcome !== 'added') return { outcome: answer.outcome };
      return { outcome: 'added', ...(answer.contact && { contact: reader.toContact(answer.contact) }) };
    },

    update: async (uuid, fields, call) =>
      reader.toContact(await client.call(updateUnread, { uuid, ...bodies.toUpdate(fields) }, call)),

    async setCustomFields({ uuid, list, identifiers, fields }, call) {
      const lead = leadOf(identifiers);
      const refused = await unlessFound('custom fields go', lead, uuid, call);
      if (refused) return refused;
      const body = { lead, list_uuid: list, update_if_exists: true, move_to_list: false };
      let lost: OutcomeUnknownError | undefined;
      const onLost = (error: OutcomeUnknownError) => void (lost = error);
      const row = await client.call(upsertUnread, { ...body, ...bodies.toCustomFields(fields) }, { ...call, onLost });
      if (row.uuid === uuid) return reader.toContact(row);
      const what = `the service took custom fields for another contact, ${row.uuid}`;
      const shown = reader.toContact(row);
      if (!lost)
        return { kind: 'misplaced', message: `${what}: make its identifiers unique`, shown, mayHaveArrived: false };
      // L12: the contact may have had this identifier when an earlier attempt arrived.
      const { message } = new OutcomeUnknownError(lost.call, `${what}, and an attempt before that had no answer`, true);
      return { kind: 'misplaced', message, shown, mayHaveArrived: true };
    },

    async remove(uuid, call) {
      await deleteContact(client, tombstones, uuid, call);
    },

    deletions: tombstones,
  };

  /** An upsert writes to the contact that it finds, and makes one if it finds none. */
  async function unlessFound(what: string, lead: Lead, uuid: string, call: CallOptions): Promise<Refused | undefined> {
    const [name] = Object.keys(lead);
    if (name === undefined) {
      return { kind: 'refused', message: `${what} by network_id or email, and the contact has neither` };
    }
    const found: ContactRow | undefined = await client.call(lookupUnread, lead, call);
    if (found?.uuid === uuid) return undefined;
    const whom = found === undefined ? 'no contact by it' : `another contact by it, ${found.uuid}: make it unique`;
    const message = `${what} by ${name}, and the service finds ${whom}`;
    return { kind: 'refused', message, ...(found && { shown: reader.toContact(found) }) };
  }

  async function upsert(given: NewContact, lead: Lead, isMove: boolean, call: CallOptions): Promise<Contact> {
    const body = {
      lead,
      list_uuid: given.list,
      // An existing contact is not overwritten: the values of the row are merged once the two are linked.
      update_if_exists: isMove,
      move_to_list: isMove,
      ...bodies.toCustomFields(given.fields),
    };
    return reader.toContact(await client.call(upsertUnread, body, call));
  }
}

/**
 * One identifier in each lookup: the order in which the service weighs several is not documented. Without any, the
 * lookup gets what the service refuses.
 */
function lookupsOf({ network_id, email, name, company_name }: Identifiers) {
  const alone = [...(network_id === undefined ? [] : [{ network_id }]), ...(email === undefined ? [] : [{ email }])];
  const isNamed = name !== undefined && company_name !== undefined;
  if (!isNamed && alone.length > 0) return alone;
  return [...alone, { name: name ?? '', company_name: company_name ?? '' }];
}
