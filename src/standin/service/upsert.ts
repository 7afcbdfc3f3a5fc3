// Finds and writes the contact of an upsert or add-new-lead.
import type { Lead } from '../../crm/outreach/operations/records.ts';
import { contactInputToChange, networkIdToFields } from './contact-writes.ts';
import type { StoredContact } from './contacts.ts';
import { storableCustomFields } from './custom-fields.ts';
import { givenKeys } from './identifiers.ts';
import type { Model } from './model.ts';
import { invalid, notFound } from './refusal.ts';
import type { World } from './world.ts';

/** The common part of upsert and add-new-lead. */
export interface Intake {
  readonly lead: Readonly<Lead>;
  readonly customFields: Readonly<Record<string, string>>;
  readonly listUuid: string | undefined;
  /** The treatment of an existing contact. */
  readonly existing: 'updated' | 'unchanged' | 'refused' | 'duplicated';
  readonly moveToList: boolean;
}

export interface IntakeResult {
  readonly contact: StoredContact;
  readonly created: boolean;
}

/** The contact of a lead, by the first identifier in the documented order that any contact has. */
export function findExisting(model: Model, lead: Readonly<Lead>): StoredContact | undefined {
  return model.contacts.match(keysOf(lead));
}

/** Creates the contact, or treats the existing one as requested. Everything is checked before anything is written. */
export function intake(model: Model, { switches, now }: World, wanted: Intake): IntakeResult {
  const { lead, listUuid, moveToList } = wanted;
  const { network_id, ...input } = lead;
  if (keysOf(lead).length === 0) {
    throw invalid({
      lead: ['At least one identifier is needed: network_id, ln_id, sn_id, network, email, or name and company.'],
    });
  }
  if (listUuid !== undefined && !model.lists.table.has(listUuid)) {
    if (switches.unknownList === 404) throw notFound('The list');
    throw invalid({ list_uuid: ['The list was not found.'] });
  }
  const customFields = storableCustomFields(wanted.customFields, switches);
  const existing = findExisting(model, lead);

  if (existing && wanted.existing === 'refused') throw invalid({ lead: ['The contact exists already.'] });
  if (existing && wanted.existing === 'unchanged') return { contact: existing, created: false };
  if (existing && wanted.existing === 'updated') {
    const change = contactInputToChange(input, existing.record, switches, 'lead.');
    const list = moveToList && listUuid !== undefined ? { list_uuid: listUuid } : {};
    const fields = { ...change.fields, ...networkIdToFields(network_id, lead, existing.record), ...list };
    return {
      contact: model.contacts.change(existing.record.uuid, { ...change, fields, customFields }),
      created: false,
    };
  }

  if (listUuid === undefined) throw invalid({ list_uuid: ['A new contact needs a list.'] });
  const change = contactInputToChange(input, undefined, switches, 'lead.');
  const fields = {
    ...change.fields,
    ...networkIdToFields(network_id, lead, undefined),
    list_uuid: listUuid,
    status: existing ? 'duplicate' : 'ok',
    email_status: lead.email ? 'ok' : 'need_search',
  };
  const contact = model.contacts.add({ ...change, fields, customFields }, now());
  if (switches.enrichmentDelayMs !== null) {
    model.jobs.dispatch({ kind: 'enrich_contact', lead_uuid: contact.record.uuid }, switches.enrichmentDelayMs);
  }
  return { contact, created: true };
}

function keysOf(lead: Readonly<Lead>): string[] {
  const name = [lead.first_name, lead.last_name].filter(Boolean).join(' ');
  return givenKeys({ ...lead, name });
}
