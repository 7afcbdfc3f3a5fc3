// What an outbox asks the service: who may send, who is to get it, and what became of what was sent.
import { readCollection } from '../../crm/outreach/collection.ts';
import { contactsByUuid } from '../../crm/outreach/contacts-by-uuid.ts';
import type { CallOptions, ServiceClient } from '../../crm/port.ts';
import { type ResourceRecord, resourceListing } from '../../crm/outreach/resources.ts';
import { operations } from '../../crm/outreach/operations/table.ts';
import type { Contact } from '../../crm/outreach/operations/records.ts';
import { contentText, type Message, watchOf } from '../../sync/outbox/message.ts';
import type { RecipientAnswer, Sender } from '../../sync/outbox/input.ts';
import { normalEmail } from '../../sync/value/same.ts';
import { RunFailed } from '../errors.ts';
import { digest } from './digest.ts';
import type { OutboxRun } from './context.ts';

/** Somebody waits for it, and it may still be given up. */
function askCall({ request }: OutboxRun) {
  return { signal: request.signal, priority: 'edit' as const };
}

/** Every sender profile there is. Throws ServiceErrors, and RunFailed where not all could be listed: a label may be another's too. */
export async function listSenders(client: ServiceClient, options: CallOptions): Promise<readonly Sender[]> {
  const query = { limit: 100, order_field: 'created_at', order_type: 'asc' } as const;
  const { records, notice } = await readCollection(client, operations.senderProfiles.list, query, options);
  if (notice !== undefined) throw new RunFailed(`the sender profiles were not all read: ${notice}. Nothing is sent`);
  return records.map(({ uuid, label, first_name, last_name, status }) => {
    const full = [first_name, last_name].filter(Boolean).join(' ');
    const names = [label ?? '', full].filter((name) => name !== '');
    return { uuid: uuid.toLowerCase(), names, isEnabled: status?.toLowerCase() !== 'disabled' };
  });
}

export function askSenders(context: OutboxRun): Promise<readonly Sender[]> {
  return listSenders(context.client, askCall(context));
}

