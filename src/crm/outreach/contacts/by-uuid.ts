// Reads contacts by uuid, many at a time or one at this moment.
import { NotFoundError, ValidationError, GatewayError } from '../../errors.ts';
import type { CallOptions, ServiceClient } from '../service-client.ts';
import type { Capabilities } from '../scan/capabilities.ts';
import { contactRow, type ContactRow } from '../scan/contact-row.ts';
import { getUnread, searchUnread } from './unread.ts';

/** Uuids in one search: the page size that the service is known to accept. */
const chunkSize = 100;

/**
 * Reads the contacts with these uuids as they are now; a uuid that is missing from the answer does not exist (404). A
 * search by uuid serves a hundred at a time. The search lags behind writes: it does not have a contact that was just
 * created. So missing ones are read one by one.
 */
export async function contactsByUuid(
  client: ServiceClient,
  capabilities: Capabilities,
  uuids: readonly string[],
  options?: CallOptions,
): Promise<ReadonlyMap<string, ContactRow>> {
  const found = new Map<string, ContactRow>();
  for (let start = 0; start < uuids.length && capabilities.offers('uuids'); start += chunkSize) {
    const chunk = uuids.slice(start, start + chunkSize);
    for (const contact of await searchChunk(client, capabilities, chunk, options)) {
      // A service that ignores the filter answers other contacts.
      if (chunk.includes(contact.uuid)) found.set(contact.uuid, contact);
      else capabilities.failed('uuids');
    }
  }
  for (const uuid of uuids) {
    if (found.has(uuid)) continue;
    const contact = await contactByUuid(client, uuid, options);
    if (contact) found.set(uuid, contact);
  }
  return found;
}

/** One call, which does not lag behind writes; undefined: the contact does not exist (404). */
async function contactByUuid(
  client: ServiceClient,
  uuid: string,
  options?: CallOptions,
): Promise<ContactRow | undefined> {
  try {
    return await client.call(getUnread, { uuid }, options);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

async function searchChunk(
  client: ServiceClient,
  capabilities: Capabilities,
  uuids: readonly string[],
  options: CallOptions | undefined,
): Promise<readonly ContactRow[]> {
  try {
    const input = { filter: { uuid: [...uuids] }, limit: chunkSize };
    const { rows } = await client.call(searchUnread, input, options);
    return rows.flatMap((row) => contactRow(row) ?? []);
  } catch (error) {
    const refused = error instanceof ValidationError || (error instanceof GatewayError && error.call.status === 500);
    if (!refused) throw error;
    capabilities.failed('uuids');
    return [];
  }
}
