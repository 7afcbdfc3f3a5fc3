// Setting cells through pins (W2, W3), one situation a test.
import { describe, expect, test } from 'vitest';
import {
  anyCredentials,
  createTrial,
  fillMetadata,
  header,
  openAnchored,
  rowOf,
  temporaryMarks,
  takeMetadataId,
  type Trial,
} from '../support/sheets.ts';

const values = [
  header,
  ['a', 'Ann', 'tag a', 'ann@x.org', 1],
  ['b', 'Bob', 'tag b', 'bob@x.org', 2],
  ['c', 'Cy', 'tag c', 'cy@x.org', '=1+2'],
  [null, 'New', 'tag d', null, null],
];

const people = (trial: Trial) => trial.person.read('Prospects!A1:H9', 'FORMULA');
const requests = (trial: Trial) => trial.standin.log.entries.map(({ operation }) => operation);

/** Does `edit` right before the adapter's request number `at` from now on, counted from 0. */
function before(trial: Trial, at: number, edit: () => void): void {
  let count = 0;
  trial.onRequest = () => {
    if (count === at) edit();
    count += 1;
  };
}

/** The requests of an update, in their order. */
const [pin, verify, write, lookAgain] = [0, 1, 2, 3];

async function open(options: Parameters<typeof createTrial>[0] = {}) {
  const trial = createTrial({ values, tab: { typed: true }, ...options });
  const { table, snapshot } = await openAnchored(trial);
  trial.standin.log.clear();
  return { trial, table, snapshot };
}

test('W2: updating any cells costs one read and three writes, and leaves no pin', async () => {
  const { trial, table, snapshot } = await open();
  const outcomes = await table.update(snapshot, [
    { row: rowOf(snapshot, 'a'), set: { first_name: 'Anna', score: '' } },
    { row: rowOf(snapshot, 'b'), set: { email: 'bob@y.org', score: true } },
  ]);
  expect(outcomes).toEqual([
    { kind: 'written', stored: { first_name: 'Anna', score: null } },
    { kind: 'written', stored: { email: 'bob@y.org', score: true } },
  ]);
  expect(requests(trial)).toEqual([
    'spreadsheets.batchUpdate',
    'spreadsheets.getByDataFilter',
    'values.batchUpdateByDataFilter',
    'spreadsheets.batchUpdate',
  ]);
  expect(people(trial).slice(1, 3)).toEqual([
    ['a', 'Anna', 'tag a', 'ann@x.org'],
    ['b', 'Bob', 'tag b', 'bob@y.org', true],
  ]);
  expect(temporaryMarks(trial)).toEqual([]);
});

test.each(['007', '1e5', '+33 6', '1/2', '=1+1', '@x', "'quoted", '😀', 'two\nlines', 'é', 'x'.repeat(50_000)])(
  'V6: %j is stored and read back unchanged',
  async (text) => {
    const { trial, table, snapshot } = await open();
    await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { first_name: text } }]);
    expect(people(trial)[1]?.[1]).toBe(text);
    expect(rowOf(await table.read(), 'a')).toMatchObject({ cells: { first_name: text }, formulas: [] });
  },
);

test('V6: text longer than a cell is refused for its row by name; other rows are written', async () => {
  const { table, snapshot } = await open();
  const outcomes = await table.update(snapshot, [
    { row: rowOf(snapshot, 'a'), set: { email: 'x'.repeat(50_001) } },
    { row: rowOf(snapshot, 'b'), set: { email: 'short' } },
  ]);
  expect(outcomes).toMatchObject([
    { kind: 'refused', reason: 'cell-too-long', columns: ['email'] },
    { kind: 'written' },
  ]);
});

test('V5: a formula is never overwritten, and the row is named', async () => {
  const { trial, table, snapshot } = await open();
  const row = rowOf(snapshot, 'c');
  expect(row).toMatchObject({ cells: { score: 3 }, formulas: ['score'] });
  expect(await table.update(snapshot, [{ row, set: { score: 9, email: 'x' } }])).toEqual([
    { kind: 'formula', columns: ['score'] },
  ]);
  expect(people(trial)[3]).toEqual(['c', 'Cy', 'tag c', 'cy@x.org', '=1+2']);
});

test('V8, W3: a date is as it was read, and another date in its place shows as a change', async () => {
  const trial = createTrial({ values, tab: { typed: true } });
  trial.person.type('Prospects!B2', '3/14/2026');
  const { table, snapshot } = await openAnchored(trial);
  const change = { row: rowOf(snapshot, 'a'), set: { email: 'new@x.org' } };
  expect(await table.update(snapshot, [change])).toMatchObject([{ kind: 'written' }]);
  trial.person.type('Prospects!B2', '3/15/2026');
  const again = { ...change, set: { score: 5 } };
  expect(await table.update(snapshot, [again])).toMatchObject([
    { kind: 'changed-meanwhile', columns: expect.arrayContaining(['first_name']) },
  ]);
});

test('V5: a formula that was typed since the snapshot shows as a change', async () => {
  const { trial, table, snapshot } = await open();
  trial.person.type('Prospects!B2', '="Ann"');
  expect(await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { first_name: 'x' } }])).toEqual([
    { kind: 'changed-meanwhile', columns: ['first_name'] },
  ]);
});

test("W2: a new contact's id is written to its row, together with other cells", async () => {
  const { trial, table, snapshot } = await open();
  const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, ''), set: { email: 'new@x.org' }, id: 'd' }]);
  expect(outcomes).toEqual([{ kind: 'written', stored: { email: 'new@x.org' } }]);
  expect(people(trial)[4]).toEqual(['d', 'New', 'tag d', 'new@x.org']);
});

