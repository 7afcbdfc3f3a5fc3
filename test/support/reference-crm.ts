// The reference driver of the CRM port: contacts in memory, without automations, messages and collections. It shows that
// another service than the outreach service can implement the port.
import * as z from 'zod';
import { NotFoundError } from '../../src/crm/errors.ts';
import type {
  Contact,
  ContactFieldSpec,
  Contacts,
  ContactsSpec,
  Crm,
  CrmDescription,
  FieldWrite,
  Identifiers,
} from '../../src/crm/port.ts';

const text = (name: string, kind: ContactFieldSpec['kind'] = 'text'): [string, ContactFieldSpec] => [
  name,
  { name, kind, directions: ['both', 'to_sheet', 'to_crm'], writtenAs: name },
];

export const referenceDescription: CrmDescription = {
  fields: new Map([
    text('email', 'email'),
    text('first_name'),
    text('last_name'),
    text('company_name'),
    text('position'),
    ['id_number', { name: 'id_number', kind: 'integer', directions: ['to_sheet'], writtenAs: 'id_number' }],
  ]),
  matchKeys: [{ name: 'email', parts: { email: ['email'] } }],
  identifiers: { network_id: [], email: [['email']], name: [], company_name: [] },
  filter: z.strictObject({}),
  hasAutomations: false,
  collections: new Map(),
  messages: new Map(),
};

interface Stored {
  readonly uuid: string;
  list: string;
  readonly createdAt: number;
  updatedAt: number;
  readonly values: Record<string, FieldWrite['after']>;
}

export interface ReferenceCrm extends Crm, Disposable {
  /** The acts of a person in the CRM. */
  readonly person: {
    addList(name: string): string;
    addContact(list: string, values: Readonly<Record<string, string>>): string;
    edit(uuid: string, values: Readonly<Record<string, string>>): void;
    delete(uuid: string): void;
    contacts(list: string): readonly Readonly<Record<string, unknown>>[];
    /** The same, by uuid. */
    byUuid(list: string): ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  };
}

