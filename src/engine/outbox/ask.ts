// Asks the service for sender profiles, recipients and the deliveries of sent messages.
import type { CrmCall, Delivery, Messages, Recipient } from '../../crm/port.ts';
import { contentText, type Message, watchOf } from '../../sync/outbox/message.ts';
import type { RecipientAnswer, Sender } from '../../sync/outbox/input.ts';
import { normalEmail } from '../../sync/value/same.ts';
import { RunFailed } from '../errors.ts';
import { digest } from './digest.ts';
import { messagesOf, type OutboxRun } from './context.ts';

/** Goes ahead of scans, and ends when the run is stopped. */
function askCall({ request }: OutboxRun) {
  return { signal: request.signal, priority: 'edit' as const };
}

/**
 * Reads every sender profile. Throws ServiceErrors; throws RunFailed if the list is not whole, because a missing profile
 * may have the same label.
 */
export async function listSenders(messages: Messages, call: CrmCall): Promise<readonly Sender[]> {
  const { senders, notice } = await messages.senders(call);
  if (notice !== undefined) throw new RunFailed(`the sender profiles were not all read: ${notice}. Nothing is sent`);
  return senders;
}

export function askSenders(context: OutboxRun): Promise<readonly Sender[]> {
  return listSenders(messagesOf(context), askCall(context));
}

/** P4: reads recipients afresh: many uuids a call, one address a call. Throws ServiceErrors. */
export async function askRecipients(
  context: OutboxRun,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, RecipientAnswer>> {
  const messages = messagesOf(context);
  const call = askCall(context);
  const answers = new Map<string, RecipientAnswer>();
  const uuids = wanted.filter((each) => !each.includes('@'));
  const found = await messages.recipients(uuids, call);
  for (const uuid of uuids) answers.set(uuid, toAnswer(found.get(uuid)));
  for (const email of wanted.filter((each) => each.includes('@'))) {
    const recipient = await messages.recipientByEmail(email, call);
    // The contact in the answer must be the one that was asked for (L9).
    const isAsked = recipient?.emails.some((each) => normalEmail(each) === email);
    answers.set(email, toAnswer(isAsked ? recipient : undefined));
  }
  return answers;
}

function toAnswer(recipient: Recipient | undefined): RecipientAnswer {
  return recipient ? { kind: 'here', uuid: recipient.uuid, name: recipient.name } : { kind: 'none' };
}

/** The most by which the clocks of one service differ. */
const slackMs = 60_000;
/** Bounces are not urgent. */
const bouncesEveryMs = 3_600_000;

export interface Deliveries {
  /** Messages with news, by row ID. */
  readonly heard: ReadonlyMap<string, Message>;
  /** Why a watched message may be listed and was not seen, for people. */
  readonly notice?: string;
}

/**
 * P5: reads the deliveries of these messages, newest first, and no further back than needed. Asks for none if no status can
 * have changed. An unknown outcome is known once its message is listed (P3). Throws ServiceErrors.
 */
export async function askDeliveries(
  context: OutboxRun,
  messages: ReadonlyMap<string, Message>,
  all: ReadonlyMap<string, Message>,
): Promise<Deliveries> {
  const { crm, config, session, now, request } = context;
  const at = crm.now();
  // The clock may have been set back.
  const areBouncesDue = Math.abs(now() - (session.bouncesReadAt ?? -Infinity)) >= bouncesEveryMs;
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
  const taken = new Set([...all.values()].flatMap(({ uuid, uuidsBefore = [] }) => [...uuidsBefore, uuid]));
  const found = new Map<string, Message>();
  let missing: string | undefined;
  const call = { signal: request.signal, priority: 'scan' as const };
  for await (const page of messagesOf(context).deliveries(config.resource, since, call)) {
    ({ missing } = page);
    for (const record of page.deliveries) {
      const id = idByUuid.get(record.uuid) ?? (taken.has(record.uuid) ? undefined : unknownIn(record));
      if (id !== undefined && !found.has(id)) found.set(id, heardOf(messages.get(id)!, record));
    }
    if (found.size === watched.length) break;
  }
  const heard = new Map([...found].filter(([id, message]) => messages.get(id) !== message));
  return found.size < watched.length && missing !== undefined ? { heard, notice: missing } : { heard };

  /** The delivery has the same text for the same contact, and is not earlier than the call. */
  function unknownIn({ contact, at: created, content }: Delivery): string | undefined {
    if (unknown.length === 0 || contact === undefined || created === undefined) return undefined;
    const key = digest(contentText(contact, content));
    const isIt = ([id, message]: (typeof unknown)[number]) =>
      !found.has(id) && message.key === key && created >= message.at - slackMs;
    return unknown.find(isIt)?.[0];
  }
}

function heardOf(message: Message, { uuid, status: delivery, at: created }: Delivery): Message {
  if (message.state === 'sent' && (delivery === undefined || delivery === message.delivery)) return message;
  const at = message.state === 'sent' ? message.at : (created ?? message.at);
  return { ...message, state: 'sent', at, uuid, ...(delivery !== undefined && { delivery }) };
}
