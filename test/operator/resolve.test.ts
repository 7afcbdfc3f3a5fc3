import { expect, test } from 'vitest';
import { readConflicts } from '../../src/operator/conflicts.ts';
import { resolve } from '../../src/operator/resolve.ts';
import { addSecondSync } from '../support/second-sync.ts';
import { ann, createConflicts, createLinkedTrial, operatorError, operatorOf } from './support.ts';

/* The conflicts that a request means, and requests that are refused before anything is recorded. */

const spreadsheet = '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests';
const names = ['Ann', 'Bob', 'Cy'];

test('M1: a filter decides exactly the conflicts that it lists', async () => {
  const trial = await createConflicts(names);
  const { operator } = trial;
  const filter = { field: 'company_name', contact: 'bob@firm.io' };
  const listed = await readConflicts(operator, filter);
  expect(listed.map(({ contact }) => contact)).toEqual([trial.uuidOf('Bob')]);
  const { requests } = await resolve(operator, ann, { ids: [], ...filter, choice: { use: 'sheet' } });
  expect(requests.map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
  await resolve(operator, ann, { ids: [], syncs: ['prospects'], contact: 'Cy C', choice: { text: 'Third' } });
  const open = await readConflicts(operator, {});
  expect(new Map(open.map(({ contact, decision }) => [contact, decision?.text ?? null]))).toEqual(
    new Map([
      [trial.uuidOf('Ann'), null],
      [trial.uuidOf('Bob'), 'company_name takes what the sheet holds'],
      [trial.uuidOf('Cy'), 'company_name becomes "Third" on both sides'],
    ]),
  );
  await trial.run();
  expect(names.map((name) => trial.contactOf(`${name.toLowerCase()}@firm.io`).company_name)).toEqual([
    'Ann Crm',
    'Bob Sheet',
    'Third',
  ]);
  await resolve(operator, ann, { ids: [], field: 'company_name', choice: { use: 'crm' } });
  await trial.run();
  expect(trial.grid().map((row) => row['Company'])).toEqual(['Ann Crm', 'Bob Sheet', 'Third']);
  expect(await readConflicts(operator, {})).toEqual([]);
});

test('M1: nothing is recorded if one of the ids, the filter or the value is wrong', async () => {
  const trial = await createConflicts(['Ann', 'Bob']);
  const { operator } = trial;
  const [id, other] = ['Ann', 'Bob'].map((name) => `${trial.uuidOf(name)}/company_name`) as [string, string];
  const refused = async (request: Partial<Parameters<typeof resolve>[2]>, error: object) =>
    expect(resolve(operator, ann, { ids: [], choice: { use: 'crm' }, ...request })).rejects.toMatchObject(error);
  await refused(
    { ids: [id, `${other}x`] },
    operatorError('unknown', `there is no conflict ${other}x, did you mean ${other}?`),
  );
  await refused({}, operatorError('invalid', /resolve needs the id of a conflict, or --sync, --field or --contact/));
  await refused({ syncs: ['prospect'] }, operatorError('unknown', /no sync prospect, did you mean prospects\?/));
  await refused(
    { field: 'compny_name' },
    operatorError('unknown', 'no field compny_name is in conflict, did you mean company_name?'),
  );
  await refused({ contact: 'nobody@firm.io' }, operatorError('unknown', 'no linked contact has this e-mail address'));
  // The state knows which contact a row has by what was open about it.
  const unknownRow =
    'nothing was open about row 99 in the last run: name its contact by its e-mail address, name or uuid';
  await refused({ contact: 'row:99' }, operatorError('unknown', unknownRow));
  await refused({ ids: [id], choice: { text: 'x'.repeat(60_000) } }, operatorError('invalid', /^company_name: /));
  const open = await readConflicts(operator, {});
  expect(open.map(({ decision }) => decision)).toEqual([null, null]);
});

test('M1: without a conflict there is none to decide', async () => {
  const { operator } = await createLinkedTrial(['Ann']);
  const none = resolve(operator, ann, { ids: ['x'], choice: { use: 'crm' } });
  await expect(none).rejects.toMatchObject(operatorError('unknown', 'there is no conflict x: none is open'));
  const filtered = resolve(operator, ann, { ids: [], syncs: ['prospects'], choice: { use: 'crm' } });
  await expect(filtered).rejects.toMatchObject(operatorError('nothing', 'no conflict of these is open'));
});

test('M1: a contact is found by uuid, e-mail address, name and row, and a name of two contacts lists both', async () => {
  const trial = await createConflicts(['Ann', 'Bob']);
  const found = async (contact: string) =>
    (await readConflicts(trial.operator, { contact })).map((conflict) => conflict.contact);
  const uuid = trial.uuidOf('Ann');
  for (const reference of [uuid, uuid.toUpperCase(), 'ANN@firm.io', 'ann  a', 'Ann\u00a0 a', 'ann\tA', 'row:2']) {
    expect({ reference, found: await found(reference) }).toEqual({ reference, found: [uuid] });
  }
  trial.type('bob@firm.io', 'First name', 'Ann');
  trial.type('bob@firm.io', 'Last name', 'A');
  await trial.run();
  expect((await found('Ann A')).length).toBe(2);
});

test('M1: a row of two syncs and a name of two contacts with conflicts are refused, and nothing is recorded', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob']);
  addSecondSync(trial, { Mail: 'email', Firm: 'company_name' }, [
    ['Mail', 'Firm', 'Automation'],
    ['bob@firm.io', 'Firm'],
    ['ann@firm.io', 'Firm'],
  ]);
  await trial.cli('sync', 'second');
  for (const name of ['ann', 'bob']) trial.change(`${name}@firm.io`, { company_name: `${name} Crm` });
  trial.type('ann@firm.io', 'Company', 'Ann Sheet');
  trial.person.paste(`'Second'!B2`, [['Bob Sheet']]);
  await trial.cli('sync');
  const operator = operatorOf(trial);
  const decide = (filter: Partial<Parameters<typeof resolve>[2]>) =>
    resolve(operator, ann, { ids: [], choice: { use: 'sheet' }, ...filter });
  await expect(decide({ contact: 'row:2' })).rejects.toMatchObject(
    operatorError('ambiguous', 'row:2 is a row of prospects and second: say which with --sync'),
  );
  const named = (await readConflicts(operator, {})).map(({ sync, contact, decision }) => [sync, contact, decision]);
  expect(named).toEqual([
    ['prospects', trial.uuidOf('Ann'), null],
    ['second', trial.uuidOf('Bob'), null],
  ]);
  const { requests } = await decide({ contact: 'row:2', syncs: ['second'] });
  expect(requests).toMatchObject([{ sync: 'second', id: `${trial.uuidOf('Bob')}/company_name` }]);

  const twins = await createConflicts(['Ann', 'Bob']);
  twins.type('bob@firm.io', 'First name', 'Ann');
  twins.type('bob@firm.io', 'Last name', 'A');
  await twins.run();
  const both = resolve(twins.operator, ann, { ids: [], contact: 'ann a', choice: { use: 'crm' } });
  await expect(both).rejects.toMatchObject(
    operatorError('ambiguous', /^ann a is 2 contacts of prospects: name one of /),
  );
  await expect(both).rejects.toThrow(`${twins.uuidOf('Bob')} (Ann A <bob@firm.io>)`);
  expect((await readConflicts(twins.operator, {})).map(({ decision }) => decision)).toEqual([null, null]);
});

