// The contract tests of src/crm/port.ts, for any driver.
import { describe, expect, test } from 'vitest';
import { NotFoundError } from '../../../src/crm/errors.ts';
import type { Contacts, ContactScan, Crm, FieldWrite } from '../../../src/crm/port.ts';

export interface CrmDriver {
  readonly crm: Crm;
  /** Moves the time on until all delayed work of the service is done. */
  readonly settle: () => Promise<void>;
  /** For a driver with automations, messages and collections: makes one as a person would; each returns the uuid. */
  readonly person?: { readonly addAutomation: (name: string) => string; readonly addSender: (name: string) => string };
}

const call = {};
const mapped = ['email', 'first_name', 'company_name'];
const somebody = '99999999-9999-4999-8999-999999999999';

const ada = write({ email: 'ada@x.io', first_name: 'Ada', company_name: 'Mills' });
const bob = write({ email: 'bob@x.io', first_name: 'Bob', company_name: 'Baltic' });

/** `open`: an empty account; fields `email`, `first_name` and `company_name` can be mapped both ways. */
export function describeCrmContract(name: string, open: () => CrmDriver): void {
  const opened = () => openedBy(open);

  describe(`${name}: its description`, () => {
    test('a capability is present exactly if the description has it', () => {
      const { crm } = open();
      const { hasAutomations, collections, messages, fields } = crm.description;
      expect(crm.automations !== undefined).toBe(hasAutomations);
      expect(crm.collections !== undefined).toBe(collections.size > 0);
      expect(crm.messages !== undefined).toBe(messages.size > 0);
      expect(crm.openContacts({ fields: [] }).createEnrolled !== undefined).toBe(hasAutomations);
      expect([...fields].every(([key, field]) => key === field.name && field.directions.length > 0)).toBe(true);
    });

    test('match keys and identifiers are fields that can be mapped', () => {
      const { matchKeys, identifiers, fields } = open().crm.description;
      const named = [...matchKeys.flatMap(({ parts }) => Object.values(parts)), ...Object.values(identifiers).flat()];
      expect(named.flat().filter((each) => !fields.has(each))).toEqual([]);
    });

    test('calls are counted', async () => {
      const { crm } = open();
      const before = crm.usage().calls;
      await crm.probe(call);
      expect(crm.usage().calls).toBe(before + 1);
    });
  });

  describe(`${name}: lists`, () => {
    test('a created list is found by its name, and by its uuid', async () => {
      const { crm, list } = await opened();
      expect(await crm.lists.named('Prospects', call)).toMatchObject({ lists: [{ uuid: list }] });
      expect(await crm.lists.get(list, call)).toEqual({ name: 'Prospects' });
      expect((await crm.lists.named('prospects', call)).lists).toEqual([]);
    });

    test('all lists are listed with their names', async () => {
      const { crm, list } = await opened();
      const other = await crm.lists.create('Customers', call);
      const { lists, notice } = await crm.lists.list(call);
      expect(lists.toSorted((a, b) => (a.name! < b.name! ? -1 : 1))).toEqual([
        { uuid: other.uuid, name: 'Customers' },
        { uuid: list, name: 'Prospects' },
      ]);
      expect(notice).toBeUndefined();
    });

    test('a missing list is a NotFoundError', async () => {
      await expect(open().crm.lists.get(somebody, call)).rejects.toThrow(NotFoundError);
    });
  });

  describe(`${name}: contacts`, () => {
    test('I2: a created contact is answered, and found by its identifiers in any list', async () => {
      const { contacts, list } = await opened();
      const made = await contacts.create({ list, fields: ada }, call);
      expect(made).toMatchObject({ list, passesFilter: true, values: ['ada@x.io', 'Ada', 'Mills'] });
      expect(await contacts.findByIdentifiers({ email: 'ada@x.io' }, call)).toMatchObject({ uuid: made.uuid });
      expect(await contacts.findByIdentifiers({ email: 'eve@x.io' }, call)).toBeUndefined();
      expect(await contacts.getNow(made.uuid, call)).toEqual(made);
    });

    test('I2: a create of an existing contact overwrites nothing', async () => {
      const { contacts, list, crm } = await opened();
      const made = await contacts.create({ list, fields: ada }, call);
      const other = (await crm.lists.create('Customers', call)).uuid;
      const again = write({ email: 'ada@x.io', first_name: 'Augusta' });
      const answered = await contacts.create({ list: other, fields: again }, call);
      expect(answered).toMatchObject({ uuid: made.uuid, list, values: ['ada@x.io', 'Ada', 'Mills'] });
    });

    test('I2: a contact of another list is moved by its identifiers', async () => {
      const { contacts, list, crm } = await opened();
      const other = (await crm.lists.create('Customers', call)).uuid;
      const { uuid } = await contacts.create({ list: other, fields: ada }, call);
      const moved = await contacts.moveToList({ uuid, list, identifiers: { email: 'ada@x.io' }, fields: [] }, call);
      expect(moved).toMatchObject({ uuid, list, values: ['ada@x.io', 'Ada', 'Mills'] });
    });

    test('an update leaves unnamed fields, and null empties a field', async () => {
      const { contacts, list } = await opened();
      const { uuid } = await contacts.create({ list, fields: ada }, call);
      const fields = [...write({ first_name: 'Augusta' }), { field: 'company_name', after: null }];
      const updated = await contacts.update(uuid, fields, call);
      expect(blanked(updated.values)).toEqual(['ada@x.io', 'Augusta', null]);
      expect(blanked((await contacts.getNow(uuid, call)).values)).toEqual(['ada@x.io', 'Augusta', null]);
    });

    test('a missing contact: not in the answer of get, a NotFoundError alone and in an update', async () => {
      const { contacts, list } = await opened();
      const { uuid } = await contacts.create({ list, fields: ada }, call);
      expect([...(await contacts.get([uuid, somebody], call)).keys()]).toEqual([uuid]);
      await expect(contacts.getNow(somebody, call)).rejects.toThrow(NotFoundError);
      await expect(contacts.update(somebody, write({ first_name: 'X' }), call)).rejects.toThrow(NotFoundError);
    });

    test('D5: a removed contact is in no later answer, and may be removed again', async () => {
      const { contacts, list } = await opened();
      const { uuid } = await contacts.create({ list, fields: ada }, call);
      await contacts.remove(uuid, call);
      expect((await contacts.get([uuid], call)).size).toBe(0);
      expect(await contacts.findByIdentifiers({ email: 'ada@x.io' }, call)).toBeUndefined();
      expect(await uuidsIn(contacts.scan({ list, keep: ({ uuid: each }) => each }))).toEqual([]);
      await expect(contacts.remove(uuid, call)).resolves.toBeUndefined();
    });

    test('I8: values identify the contact of a create, or do not', async () => {
      const { contacts } = await opened();
      expect(contacts.isIdentifiedBy(ada)).toBe(true);
      expect(contacts.isIdentifiedBy(write({ first_name: 'Ada' }))).toBe(false);
    });
  });

  describe(`${name}: scans`, () => {
    test('L7: a scan shows each contact of the list once, with its values in the order of the mapping', async () => {
      const { contacts, list, crm, settle } = await opened();
      const other = (await crm.lists.create('Customers', call)).uuid;
      await contacts.create({ list, fields: ada }, call);
      await contacts.create({ list, fields: bob }, call);
      await contacts.create({ list: other, fields: write({ email: 'eve@x.io' }) }, call);
      await settle();
      const scan = contacts.scan({ list, keep: ({ values }) => [...values] });
      const seen = (await Array.fromAsync(scan)).flat();
      expect(seen.toSorted((a, b) => String(a[0]).localeCompare(String(b[0])))).toEqual([
        ['ada@x.io', 'Ada', 'Mills'],
        ['bob@x.io', 'Bob', 'Baltic'],
      ]);
      expect(scan.report()).toMatchObject({ mode: 'full', whole: true, reasons: [], contacts: 2 });
      expect(await contacts.count(list, call)).toBe(2);
    });

    test('L3: a scan since the cursor of an earlier one shows later changes', async () => {
      const { contacts, list, settle } = await opened();
      const { uuid } = await contacts.create({ list, fields: ada }, call);
      await settle();
      const first = contacts.scan({ list, keep: ({ uuid: each }) => each });
      expect(await uuidsIn(first)).toEqual([uuid]);
      await contacts.update(uuid, write({ first_name: 'Augusta' }), call);
      await settle();
      const names = contacts.scan({ list, keep: ({ values }) => values[1], since: first.report().cursor });
      expect((await Array.fromAsync(names)).flat()).toEqual(['Augusta']);
      expect(names.report().whole).toBe(true);
    });

    test('G5: a scan that was not read to its end is not whole', async () => {
      const { contacts, list } = await opened();
      await contacts.create({ list, fields: ada }, call);
      const scan = contacts.scan({ list, keep: ({ uuid }) => uuid });
      await scan[Symbol.asyncIterator]().next();
      expect(scan.report().whole).toBe(false);
      expect(scan.report().reasons).not.toEqual([]);
    });

    test('W8: a scan whose signal aborted throws its reason', async () => {
      const { contacts, list } = await opened();
      const reason = new Error('enough');
      const scan = contacts.scan({ list, keep: ({ uuid }) => uuid, signal: AbortSignal.abort(reason) });
      await expect(Array.fromAsync(scan)).rejects.toBe(reason);
    });
  });
}

