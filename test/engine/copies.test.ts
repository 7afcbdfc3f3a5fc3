// Copied rows with a whole sync (I4): the copy is typed over, and both rows are edited, moved, sorted and cut. No value of
// the copy reaches the contact, and edits of its row still do.
import { expect, test } from 'vitest';
import { createSyncTrial, inOrder, tabTitle } from '../support/app.ts';

const columns = {
  'First name': 'first_name',
  'Last name': 'last_name',
  Company: 'company_name',
  Email: 'email',
  Position: 'position',
};
const bob = ['Bob', 'Fox', 'Initech', 'bob@firm.io', 'CFO'];

type Trial = ReturnType<typeof createSyncTrial>;

async function createCopied({ isAbove = true } = {}): Promise<Trial> {
  const trial = createSyncTrial({ columns });
  trial.addContact({ first_name: 'Cleo', last_name: 'Ray', email: 'cleo@firm.io', position: 'CMO' });
  trial.addContact({
    first_name: 'Ann',
    last_name: 'Lee',
    company_name: 'Acme',
    email: 'ann@firm.io',
    position: 'CTO',
  });
  await trial.run();
  copyAnn(trial, isAbove);
  return trial;
}

function copyAnn(trial: Trial, isAbove = true): void {
  const number = trial.rowNumberOf('ann@firm.io');
  const place = isAbove ? number : number + 1;
  trial.person.insertRows(tabTitle, place);
  const from = isAbove ? number + 1 : number;
  trial.person.copyPaste(`'${tabTitle}'!${from}:${from}`, `'${tabTitle}'!${place}:${place}`);
  trial.person.paste(`'${tabTitle}'!A${place}`, [bob]);
}

function contactsNow(trial: Trial): readonly string[] {
  return inOrder(
    trial.contacts().map((each) => [each.first_name, each.company_name, each.work_email, each.position].join(' ')),
  );
}

const cleo = 'Cleo  cleo@firm.io CMO';

type Between = (trial: Trial) => unknown;

test.each<{ readonly what: string; readonly isAbove?: boolean; readonly between: Between }>([
  { what: 'inserted above, seen by a run', between: (trial) => trial.run() },
  { what: 'inserted above, seen by nobody', between: () => {} },
  { what: 'inserted below, seen by nobody', isAbove: false, between: () => {} },
  {
    what: 'sorted, before and after a run',
    between: async (trial) => {
      trial.person.sort(tabTitle, 'A');
      await trial.run();
      trial.person.sort(tabTitle, 'A', 'DESCENDING');
    },
  },
  {
    what: 'dragged, and the copy edited again',
    between: async (trial) => {
      await trial.run();
      trial.person.moveRows(tabTitle, trial.rowNumberOf('bob@firm.io'), 1, 2);
      trial.type('bob@firm.io', 'Position', 'Chair');
    },
  },
  {
    what: 'with a restart in between',
    between: async (trial) => {
      await trial.run();
      await trial.start();
    },
  },
  {
    what: 'with a contact that is edited in the CRM meanwhile',
    between: async (trial) => {
      await trial.run();
      trial.change('ann@firm.io', { last_name: 'Li' });
    },
  },
])('I4: the row of a contact is edited beside a copy with another person: $what', async ({ isAbove, between }) => {
  const trial = await createCopied(isAbove === undefined ? {} : { isAbove });
  await between(trial);
  trial.type('ann@firm.io', 'Position', 'CEO');
  const report = await trial.run({ isFull: false });
  const number = trial.rowNumberOf('bob@firm.io');
  expect(report.problems).toContainEqual(
    expect.objectContaining({ kind: 'quarantined', rule: 'I4', row: number }) as unknown,
  );
  expect(contactsNow(trial)).toEqual(['Ann Acme ann@firm.io CEO', cleo]);

  // Later edits of the row are sent, and none of the copy.
  trial.type('bob@firm.io', 'Company', 'Hooli');
  trial.type('ann@firm.io', 'Company', 'Acme Inc');
  await trial.run({ isFull: true });
  expect(contactsNow(trial)).toEqual(['Ann Acme Inc ann@firm.io CEO', cleo]);

  const before = { files: trial.stateFiles(), writes: trial.writes() };
  await trial.run();
  await trial.run({ isFull: true });
  expect({ files: trial.stateFiles(), writes: trial.writes() }).toEqual(before);

  // The person follows the advice in the row: the copy becomes a contact of its own.
  trial.person.clear(`'${tabTitle}'!F${trial.rowNumberOf('bob@firm.io')}`);
  await trial.run();
  expect(contactsNow(trial)).toEqual([
    'Ann Acme Inc ann@firm.io CEO',
    expect.stringMatching(/^Bob Hooli bob@firm.io (?:CFO|Chair)$/) as string,
    cleo,
  ]);
});