describe('W3: edits between planning and verifying', () => {
  const change = { first_name: 'Anna' };

  test.each<[string, (trial: Trial) => void, string]>([
    ['sorted: another row is in its place', ({ person }) => person.sort('Prospects', 'B', 'DESCENDING'), 'moved'],
    ['inserted a row above', ({ person }) => person.insertRows('Prospects', 2), 'moved'],
    ['edited the cell', ({ person }) => person.type('Prospects!B2', 'Annie'), 'changed-meanwhile'],
    ['edited another mapped cell of the row', ({ person }) => person.type('Prospects!D2', 'x'), 'changed-meanwhile'],
    ['emptied the ID', ({ person }) => person.clear('Prospects!A2'), 'moved'],
    ['edited an unmapped cell', ({ person }) => person.type('Prospects!C2', 'x'), 'written'],
    ['renamed the tab', ({ person }) => person.renameTab('Prospects', 'Leads'), 'written'],
    ['renamed the header', ({ person }) => person.type('Prospects!B1', 'Given name'), 'written'],
    ['inserted a column', ({ person }) => person.insertColumns('Prospects', 'B'), 'written'],
    ['moved the column', ({ person }) => person.moveColumns('Prospects', 'B', 1, 'F'), 'written'],
  ])('%s', async (_, edit, kind) => {
    const { trial, table, snapshot } = await open();
    edit(trial);
    expect(await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: change }])).toMatchObject([{ kind }]);
    expect(temporaryMarks(trial)).toEqual([]);
  });

  test('deleted the row after it was pinned', async () => {
    const { trial, table, snapshot } = await open();
    before(trial, verify, () => trial.person.deleteRows('Prospects', 2));
    expect(await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: change }])).toEqual([{ kind: 'row-gone' }]);
  });

  test.each([
    ['before it was pinned: the whole grid is shorter', pin],
    ['after', verify],
  ])('deleted all rows, %s', async (_, at) => {
    const { trial, table, snapshot } = await open({ tab: { typed: true, rowCount: 5 } });
    before(trial, at, () => trial.person.deleteRows('Prospects', 2, 4));
    const [outcome] = await table.update(snapshot, [{ row: rowOf(snapshot, 'b'), set: change }]);
    expect(['moved', 'row-gone']).toContain(outcome?.kind);
  });
});