export function createReferenceCrm(now: () => number): ReferenceCrm {
  const lists = new Map<string, string>();
  const stored = new Map<string, Stored>();
  let ids = 0;
  let calls = 0;

  const newUuid = () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`;
  const add = (list: string, values: Stored['values']): Stored => {
    const contact = {
      uuid: newUuid(),
      list,
      createdAt: now(),
      updatedAt: now(),
      values: { id_number: ids, ...values },
    };
    stored.set(contact.uuid, contact);
    return contact;
  };
  const write = (contact: Stored, fields: readonly FieldWrite[]) => {
    for (const { field, after } of fields) contact.values[field] = after;
    contact.updatedAt = now();
  };
  const existing = (operation: string, uuid: string): Stored => {
    const contact = stored.get(uuid);
    if (!contact) throw new NotFoundError({ operation, subject: uuid, attempts: 1 }, 'there is no such contact');
    return contact;
  };
  const ask = <Answer>(signals: { readonly signal?: AbortSignal }, answer: () => Answer): Promise<Answer> => {
    signals.signal?.throwIfAborted();
    calls += 1;
    return Promise.resolve().then(answer);
  };

  function openContacts({ fields }: ContactsSpec): Contacts {
    const names = fields.map(({ target }) => (target.kind === 'field' ? target.field.name : ''));
    const toContact = ({ uuid, list, createdAt, updatedAt, values }: Stored): Contact => ({
      uuid,
      list,
      createdAt,
      updatedAt,
      passesFilter: true,
      // A value that was never set is blank here, and not unknown.
      values: names.map((name) => (values[name] === '' ? null : (values[name] ?? null))),
    });
    const ofEmail = ({ email = '' }: Identifiers) =>
      [...stored.values()].find(({ values }) => String(values['email']).toLowerCase() === email.toLowerCase());
    const emailIn = (given: readonly FieldWrite[]) => {
      const email = given.find(({ field }) => field === 'email')?.after;
      return typeof email === 'string' ? { email } : {};
    };
    const deletedAt: Record<string, number> = {};
    return {
      scan({ list, keep, since, signal }) {
        const cursor = new Date(now()).toISOString();
        let contacts = 0;
        let isWhole = false;
        return {
          async *[Symbol.asyncIterator]() {
            const all = await ask({ ...(signal && { signal }) }, () => [...stored.values()]);
            const from = since === undefined ? -Infinity : Date.parse(since);
            const page = all.filter((contact) => contact.list === list && contact.updatedAt >= from);
            contacts = page.length;
            yield page.map((contact) => keep(toContact(contact)));
            isWhole = true;
          },
          report: () => ({
            mode: since === undefined ? 'full' : 'incremental',
            whole: isWhole,
            reasons: isWhole ? [] : ['it was not read to its end'],
            expected: contacts,
            contacts,
            cursor,
          }),
        };
      },
      count: (list, call) => ask(call, () => [...stored.values()].filter((each) => each.list === list).length),
      get: (uuids, call) =>
        ask(call, () => {
          const found = uuids.flatMap((uuid) => stored.get(uuid) ?? []);
          return new Map(found.map((contact) => [contact.uuid, toContact(contact)]));
        }),
      getNow: (uuid, call) => ask(call, () => toContact(existing('getNow', uuid))),
      findByIdentifiers: (identifiers, call) =>
        ask(call, () => {
          const contact = ofEmail(identifiers);
          return contact && toContact(contact);
        }),
      isIdentifiedBy: (given) => emailIn(given).email !== undefined,
      create: ({ list, fields: given }, call) =>
        ask(call, () => {
          const known = ofEmail(emailIn(given));
          if (known) return toContact(known);
          return toContact(add(list, Object.fromEntries(given.map(({ field, after }) => [field, after]))));
        }),
      moveToList: ({ uuid, list }, call) =>
        ask(call, () => {
          const contact = existing('moveToList', uuid);
          contact.list = list;
          contact.updatedAt = now();
          return toContact(contact);
        }),
      update: (uuid, given, call) =>
        ask(call, () => {
          const contact = existing('update', uuid);
          write(contact, given);
          return toContact(contact);
        }),
      setCustomFields: () => Promise.resolve({ kind: 'refused', message: 'there are no custom fields' }),
      remove: (uuid, call) =>
        ask(call, () => {
          stored.delete(uuid);
        }),
      deletions: { all: () => deletedAt, restore: (earlier) => void Object.assign(deletedAt, earlier) },
    };
  }

  return {
    description: referenceDescription,
    account: 'reference',
    now,
    usage: () => ({ calls, lastMinute: calls, perMinute: 1_000 }),
    probe: (call) => ask(call, () => ({ lists: lists.size })),
    openContacts,
    lists: {
      named: (wanted, call) =>
        ask(call, () => ({ lists: [...lists].flatMap(([uuid, name]) => (name === wanted ? [{ uuid }] : [])) })),
      list: (call) => ask(call, () => ({ lists: [...lists].map(([uuid, name]) => ({ uuid, name })) })),
      create: (name, call) =>
        ask(call, () => {
          const uuid = newUuid();
          lists.set(uuid, name);
          return { uuid };
        }),
      get: (uuid, call) =>
        ask(call, () => {
          const name = lists.get(uuid);
          if (name !== undefined) return { name };
          throw new NotFoundError({ operation: 'lists.get', subject: uuid, attempts: 1 }, 'there is no such list');
        }),
    },
    person: {
      addList(name) {
        const uuid = newUuid();
        lists.set(uuid, name);
        return uuid;
      },
      addContact: (list, values) => add(list, { ...values }).uuid,
      edit: (uuid, values) =>
        write(
          existing('edit', uuid),
          Object.entries(values).map(([field, after]) => ({ field, after })),
        ),
      delete: (uuid) => void stored.delete(uuid),
      contacts: (list) =>
        [...stored.values()].filter((each) => each.list === list).map(({ values }) => ({ ...values })),
      byUuid: (list) =>
        new Map([...stored].flatMap(([uuid, each]) => (each.list === list ? [[uuid, { ...each.values }]] : []))),
    },
    [Symbol.dispose]: () => {},
  };
}
