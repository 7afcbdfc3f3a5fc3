import { collection, listsNamed } from './collection.ts';
import { findByIdentifiers } from './create-contact.ts';
import type { Email, Lead, NetworkMessage } from './operations/records.ts';
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
export function reconcileMessage(
  client: ServiceClient,
  { text, ...sent }: SentTo & { readonly text: string },
  options?: CallOptions,
): Promise<Reconciled> {
  const messages = collection(client, operations.networkMessages.list, newestTo(sent), options);
  return findSent(messages, sent, (message) => message.text === text);
}

/** Was an e-mail with this subject sent to this contact since then? */
export function reconcileEmail(
  client: ServiceClient,
  { subject, ...sent }: SentTo & { readonly subject: string },
  options?: CallOptions,
): Promise<Reconciled> {
  const emails = collection(client, operations.emails.list, newestTo(sent), options);
  return findSent(emails, sent, (email) => email.subject === subject);
}

interface SentTo {
  readonly lead_uuid: string;
  /** Epoch milliseconds before the call. */
  readonly sinceMs: number;
}

function newestTo({ lead_uuid }: SentTo) {
  return { filter: { lead_uuid }, order_field: 'created_at', order_type: 'desc' } as const;
}

/** A listing may ignore its filter, so each record is looked at. */
async function findSent<T extends NetworkMessage | Email>(
  records: AsyncIterable<T>,
  { lead_uuid, sinceMs }: SentTo,
  isTheOne: (record: T) => boolean,
): Promise<Reconciled> {
  for await (const record of records) {
    const isCandidate =
      record.lead_uuid === lead_uuid && record.type !== 'inbox' && isSince(record.created_at, sinceMs);
    if (isCandidate && isTheOne(record)) return happened(record.uuid);
  }
  return { verdict: 'cannot_tell' };
}

/** Was a list of this name made since then? */
export async function reconcileList(
  client: ServiceClient,
  made: { readonly name: string; readonly sinceMs: number },
  options?: CallOptions,
): Promise<Reconciled> {
  const { lists } = await listsNamed(client, made.name, options);
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