describe('L9: between verifying and writing, rows may move', () => {
  test.each<[string, (trial: Trial) => void]>([
    ['sort', ({ person }) => person.sort('Prospects', 'B', 'DESCENDING')],
    ['insert', ({ person }) => person.insertRows('Prospects', 2, 3)],
    ['delete above', ({ person }) => person.deleteRows('Prospects', 2)],
    ['move', ({ person }) => person.moveRows('Prospects', 3, 1, 6)],
    ['rename the tab', ({ person }) => person.renameTab('Prospects', "It's")],
  ])('%s: the value still goes into its row', async (_, edit) => {
    const { trial, table, snapshot } = await open();
    before(trial, write, () => edit(trial));
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'b'), set: { email: 'bob@y.org' } }]);
    expect(outcomes).toEqual([{ kind: 'written', stored: { email: 'bob@y.org' } }]);
    expect(rowOf(await table.read(), 'b').cells['email']).toBe('bob@y.org');
  });

  test('a row deleted, and Google refuses a filter that finds nothing: that row is gone, the others are written', async () => {
    const { trial, table, snapshot } = await open({ standin: { behaviour: { unmatchedFilterRefuses: true } } });
    before(trial, write, () => trial.person.deleteRows('Prospects', 2));
    const outcomes = await table.update(snapshot, [
      { row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } },
      { row: rowOf(snapshot, 'b'), set: { first_name: 'Bobby' } },
    ]);
    expect(outcomes).toEqual([{ kind: 'row-gone' }, { kind: 'written', stored: { first_name: 'Bobby' } }]);
  });

  test('a column inserted at that moment: overwritten cells are restored, formulas too, and reported', async () => {
    const { trial, table, snapshot } = await open();
    trial.person.type('Prospects!C2', '=UPPER("tag")');
    before(trial, write, () => trial.person.insertColumns('Prospects', 'A'));
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { email: 'new@x.org' } }]);
    expect(outcomes).toEqual([
      {
        kind: 'displaced',
        cells: [{ cell: 'D2', written: 'new@x.org', before: 'TAG', isRestored: true }],
      },
    ]);
    expect(people(trial)[1]).toEqual(['', 'a', 'Ann', '=UPPER("tag")', 'ann@x.org', 1]);
    expect(temporaryMarks(trial)).toEqual([]);
  });

  test('a row without an id pasted over another without one at that moment: restored, and reported', async () => {
    const { trial, table, snapshot } = await open({ values: [...values, [null, 'Other', 'tag e', 'other@x.org', 5]] });
    const row = snapshot.rows.find(({ cells }) => cells['first_name'] === 'New')!;
    before(trial, write, () => trial.person.copyPaste('Prospects!A6:H6', 'Prospects!A5:H5'));
    expect(await table.update(snapshot, [{ row, set: { score: 7 } }])).toEqual([
      { kind: 'displaced', cells: [{ cell: 'E5', written: 7, before: 5, isRestored: true }] },
    ]);
    expect(people(trial)[4]).toEqual(['', 'Other', 'tag e', 'other@x.org', 5]);
  });

  describe('a row that is given its id', () => {
    const rows = [...values, ['e', 'EVE', 'tag e', 'x@x.org', 1]];
    const idOf = async (edit: (trial: Trial) => void) => {
      const { trial, table, snapshot } = await open({ values: rows });
      const row = snapshot.rows.find(({ id }) => id === '')!;
      before(trial, write, () => edit(trial));
      const outcomes = await table.update(snapshot, [{ row, set: {}, id: 'd' }]);
      return { outcomes, id: people(trial)[4]?.[0] };
    };

    test('and into which the id and the name of another row are sorted: that id is restored, and it is reported', async () => {
      const { outcomes, id } = await idOf(({ person }) => person.sortRange('Prospects!A2:B9', 'A', 'ASCENDING'));
      expect(outcomes).toEqual([
        { kind: 'displaced', cells: [{ cell: 'A5', written: 'd', before: 'e', isRestored: true }] },
      ]);
      expect(id).toBe('e');
    });

    test.each<[string, (trial: Trial) => void]>([
      ['text of its own', ({ person }) => person.type('Prospects!B5', 'Dora')],
      ['what more rows than one have', ({ person }) => person.type('Prospects!E5', '1')],
      ['nothing', ({ person }) => person.clear('Prospects!B5')],
    ])('and beside whose id %s is typed: it stays', async (_, edit) => {
      expect(await idOf(edit)).toEqual({ outcomes: [{ kind: 'written', stored: {} }], id: 'd' });
    });

    test.each([
      ['shows an error', '=1/0'],
      ['follows from that id', '="for "&A5'],
      ['follows from another cell that is set', '="to "&D5'],
    ])('W3, W4: and whose only other cell %s: it is written, and stays', async (_, formula) => {
      const withFormula = rows.map((row, index) => (index === 4 ? [null, formula, null, 'old@x.org', null] : row));
      const { trial, table, snapshot } = await open({ values: withFormula });
      const row = snapshot.rows.find(({ id }) => id === '')!;
      expect(await table.update(snapshot, [{ row, set: { email: 'dora@x.org' }, id: 'd' }])).toEqual([
        { kind: 'written', stored: { email: 'dora@x.org' } },
      ]);
      expect(people(trial)[4]).toEqual(['d', formula, '', 'dora@x.org']);
    });

    test('W3: and whose only other cell is a formula, as another row is pasted over it: what people pasted is restored', async () => {
      const withFormula = rows.map((row, index) => (index === 4 ? [null, '="for "&A5', null, null, null] : row));
      const { trial, table, snapshot } = await open({ values: withFormula });
      const row = snapshot.rows.find(({ id }) => id === '')!;
      before(trial, write, () => trial.person.copyPaste('Prospects!A3:H3', 'Prospects!A5:H5'));
      expect(await table.update(snapshot, [{ row, set: { email: 'dora@x.org' }, id: 'd' }])).toMatchObject([
        {
          kind: 'displaced',
          cells: [
            { before: 'bob@x.org', isRestored: true },
            { before: 'b', isRestored: true },
          ],
        },
      ]);
      expect(people(trial)[4]).toEqual(['b', 'Bob', 'tag b', 'bob@x.org', 2]);
    });

    describe('L2: into which cells of another row come at that moment', () => {
      const dora = [null, null, null, 'dora@x.org', null];
      const written = { set: { first_name: 'Dora', score: 7 }, id: 'd' };
      const give = async (edit: (trial: Trial) => void, more: (trial: Trial) => void = () => undefined) => {
        const { trial, table, snapshot } = await open({ values: [...values.slice(0, 4), dora] });
        before(trial, write, () => edit(trial));
        more(trial);
        const [outcome] = await table.update(snapshot, [
          { row: snapshot.rows.find(({ id }) => id === '')!, ...written },
        ]);
        const cells = outcome?.kind === 'displaced' ? outcome.cells : [];
        return {
          row: people(trial)[4],
          before: Object.fromEntries(cells.map((each) => [each.cell, each.isRestored ? each.before : 'not known'])),
        };
      };
      const exchange = ({ person }: Trial) => {
        person.type('Prospects!D3', 'dora@x.org');
        person.type('Prospects!D5', 'bob@x.org');
      };
      const notKnown = { A5: 'not known', B5: 'not known', E5: 'not known' };

      test('an address alone, for its own: nothing else of that person is written', async () => {
        expect(await give(exchange)).toEqual({ row: ['', '', '', 'bob@x.org'], before: notKnown });
      });

      test('a copy of an address alone: the same', async () => {
        const { row } = await give(({ person }) => person.copyPaste('Prospects!D3', 'Prospects!D5'));
        expect(row).toEqual(['', '', '', 'bob@x.org']);
      });

      test('all that people see, sorted without the IDs: these cells are put back, and the ID is not', async () => {
        expect(await give(({ person }) => person.sortRange('Prospects!B2:E5', 'D', 'DESCENDING'))).toEqual({
          row: ['', 'Ann', 'tag a', 'ann@x.org', 1],
          before: { A5: 'not known', B5: 'Ann', E5: 1 },
        });
      });

      const move = ({ person }: Trial) => person.cutPaste('Prospects!A3:E3', 'Prospects!A5:E5');

      test('the whole row: all of it is put back, with its ID', async () => {
        expect(await give(move)).toEqual({
          row: ['b', 'Bob', 'tag b', 'bob@x.org', 2],
          before: { A5: 'b', B5: 'Bob', E5: 2 },
        });
      });

      test('L9: a row that is pasted over it while the tab is read for that: it stays', async () => {
        const { row } = await give(move, (trial) => {
          const atWrite = trial.onRequest;
          let count = 0;
          trial.onRequest = (request) => {
            atWrite(request);
            if (count === lookAgain + 1) trial.person.copyPaste('Prospects!A2:E2', 'Prospects!A5:E5');
            count += 1;
          };
        });
        expect(row).toEqual(['a', 'Ann', 'tag a', 'ann@x.org', 1]);
      });

      test('L9: the tab cannot be read then: what was written is removed, and nothing is guessed', async () => {
        const given = await give(move, (trial) =>
          trial.standin.faults.add({
            effect: { type: 'status', status: 503 },
            times: 99,
            match: { operation: 'values.batchGetByDataFilter' },
          }),
        );
        expect(given).toEqual({ row: ['', '', 'tag b', 'bob@x.org'], before: notKnown });
      });
    });

    test('and a formula that then shows the value of another row: it stays', async () => {
      const withFormula = rows.map((row, index) => (index === 4 ? [null, '=UPPER(A5)', 'tag d', null, null] : row));
      const { trial, table, snapshot } = await open({ values: withFormula });
      const row = snapshot.rows.find(({ id }) => id === '')!;
      expect(await table.update(snapshot, [{ row, set: {}, id: 'eve' }])).toEqual([{ kind: 'written', stored: {} }]);
      expect(people(trial)[4]?.[0]).toBe('eve');
    });
  });

  test('another row pasted over the pinned one at that moment: its cell is restored', async () => {
    const { trial, table, snapshot } = await open();
    before(trial, write, () => trial.person.copyPaste('Prospects!A3:H3', 'Prospects!A2:H2'));
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { email: 'new@x.org' } }]);
    expect(outcomes).toMatchObject([{ kind: 'displaced', cells: [{ before: 'bob@x.org', isRestored: true }] }]);
    expect(people(trial)[1]).toEqual(['b', 'Bob', 'tag b', 'bob@x.org', 2]);
  });

  test('V8: a date pasted over it at that moment is a date again, and not the text that it shows', async () => {
    const trial = createTrial({ values, tab: { typed: true } });
    trial.person.type('Prospects!D3', '3/14/2026');
    const { table, snapshot } = await openAnchored(trial);
    expect(rowOf(snapshot, 'b').cells).toMatchObject({ email: '3/14/2026' });
    before(trial, write, () => trial.person.copyPaste('Prospects!A3:H3', 'Prospects!A2:H2'));
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { email: 'new@x.org' } }]);
    expect(outcomes).toMatchObject([{ kind: 'displaced', cells: [{ isRestored: true }] }]);
    expect(people(trial)[1]).toEqual(['b', 'Bob', 'tag b', 46_095, 2]);
    expect(trial.person.read('Prospects!D2')).toEqual([['3/14/2026']]);
  });

  test.each([
    ['emptied', '', (trial: Trial) => trial.person.clear('Prospects!A2:A5')],
    ['typed over', 'mine', (trial: Trial) => trial.person.paste('Prospects!A2', [['mine'], ['mine']])],
  ])('the IDs %s at that moment: each cell holds again what people had in it', async (_how, id, edit) => {
    const { trial, table, snapshot } = await open();
    before(trial, write, () => edit(trial));
    const outcomes = await table.update(snapshot, [
      { row: rowOf(snapshot, 'a'), set: { email: 'new@x.org' } },
      { row: rowOf(snapshot, 'b'), set: { first_name: '' } },
    ]);
    expect(outcomes).toMatchObject([
      { kind: 'displaced', cells: [{ written: 'new@x.org', before: 'ann@x.org', isRestored: true }] },
      { kind: 'displaced', cells: [{ written: '', before: 'Bob', isRestored: true }] },
    ]);
    expect(people(trial).slice(1, 3)).toEqual([
      [id, 'Ann', 'tag a', 'ann@x.org', 1],
      [id, 'Bob', 'tag b', 'bob@x.org', 2],
    ]);
  });
});

