// People cut what they see of a person and paste it into another row, or paste rows over others: the hidden ID stays behind.
import { expect, it } from 'vitest';
import { createSyncTrial, inOrder, spreadsheetId, tabTitle } from '../support/app.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
const count = 40;
const rows = Array.from({ length: count }, (_, at) => [`P${at}`, `L${at}`, 'Firm', `p${at}@firm.io`, '']);
const sheet = { spreadsheet: spreadsheetId, tab: tabTitle, status_column: 'Sync' };
const range = (cells: string): string => `'${tabTitle}'!${cells}`;

async function inSync(sync: Readonly<Record<string, unknown>> = {}) {
  const trial = createSyncTrial({ values: [header, ...rows], sync: { sheet, ...sync } });
  await trial.run();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
  const people = () =>
    inOrder(trial.contacts().map(({ uuid, first_name, work_email }) => `${uuid} ${first_name} ${work_email}`));
  return { ...trial, people, before: people() };
}

type Trial = Awaited<ReturnType<typeof inSync>>;

/** Of row 4, to the first free row. */
function cutAndPaste({ person }: Trial, columns = 'A4:E4'): void {
  const cells = person.read(range(columns));
  person.clear(range(columns));
  person.paste(range(`A${count + 3}`), cells);
}

it.each(['A4:E4', 'A4:D4'])(
  'L9, L8, I2: a person whose cells %s were cut and pasted below is not emptied, nor made again',
  async (columns) => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' });
    cutAndPaste(trial, columns);
    for (const isFull of [false, true, false]) {
      const { status, counts, problems } = await trial.run({ isFull });
      expect({ status, counts, problems }).toMatchObject({
        status: 'partial',
        counts: { created: 0, updated: 0, deleted: 0 },
        problems: [
          { rule: 'I2', row: 4, reason: expect.stringContaining('clear the ID of row 4') },
          { rule: 'I2', row: count + 3, reason: expect.stringContaining('clear the ID of row 4') },
          { kind: 'held', rule: 'I2', row: null, reason: expect.stringContaining('clear the ID of row 4') },
        ],
      });
    }
    expect(trial.people()).toEqual(trial.before);
    expect(String(trial.grid()[count + 1]!['Sync'])).toContain('clear the ID of row 4');
  },
);

it('L9: nor if a cell was corrected after that', async () => {
  const trial = await inSync();
  cutAndPaste(trial);
  trial.person.paste(range(`C${count + 3}`), [['Company']]);
  await trial.run();
  await trial.run();
  expect(trial.people()).toEqual(trial.before);
});

it('G4, I5: once that ID is cleared, the row is its person again', async () => {
  const trial = await inSync({ on_row_deleted: 'delete_contact' });
  const id = trial.contactOf('p2@firm.io').uuid;
  cutAndPaste(trial);
  await trial.run();
  trial.person.clear(range('F4:Z4'));
  await trial.run();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
  expect(trial.people()).toEqual(trial.before);
  expect(trial.rowOf('p2@firm.io')).toMatchObject({ 'Contact ID': id, Sync: 'in sync' });
});

it('G1, L9, L8: after cells moved down, the rows that are named can be cleared alone: the person above gets no other one', async () => {
  const trial = await inSync();
  trial.person.paste(range('A2'), [['New', 'Er', 'Firm', 'new@firm.io', ''], ...trial.person.read(range('A2:E12'))]);
  expect(await trial.run()).toMatchObject({ status: 'failed' });
  const idColumn = String.fromCodePoint(65 + trial.columnIndexOf('Contact ID'));
  trial.person.clear(range(`${idColumn}3:${idColumn}13`));
  await trial.run();
  await trial.run();
  expect(trial.people()).toEqual(trial.before);
  trial.person.clear(range(`${idColumn}2`));
  await trial.run();
  await trial.run();
  expect(trial.people().filter((each) => !each.includes('new@'))).toEqual(trial.before);
  expect(trial.rowOf('p0@firm.io')['Contact ID']).toBe(trial.contactOf('p0@firm.io').uuid);
  expect(trial.contactOf('new@firm.io')).toMatchObject({ first_name: 'New' });
});

it('I2, I7: an address that one row gives up and a new row takes is an edit and a copy as before', async () => {
  const trial = await inSync();
  trial.type('p2@firm.io', 'Email', 'p2@other.io');
  trial.person.paste(range(`A${count + 3}`), [['Somebody', 'Else', 'Firm', 'p2@firm.io', '']]);
  await trial.run();
  await trial.run();
  expect(trial.contactOf('p2@other.io')).toMatchObject({ first_name: 'P2' });
  expect(trial.contactOf('p2@firm.io')).toMatchObject({ first_name: 'Somebody' });
});

it('I2, L5: who asks for the person is told so, also what is changed in the service meanwhile', async () => {
  const trial = await inSync();
  cutAndPaste(trial);
  trial.change('p2@firm.io', { company_name: 'New' });
  await trial.run();
  const { stdout } = await trial.cli('explain', 'p2@firm.io');
  expect(stdout).toContain('linked; something is open');
  expect(stdout).toContain(`row ${count + 3} holds what its row 4 held`);
  trial.person.request({ deleteDimension: { range: { sheetId: 7, dimension: 'ROWS', startIndex: 3, endIndex: 4 } } });
  await trial.run();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
  expect(trial.rowOf('p2@firm.io')).toMatchObject({ Company: 'New' });
});

