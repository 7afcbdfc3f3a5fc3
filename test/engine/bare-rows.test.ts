// Rows that hold nothing but formulas, unticked boxes and texts of leadsheet: they count as blank (V3, I2).
import { describe, expect, it } from 'vitest';
import { createSyncTrial, spreadsheetId, tabTitle } from '../support/app.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Link', 'Met'];
const columns = {
  'First name': 'first_name',
  'Last name': 'last_name',
  Company: 'company_name',
  Email: 'email',
  Link: { custom_field: 'link', direction: 'to_crm' },
  Met: { custom_field: 'met', direction: 'to_crm' },
};
const rowsDragged = 40;
const sheet = { spreadsheet: spreadsheetId, tab: tabTitle, status_column: 'State' };

/** One person, and a formula and a box dragged down. */
function createDragged(sync: Readonly<Record<string, unknown>> = {}) {
  const trial = createSyncTrial({
    columns,
    values: [header, ['Ann', 'Lee', 'Acme', 'ann@firm.io']],
    sync: { sheet, ...sync },
  });
  for (let row = 2; row <= rowsDragged; row += 1) {
    trial.person.type(`'${tabTitle}'!E${row}`, `="https://firm.io/"&D${row}`);
    trial.person.paste(`'${tabTitle}'!F${row}`, [[false]]);
  }
  return trial;
}

describe('V3: a row of nothing but formulas, unticked boxes and texts of leadsheet is blank', () => {
  it('V3, I2: formulas and boxes that were dragged down wait for nothing, and no status is written beside them', async () => {
    const trial = createDragged();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [], counts: { created: 1 } });
    expect(trial.grid().filter((row) => 'State' in row)).toMatchObject([{ Email: 'ann@firm.io', State: 'in sync' }]);
    const before = trial.writes();
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.writes()).toEqual(before);
  });

  it('V3, L13: new contacts go right below the last person, and the formulas below them stay', async () => {
    const trial = createDragged();
    await trial.run();
    trial.addContact({ first_name: 'Bob', last_name: 'Ray', email: 'bob@firm.io' });
    trial.addContact({ first_name: 'Cid', last_name: 'Fox', email: 'cid@firm.io' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [], counts: { appended: 2 } });
    expect(new Set(['bob@firm.io', 'cid@firm.io'].map(trial.rowNumberOf))).toEqual(new Set([3, 4]));
    expect(trial.grid().filter(({ Link }) => Link === 'https://firm.io/')).toHaveLength(rowsDragged - 2);
    expect((await trial.cli('explain', 'row:3', '--json')).stdout).toMatch(/bob@firm\.io|cid@firm\.io/);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.contacts()).toHaveLength(3);
  });

  it('V3: a person typed beside a dragged formula becomes a contact', async () => {
    const trial = createDragged();
    await trial.run();
    trial.person.paste(`'${tabTitle}'!A9`, [['Bob', 'Ray', 'Acme', 'bob@firm.io']]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
    trial.addContact({ first_name: 'Cid', last_name: 'Fox', email: 'cid@firm.io' });
    await trial.run();
    expect(trial.rowNumberOf('cid@firm.io')).toBe(10);
  });

  it('V3: the status of a row goes with what people had typed into it', async () => {
    const trial = createDragged();
    trial.person.paste(`'${tabTitle}'!A5`, [['Bob']]);
    expect((await trial.run()).problems).toMatchObject([{ kind: 'waiting', row: 5, rule: 'I2' }]);
    expect(trial.grid()[3]!['State']).toMatch(/^waiting/);
    trial.person.clear(`'${tabTitle}'!A5:D5`);
    expect(await trial.run()).toMatchObject({ problems: [] });
    expect(trial.grid()[3]).not.toHaveProperty('State');
  });

  it('V3, V4, L7: a row with an error in a formula is none', async () => {
    const trial = createDragged();
    trial.person.type(`'${tabTitle}'!D7`, '=1/0');
    expect((await trial.run()).problems).toMatchObject([{ kind: 'waiting', row: 7 }]);
  });

  it('V5, L7: rows of formulas that name people are theirs, and one that lost its ID and shows no key loses nobody', async () => {
    const trial = createSyncTrial({ columns, values: [header], sync: { sheet, on_row_deleted: 'delete_contact' } });
    trial.person.paste(`'${tabTitle}'!T2`, [['Ann', 'Lee', 'Acme', 'ann@firm.io']]);
    for (const [index, column] of ['T', 'U', 'V', 'W'].entries())
      trial.person.type(`'${tabTitle}'!${'ABCD'[index]}2`, `=${column}2`);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
    const id = trial.columnIndexOf('Contact ID');
    trial.person.clear(`'${tabTitle}'!${String.fromCodePoint(65 + id)}2`);
    trial.person.clear(`'${tabTitle}'!W2`);
    await trial.run({ isFull: true });
    await trial.run({ isFull: true });
    expect(trial.contacts()).toHaveLength(1);
  });
});