describe('L9: a row that changed again before the second look', () => {
  test('a value in a wrong column that a person then typed over: it is reported, and their text stays', async () => {
    const { trial, table, snapshot } = await open();
    twice(trial, {
      atWrite: () => trial.person.insertColumns('Prospects', 'A'),
      atSecondLook: () => trial.person.type('Prospects!D2', 'Mine'),
    });
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { email: 'new@x.org' } }]);
    expect(outcomes).toEqual([
      {
        kind: 'displaced',
        cells: [{ cell: 'D2', written: 'new@x.org', before: 'tag a', isRestored: false }],
      },
    ]);
    expect(people(trial)[1]).toEqual(['', 'a', 'Ann', 'Mine', 'ann@x.org', 1]);
  });

  test('a third row that was pasted over the other one: nothing of it is overwritten', async () => {
    const { trial, table, snapshot } = await open();
    twice(trial, {
      atWrite: () => trial.person.copyPaste('Prospects!A3:H3', 'Prospects!A2:H2'),
      atSecondLook: () => trial.person.copyPaste('Prospects!A4:H4', 'Prospects!A2:H2'),
    });
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { email: 'cy@x.org' } }]);
    expect(outcomes).toMatchObject([{ kind: 'displaced', cells: [{ written: 'cy@x.org', isRestored: false }] }]);
    expect(people(trial)[1]).toEqual(['c', 'Cy', 'tag c', 'cy@x.org', '=1+2']);
  });

  test('a column inserted as another row is pasted: its value is restored in the column where it was', async () => {
    const { trial, table, snapshot } = await open();
    twice(trial, {
      atWrite: () => {
        trial.person.copyPaste('Prospects!A3:H3', 'Prospects!A2:H2');
        trial.person.insertColumns('Prospects', 'E');
      },
    });
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { email: 'new@x.org' } }]);
    expect(outcomes).toMatchObject([
      { kind: 'displaced', cells: [{ cell: 'D2', before: 'bob@x.org', isRestored: true }] },
    ]);
    expect(people(trial)[1]).toEqual(['b', 'Bob', 'tag b', 'bob@x.org', '', 2]);
  });

  test('columns that move while cells are restored: what the repair overwrote is restored, too', async () => {
    const { trial, table, snapshot } = await open();
    trial.person.type('Prospects!C2', '=UPPER("tag")');
    let count = 0;
    trial.onRequest = () => {
      // The repair follows the second look.
      if (count === write || count === lookAgain + 1) trial.person.insertColumns('Prospects', 'A');
      count += 1;
    };
    const row = rowOf(snapshot, 'a');
    const outcomes = await table.update(snapshot, [{ row, set: { email: 'new@x.org', score: 7 } }]);
    expect(people(trial)[1]).toEqual(['', '', 'a', 'Ann', '=UPPER("tag")', 'ann@x.org', 1]);
    expect(outcomes).toEqual([
      {
        kind: 'displaced',
        cells: [
          { cell: 'D2', written: 'new@x.org', before: 'TAG', isRestored: true },
          { cell: 'E2', written: 7, before: 'ann@x.org', isRestored: true },
          // The repair put the address into the column that was in its place then.
          { cell: 'E2', written: 'ann@x.org', before: 'new@x.org', isRestored: true },
        ],
      },
    ]);
    expect(temporaryMarks(trial)).toEqual([]);
  });

  test('a value in a column that was inserted then, and moves on as it is cleared: it is cleared where it is', async () => {
    const { trial, table, snapshot } = await open();
    let count = 0;
    trial.onRequest = () => {
      if (count === write) trial.person.insertColumns('Prospects', 'D');
      if (count === lookAgain + 1) trial.person.insertColumns('Prospects', 'A');
      count += 1;
    };
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { email: 'new@x.org' } }]);
    expect(people(trial)[1]).toEqual(['', 'a', 'Ann', 'tag a', '', 'ann@x.org', 1]);
    expect(outcomes).toEqual([
      {
        kind: 'displaced',
        cells: [
          { cell: 'D2', written: 'new@x.org', before: null, isRestored: true },
          { cell: 'D2', written: '', before: 'tag a', isRestored: true },
        ],
      },
    ]);
    expect(temporaryMarks(trial)).toEqual([]);
  });

  test('another row that had the very value already: no cell of it is named', async () => {
    const { trial, table, snapshot } = await open();
    twice(trial, { atWrite: () => trial.person.copyPaste('Prospects!A3:H3', 'Prospects!A2:H2') });
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { email: 'bob@x.org' } }]);
    expect(outcomes).toEqual([{ kind: 'displaced', cells: [] }]);
  });
});