/** P4, fresh: uuids a hundred a call, addresses one a call. Throws ServiceErrors. */
export async function askRecipients(
  context: OutboxRun,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, RecipientAnswer>> {
  const { client, capabilities } = context;
  const call = askCall(context);
  const answers = new Map<string, RecipientAnswer>();
  const uuids = wanted.filter((each) => !each.includes('@'));
  const contacts = await contactsByUuid(client, capabilities, uuids, call);
  for (const uuid of uuids) answers.set(uuid, toAnswer(contacts.get(uuid)));
  for (const email of wanted.filter((each) => each.includes('@'))) {
    const found = await client.contacts.lookupOne({ email }, call);
    // Whoever is answered has to be the one who was asked for (L9).
    const isAsked = [found?.work_email, found?.personal_email].some((each) => each && normalEmail(each) === email);
    answers.set(email, toAnswer(isAsked ? found : undefined));
  }
  return answers;
}

function toAnswer(contact: Contact | undefined): RecipientAnswer {
  if (!contact) return { kind: 'none' };
  const { uuid, name, first_name, last_name, work_email, personal_email } = contact;
  const called = name ?? [first_name, last_name].filter(Boolean).join(' ');
  const email = work_email ?? personal_email;
  return { kind: 'here', uuid, name: [called, email && `<${email}>`].filter(Boolean).join(' ') || uuid };
}

/** The listing is not read further than this: 9,000 records, where its window of 10,000 ends (docs/service.md). */
const pagesMax = 90;
/** Clocks of one service differ by no more. */
const slackMs = 60_000;
/** A bounce is no hurry. */
const bouncesEveryMs = 3_600_000;

export interface Deliveries {
  /** Messages of which there is news, by row ID. */
  readonly heard: ReadonlyMap<string, Message>;
  /** Why a message that was watched may be listed and was not seen, for people. */
  readonly notice?: string;
}

/**
 * P5: what the listing has to say of these messages, newest first and no further than it has to be read; none are asked for
 * where nothing can have changed. An unknown outcome is known once its message is there (P3). Throws ServiceErrors.
 */
export async function askDeliveries(
  context: OutboxRun,
  messages: ReadonlyMap<string, Message>,
  all: ReadonlyMap<string, Message>,
): Promise<Deliveries> {
  const { client, config, session, now } = context;
  const at = client.serviceNow();
  const areBouncesDue = now() - (session.bouncesReadAt ?? -Infinity) >= bouncesEveryMs;
  const watched = [...messages].filter(([, message]) => {
    const watch = watchOf(config.resource, message, at);
    return watch === 'closely' || (watch === 'rarely' && areBouncesDue);
  });
  if (watched.length === 0) return { heard: new Map() };
  if (areBouncesDue) session.bouncesReadAt = now();
  const since = Math.min(...watched.map(([, message]) => message.at)) - slackMs;
  const sent = watched.filter(([, { state }]) => state === 'sent');
  const idByUuid = new Map(sent.flatMap(([id, { uuid }]) => (uuid === undefined ? [] : [[uuid, id] as const])));
  const unknown = watched.filter(([, { state }]) => state === 'unknown');
  const taken = new Set([...all.values()].flatMap(({ uuid }) => uuid ?? []));
  const found = new Map<string, Message>();
  let rows = 0;
  let missing: string | undefined;
  for await (const page of pages(context, since)) {
    rows += page.data.length;
    missing = page.missing?.(rows);
    for (const record of page.data) {
      const id = idByUuid.get(record.uuid) ?? (taken.has(record.uuid) ? undefined : unknownIn(record));
      if (id !== undefined && !found.has(id)) found.set(id, heardOf(messages.get(id)!, record));
    }
    if (found.size === watched.length) break;
  }
  const heard = new Map([...found].filter(([id, message]) => messages.get(id) !== message));
  return found.size < watched.length && missing !== undefined ? { heard, notice: missing } : { heard };

  /** The same words to the same contact, not earlier than the call. */
  function unknownIn(record: ResourceRecord): string | undefined {
    const { lead_uuid: lead, created_at: created } = record;
    if (unknown.length === 0 || typeof lead !== 'string' || typeof created !== 'string') return undefined;
    const key = digest(contentText(lead, record));
    const isIt = ([id, message]: (typeof unknown)[number]) =>
      !found.has(id) && message.key === key && Date.parse(created) >= message.at - slackMs;
    return unknown.find(isIt)?.[0];
  }
}

function heardOf(message: Message, { uuid, status, created_at: created }: ResourceRecord): Message {
  const delivery = typeof status === 'string' ? status : undefined;
  if (message.state === 'sent' && (delivery === undefined || delivery === message.delivery)) return message;
  const at = message.state === 'sent' || typeof created !== 'string' ? message.at : Date.parse(created);
  return { ...message, state: 'sent', at, uuid, ...(delivery !== undefined && { delivery }) };
}

interface ListedPage {
  readonly data: readonly ResourceRecord[];
  /** There where the listing ends with it, and not as it should: in words, with so many records read. */
  readonly missing?: (read: number) => string;
}

async function* pages(context: OutboxRun, since: number): AsyncGenerator<ListedPage> {
  const { client, config, request } = context;
  const order = { limit: 100, order_field: 'created_at', order_type: 'desc', filter: { type: 'outbox' } } as const;
  let offset = 0;
  let unreadable = 0;
  for (let page = 1; ; page += 1) {
    const call = { signal: request.signal, priority: 'scan' as const };
    const answer = await client.call(resourceListing(config.resource), { ...order, offset }, call);
    const { data, total } = answer;
    const rows = data.length + answer.unreadable;
    offset += rows;
    unreadable += answer.unreadable;
    // Only a page that is in order tells that nothing newer follows.
    const times = data.map(({ created_at: created }) => (typeof created === 'string' ? Date.parse(created) : NaN));
    const isInOrder = times.every((time, index) => index === 0 || time <= times[index - 1]!);
    const isFarEnough = offset >= (total ?? Infinity) || (isInOrder && times.length > 0 && times.at(-1)! < since);
    const isEnd = isFarEnough || rows === 0 || page === pagesMax;
    const isWhole = unreadable === 0 && (isFarEnough || (rows === 0 && offset >= (total ?? offset)));
    const of = total === undefined ? '' : ` of ${total}`;
    const why = unreadable > 0 ? `${unreadable} records have no uuid and cannot be read` : 'the service lists no more';
    yield { data, ...(isEnd && !isWhole && { missing: (read: number) => `${read}${of} records were read: ${why}` }) };
    if (isEnd) return;
  }
}
