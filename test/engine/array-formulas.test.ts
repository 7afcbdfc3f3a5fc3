// One formula at the top of a column, whose values fill the cells below: ARRAYFORMULA; or those beside it: SPLIT (V5).
import { describe, expect, it } from 'vitest';
import { createSyncTrial, inOrder, tabTitle } from '../support/app.ts';

const columns = {
  'First name': 'first_name',
  'Last name': 'last_name',
  Company: 'company_name',
  Email: 'email',
  Greeting: 'position',
};
const header = Object.keys(columns);
const people = ['ann', 'bob', 'cid', 'dot', 'eve', 'fay'];
const greeting = '=ARRAYFORMULA(IF(A2:A9="","","Dear "&A2:A9))';

/** Six linked people, whose greetings one formula makes. */
async function createFilled(formula = greeting, cell = 'E2') {
  const trial = createSyncTrial({
    columns,
    values: [header, ...people.map((name) => [name, 'Lee', `${name} Ltd`, `${name}@firm.io`])],
    sync: {
      sheet: { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: tabTitle, status_column: 'State' },
    },
  });
  trial.person.type(`'${tabTitle}'!${cell}`, formula);
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: people.length } });
  return trial;
}

const greetings = people.map((name) => `Dear ${name}`);

describe('V5: the cells that an array formula fills are as cells with a formula', () => {
  it('V5, L13: a change in the CRM is held, and does not break the formula', async () => {
    const trial = await createFilled();
    expect(trial.contacts().map(({ position }) => position)).toEqual(greetings);
    trial.change('cid@firm.io', { position: 'CEO' });
    const report = await trial.run();
    expect(report.problems).toMatchObject([{ kind: 'held', rule: 'V5', row: 4 }]);
    expect(trial.grid().map(({ Greeting }) => Greeting)).toEqual(greetings);
    // The other cells of the row are written.
    trial.change('cid@firm.io', { company_name: 'Cid plc' });
    await trial.run();
    expect(trial.grid()[2]).toMatchObject({ Company: 'Cid plc', Greeting: 'Dear cid' });
  });

  it('V5, L13: a new contact gets a row without a value there, and the formula fills it', async () => {
    const trial = await createFilled();
    trial.addContact({ first_name: 'gus', last_name: 'Ray', email: 'gus@firm.io', position: 'CTO' });
    await trial.run();
    expect(trial.grid().map(({ Greeting }) => Greeting)).toEqual([...greetings, 'Dear gus']);
    // Two values that were never agreed on.
    expect((await trial.run({ isFull: true })).problems).toMatchObject([{ kind: 'conflict', row: 8 }]);
    expect(trial.contacts().find(({ work_email: email }) => email === 'gus@firm.io')).toMatchObject({
      position: 'CTO',
    });
  });

  it('V5, L7: a blank that the formula shows stays one, and empties no contact', async () => {
    const trial = await createFilled('=ARRAYFORMULA(IF(A2:A9="bob","","Dear "&A2:A9))');
    trial.change('bob@firm.io', { position: 'CEO' });
    expect((await trial.run()).problems).toMatchObject([{ kind: 'held', rule: 'V5', row: 3 }]);
    expect((await trial.run({ isFull: true })).problems).toMatchObject([{ kind: 'held', rule: 'V5', row: 3 }]);
    expect(trial.contacts().find(({ work_email: email }) => email === 'bob@firm.io')).toMatchObject({
      position: 'CEO',
    });
  });

  it('V3, V4, L7: a person who types into such a cell breaks the formula, and nobody is emptied', async () => {
    const trial = await createFilled();
    trial.person.paste(`'${tabTitle}'!E5`, [['Hello dot']]);
    const report = await trial.run({ isFull: true });
    expect(report.counts).toMatchObject({ updated: 1 });
    expect(trial.contacts().map(({ position }) => position)).toEqual(
      greetings.map((text) => (text === 'Dear dot' ? 'Hello dot' : text)),
    );
    expect(report.problems.map(({ row, rule }) => ({ row, rule }))).toEqual(
      [2, 3, 4, 6, 7].map((row) => ({ row, rule: 'V4' })),
    );
    expect(trial.grid()[1]!['State']).toContain('the array formula in E2 shows #REF!');
    trial.addContact({ first_name: 'gus', last_name: 'Ray', email: 'gus@firm.io', position: 'CTO' });
    await trial.run();
    trial.person.clear(`'${tabTitle}'!E5`);
    await trial.run();
    expect(trial.grid().map(({ Greeting }) => Greeting)).toEqual([...greetings, 'Dear gus']);
  });

  it('V3, V4, W18: nor after runs that had nothing to do, which read the tab without the base', async () => {
    const trial = await createFilled();
    for (let run = 0; run < 3; run += 1) await trial.run();
    trial.person.paste(`'${tabTitle}'!E5`, [['Hello dot']]);
    expect(await trial.run()).toMatchObject({ holds: [], counts: { updated: 1 } });
    expect(trial.contacts().map(({ position }) => position)).toEqual(
      greetings.map((text) => (text === 'Dear dot' ? 'Hello dot' : text)),
    );
  });

  it('V3, V4, W11, L7: nor where the formula stands in the header row, and makes the header too', async () => {
    const shown = 'IF(A1:A9="First name","Greeting",IF(A1:A9="","","Dear "&A1:A9))';
    const trial = await createFilled(`=ARRAYFORMULA(${shown})`, 'E1');
    expect(trial.contacts().map(({ position }) => position)).toEqual(greetings);
    trial.person.paste(`'${tabTitle}'!E5`, [['Hello dot']]);
    expect(await trial.run({ isFull: true })).toMatchObject({ holds: [], counts: { updated: 1 } });
    expect(trial.grid()[1]!['State']).toContain('the array formula in E1 shows #REF!');
    trial.person.clear(`'${tabTitle}'!E5`);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.contacts().map(({ position }) => position)).toEqual(greetings);
  });

  it('V5, W9: a run after it writes nothing', async () => {
    const trial = await createFilled();
    await trial.run();
    const before = trial.writes();
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.writes()).toEqual(before);
  });
});