/** Edits right before the write, and right before the look that follows. */
function twice(trial: Trial, { atWrite, atSecondLook }: { atWrite: () => void; atSecondLook?: () => void }): void {
  let count = 0;
  trial.onRequest = () => {
    if (count === write) atWrite();
    if (count === lookAgain) atSecondLook?.();
    count += 1;
  };
}

describe('W4: a write with a lost answer is read back, never repeated blindly', () => {
  test.each([
    ['applied', 'after', 1],
    ['not applied: it is harmless to send it again', 'before', 2],
  ] as const)('%s', async (_, when, writes) => {
    const { trial, table, snapshot } = await open();
    trial.standin.faults.add({
      effect: { type: 'lost' },
      when,
      match: { operation: 'values.batchUpdateByDataFilter' },
    });
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } }]);
    expect(outcomes).toEqual([{ kind: 'written', stored: { first_name: 'Anna' } }]);
    expect(requests(trial).filter((operation) => operation === 'values.batchUpdateByDataFilter')).toHaveLength(writes);
    expect(temporaryMarks(trial)).toEqual([]);
  });

  test.each([
    ['the cell', 'Prospects!B2', ['a', 'Typed', 'tag a', 'ann@x.org', 1]],
    ['another mapped cell of the row', 'Prospects!D2', ['a', 'Ann', 'tag a', 'Typed', 1]],
  ])('W3: it is not sent again over %s that a person edited before the second look', async (_, cell, row) => {
    const { trial, table, snapshot } = await open();
    trial.standin.faults.add({
      effect: { type: 'lost' },
      when: 'before',
      match: { operation: 'values.batchUpdateByDataFilter' },
    });
    // Pins, the look, the write that is lost, and then the second look.
    before(trial, 3, () => trial.person.type(cell, 'Typed'));
    const outcomes = await table.update(snapshot, [
      { row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } },
      { row: rowOf(snapshot, 'b'), set: { first_name: 'Bobby' } },
    ]);
    expect(outcomes).toMatchObject([{ kind: 'unknown' }, { kind: 'written', stored: { first_name: 'Bobby' } }]);
    expect(people(trial)[1]).toEqual(row);
  });

  test('applied, and a row of the batch deleted before the second look: that row is gone, the others are written', async () => {
    const { trial, table, snapshot } = await open();
    trial.standin.faults.add({
      effect: { type: 'lost' },
      when: 'after',
      match: { operation: 'values.batchUpdateByDataFilter' },
    });
    before(trial, lookAgain, () => trial.person.deleteRows('Prospects', 2));
    const outcomes = await table.update(snapshot, [
      { row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } },
      { row: rowOf(snapshot, 'b'), set: { first_name: 'Bobby' } },
    ]);
    expect(outcomes).toEqual([{ kind: 'row-gone' }, { kind: 'written', stored: { first_name: 'Bobby' } }]);
  });

  test('applied, and columns moved before the second look: the values are found, and not sent again', async () => {
    const { trial, table, snapshot } = await open();
    trial.standin.faults.add({
      effect: { type: 'lost' },
      when: 'after',
      match: { operation: 'values.batchUpdateByDataFilter' },
    });
    before(trial, lookAgain, () => trial.person.insertColumns('Prospects', 'A'));
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } }]);
    expect(outcomes).toEqual([{ kind: 'written', stored: { first_name: 'Anna' } }]);
    expect(requests(trial).filter((operation) => operation === 'values.batchUpdateByDataFilter')).toHaveLength(1);
    expect(people(trial)[1]).toEqual(['', 'a', 'Anna', 'tag a', 'ann@x.org', 1]);
  });

  test('and if no token can be had for the write, it was surely not sent', async () => {
    const lost = { isCut: false };
    const { trial, table, snapshot } = await open({
      wrapFetch: (fetch) => (url, init) => {
        if (!lost.isCut || url.hostname === 'sheets.googleapis.com') return fetch(url, init);
        return Promise.reject(
          new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) }),
        );
      },
    });
    before(trial, write - 1, () => {
      lost.isCut = true;
      // The token that the adapter holds is over.
      trial.standin.faults.add({ effect: { type: 'status', status: 401 }, match: { kind: 'write' } });
    });
    const [outcome] = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } }]);
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'unavailable' } });
    expect(people(trial)[1]?.[1]).toBe('Ann');
  });

  test('and if nothing can be read any more, the outcome is unknown', async () => {
    const { trial, table, snapshot } = await open();
    trial.standin.faults.add({ effect: { type: 'status', status: 503 }, times: 99, skip: 2, match: {} });
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } }]);
    expect(outcomes).toMatchObject([{ kind: 'unknown', error: { code: 'outcome-unknown' } }]);
  });
});

test('I4: an id that is on two rows is not written, unless the caller means this very row', async () => {
  const { trial, table } = await open({ values: [...values, ['a', 'Ann', 'copy', 'ann@x.org', 1]] });
  const snapshot = await table.read();
  const row = rowOf(snapshot, 'a');
  expect(await table.update(snapshot, [{ row, set: { score: 5 } }])).toEqual([{ kind: 'duplicate-id' }]);
  expect(await table.update(snapshot, [{ row, set: { score: 5 }, isKnownDuplicate: true }])).toMatchObject([
    { kind: 'written' },
  ]);
  expect(people(trial).map((each) => each[4])).toEqual(['Score', 5, 2, '=1+2', undefined, 1]);
});