test.each([[{ text: 'Third Ltd' }], [{ use: 'crm' }], [{ use: 'sheet' }]] as const)(
  'M1: the run that carries out %j says in the row that it is in sync',
  async (choice) => {
    const trial = await createConflicts(['Ann'], {
      sync: { sheet: { spreadsheet, tab: 'Prospects', status_column: 'Sync' } },
    });
    const status = () => trial.rowOf('ann@firm.io')['Sync'];
    expect(status()).toMatch(/^conflict: /);
    await resolve(trial.operator, ann, { ids: [`${trial.uuidOf('Ann')}/company_name`], choice });
    expect((await trial.run()).status).toBe('succeeded');
    expect(status()).toBe('in sync');
    const before = trial.writes();
    await trial.run();
    expect(trial.writes()).toEqual(before);
  },
);

test('M1: conflicts are listed and resolved by the header of their column, in any case, as log and explain take it', async () => {
  const trial = await createConflicts(['Ann', 'Bob']);
  trial.type('ann@firm.io', 'Last name', 'Sheet');
  trial.change('ann@firm.io', { last_name: 'Crm' });
  await trial.run();
  const listed = JSON.parse((await trial.cli('conflicts', '--field', 'Company', '--json')).stdout) as object;
  expect(listed).toMatchObject({ conflicts: [{ field: 'company_name' }, { field: 'company_name' }] });
  expect(await trial.cli('resolve', '--field', 'company', '--use', 'crm')).toMatchObject({ code: 0, stderr: '' });
  await trial.run();
  const open = await readConflicts(trial.operator, {});
  expect(open.map(({ field }) => field)).toEqual(['last_name']);
});
