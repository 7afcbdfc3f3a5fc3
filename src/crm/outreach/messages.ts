// Messages and e-mails: the possible senders and recipients, the call that queues one, and the listing that shows its
// status.
import type { CrmCall, Delivery, DeliveryPage, Messages, Recipient } from '../port.ts';
import { contactsByUuid } from './contacts/by-uuid.ts';
import type { ContactsDep } from './contacts/contacts.ts';
import { lookupUnread } from './contacts/unread.ts';
import { readCollection } from './listing.ts';
import { operations } from './operations/table.ts';
import type { OutgoingName } from './outgoing.ts';
import { type ResourceRecord, resourceListing } from './resources.ts';
import type { ContactRow } from './scan/contact-row.ts';
import type { ServiceClient } from './service-client.ts';

export function createMessages({ client, capabilities }: Pick<ContactsDep, 'client' | 'capabilities'>): Messages {
  return {
    async senders(call) {
      const query = { limit: 100, order_field: 'created_at', order_type: 'asc' } as const;
      const { records, notice } = await readCollection(client, operations.senderProfiles.list, query, call);
      const senders = records.map(({ uuid, label, first_name, last_name, status }) => {
        const full = [first_name, last_name].filter(Boolean).join(' ');
        const names = [label ?? '', full].filter((name) => name !== '');
        return { uuid: uuid.toLowerCase(), names, isEnabled: status?.toLowerCase() !== 'disabled' };
      });
      return { senders, ...(notice !== undefined && { notice }) };
    },

    async recipients(uuids, call) {
      const found = await contactsByUuid(client, capabilities, uuids, call);
      return new Map([...found].map(([uuid, row]) => [uuid, toRecipient(row)]));
    },

    async recipientByEmail(email, call) {
      const row: ContactRow | undefined = await client.call(lookupUnread, { email }, call);
      return row && toRecipient(row);
    },

    async send(kind, payload, call) {
      // The configuration and the plan have checked fields and lists; the client checks them once more.
      const { uuid, status } =
        kind === 'emails'
          ? await client.call(operations.emails.send, payload as never, call)
          : await client.call(operations.networkMessages.send, payload as never, call);
      return { uuid, ...(typeof status === 'string' && { delivery: status }) };
    },

    deliveries: (kind, since, call) => deliveries(client, kind, since, call),
  };
}

function toRecipient({ uuid, ...row }: ContactRow): Recipient {
  const text = (name: string) => (typeof row[name] === 'string' ? row[name] : undefined);
  const called = text('name') ?? [text('first_name'), text('last_name')].filter(Boolean).join(' ');
  const emails = [text('work_email'), text('personal_email')].filter((each) => each !== undefined);
  const [email] = emails;
  return { uuid, name: [called, email && `<${email}>`].filter(Boolean).join(' ') || uuid, emails };
}

/** The listing is read up to 9,000 records: its window of 10,000 ends soon after (docs/service.md). */
const pagesMax = 90;

async function* deliveries(
  client: ServiceClient,
  kind: OutgoingName,
  since: number,
  call: CrmCall,
): AsyncGenerator<DeliveryPage> {
  const order = { limit: 100, order_field: 'created_at', order_type: 'desc', filter: { type: 'outbox' } } as const;
  let offset = 0;
  let read = 0;
  let unreadable = 0;
  for (let page = 1; ; page += 1) {
    const { data, total, ...answer } = await client.call(resourceListing(kind), { ...order, offset }, call);
    const rows = data.length + answer.unreadable;
    offset += rows;
    read += data.length;
    unreadable += answer.unreadable;
    // Only a page in the right order proves that no newer record follows.
    const times = data.map(({ created_at: created }) => (typeof created === 'string' ? Date.parse(created) : NaN));
    const isInOrder = times.every((time, index) => index === 0 || time <= times[index - 1]!);
    const isFarEnough = offset >= (total ?? Infinity) || (isInOrder && times.length > 0 && times.at(-1)! < since);
    const isEnd = isFarEnough || rows === 0 || page === pagesMax;
    const isWhole = unreadable === 0 && (isFarEnough || (rows === 0 && offset >= (total ?? offset)));
    const of = total === undefined ? '' : ` of ${total}`;
    const why = unreadable > 0 ? `without a uuid, and so not readable: ${unreadable}` : 'the service lists no more';
    const missing = isEnd && !isWhole ? { missing: `${read}${of} records were read: ${why}` } : {};
    yield { deliveries: data.map(toDelivery), ...missing };
    if (isEnd) return;
  }
}

function toDelivery(record: ResourceRecord): Delivery {
  const { uuid, lead_uuid: contact, created_at: created, status } = record;
  const at = typeof created === 'string' ? Date.parse(created) : NaN;
  return {
    uuid,
    content: record,
    ...(typeof contact === 'string' && { contact }),
    ...(!Number.isNaN(at) && { at }),
    ...(typeof status === 'string' && { status }),
  };
}