test('a protected cell refuses its row by name, in any language of Google; the others are written', async () => {
  const { trial, table, snapshot } = await open({
    standin: { behaviour: { protectedMessage: 'Estás intentando editar una celda protegida.' } },
  });
  const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 2, startColumnIndex: 3, endColumnIndex: 5 };
  trial.person.request({ addProtectedRange: { protectedRange: { range } } });
  const outcomes = await table.update(snapshot, [
    { row: rowOf(snapshot, 'a'), set: { first_name: 'Anna', score: 5 } },
    { row: rowOf(snapshot, 'b'), set: { score: 5 } },
  ]);
  expect(outcomes).toMatchObject([
    {
      kind: 'refused',
      reason: 'protected',
      columns: ['score'],
      message: expect.stringMatching(/^robot@demo\.iam\.gserviceaccount\.com may not edit the protected range D2:E2: /),
    },
    { kind: 'written' },
  ]);
});

test('a tab that is protected but for the mapped columns is written', async () => {
  const { trial, table, snapshot } = await open();
  const unprotectedRanges = [{ sheetId: 7, startColumnIndex: 0, endColumnIndex: 5 }];
  trial.person.request({ addProtectedRange: { protectedRange: { range: { sheetId: 7 }, unprotectedRanges } } });
  const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } }]);
  expect(outcomes).toEqual([{ kind: 'written', stored: { first_name: 'Anna' } }]);
});

test('if others leave little room for metadata, batches shrink until they fit', async () => {
  const { trial, table, snapshot } = await open();
  // Room for the header's pin, four columns' and two rows': not for three.
  fillMetadata(trial, 1 + 4 + 2);
  const changes = ['a', 'b', 'c'].map((id) => ({ row: rowOf(snapshot, id), set: { email: `${id}@y.org` } }));
  const outcomes = await table.update(snapshot, changes);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['written', 'written', 'written']);
  expect(
    people(trial).flatMap((cells) => cells.filter((cell) => typeof cell === 'string' && cell.endsWith('@y.org'))),
  ).toEqual(['a', 'b', 'c'].map((id) => `${id}@y.org`));
});

test('if others leave no room at all, the error says so, and nothing was written', async () => {
  const { trial, table, snapshot } = await open();
  fillMetadata(trial);
  const [outcome] = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { email: 'x' } }]);
  expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'metadata-full' } });
  expect(String(outcome?.kind === 'failed' && outcome.error)).toContain('used up by another add-on or program');
});

test('a tab whose reference is 0 is as full as any other', async () => {
  const { trial, table, snapshot } = await open({ tab: { typed: true, sheetId: 0 } });
  fillMetadata(trial, 0, 0);
  const [outcome] = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { email: 'x' } }]);
  expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'metadata-full' } });
});

test('L9: rows without their ID column are not told apart by other cells', async () => {
  const { trial, table, snapshot } = await open();
  trial.person.deleteColumns('Prospects', 'A');
  expect(await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 5 } }])).toEqual([{ kind: 'moved' }]);
});

describe('marks that cannot be removed', () => {
  /** The removal is the third write of an update. */
  const failRemovals = (trial: Trial, times: number) =>
    trial.standin.faults.add({
      effect: { type: 'lost' },
      times,
      skip: 1,
      match: { operation: 'spreadsheets.batchUpdate' },
    });
  const removals = (trial: Trial) =>
    requests(trial).filter((operation) => operation === 'spreadsheets.batchUpdate').length - 1;

  test('at the third try: they are counted as left over, and the next write removes them', async () => {
    const { trial, table, snapshot } = await open();
    failRemovals(trial, 3);
    const change = { row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } };
    expect(await table.update(snapshot, [change])).toMatchObject([{ kind: 'written' }]);
    expect(removals(trial)).toBe(3);
    const marks = temporaryMarks(trial);
    const after = await table.read();
    expect(after.leftovers).toBe(marks.length);
    expect(marks.length).toBeGreaterThan(0);
    await table.update(after, [{ row: rowOf(after, 'b'), set: { first_name: 'Bobby' } }]);
    expect(temporaryMarks(trial)).toEqual([]);
    expect((await table.read()).leftovers).toBe(0);
  });

  test('at the second try: the third one removes them', async () => {
    const { trial, table, snapshot } = await open();
    failRemovals(trial, 2);
    await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } }]);
    expect(temporaryMarks(trial)).toEqual([]);
    expect((await table.read()).leftovers).toBe(0);
  });

  test('and of which nothing can be read: no call fails for it, and they are counted as left over', async () => {
    const { trial, table, snapshot } = await open();
    failRemovals(trial, 1);
    const unread = {
      effect: { type: 'status', status: 503 },
      match: { operation: 'developerMetadata.search' },
    } as const;
    trial.standin.faults.add({ ...unread, times: 99 });
    await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } }]);
    const marks = temporaryMarks(trial);
    expect(marks.length).toBeGreaterThan(0);
    trial.standin.faults.add({ effect: { type: 'lost' }, match: { operation: 'spreadsheets.batchUpdate' } });
    await expect(table.clearMarks()).resolves.toBeUndefined();
    expect((await table.read()).leftovers).toBe(marks.length);
    await table.clearMarks();
    expect(temporaryMarks(trial)).toEqual([]);
  });

  test('but were removed, with a lost answer: a look shows it, and nothing is sent again', async () => {
    const { trial, table, snapshot } = await open();
    trial.standin.faults.add({
      effect: { type: 'lost' },
      when: 'after',
      skip: 1,
      match: { operation: 'spreadsheets.batchUpdate' },
    });
    await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } }]);
    expect(removals(trial)).toBe(1);
    expect((await table.read()).leftovers).toBe(0);
  });
});

test('a refusal that concerns every row is not searched row by row: the rest of the call fails', async () => {
  const many = [header, ...Array.from({ length: 64 }, (_, index) => [`id ${index}`, 'name', null, null, index])];
  const { trial, table, snapshot } = await open({ values: many, tab: { typed: true, rowCount: 70 } });
  let writes = 0;
  const { fetch } = trial.standin;
  trial.reroute = (url, init) => {
    if (!url.pathname.endsWith('values:batchUpdateByDataFilter')) return fetch(url, init);
    writes += 1;
    const error = { code: 400, message: 'against a rule of this column', status: 'INVALID_ARGUMENT' };
    return Promise.resolve(Response.json({ error }, { status: 400 }));
  };
  const changes = snapshot.rows.map((row) => ({ row, set: { score: 0.5 } }));
  const outcomes = await table.update(snapshot, changes);
  expect(outcomes[4]).toMatchObject({ kind: 'refused', reason: 'by-spreadsheet' });
  expect(outcomes.filter(({ kind }) => kind === 'refused')).toHaveLength(5);
  expect(outcomes.filter(({ kind }) => kind === 'failed')).toHaveLength(59);
  expect(writes).toBeLessThan(20);
  expect(temporaryMarks(trial)).toEqual([]);
});

