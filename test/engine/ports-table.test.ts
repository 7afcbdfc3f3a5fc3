// The engine knows spreadsheets by their port alone: a sync keeps the service and a CSV file equal, by a driver in test/support.
import { describe, expect, test } from 'vitest';
import {
  createFileSide,
  createPortsTrial,
  createServiceSide,
  type CrmSide,
  type Person,
  type SheetSide,
} from '../support/ports.ts';

const ann = { firstName: 'Ann', company: 'Firm', email: 'ann@firm.io' };
const bob = { firstName: 'Bob', company: 'Say "Ltd", Sons', email: 'bob@firm.io' };
const cy = { firstName: 'Cy', company: 'Works', email: 'cy@firm.io' };

/** Ann in the service alone, Bob in the sheet alone, Cy in both; one run later. */
async function inSync(sync: Readonly<Record<string, unknown>> = {}) {
  const crm = createServiceSide();
  const sheet = createFileSide([bob, cy]);
  crm.add(ann);
  crm.add(cy);
  const trial = await createPortsTrial(crm, sheet, sync);
  const report = await trial.run();
  return { crm, sheet, trial, report, idOf: (person: Person) => idIn(crm, person) };
}

function idIn(crm: CrmSide, { email }: Person): string {
  const found = Object.entries(crm.people()).filter(([, person]) => person.email === email);
  if (found.length !== 1) throw new Error(`${found.length} contacts of ${email}`);
  return found[0]![0];
}

function expectEqual(crm: CrmSide, sheet: SheetSide, people: readonly Person[]): void {
  const byEmail = (all: Readonly<Record<string, Person>>) =>
    Object.values(all).toSorted((a, b) => (a.email < b.email ? -1 : 1));
  expect(byEmail(crm.people())).toEqual(byEmail(Object.fromEntries(people.entries())));
  expect(sheet.people()).toEqual(crm.people());
}

describe('the service and a CSV file', () => {
  test('I1, I2, L6: people of one side come to the other, those of both are matched, and a second run does nothing', async () => {
    const { crm, sheet, trial, report } = await inSync();
    expect(report).toMatchObject({ status: 'succeeded', counts: { created: 1, appended: 1 } });
    expectEqual(crm, sheet, [ann, bob, cy]);
    expect(sheet.grid().map(([name, note]) => [name, note])).toEqual([
      ['First name', 'Notes'],
      ['Bob', 'met Bob'],
      ['Cy', 'met Cy'],
      ['Ann', ''],
    ]);
    const before = sheet.grid();
    const again = await trial.run();
    expect(again).toMatchObject({
      status: 'succeeded',
      counts: { linked: 3, created: 0, appended: 0, updated: 0, set: 0 },
    });
    expect(sheet.grid()).toEqual(before);
  });

  test('L5, M3: edits, cleared cells and new people go both ways', async () => {
    const { crm, sheet, trial, idOf } = await inSync();
    const [dora, emil] = [
      { firstName: 'Dora', company: '', email: 'dora@firm.io' },
      { firstName: 'Emil', company: 'two\nlines', email: 'emil@firm.io' },
    ];
    crm.edit(idOf(ann), { company: 'Ann, Inc.' });
    crm.add(dora);
    sheet.edit(idOf(bob), { firstName: 'Robert' });
    sheet.edit(idOf(cy), { company: '' });
    sheet.add(emil);
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'succeeded', problems: [] });
    expectEqual(crm, sheet, [
      { ...ann, company: 'Ann, Inc.' },
      { ...bob, firstName: 'Robert' },
      { ...cy, company: '' },
      dora,
      emil,
    ]);
  });

  test('M1, L4: a field that both sides changed is a conflict until they agree; the others go on', async () => {
    const { crm, sheet, trial, idOf } = await inSync();
    const id = idOf(cy);
    crm.edit(id, { company: 'Works Ltd', firstName: 'Cyrus' });
    sheet.edit(id, { company: 'Works GmbH' });
    expect(await trial.run()).toMatchObject({ problems: [{ kind: 'conflict', uuid: id }] });
    expect([crm.people()[id], sheet.people()[id]]).toEqual([
      { ...cy, firstName: 'Cyrus', company: 'Works Ltd' },
      { ...cy, firstName: 'Cyrus', company: 'Works GmbH' },
    ]);
    sheet.edit(id, { company: 'Works Ltd' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expectEqual(crm, sheet, [ann, bob, { ...cy, firstName: 'Cyrus', company: 'Works Ltd' }]);
  });

  test('D1, D3: deletions go both ways where that was asked for', async () => {
    const { crm, sheet, trial, idOf } = await inSync({
      on_row_deleted: 'delete_contact',
      on_contact_deleted: 'delete_row',
    });
    sheet.remove(idOf(bob));
    crm.remove(idOf(ann));
    await trial.run({ isFull: true });
    await trial.run({ isFull: true });
    expectEqual(crm, sheet, [cy]);
    expect(sheet.grid().map(([name]) => name)).toEqual(['First name', 'Cy']);
  });

  test('W11, V3: a header that is gone leaves its field alone on both sides until it is back', async () => {
    const { crm, sheet, trial, idOf } = await inSync();
    sheet.renameHeader('Company', 'Firma');
    sheet.edit(idOf(bob), { firstName: 'Robert' });
    crm.edit(idOf(cy), { company: 'Elsewhere' });
    expect(await trial.run()).toMatchObject({ status: 'partial', problems: [{ rule: 'W11' }] });
    expect(
      Object.values(crm.people())
        .map(({ company }) => company)
        .toSorted(),
    ).toEqual(['Elsewhere', bob.company, 'Firm'].toSorted());
    expect(sheet.grid().map((line) => line[2])).toEqual(['Firma', bob.company, 'Works', 'Firm']);
    sheet.renameHeader('Firma', 'Company');
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expectEqual(crm, sheet, [ann, { ...bob, firstName: 'Robert' }, { ...cy, company: 'Elsewhere' }]);
  });
});