it.each(['ignore', 'delete_contact', 'restore'])(
  'I2, L7: a person whose cells were cut to another tab is not emptied, and is named until the row is deleted or filled again (%s)',
  async (policy) => {
    const trial = await inSync({ on_row_deleted: policy });
    const cells = trial.person.read(range('A4:E4'));
    trial.person.clear(range('A4:E4'));
    for (const isFull of [false, true]) {
      expect(await trial.run({ isFull })).toMatchObject({
        status: 'partial',
        counts: { updated: 0, deleted: 0, appended: 0 },
        problems: [
          { rule: 'I2', row: 4 },
          { rule: 'I2', reason: expect.stringContaining('delete the whole row') },
        ],
      });
    }
    expect(trial.people()).toEqual(trial.before);
    trial.person.paste(range('A4'), cells);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [], counts: { updated: 0 } });
    trial.person.clear(range('A4:E4'));
    await trial.run();
    trial.person.deleteRows(tabTitle, 4);
    expect(await trial.run({ isFull: true })).toMatchObject({
      counts: { deleted: policy === 'delete_contact' ? 1 : 0, appended: policy === 'restore' ? 1 : 0 },
    });
  },
);

it('I5, D1: while such a row stands, other rows that were deleted are dealt with, and nobody is told to write an ID into it', async () => {
  const trial = await inSync({ on_row_deleted: 'delete_contact' });
  trial.person.clear(range('A4:E4'));
  trial.person.deleteRows(tabTitle, 10);
  const { counts, problems } = await trial.run({ isFull: true });
  expect({ counts, problems }).toMatchObject({ counts: { deleted: 1 }, problems: [{ rule: 'I2' }, { rule: 'I2' }] });
  expect(trial.people()).toEqual(trial.before.filter((person) => !person.includes('p8@')));
});

it('L6, L10: a row that is blank as its contact is agrees with it, whoever emptied both, and an end in between is no hindrance', async () => {
  const trial = await inSync();
  trial.change('p2@firm.io', { first_name: null, last_name: null, company_name: null, work_email: null });
  trial.person.clear(range('A4:E4'));
  await trial.run();
  expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', problems: [] });
  expect(trial.grid()[2]).toMatchObject({ Sync: 'in sync' });
});

it('D3, D4: the row of a contact that is gone or left may be cleared: there is nothing to empty', async () => {
  const trial = await inSync();
  const { contacts } = trial.service.model;
  contacts.remove(trial.contactOf('p2@firm.io').uuid);
  await trial.run({ isFull: true });
  trial.person.clear(range('A4:E4'));
  expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded' });
  expect(String(trial.grid()[2]!['Sync'])).not.toContain('is not emptied');
});

/** Whose cells are deleted from so many people before the last one: those below move up, and the IDs stay. */
function deleteCells({ person }: Trial, before: number): void {
  const [at, last] = [count + 1 - before, count + 1];
  person.paste(range(`A${at}`), person.read(range(`A${at + 1}:E${last}`)));
  person.clear(range(`A${last}:E${last}`));
}

it.each([1, 2])(
  'I2, L9: where cells of a person are deleted, and %i people below move up without their IDs, nothing is written for any of them',
  async (below) => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' });
    deleteCells(trial, below);
    const named = Array.from({ length: below }, (_, at) => count + 1 - below + at);
    for (const isFull of [false, true, false]) {
      const { status, counts, problems } = await trial.run({ isFull });
      expect({ status, counts }).toMatchObject({
        status: 'partial',
        counts: { created: 0, updated: 0, deleted: 0, set: 0 },
      });
      for (const row of named) {
        const reason = `holds what row ${row + 1} held, and its ID did not move along: undo that, or clear the ID of row ${row}`;
        expect(problems).toContainEqual(expect.objectContaining({ kind: 'quarantined', rule: 'I2', row, reason }));
      }
      expect(problems).toHaveLength(2 * (below + 1));
      const first = `first clear the ID of row ${count}, which holds what row ${count + 1} held, then delete the whole row ${count + 1}`;
      const emptied = { row: count + 1, reason: expect.stringContaining(first) };
      expect(problems).toContainEqual(expect.objectContaining(emptied));
    }
    expect(trial.people()).toEqual(trial.before);
  },
);

it.each([1, 2])(
  'G4, I2: as it says, IDs of %i rows are cleared and the emptied row deleted: each row is its person again',
  async (below) => {
    const trial = await inSync();
    deleteCells(trial, below);
    await trial.run();
    trial.person.clear(range(`F${count + 1 - below}:F${count}`));
    trial.person.deleteRows(tabTitle, count + 1, count + 1);
    await trial.run();
    const { problems } = await trial.run();
    const gone = trial.contactOf(`p${count - 1 - below}@firm.io`).uuid;
    expect(problems).toMatchObject([{ kind: 'ignored', rule: 'D1', uuid: gone }]);
    expect(trial.people()).toEqual(trial.before);
  },
);

it('G4, I2: an undo in the spreadsheet ends it', async () => {
  const trial = await inSync();
  const seen = trial.person.read(range(`A2:E${count + 1}`));
  deleteCells(trial, 2);
  await trial.run();
  trial.person.paste(range('A2'), seen);
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
  expect(trial.people()).toEqual(trial.before);
});

it('I2, L5: whose row is emptied, and whose address alone another row takes, is emptied as before; the other row is edited', async () => {
  const trial = await inSync();
  trial.person.clear(range('A4:E4'));
  trial.person.paste(range('D9'), [['p2@firm.io']]);
  const { problems } = await trial.run();
  expect(problems.filter(({ row }) => row === 9)).toMatchObject([{ rule: 'I7' }]);
  expect(problems).toContainEqual(expect.objectContaining({ kind: 'quarantined', rule: 'I2', row: 4 }));
});