describe('W4: pins that were lost, while another program has a mark on the header row', () => {
  const markHeader = ({ person }: Trial) =>
    person.request({
      createDeveloperMetadata: {
        developerMetadata: {
          metadataKey: 'x',
          location: { dimensionRange: { sheetId: 7, dimension: 'ROWS', startIndex: 0, endIndex: 1 } },
          visibility: 'DOCUMENT',
        },
      },
    });
  const loseFirstWrite = (trial: Trial, when: 'before' | 'after') =>
    trial.standin.faults.add({ effect: { type: 'lost' }, when, match: { kind: 'write' } });

  test('that did not arrive: the row is not taken for a deleted one', async () => {
    const { trial, table, snapshot } = await open();
    markHeader(trial);
    loseFirstWrite(trial, 'before');
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 5 } }]);
    expect(outcomes).toMatchObject([{ kind: 'failed', error: { code: 'unavailable', retryable: true } }]);
    expect(people(trial)[1]?.[4]).toBe(1);
  });

  test('that arrived: the row is written', async () => {
    const { trial, table, snapshot } = await open();
    markHeader(trial);
    loseFirstWrite(trial, 'after');
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 5 } }]);
    expect(outcomes).toEqual([{ kind: 'written', stored: { score: 5 } }]);
    expect(temporaryMarks(trial).filter((mark) => !mark.startsWith('x'))).toEqual([]);
  });
});

test('a look that gets no answer is no reason to look for the tab; one that is refused is', async () => {
  const { trial, table, snapshot } = await open();
  trial.standin.faults.add({ effect: { type: 'status', status: 503 }, times: 99, match: { kind: 'read' } });
  const change = { row: rowOf(snapshot, 'a'), set: { score: 5 } };
  expect(await table.update(snapshot, [change])).toMatchObject([{ kind: 'failed', error: { code: 'unavailable' } }]);
  expect(requests(trial)).not.toContain('spreadsheets.get');
  trial.standin.faults.clear();
  const again = await table.read();
  before(trial, verify, () => trial.person.request({ deleteSheet: { sheetId: 7 } }));
  const gone = await table.update(again, [{ row: rowOf(again, 'a'), set: { score: 5 } }]);
  expect(gone).toMatchObject([{ kind: 'failed', error: { code: 'tab-gone' } }]);
});

test('W4: of a lost batch whose one row was deleted since, the others are sent again; that row may have been written', async () => {
  const { trial, table, snapshot } = await open();
  trial.standin.faults.add({
    effect: { type: 'lost' },
    when: 'before',
    match: { operation: 'values.batchUpdateByDataFilter' },
  });
  before(trial, lookAgain, () => trial.person.deleteRows('Prospects', 2));
  const outcomes = await table.update(snapshot, [
    { row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } },
    { row: rowOf(snapshot, 'b'), set: { first_name: 'Bobby' } },
  ]);
  expect(outcomes).toMatchObject([{ kind: 'unknown' }, { kind: 'written', stored: { first_name: 'Bobby' } }]);
  expect(people(trial)[1]?.[1]).toBe('Bobby');
});

test('W4: a batch that is lost each time is sent three times, and is of unknown outcome', async () => {
  const { trial, table, snapshot } = await open();
  trial.standin.faults.add({
    effect: { type: 'lost' },
    when: 'before',
    times: 99,
    match: { operation: 'values.batchUpdateByDataFilter' },
  });
  const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { first_name: 'Anna' } }]);
  expect(outcomes).toMatchObject([{ kind: 'unknown' }]);
  expect(requests(trial).filter((operation) => operation === 'values.batchUpdateByDataFilter')).toHaveLength(3);
});

test('L9: after a lost answer, what a person typed beside the written cell is not taken for a stray value', async () => {
  const { trial, table, snapshot } = await open();
  trial.standin.faults.add({
    effect: { type: 'lost' },
    when: 'after',
    match: { operation: 'values.batchUpdateByDataFilter' },
  });
  before(trial, lookAgain, () => trial.person.type('Prospects!C2', 'new@x.org'));
  const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { email: 'new@x.org' } }]);
  expect(outcomes).toEqual([{ kind: 'written', stored: { email: 'new@x.org' } }]);
  expect(people(trial)[1]).toEqual(['a', 'Ann', 'new@x.org', 'new@x.org', 1]);
});

test('L9: a cell that was cleared because a column was inserted at that moment is filled again', async () => {
  const { trial, table, snapshot } = await open();
  before(trial, write, () => trial.person.insertColumns('Prospects', 'A'));
  const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { email: '' } }]);
  expect(outcomes).toEqual([
    { kind: 'displaced', cells: [{ cell: 'D2', written: '', before: 'tag a', isRestored: true }] },
  ]);
  expect(people(trial)[1]).toEqual(['', 'a', 'Ann', 'tag a', 'ann@x.org', 1]);
});

describe('L9: cells that cannot be restored are reported as they are', () => {
  const stray = { cell: 'D2', written: 'new@x.org', before: 'tag a' };

  test.each<[string, Parameters<Trial['standin']['faults']['add']>[0], number, boolean, unknown]>([
    [
      'the repair is lost each time',
      {
        effect: { type: 'lost' },
        when: 'before',
        skip: 1,
        times: 99,
        match: { operation: 'values.batchUpdateByDataFilter' },
      },
      4,
      false,
      'new@x.org',
    ],
    [
      'the answer to the repair is lost',
      { effect: { type: 'lost' }, when: 'after', skip: 1, match: { operation: 'values.batchUpdateByDataFilter' } },
      2,
      true,
      'tag a',
    ],
    [
      'nothing can be read after the repair',
      {
        effect: { type: 'status', status: 503 },
        skip: 2,
        times: 99,
        match: { operation: 'spreadsheets.getByDataFilter' },
      },
      2,
      false,
      'tag a',
    ],
  ])('%s', async (_, fault, writes, isRestored, left) => {
    const { trial, table, snapshot } = await open();
    before(trial, write, () => trial.person.insertColumns('Prospects', 'A'));
    trial.standin.faults.add(fault);
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { email: 'new@x.org' } }]);
    expect(outcomes).toEqual([{ kind: 'displaced', cells: [{ ...stray, isRestored }] }]);
    expect(requests(trial).filter((operation) => operation === 'values.batchUpdateByDataFilter')).toHaveLength(writes);
    expect(people(trial)[1]?.[3]).toBe(left);
  });
});

