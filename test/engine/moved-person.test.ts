// People cut what they see of a person and paste it into another row, or paste rows over others: the hidden ID stays behind.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

describe('I2: a row that was emptied, and into which people type again', () => {
  async function emptied(sync: Readonly<Record<string, unknown>> = {}) {
    const trial = await inSync(sync);
    trial.person.clear(range('A4:E4'));
    await trial.run();
    return trial;
  }
  const untouched = { created: 0, updated: 0, deleted: 0, appended: 0, set: 0 };

  it.each([
    ['from the left', ['A4', 'B4', 'C4', 'D4']],
    ['the address first', ['D4', 'C4', 'B4', 'A4']],
  ])('its cells, one by one, %s: the contact loses nothing', async (_what, cells) => {
    const trial = await emptied();
    const held = ['P2', 'L2', 'Firm', 'p2@firm.io'];
    for (const [at, cell] of cells.entries()) {
      trial.person.type(range(cell), held['ABCD'.indexOf(cell.charAt(0))]!);
      const { counts } = await trial.run();
      expect(counts.updated === 0 || at >= 2).toBe(true);
    }
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.people()).toEqual(trial.before);
    expect(trial.contactOf('p2@firm.io')).toMatchObject({ last_name: 'L2', company_name: 'Firm' });
  });

  it.each([
    ['a first name', ['New']],
    ['somebody else', ['New', 'Person', 'Else', 'new@else.io']],
  ])('%s: nothing is written, and the row says what to do', async (_what, typed) => {
    const trial = await emptied();
    trial.person.paste(range('A4'), [typed]);
    for (const isFull of [false, true, false]) {
      expect(await trial.run({ isFull })).toMatchObject({ status: 'partial', counts: untouched });
    }
    expect(String(trial.grid()[2]!['Sync'])).toContain(
      'was emptied, and most of it is not as it was: put its cells back',
    );
    expect(trial.people()).toEqual(trial.before);
  });

  it('I5, G4: somebody else, and its ID is cleared: a new contact, and the other one has no row', async () => {
    const trial = await emptied();
    trial.person.paste(range('A4'), [['New', 'Person', 'Else', 'new@else.io']]);
    await trial.run();
    trial.person.clear(range('F4'));
    await trial.run();
    await trial.run();
    expect(trial.contactOf('new@else.io')).toMatchObject({ first_name: 'New' });
    expect(trial.contactOf('p2@firm.io')).toMatchObject({ first_name: 'P2', company_name: 'Firm' });
    expect(trial.rowOf('new@else.io')['Contact ID']).toBe(trial.contactOf('new@else.io').uuid);
  });

  it('I7: all of it again with another address: that is an edit', async () => {
    const trial = await emptied();
    trial.person.paste(range('A4'), [['P2', 'L2', 'Firm', 'other@firm.io']]);
    await trial.run();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.contactOf('other@firm.io')).toMatchObject({ first_name: 'P2', last_name: 'L2' });
  });

  it.each([
    ['ignore', 0],
    ['delete_contact', 1],
  ])('D1: and then the whole row is deleted (%s)', async (policy, deleted) => {
    const trial = await emptied({ on_row_deleted: policy });
    trial.person.type(range('A4'), 'New');
    await trial.run();
    trial.person.deleteRows(tabTitle, 4);
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { deleted } });
  });

  it('I4: a copy whose row was deleted, over which a list was pasted that another row shows for a while: it stays one', async () => {
    const trial = await inSync();
    trial.person.paste(range('A50'), trial.person.read(range('A4:F4')));
    await trial.run();
    const held = trial.person.read(range('A9:D9'));
    for (const at of ['A9', 'A50']) trial.person.paste(range(at), [['New', 'Person', 'Else', 'new@else.io']]);
    trial.person.deleteRows(tabTitle, 4);
    await trial.run();
    trial.person.paste(range('A8'), held);
    for (const isFull of [false, true]) {
      expect(await trial.run({ isFull })).toMatchObject({ problems: [{ row: 49 }, { kind: 'held' }] });
    }
    expect(trial.people()).toEqual(trial.before);
  });

  it('I4: a copy that was emptied, and whose row was deleted then: the contact loses nothing', async () => {
    const trial = await inSync();
    trial.person.paste(range('A50'), trial.person.read(range('A4:F4')));
    await trial.run();
    trial.person.clear(range('A50:E50'));
    await trial.run();
    trial.person.deleteRows(tabTitle, 4);
    await trial.run();
    trial.person.type(range('A49'), 'New');
    expect(await trial.run()).toMatchObject({ counts: untouched });
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: untouched });
    expect(trial.people()).toEqual(trial.before);
  });
});

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