describe('V5: SPLIT fills the cell beside it', () => {
  it('V5, L13: a change of the last name is held, and a new contact gets both names', async () => {
    const trial = createSyncTrial({ columns, values: [header, [null, null, 'Acme', 'ann@firm.io']] });
    trial.person.type(`'${tabTitle}'!A2`, '=SPLIT("Ann Lee"," ")');
    await trial.run();
    expect(trial.contacts()).toMatchObject([{ first_name: 'Ann', last_name: 'Lee' }]);
    trial.change('ann@firm.io', { last_name: 'Fox' });
    trial.addContact({ first_name: 'gus', last_name: 'Ray', email: 'gus@firm.io' });
    expect((await trial.run()).problems).toMatchObject([{ kind: 'held', rule: 'V5', row: 2 }]);
    expect(trial.grid()).toMatchObject([
      { 'First name': 'Ann', 'Last name': 'Lee' },
      { 'First name': 'gus', 'Last name': 'Ray' },
    ]);
  });
});

describe('V5: an array formula in a column that is not mapped fills mapped cells', () => {
  /** Six people of whom a formula in the first column makes all cells. */
  function createImported() {
    const trial = createSyncTrial({
      columns,
      values: [['Import', ...header]],
      sync: {
        sheet: { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: tabTitle, status_column: 'State' },
      },
    });
    for (const [index, name] of people.entries()) {
      trial.person.type(`'${tabTitle}'!A${index + 2}`, `=SPLIT("x ${name} Lee ${name}-Ltd ${name}@firm.io Dear"," ")`);
    }
    return trial;
  }

  it('W3, V5: the rows get their IDs and statuses, and what it fills is not written over', async () => {
    const trial = createImported();
    expect(await trial.run()).toMatchObject({ counts: { created: 6, set: 6 }, problems: [] });
    expect(trial.grid().map(({ State }) => State)).toEqual(people.map(() => 'in sync'));
    trial.change('cid@firm.io', { company_name: 'Cid plc' });
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'refused', rule: 'W5', row: 4 }]);
    expect(problems[0]!.reason).toContain('what one in another cell fills in');
    expect(trial.grid()[2]).toMatchObject({ Company: 'cid-Ltd' });
  });

  it('V3, V4, L7: a person who types into such a cell empties nobody, and is told which formula it broke', async () => {
    const trial = createImported();
    await trial.run();
    trial.person.paste(`'${tabTitle}'!D4`, [['Cid plc']]);
    const report = await trial.run();
    expect(report).toMatchObject({ holds: [], counts: { updated: 1 } });
    expect(trial.contacts()[2]).toMatchObject({ first_name: 'cid', company_name: 'Cid plc', position: 'Dear' });
    expect(trial.grid()[2]!['State']).toContain('the array formula in A4 shows #REF!');
    const told = await trial.run();
    expect(told.holds).toEqual([]);
    expect(inOrder(told.problems.map(({ id }) => id))).toEqual(inOrder(report.problems.map(({ id }) => id)));
    trial.person.clear(`'${tabTitle}'!D4`);
    expect(await trial.run({ isFull: true })).toMatchObject({ holds: [] });
    expect(trial.contacts()[2]).toMatchObject({ first_name: 'cid', company_name: 'cid-Ltd', position: 'Dear' });
  });

  it('V3: nor where it stands in the first row, and fills the rows below', async () => {
    const trial = createSyncTrial({
      columns,
      values: [
        ['Import', ...header],
        ...people.map((name) => [null, name, 'Lee', `${name}-Ltd`, `${name}@firm.io`, 'x']),
      ],
    });
    await trial.run();
    trial.person.type(`'${tabTitle}'!A2`, '=ARRAYFORMULA(B2:B9&"")');
    trial.person.paste(`'${tabTitle}'!A5`, [['typed']]);
    trial.person.clear(`'${tabTitle}'!F6`);
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'unreadable', rule: 'V4', row: 6 }]);
    // A blank for which no formula stands is an edit.
    trial.person.clear(`'${tabTitle}'!A2`);
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { updated: 1 }, problems: [] });
  });
});