test('a write that is refused for a protected cell which it does not set names the protected range', async () => {
  const { trial, table, snapshot } = await open();
  const { fetch } = trial.standin;
  trial.reroute = (url, init) => {
    if (!url.pathname.endsWith('values:batchUpdateByDataFilter')) return fetch(url, init);
    const error = { code: 400, message: 'a protected cell', status: 'INVALID_ARGUMENT' };
    return Promise.resolve(Response.json({ error }, { status: 400 }));
  };
  const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 2, startColumnIndex: 3, endColumnIndex: 4 };
  trial.person.request({ addProtectedRange: { protectedRange: { range } } });
  const outcomes = await table.update(snapshot, [
    { row: rowOf(snapshot, 'a'), set: { score: 5 } },
    { row: rowOf(snapshot, 'b'), set: { score: 5 } },
  ]);
  expect(outcomes).toMatchObject([
    {
      kind: 'refused',
      reason: 'protected',
      columns: ['score'],
      message: expect.stringContaining('may not edit the protected range D2: ') as string,
    },
    {
      kind: 'refused',
      reason: 'by-spreadsheet',
      columns: ['score'],
      message: expect.stringContaining('a protected cell') as string,
    },
  ]);
});

function refusePins(trial: Awaited<ReturnType<typeof open>>['trial']): void {
  const { fetch } = trial.standin;
  trial.reroute = (url, init) => {
    if (!url.pathname.endsWith(':batchUpdate')) return fetch(url, init);
    const error = { code: 400, message: 'no pins', status: 'INVALID_ARGUMENT' };
    return Promise.resolve(Response.json({ error }, { status: 400 }));
  };
}

test.each([
  ['by a row', { startRowIndex: 1, endRowIndex: 2 }, 'protected'],
  ['not at all', { startRowIndex: 2, endRowIndex: 3 }, 'refused'],
])('a row whose pin is refused fails by its cause: protected %s', async (_, rows, code) => {
  const { trial, table, snapshot } = await open();
  trial.person.request({ addProtectedRange: { protectedRange: { range: { sheetId: 7, ...rows } } } });
  refusePins(trial);
  const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 5 } }]);
  expect(outcomes).toMatchObject([{ kind: 'failed', error: { code } }]);
});

test('pins whose ids are in use are drawn anew', async () => {
  const { trial, table, snapshot } = await open();
  const { fetch } = trial.standin;
  let batches = 0;
  trial.reroute = async (url, init) => {
    if (!url.pathname.endsWith(':batchUpdate')) return fetch(url, init);
    batches += 1;
    if (batches === 1) {
      takeMetadataId(trial, init);
    }
    return fetch(url, init);
  };
  const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 5 } }]);
  expect(outcomes).toEqual([{ kind: 'written', stored: { score: 5 } }]);
  expect(batches).toBe(3);
});

test('W3: if no row is as it was planned, nothing is written', async () => {
  const { trial, table, snapshot } = await open();
  trial.person.type('Prospects!B2', 'Annie');
  const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 5 } }]);
  expect(outcomes).toEqual([{ kind: 'changed-meanwhile', columns: ['first_name'] }]);
  expect(requests(trial)).toEqual([
    'spreadsheets.batchUpdate',
    'spreadsheets.getByDataFilter',
    'spreadsheets.batchUpdate',
  ]);
});

test('W2: in a tab with many columns a batch has fewer rows: no request is larger than 2 MB', async () => {
  const wide = [...header.slice(0, 4), ...Array.from({ length: 995 }, () => null), 'Score'];
  const rows = Array.from({ length: 60 }, (_, index) => [`id ${index}`, 'Ann']);
  const { trial, table, snapshot } = await open({
    values: [wide, ...rows],
    tab: { typed: true, rowCount: 61, columnCount: 1_000 },
  });
  const bytes: number[] = [];
  trial.reroute = (url, init) => {
    bytes.push(Buffer.byteLength(typeof init.body === 'string' ? init.body : ''));
    return trial.standin.fetch(url, init);
  };
  const outcomes = await table.update(
    snapshot,
    snapshot.rows.map((row) => ({ row, set: { first_name: 'x'.repeat(30_000) } })),
  );
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['written']));
  expect(Math.max(...bytes)).toBeGreaterThan(1_000_000);
  expect(Math.max(...bytes)).toBeLessThan(2_000_000);
});

test.each<[string, object]>([
  ['with a warning only', { warningOnly: true }],
  ['for all but this account', { editors: { users: [anyCredentials.account] } }],
])('a cell that is protected %s is written', async (_, protection) => {
  const { trial, table, snapshot } = await open();
  const range = { sheetId: 7, startColumnIndex: 4, endColumnIndex: 5 };
  trial.person.request({ addProtectedRange: { protectedRange: { range, ...protection } } });
  const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 5 } }]);
  expect(outcomes).toEqual([{ kind: 'written', stored: { score: 5 } }]);
});

test.each([
  ['just enough', 2 + 8, 'refused'],
  ['one character too little', 2 + 8 - 1, 'metadata-full'],
])('refused pins while the metadata has %s room: the cause is told by that', async (_, charactersLeft, code) => {
  const { trial, table, snapshot } = await open();
  const developerMetadata = { metadataKey: 'theirs', location: { sheetId: 7 }, visibility: 'DOCUMENT' };
  // Without a value: its key alone counts.
  trial.person.request({ createDeveloperMetadata: { developerMetadata } });
  fillMetadata(trial, charactersLeft);
  refusePins(trial);
  const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 5 } }]);
  expect(outcomes).toMatchObject([{ kind: 'failed', error: { code } }]);
});
