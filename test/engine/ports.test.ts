// The engine on reference drivers: the promises of the ports are enough to keep two sides equal.
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/config/problems.ts';
import { createPortsTrial } from '../support/ports-trial.ts';

function inOrder(rows: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] {
  return rows.toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
}

function createTrial(sync?: Readonly<Record<string, unknown>>) {
  const trial = createPortsTrial(sync);
  const { crm, list, table } = trial;
  return {
    ...trial,
    bothSides: () => {
      const contacts = crm.person
        .contacts(list)
        .map(({ email, first_name, company_name }) => [email, first_name ?? '', company_name ?? '']);
      return { crm: inOrder(contacts), sheet: inOrder(table.rows()) };
    },
  };
}

test('L6: creates, edits, blanks and deletions of both sides come to the other, and then nothing is left to do', async () => {
  const { crm, list, table, run, bothSides } = createTrial({ on_contact_deleted: 'delete_row' });
  const ada = crm.person.addContact(list, { email: 'ada@x.io', first_name: 'Ada', company_name: 'Mills' });
  const eve = crm.person.addContact(list, { email: 'eve@x.io', first_name: 'Eve' });
  table.append(['bob@x.io', 'Bob', 'Baltic']);
  expect(await run()).toMatchObject({ status: 'succeeded', counts: { created: 1, appended: 2 } });
  const everybody = [
    ['ada@x.io', 'Ada', 'Mills'],
    ['bob@x.io', 'Bob', 'Baltic'],
    ['eve@x.io', 'Eve', ''],
  ];
  expect(bothSides()).toEqual({ crm: everybody, sheet: everybody });

  crm.person.edit(ada, { company_name: 'Mills and Sons' });
  table.set('bob@x.io', 'First name', 'Robert');
  table.set('ada@x.io', 'First name', '');
  crm.person.delete(eve);
  expect(await run()).toMatchObject({ status: 'succeeded' });
  // D3: a full scan that misses a contact asks for it by uuid, and the next one is certain.
  await run(true);
  await run(true);
  const rest = [
    ['ada@x.io', '', 'Mills and Sons'],
    ['bob@x.io', 'Robert', 'Baltic'],
  ];
  const { crm: contacts, sheet } = bothSides();
  expect(sheet).toEqual(rest);
  expect(contacts).toEqual(rest);
  const { counts, problems } = await run(true);
  expect(counts).toMatchObject({ linked: 2, created: 0, updated: 0, appended: 0, set: 0, deleted: 0, removed: 0 });
  expect(problems).toEqual([]);
});

test('I2: a row whose contact exists in the CRM is linked, and not created again', async () => {
  const { crm, list, table, run, bothSides } = createTrial();
  crm.person.addContact(list, { email: 'ada@x.io', first_name: 'Ada', company_name: 'Mills' });
  table.append(['ADA@x.io', '', '']);
  await run();
  expect(crm.person.contacts(list)).toHaveLength(1);
  expect(bothSides().sheet).toHaveLength(1);
});

test.each([
  [
    'an enrolment',
    { automation: { column: 'Automation' } },
    'syncs.prospects.automation: found enrolments; allowed: no such option: this CRM has no automations',
  ],
  [
    'a policy that cancels automations',
    { on_row_deleted: 'cancel_automations' },
    'syncs.prospects.on_row_deleted: found "cancel_automations"; allowed: another policy: this CRM has no automations to cancel',
  ],
  [
    'a custom field',
    { columns: { Email: 'email', Segment: { custom_field: 'segment' } } },
    'syncs.prospects.columns.Segment.custom_field: found "segment"; allowed: nothing: this CRM has no custom fields',
  ],
])('%s is refused for a CRM that has no such thing, before anything is asked of it', (_what, sync, message) => {
  const { load, crm } = createTrial(sync);
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(message);
  expect(crm.usage().calls).toBe(0);
});