/** The same for a driver that has every capability. */
export function describeCrmCapabilities(name: string, open: () => CrmDriver): void {
  describe(`${name}: automations, messages and collections`, () => {
    async function withAda() {
      const { person, crm, ...driver } = await openedBy(open);
      const contact = await driver.contacts.create({ list: driver.list, fields: ada }, call);
      return { ...driver, crm, person: person!, contact: contact.uuid };
    }

    test('E1: an automation is listed by its name', async () => {
      const { crm, person } = await withAda();
      const uuid = person.addAutomation('Welcome');
      const { automations, notice } = await crm.automations!.list(call);
      expect(automations).toMatchObject([{ uuid, name: 'Welcome' }]);
      expect(notice).toBeUndefined();
    });

    test('E3, E5: a contact is enrolled and cancelled, and a second cancel is harmless', async () => {
      const { crm, person, contact } = await withAda();
      const automation = person.addAutomation('Welcome');
      expect(await crm.automations!.enrol(contact, automation, call)).toBe('added');
      await crm.automations!.cancel(contact, automation, call);
      await expect(crm.automations!.cancel(contact, null, call)).resolves.toBeUndefined();
    });

    test('E2: a contact is created and enrolled in one call, and an existing one is skipped', async () => {
      const { contacts, list, person } = await withAda();
      const given = { list, automation: person.addAutomation('Welcome'), segment: 1, movesToList: false };
      expect(await contacts.createEnrolled!({ ...given, fields: bob }, call)).toMatchObject({ outcome: 'added' });
      expect(await contacts.findByIdentifiers({ email: 'bob@x.io' }, call)).toBeDefined();
      expect(await contacts.createEnrolled!({ ...given, fields: ada }, call)).toEqual({ outcome: 'skipped' });
    });

    test('P5: a sent message is queued, and then among the deliveries', async () => {
      const { crm, person, contact, settle } = await withAda();
      const sender = person.addSender('Sales');
      const { senders } = await crm.messages!.senders(call);
      expect(senders).toMatchObject([{ uuid: sender.toLowerCase(), names: ['Sales', 'Jo Sender'], isEnabled: true }]);
      expect((await crm.messages!.recipients([contact, somebody], call)).get(contact)?.emails).toEqual(['ada@x.io']);
      expect(await crm.messages!.recipientByEmail('ada@x.io', call)).toMatchObject({ uuid: contact });
      const since = crm.now();
      const payload = { lead_uuid: contact, sender_profile_uuid: sender, subject: 'Hello', body: 'Hello Ada' };
      const { uuid } = await crm.messages!.send('emails', payload, call);
      await settle();
      const pages = await Array.fromAsync(crm.messages!.deliveries('emails', since, call));
      const found = pages.flatMap(({ deliveries }) => deliveries).find((each) => each.uuid === uuid);
      expect(found).toMatchObject({ contact, content: { subject: 'Hello' } });
    });

    test('F1, E7: a collection is read whole, counted, narrowed, and a record of it switched on', async () => {
      const { crm, person } = await withAda();
      const [first] = [person.addAutomation('First'), person.addAutomation('Second')];
      const query = { filter: {}, order: { field: 'created_at', type: 'asc' } } as const;
      // They may have one date. Of records that are equal in the order, those with the lowest uuids are taken.
      const byName = { field: 'name', type: 'asc' } as const;
      const reading = await crm.collections!.list('automations', query, call);
      expect(reading).toMatchObject({ coverage: 'whole', isDrifted: false });
      expect(reading.records.map(({ name: each }) => each)).toEqual(['First', 'Second']);
      expect(await crm.collections!.count('automations', query, call)).toBe(2);
      const newest = await crm.collections!.list('automations', { ...query, order: byName, recordsMax: 1 }, call);
      expect(newest).toMatchObject({ coverage: 'newest', records: [{ uuid: first }] });
      expect(await crm.collections!.control('automations', first, true, call)).toMatchObject({ status: 'on' });
      const on = await crm.collections!.list('automations', { ...query, filter: { status: 'on' } }, call);
      expect(on.records.map(({ uuid }) => uuid)).toEqual([first]);
    });
  });
}

async function openedBy(open: () => CrmDriver) {
  const { crm, ...driver } = open();
  const fields = mapped.map((key) => {
    const field = crm.description.fields.get(key);
    if (!field) throw new Error(`there is no field ${key}`);
    return { key, target: { kind: 'field' as const, field } };
  });
  const list = (await crm.lists.create('Prospects', call)).uuid;
  return { ...driver, crm, list, contacts: crm.openContacts({ fields }) };
}

function write(values: Readonly<Record<string, string>>): FieldWrite[] {
  return Object.entries(values).map(([field, after]) => ({ field, after }));
}

async function uuidsIn(scan: ContactScan<string>): Promise<readonly string[]> {
  return (await Array.fromAsync(scan)).flat();
}

/** '' and null are both no value. */
function blanked(values: Awaited<ReturnType<Contacts['getNow']>>['values']): readonly unknown[] {
  return values.map((value) => (value === '' ? null : value));
}