it.each([1, 2])(
  'L9, I5: also if the emptied row is deleted first, for %i rows: they stay as they are, and nobody else counts as deleted, until the IDs are cleared',
  async (below) => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' });
    deleteCells(trial, below);
    await trial.run();
    trial.person.deleteRows(tabTitle, count + 1, count + 1);
    for (const isFull of [false, true, false]) {
      const { counts, problems } = await trial.run({ isFull });
      expect(counts).toMatchObject({ created: 0, updated: 0, deleted: 0, quarantined: below });
      const named = `shows the person of ${trial.contactOf(`p${count - 1}@firm.io`).uuid}, who has no other row`;
      expect(problems).toContainEqual(
        expect.objectContaining({ kind: 'quarantined', row: count, reason: expect.stringContaining(named) }),
      );
    }
    expect(trial.people()).toEqual(trial.before);
    trial.person.clear(range(`F${count + 1 - below}:F${count}`));
    await trial.run({ isFull: true });
    await trial.run({ isFull: true });
    // The person whose cells were deleted has no row any more.
    expect(trial.people()).toEqual(trial.before.filter((each) => !each.includes(`p${count - 1 - below}@`)));
    for (let at = count - below; at < count; at += 1)
      expect(trial.rowOf(`p${at}@firm.io`)).toMatchObject({
        'Contact ID': trial.contactOf(`p${at}@firm.io`).uuid,
        'First name': `P${at}`,
      });
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

/** Of row 4, over so many rows from row 7 on. */
function fillDown({ person }: Trial, over: number, columns = ['A', 'D']): void {
  const cells = person.read(range(`${columns[0]}4:${columns[1]}4`));
  for (let at = 0; at < over; at += 1) person.paste(range(`${columns[0]}${7 + at}`), cells);
}

describe('I2, L9: rows that were filled down from the row of another person, or pasted over', () => {
  it.each([1, 2, 10])('nothing is written for the contacts of %i rows until their cells are back', async (over) => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' });
    const cells = trial.person.read(range(`A7:E${6 + over}`));
    fillDown(trial, over);
    for (const isFull of [false, true, false]) {
      const { status, counts, problems } = await trial.run({ isFull });
      expect({ status, counts }).toMatchObject({
        status: 'partial',
        counts: { created: 0, updated: 0, deleted: 0, set: 0, appended: 0, quarantined: over },
      });
      for (const row of [7, 6 + over]) {
        const reason = `holds what row 4 holds, and the ID of somebody else: put its cells back, or delete the whole row`;
        expect(problems).toContainEqual(expect.objectContaining({ kind: 'quarantined', rule: 'I2', row, reason }));
      }
      expect(problems).toHaveLength(2 * over);
    }
    expect(trial.people()).toEqual(trial.before);
    expect(String(trial.grid()[5]!['Sync'])).toContain('holds what row 4 holds');
    trial.person.paste(range('A7'), cells);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [], counts: { updated: 0 } });
    expect(trial.people()).toEqual(trial.before);
  });

  it('I6: nor for the contacts of two rows that both show somebody new', async () => {
    const trial = await inSync();
    for (const row of [7, 8]) trial.person.paste(range(`A${row}`), [['Some', 'Body', 'Firm', 'new@firm.io']]);
    const { counts, problems } = await trial.run();
    expect(counts).toMatchObject({ updated: 0, created: 0, quarantined: 2 });
    expect(problems).toContainEqual(
      expect.objectContaining({ row: 7, reason: expect.stringContaining('holds what row 8 holds') }),
    );
    expect(problems).toContainEqual(
      expect.objectContaining({ row: 8, reason: expect.stringContaining('holds what row 7 holds') }),
    );
    expect(trial.people()).toEqual(trial.before);
    trial.person.paste(range('A8'), [['P6', 'L6', 'Firm', 'p6@firm.io']]);
    await trial.run();
    expect(trial.contactOf('new@firm.io')).toMatchObject({ first_name: 'Some' });
    expect(trial.contactOf('p6@firm.io')).toMatchObject({ first_name: 'P6' });
  });

  it('L5: what changes in the service meanwhile is in the row once its cells are back', async () => {
    const trial = await inSync();
    const cells = trial.person.read(range('A7:E7'));
    fillDown(trial, 1);
    trial.change('p5@firm.io', { company_name: 'New' });
    const { problems } = await trial.run();
    expect(problems).toContainEqual(
      expect.objectContaining({
        uuid: trial.contactOf('p5@firm.io').uuid,
        reason: expect.stringContaining('its row 7 holds what row 4 holds: nothing is written for it'),
      }),
    );
    const { stdout } = await trial.cli('explain', 'p5@firm.io');
    expect(stdout).toContain('its row 7 holds what row 4 holds');
    trial.person.paste(range('A7'), cells);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.rowOf('p5@firm.io')).toMatchObject({ Company: 'New' });
  });

  it('D1: or until the whole row is deleted', async () => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' });
    fillDown(trial, 1);
    await trial.run();
    trial.person.deleteRows(tabTitle, 7);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { deleted: 1 } });
    expect(trial.people()).toEqual(trial.before.filter((person) => !person.includes('p5@')));
  });

  it('nor after a cell of either row was corrected', async () => {
    const trial = await inSync();
    fillDown(trial, 1);
    trial.person.paste(range('B7'), [['Corrected']]);
    trial.person.paste(range('C4'), [['Company']]);
    await trial.run();
    await trial.run();
    expect(trial.people()).toEqual(trial.before);
    expect(trial.contactOf('p2@firm.io')).toMatchObject({ company_name: 'Company' });
    expect(trial.contactOf('p5@firm.io')).toMatchObject({ last_name: 'L5' });
  });

  it.each(['ignore', 'delete_contact', 'restore'])(
    'nor where the row of that person is gone, or has lost its ID: nobody is deleted, nor made again (%s)',
    async (policy) => {
      const trial = await inSync({ on_row_deleted: policy });
      const id = trial.contactOf('p2@firm.io').uuid;
      trial.person.paste(range('A7'), trial.person.read(range('A4:D4')));
      trial.person.deleteRows(tabTitle, 4);
      for (const isFull of [true, false, true]) {
        const { status, counts, problems } = await trial.run({ isFull });
        expect({ status, counts }).toMatchObject({
          status: 'partial',
          counts: { created: 0, updated: 0, deleted: 0, appended: 0, quarantined: 1 },
        });
        const reason = expect.stringContaining(`shows the person of ${id}, who has no other row`);
        expect(problems).toContainEqual(expect.objectContaining({ kind: 'quarantined', rule: 'I2', row: 6, reason }));
      }
      expect(trial.people()).toEqual(trial.before);
      // As it says: the row is that of the person whom it shows.
      trial.person.clear(range(`F6:F6`));
      await trial.run({ isFull: true });
      await trial.run({ isFull: true });
      expect(trial.rowOf('p2@firm.io')).toMatchObject({ 'Contact ID': id });
      const gone = policy === 'delete_contact' ? 'p5@' : 'nobody';
      expect(trial.people()).toEqual(trial.before.filter((each) => !each.includes(gone)));
    },
  );

  it('nor where cells of people moved among rows of which some have no ID yet', async () => {
    const trial = await inSync();
    trial.person.clear(range('F5:F5'));
    const [first, second, third] = trial.person.read(range('A4:D6'));
    // The last row has its ID, and shows the person of the row that has none.
    trial.person.paste(range('A4'), [third!, first!, second!]);
    await trial.run();
    await trial.run({ isFull: true });
    expect(trial.people()).toEqual(trial.before);
  });

  it.each([
    { what: 'its contact was renamed', after: ({ change }: Trial) => change('p2@firm.io', { first_name: 'Renamed' }) },
    { what: 'its row was edited', after: ({ type }: Trial) => type('p2@firm.io', 'First name', 'Renamed') },
    {
      what: 'its row was edited, address and all',
      after: ({ person }: Trial) => person.paste(range('A4:D4'), [['Renamed', 'L2', 'Firm', 'new@firm.io']]),
    },
    {
      what: 'its contact got another address',
      after: ({ change }: Trial) => change('p2@firm.io', { work_email: 'two@firm.io' }),
    },
    { what: 'its row was deleted', after: ({ person }: Trial) => person.deleteRows(tabTitle, 4) },
    {
      what: 'its contact was deleted',
      after: ({ service, contactOf }: Trial) => service.model.contacts.remove(contactOf('p2@firm.io').uuid),
    },
  ])('nor once the other row holds something else: $what', async ({ after }) => {
    const trial = await inSync();
    const five = () => trial.people().filter((person) => person.includes('p5@'));
    const before = five();
    const cells = trial.person.read(range('A7:D7'));
    fillDown(trial, 1);
    await trial.run();
    after(trial);
    for (const isFull of [true, false, true]) expect(await trial.run({ isFull })).toMatchObject({ status: 'partial' });
    expect(five()).toEqual(before);
    const at = trial
      .grid()
      .findIndex(({ Email, Sync }) => String(Sync).includes('quarantined') && Email === 'p2@firm.io');
    expect(at).toBeGreaterThan(0);
    trial.person.paste(range(`A${at + 2}`), cells);
    const { status, counts } = await trial.run({ isFull: true });
    expect({ status, counts }).toMatchObject({ status: 'succeeded', counts: { updated: 0, created: 0 } });
    expect(five()).toEqual(before);
  });

  it.each(['ABD', 'DBA', 'BDA', 'DAB'])(
    'nor while its cells are put back one by one (%s), the address first or last',
    async (order) => {
      const trial = await inSync();
      fillDown(trial, 1);
      await trial.run();
      for (const column of order) {
        trial.person.type(range(`${column}7`), ['P5', 'L5', 'Firm', 'p5@firm.io']['ABCD'.indexOf(column)]!);
        await trial.run();
        expect(trial.contactOf('p5@firm.io')).toMatchObject({ first_name: 'P5', last_name: 'L5' });
      }
      expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', problems: [] });
      expect(trial.people()).toEqual(trial.before);
      trial.person.type(range('B7'), 'L2');
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    },
  );

  it('I4: nor for the contact of a copy over which somebody was typed, and whose row is gone, when its address is back', async () => {
    const trial = await inSync();
    trial.person.paste(range('A50'), trial.person.read(range('A4:F4')));
    await trial.run();
    trial.person.paste(range('A50'), [['New', 'Person', 'Else', 'new@else.io']]);
    await trial.run();
    trial.person.deleteRows(tabTitle, 4);
    await trial.run();
    for (const [cell, text] of [
      ['D49', 'p2@firm.io'],
      ['C49', 'Firm'],
      ['A49', 'P2'],
    ] as const) {
      trial.person.type(range(cell), text);
      const { problems } = await trial.run();
      expect(problems).toMatchObject([{ row: 49, rule: 'I2' }, { kind: 'held' }]);
      expect(problems[0]?.reason).toMatch(/still holds what somebody else has in .*Last name/);
      expect(trial.contactOf('p2@firm.io')).toMatchObject({ first_name: 'P2', last_name: 'L2' });
    }
    trial.person.type(range('B49'), 'L2');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.people()).toEqual(trial.before);
  });

  it('nor while a cell of it is put back, and what leadsheet knows of it is gone with its cells', async () => {
    const trial = await inSync();
    const cells = trial.person.read(range('A7:D7'));
    fillDown(trial, 1);
    await trial.run();
    trial.person.paste(range('B7'), [['L5']]);
    trial.type('p2@firm.io', 'First name', 'Renamed');
    await trial.run();
    expect(trial.contactOf('p5@firm.io')).toMatchObject({ first_name: 'P5', last_name: 'L5' });
    trial.person.paste(range('A7'), cells);
    await trial.run();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    trial.type('p5@firm.io', 'First name', 'Fifth');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    expect(trial.contactOf('p5@firm.io')).toMatchObject({ first_name: 'Fifth' });
  });

  it('nor where the person of the other row was renamed before a run looked', async () => {
    const trial = await inSync();
    fillDown(trial, 1);
    trial.person.paste(range('A4'), [['Renamed', 'Anew']]);
    await trial.run();
    await trial.run();
    expect(trial.contactOf('p5@firm.io')).toMatchObject({ first_name: 'P5' });
    expect(trial.contactOf('p2@firm.io')).toMatchObject({ first_name: 'Renamed' });
  });

  it('I9: nor by a state that is new', async () => {
    const trial = await inSync();
    fillDown(trial, 2);
    trial.kill();
    rmSync(join(trial.folder, 'state'), { recursive: true });
    await trial.start();
    await trial.run();
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { updated: 0, quarantined: 2 } });
    expect(trial.people()).toEqual(trial.before);
  });

  it.each([
    { it: 'a company', columns: ['C', 'C'], shows: { first_name: 'P5', company_name: 'Other' } },
    { it: 'names and company', columns: ['A', 'C'], shows: { first_name: 'P2', company_name: 'Other' } },
  ])('L1: $it that is filled down without the address is an edit', async ({ columns, shows }) => {
    const trial = await inSync();
    trial.type('p2@firm.io', 'Company', 'Other');
    fillDown(trial, 1, columns);
    await trial.run();
    expect(trial.contactOf('p5@firm.io')).toMatchObject(shows);
  });

  it('I7: an address alone that is pasted over another one is held, and the row goes on', async () => {
    const trial = await inSync();
    fillDown(trial, 1, ['D', 'D']);
    trial.person.paste(range('C7'), [['Other']]);
    expect(await trial.run()).toMatchObject({ problems: [{ kind: 'held', rule: 'I7', row: 7 }] });
    expect(trial.contactOf('p5@firm.io')).toMatchObject({ company_name: 'Other' });
  });

  it('I7: colleagues who are given one address and one company stay themselves, and all but the address goes on', async () => {
    const trial = await inSync();
    for (const row of [7, 8]) trial.person.paste(range(`C${row}`), [['Other', 'info@firm.io']]);
    await trial.run();
    const { problems } = await trial.run();
    expect(problems.map(({ kind, field }) => `${kind} ${field}`)).toEqual(['held email', 'held email']);
    expect(trial.contacts().filter(({ company_name }) => company_name === 'Other')).toHaveLength(2);
  });

  it('I7: two people who change places are two edits', async () => {
    const trial = await inSync();
    const [two, five] = [trial.person.read(range('A4:D4')), trial.person.read(range('A7:D7'))];
    trial.person.paste(range('A4'), five);
    trial.person.paste(range('A7'), two);
    await trial.run();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.contactOf('p2@firm.io')).toMatchObject({ first_name: 'P2' });
  });

  it('L10: what a killed run had written into a row is no work of people', async () => {
    const trial = await inSync();
    const { first_name, last_name, company_name } = trial.contactOf('p2@firm.io');
    trial.change('p2@firm.io', { work_email: 'two@firm.io' });
    trial.change('p5@firm.io', { first_name, last_name, company_name, work_email: 'p2@firm.io' });
    // As the run left it that wrote row 7 and no other, and saved nothing.
    fillDown(trial, 1);
    expect(await trial.run()).toMatchObject({ counts: { quarantined: 0 } });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.grid()[2]).toMatchObject({ Email: 'two@firm.io' });
  });
});
