import { ValidationError } from './errors.ts';
import type { Contact, Lead } from './operations/records.ts';
import type { CallOptions, ServiceClient } from './port.ts';

export interface NewContact {
  readonly lead: Lead;
  readonly list_uuid: string;
  readonly custom_fields?: Record<string, string>;
}

/** `exists`: somebody is there already, nobody was changed. */
export interface CreateOutcome {
  readonly outcome: 'created' | 'exists';
  readonly contact: Contact;
}

/**
 * Creates a contact and leaves one alone that exists. The service has been seen to answer the existing contact unchanged
 * (200) and to refuse (422); both end as `exists`. The lookup before the call is what tells the two 200s apart.
 */
export async function createContact(
  client: ServiceClient,
  input: NewContact,
  options?: CallOptions,
): Promise<CreateOutcome> {
  const known = await findByIdentifiers(client, input.lead, options);
  if (known) return { outcome: 'exists', contact: known };
  try {
    const contact = await client.contacts.upsert({ ...input, update_if_exists: false }, options);
    return { outcome: 'created', contact };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const contact = await findByIdentifiers(client, input.lead, options);
    if (contact === undefined) throw error;
    return { outcome: 'exists', contact };
  }
}

/**
 * One identifier a lookup, the strongest first: how several are weighed against each other is not promised. A name with a
 * company is not unique and never says who somebody is.
 */
export async function findByIdentifiers(
  client: ServiceClient,
  { network_id, network, email }: Pick<Lead, 'network_id' | 'network' | 'email'>,
  options?: CallOptions,
): Promise<Contact | undefined> {
  const handle = network_id ?? network;
  const byHandle = handle ? await client.contacts.lookupOne({ network_id: handle }, options) : undefined;
  return byHandle ?? (email ? client.contacts.lookupOne({ email }, options) : undefined);
}
