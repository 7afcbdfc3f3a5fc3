import { collection, listsNamed } from './collection.ts';
import { findByIdentifiers } from './create-contact.ts';
import type { Lead } from './operations/records.ts';
import { operations } from './operations/table.ts';
import type { CallOptions, ServiceClient } from './port.ts';

/**
 * What reading says about a write whose outcome is unknown. `happened` names the record it made. `did_not` is proof, and
 * the only leave to do it again. `cannot_tell`: the service offers nothing to read it back; a person has to look.
 */
export type Reconciled =
  | { readonly verdict: 'happened'; readonly uuid: string }
  | { readonly verdict: 'did_not' | 'cannot_tell' };

/**
 * How far back a record may be dated and still be the one just made: our clock is compared with the service's. A listing
 * that lags must not prove that nothing happened, so no verdict here is `did_not` where a delay would explain the absence.
 */
const clockToleranceMs = 60_000;

/** Was this text sent to this contact since then? */
export async function reconcileMessage(
  client: ServiceClient,
  sent: { readonly lead_uuid: string; readonly text: string; readonly sinceMs: number },
  options?: CallOptions,
): Promise<Reconciled> {
  const query = { filter: { lead_uuid: sent.lead_uuid }, order_field: 'created_at', order_type: 'desc' } as const;
  for await (const message of collection(client, operations.networkMessages.list, query, options)) {
    if (message.lead_uuid !== sent.lead_uuid || message.type === 'inbox') continue;
    if (message.text === sent.text && isSince(message.created_at, sent.sinceMs)) return happened(message.uuid);
  }
  return { verdict: 'cannot_tell' };
}

/** Was an e-mail with this subject sent to this contact since then? */
export async function reconcileEmail(
  client: ServiceClient,
  sent: { readonly lead_uuid: string; readonly subject: string; readonly sinceMs: number },
  options?: CallOptions,
): Promise<Reconciled> {
  const query = { filter: { lead_uuid: sent.lead_uuid }, order_field: 'created_at', order_type: 'desc' } as const;
  for await (const email of collection(client, operations.emails.list, query, options)) {
    if (email.lead_uuid !== sent.lead_uuid || email.type === 'inbox') continue;
    if (email.subject === sent.subject && isSince(email.created_at, sent.sinceMs)) return happened(email.uuid);
  }
  return { verdict: 'cannot_tell' };
}

/** Was a list of this name made since then? */
export async function reconcileList(
  client: ServiceClient,
  made: { readonly name: string; readonly sinceMs: number },
  options?: CallOptions,
): Promise<Reconciled> {
  const lists = await listsNamed(client, made.name, options);
  const list = lists.find(({ created_at }) => isSince(created_at, made.sinceMs));
  return list ? happened(list.uuid) : { verdict: 'cannot_tell' };
}

/**
 * Did add-new-lead reach the service? Enrolments cannot be read, but the contact can: lookups are not the lagging search,
 * so a contact that does not exist was not enrolled either. One that exists may have been there before.
 */
export async function reconcileAddNewLead(
  client: ServiceClient,
  lead: Lead,
  options?: CallOptions,
): Promise<Reconciled> {
  if (!lead.network_id && !lead.network && !lead.email) return { verdict: 'cannot_tell' };
  const contact = await findByIdentifiers(client, lead, options);
  return { verdict: contact === undefined ? 'did_not' : 'cannot_tell' };
}

function happened(uuid: string): Reconciled {
  return { verdict: 'happened', uuid };
}

function isSince(stamp: string | null | undefined, sinceMs: number): boolean {
  return Date.parse(stamp ?? '') >= sinceMs - clockToleranceMs;
}