test('I4: the row is deleted and the copy left: nothing of another person reaches the contact, also after a restart', async () => {
  const trial = await createCopied();
  await trial.run();
  trial.person.deleteRows(tabTitle, trial.rowNumberOf('ann@firm.io'));
  trial.type('bob@firm.io', 'Position', 'Chair');
  await trial.start();
  const report = await trial.run({ isFull: true });
  expect(contactsNow(trial)).toEqual(['Ann Acme ann@firm.io CTO', cleo]);
  expect(report).toMatchObject({ status: 'partial' });
  expect(report.problems.filter(({ rule }) => rule === 'I4').map(({ kind }) => kind)).toEqual(['quarantined', 'held']);
  // Its ID is cleared: it is a new row, and the contact whose row is gone is left alone (D1).
  trial.person.clear(`'${tabTitle}'!F${trial.rowNumberOf('bob@firm.io')}`);
  expect((await trial.run({ isFull: true })).problems).toMatchObject([{ kind: 'ignored', rule: 'D1' }]);
  expect(contactsNow(trial)).toEqual(['Ann Acme ann@firm.io CTO', 'Bob Initech bob@firm.io Chair', cleo]);
});

test('I4, I9: the state is lost beside a copy: the row that equals the contact is its row', async () => {
  const trial = createSyncTrial({ columns });
  const { uuid } = trial.addContact({
    first_name: 'Ann',
    last_name: 'Lee',
    company_name: 'Acme',
    email: 'ann@firm.io',
  });
  trial.person.paste(`'${tabTitle}'!A1`, [
    [...Object.keys(columns), 'Contact ID'],
    [...bob, uuid],
    ['Ann', 'Lee', 'Acme', 'ann@firm.io', 'CEO', uuid],
  ]);
  const report = await trial.run();
  expect(report.problems).toMatchObject([{ kind: 'quarantined', rule: 'I4', row: 2 }]);
  expect(contactsNow(trial)).toEqual(['Ann Acme ann@firm.io CEO']);
});

test('I4: the copy is emptied except for its ID, and edits of the row are still sent', async () => {
  const trial = await createCopied();
  await trial.run();
  const number = trial.rowNumberOf('bob@firm.io');
  trial.person.clear(`'${tabTitle}'!A${number}:E${number}`);
  trial.type('ann@firm.io', 'Position', 'CEO');
  const report = await trial.run();
  expect(report.problems).toMatchObject([{ kind: 'quarantined', rule: 'I4', row: number }]);
  trial.person.deleteRows(tabTitle, number);
  trial.type('ann@firm.io', 'Email', 'ann.lee@firm.io');
  expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  expect(contactsNow(trial)).toEqual(['Ann Acme ann.lee@firm.io CEO', cleo]);
});

test('I4, W9: in doubt nothing is written for the contact on either side, and an idle run writes nothing', async () => {
  const trial = createSyncTrial({ columns });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', position: 'CTO' });
  await trial.run();
  trial.person.copyPaste(`'${tabTitle}'!2:2`, `'${tabTitle}'!3:3`);
  trial.person.paste(`'${tabTitle}'!E2`, [['CEO'], ['COO']]);
  trial.service.model.contacts.change(trial.contacts()[0]!.uuid, { fields: { first_name: 'Anna' } });
  const report = await trial.run();
  expect(report.problems.map(({ kind, row }) => [kind, row])).toEqual([
    ['quarantined', 2],
    ['quarantined', 3],
    ['held', null],
  ]);
  const before = { files: trial.stateFiles(), writes: trial.writes() };
  await trial.run();
  await trial.run({ isFull: true });
  expect({ files: trial.stateFiles(), writes: trial.writes() }).toEqual(before);
  expect(trial.contacts()).toMatchObject([{ first_name: 'Anna', position: 'CTO' }]);
  // One row is left, and edits of both sides are carried over.
  trial.person.deleteRows(tabTitle, 3);
  expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  expect([trial.contacts()[0]!.position, trial.rowOf('ann@firm.io')['First name']]).toEqual(['CEO', 'Anna']);
});
