// Reading a table: one consistent view, and defined results for unexpected sheets.
import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/sheets/port.ts';
import type { NewTab } from '../../src/standin/sheets/model.ts';
import type { Person } from '../../src/standin/sheets/people.ts';
import {
  createTrial,
  header,
  openAnchored,
  rowOf,
  spreadsheetId,
  temporaryMarks,
  type Trial,
} from '../support/sheets.ts';

const values = [
  header,
  ['a', 'Ann', 'tag', 'ann@x.org', 1.5],
  [null, null, null, null, null],
  [null, 'New', null, null, true],
  ['c', '="x"&"y"', null, '=1/0', '=FOO()'],
];

/** The calls of a piece of work, by Google's names of the methods. */
async function callsOf(trial: Trial, work: () => Promise<unknown>): Promise<string[]> {
  trial.standin.log.clear();
  await work();
  return trial.standin.log.entries.flatMap(({ operation }) => (operation === 'token' ? [] : operation));
}

const routine = 'values.batchGetByDataFilter';
const grid = 'spreadsheets.getByDataFilter';
const plain = [header, ['a', 'Ann', 'tag', 'ann@x.org', 1.5], [], [null, 'New', null, null, true]];

/** The content of a row, in any representation. */
function contentOf({ number, id, cells, formulas }: Row): Pick<Row, 'number' | 'id' | 'cells' | 'formulas'> {
  return { number, id, cells, formulas };
}

describe('the cost of a read', () => {
  test('four calls the first time: the tab, marks, header and anchors, values; one every other time', async () => {
    const trial = createTrial({ values: plain });
    const table = trial.openTable();
    expect(await callsOf(trial, () => table.read())).toEqual([
      'spreadsheets.get',
      'developerMetadata.search',
      grid,
      routine,
    ]);
    expect(await callsOf(trial, () => table.read())).toEqual([routine]);
    trial.person.sort('Prospects', 'B', 'DESCENDING');
    trial.person.insertRows('Prospects', 2);
    expect(await callsOf(trial, () => table.read())).toEqual([routine]);
  });

  test('three calls the first time with the memory of an earlier process', async () => {
    const trial = createTrial({ values: plain });
    const { memory } = await trial.openTable().read();
    trial.person.renameTab('Prospects', 'Leads');
    const table = trial.openTable({}, structuredClone(memory));
    expect(await callsOf(trial, () => table.read())).toHaveLength(3);
    expect((await table.read()).title).toBe('Leads');
  });

  test('W18: one call to recognise a content in a process that has read nothing, and the layout anew for the next rows', async () => {
    const trial = createTrial({ values: plain });
    const { recall, memory, fingerprint } = await trial.openTable().read();
    const table = trial.openTable({}, structuredClone(memory));
    expect(await callsOf(trial, () => table.isAsRecalled(recall!))).toEqual([routine]);
    expect(await callsOf(trial, () => table.read({ unless: fingerprint }))).toEqual([routine]);
    const calls = await callsOf(trial, () => table.read());
    expect(calls).toContain(grid);
    expect(calls.filter((call) => call === routine)).toHaveLength(1);
  });

  test('W18: a content that changed after it was recognised is read by the layout as it is then, with the marks of others', async () => {
    const trial = createTrial({ values: plain });
    const { table: earlier, snapshot } = await openAnchored(trial);
    await earlier.append(snapshot, [{ id: 'n', set: { email: 'n@x.org' } }]);
    const { recall, memory, fingerprint } = await earlier.read();
    const table = trial.openTable({}, structuredClone(memory));
    expect(await table.isAsRecalled(recall!)).toBe(true);
    trial.person.type('Prospects!B2', 'Anna');
    const calls = await callsOf(trial, async () => {
      expect(await table.read({ unless: fingerprint })).toMatchObject({
        leftovers: 1,
        unanchored: [],
        rows: [{ id: 'a', cells: { first_name: 'Anna' } }, { id: '' }, { id: 'n', cells: { email: 'n@x.org' } }],
      });
    });
    expect(calls).toEqual([routine, 'developerMetadata.search', grid, routine]);
  });

  test('a second call while mapped columns hold a formula, none for one in another column', async () => {
    const trial = createTrial({ values: plain });
    const table = trial.openTable();
    await table.read();
    trial.person.type('Prospects!C2', '=1+1');
    expect(await callsOf(trial, () => table.read())).toEqual([routine]);
    trial.person.type('Prospects!E4', '=1+1');
    expect(await callsOf(trial, () => table.read())).toEqual([routine, grid]);
  });

  test('W11: a changed header row is read anew, once', async () => {
    const trial = createTrial({ values: plain });
    const { table } = await openAnchored(trial);
    trial.person.type('Prospects!D1', 'E-mail');
    expect(await callsOf(trial, () => table.read())).toEqual([routine, grid, routine]);
    expect(await callsOf(trial, () => table.read())).toEqual([routine]);
  });

  test.each([
    { what: 'a header that is a formula, whose result may change unseen', cell: 'C1', text: '="No"&"tes"' },
    { what: 'a renamed column that reads like another', cell: 'D1', text: 'Notes' },
    { what: 'a renamed column that reads nothing', cell: 'D1', text: '' },
    { what: 'a header that is doubled', cell: 'C1', text: 'Email' },
  ])('W11: $what is checked with every read', async ({ cell, text }) => {
    const trial = createTrial({ values: plain });
    const { table } = await openAnchored(trial);
    if (text === '') trial.person.clear(`Prospects!${cell}`);
    else trial.person.type(`Prospects!${cell}`, text);
    await table.read();
    expect(await callsOf(trial, () => table.read())).toEqual([grid, routine]);
  });

  test('W11: two columns with the same text that change places leave no trace in the header, and are told apart by their anchors', async () => {
    const trial = createTrial({ values: plain });
    const { table } = await openAnchored(trial);
    trial.person.type('Prospects!D1', 'Notes');
    await table.read();
    trial.person.moveColumns('Prospects', 'D', 1, 'C');
    expect(rowOf(await table.read(), 'a').cells).toMatchObject({ email: 'ann@x.org' });
  });

  test('W11: headers that Google shows with an apostrophe count as seen before and after the layout is read', async () => {
    const behaviour = { formulaRenderingShowsApostrophes: true };
    const trial = createTrial({ values: [header.with(2, '007'), ...plain.slice(1)], standin: { behaviour } });
    const table = trial.openTable();
    expect((await table.read()).rows).toHaveLength(2);
    expect(await callsOf(trial, () => table.read())).toEqual([routine]);
  });

  test('marks of a write of unknown outcome are searched', async () => {
    const trial = createTrial({ values: plain });
    const { table, snapshot } = await openAnchored(trial);
    trial.standin.faults.add({ effect: { type: 'lost' }, when: 'after', match: { kind: 'write' }, times: 99 });
    trial.standin.faults.add({ effect: { type: 'lost' }, match: { operation: grid }, times: 99 });
    const [outcome] = await table.append(snapshot, [{ id: 'n', set: { email: 'n@x.org' } }]);
    expect(outcome).toMatchObject({ kind: 'unknown' });
    trial.standin.faults.clear();
    expect((await table.read()).leftovers).toBe(1);
    expect(temporaryMarks(trial)).toHaveLength(1);
  });

  test('marks of an earlier process are known at the first read', async () => {
    const trial = createTrial({ values: plain });
    const { table, snapshot } = await openAnchored(trial);
    await table.append(snapshot, [{ id: 'n', set: { email: 'n@x.org' } }]);
    expect((await trial.openTable({}, snapshot.memory).read()).leftovers).toBe(1);
  });
});

describe('unless it is unchanged', () => {
  test('the same bytes are reported without rows, at the cost of the call', async () => {
    const trial = createTrial({ values: plain });
    const { table, snapshot } = await openAnchored(trial);
    const { fingerprint } = snapshot;
    expect(
      await callsOf(trial, async () => expect(await table.read({ unless: fingerprint })).toBe('unchanged')),
    ).toEqual([routine]);
    trial.person.type('Prospects!B2', 'Anna');
    const changed = await table.read({ unless: fingerprint });
    expect(changed === 'unchanged' ? [] : changed.rows).toMatchObject([{ cells: { first_name: 'Anna' } }, {}]);
    expect(changed).not.toMatchObject({ fingerprint });
    trial.person.type('Prospects!B2', 'Ann');
    expect(await table.read({ unless: fingerprint })).toMatchObject({ fingerprint });
    expect(await table.read({ unless: fingerprint })).toBe('unchanged');
    expect(await table.read({ unless: undefined })).toMatchObject({ fingerprint });
  });

  test('a changed result of a formula is a change, though its text is the same', async () => {
    const trial = createTrial({ values: plain });
    const { table } = await openAnchored(trial);
    trial.person.type('Prospects!E4', '=LEN(C2)');
    const { fingerprint } = await table.read();
    expect(
      await callsOf(trial, async () => expect(await table.read({ unless: fingerprint })).toBe('unchanged')),
    ).toEqual([routine, grid]);
    trial.person.type('Prospects!C2', 'longer than that');
    const changed = await table.read({ unless: fingerprint });
    expect(changed === 'unchanged' ? [] : changed.rows.map(({ cells }) => cells['score'])).toEqual([1.5, 16]);
  });

  test('new anchors of columns are a change', async () => {
    const table = createTrial({ values: plain }).openTable();
    const snapshot = await table.read();
    await table.ensure(snapshot, []);
    expect(await table.read({ unless: snapshot.fingerprint })).toMatchObject({ unanchored: [] });
  });

  test('never at the first read of a process: marks and anchors may be new', async () => {
    const trial = createTrial({ values: plain });
    const { snapshot } = await openAnchored(trial);
    const table = trial.openTable({}, snapshot.memory);
    const { fingerprint } = snapshot;
    expect(await table.read({ unless: fingerprint })).toMatchObject({ fingerprint });
    expect(await table.read({ unless: fingerprint })).toBe('unchanged');
  });
});

describe('V4, V5, V6: cells that one call leaves open', () => {
  const asked = [
    header,
    ['a', '=UPPER("x")', null, '#N/A is text', '=1/0'],
    ['b', "'quoted", null, null, 'Loading...'],
  ];

  test.each([false, true])(
    'are read by a second call; Google shows apostrophes: %s',
    async (formulaRenderingShowsApostrophes) => {
      const trial = createTrial({
        values: asked,
        tab: { typed: true },
        standin: { behaviour: { formulaRenderingShowsApostrophes } },
      });
      trial.person.type('Prospects!B4', '\'=UPPER("x")');
      trial.person.type('Prospects!D4', "''twice");
      trial.person.type('Prospects!E4', "'007");
      const { rows } = await trial.openTable().read();
      expect(rows.map(contentOf)).toEqual([
        {
          number: 2,
          id: 'a',
          cells: { first_name: 'X', email: '#N/A is text', score: { error: '#DIV/0!' } },
          formulas: ['first_name', 'score'],
        },
        { number: 3, id: 'b', cells: { first_name: 'quoted', email: null, score: 'Loading...' }, formulas: [] },
        { number: 4, id: '', cells: { first_name: '=UPPER("x")', email: "'twice", score: '007' }, formulas: [] },
      ]);
    },
  );

  test.each([
    { what: 'a row inserted above', edit: (person: Person) => person.insertRows('Prospects', 2) },
    { what: 'a formula replaced by text', edit: (person: Person) => person.type('Prospects!B2', 'text') },
    { what: 'a formula replaced by another', edit: (person: Person) => person.type('Prospects!B2', '=LEN("xy")') },
    { what: 'rows sorted', edit: (person: Person) => person.sort('Prospects', 'A', 'DESCENDING') },
    {
      what: 'rows deleted until the cells are beyond the grid',
      edit: (person: Person) => person.deleteRows('Prospects', 2, 19),
    },
  ])('$what between the two calls: the read starts over', async ({ edit }) => {
    const trial = createTrial({ values: asked, tab: { typed: true } });
    const table = trial.openTable();
    await table.read();
    trial.onRequest = (path) => {
      if (!path.endsWith(':getByDataFilter')) return;
      trial.onRequest = () => undefined;
      edit(trial.person);
    };
    expect((await table.read()).rows.map(contentOf)).toEqual((await trial.openTable().read()).rows.map(contentOf));
  });

  test('L9: rows that change places, though their formulas read alike, are told apart by their ids', async () => {
    const formula = '=IF(ROW()=2,"first","second")';
    const trial = createTrial({
      values: [header, ['a', formula], ['b', formula]],
      tab: { typed: true },
    });
    const table = trial.openTable();
    await table.read();
    trial.onRequest = (path) => {
      if (!path.endsWith(':getByDataFilter')) return;
      trial.onRequest = () => undefined;
      trial.person.sort('Prospects', 'A', 'DESCENDING');
    };
    const { rows } = await table.read();
    expect(rows.map(({ id, cells }) => [id, cells['first_name']])).toEqual([
      ['b', 'first'],
      ['a', 'second'],
    ]);
  });

  test.each([
    {
      what: 'a column inserted, and deleted again',
      there: (person: Person) => person.insertColumns('Prospects', 'B'),
      back: (person: Person) => person.deleteColumns('Prospects', 'B'),
    },
    {
      what: 'a formula replaced by text, and entered again',
      there: (person: Person) => person.type('Prospects!D2', 'text'),
      back: (person: Person) => person.type('Prospects!D2', '=UPPER("mail")'),
    },
  ])('L2: $what: the state between two equal answers does not count for the rest', async ({ there, back }) => {
    const trial = createTrial({
      values: [header, ['a', 'Ann', '=UPPER("note")', '=UPPER("mail")', 1]],
      tab: { typed: true },
    });
    const table = trial.openTable();
    await table.read();
    const edits = [there, back];
    trial.onRequest = (path) => {
      const isDue = path.endsWith(':getByDataFilter') || edits.length === 1;
      if (isDue) edits.shift()?.(trial.person);
    };
    const { rows } = await table.read();
    expect(edits).toEqual([]);
    expect(rows).toMatchObject([{ cells: { email: 'MAIL' }, formulas: ['email'] }]);
  });

  test('L7: rows that move each time end it with an error that the next run may repeat', async () => {
    const trial = createTrial({ values: asked, tab: { typed: true } });
    const table = trial.openTable();
    trial.onRequest = (path) => {
      if (path.endsWith(':getByDataFilter')) trial.person.insertRows('Prospects', 2);
    };
    await expect(table.read()).rejects.toMatchObject({ code: 'table-moving', retryable: true });
  });

  test('formulas that Google spells differently do not: nothing changed between two equal answers', async () => {
    const trial = createTrial({ values: asked, tab: { typed: true } });
    trial.reroute = async (url, init) => {
      const answer = await trial.standin.fetch(url, init);
      if (!url.pathname.endsWith(':getByDataFilter')) return answer;
      return new Response((await answer.text()).replaceAll('=UPPER', '=MAJUSCULE'), answer);
    };
    const table = trial.openTable();
    expect(rowOf(await table.read(), 'a')).toMatchObject({
      cells: { first_name: 'X' },
      formulas: ['first_name', 'score'],
    });
    expect(await callsOf(trial, () => table.read())).toEqual([routine, grid, routine]);
  });
});

describe('L7: an incomplete answer is no blank tab', () => {
  test.each([
    { what: 'an empty object', body: '{}' },
    { what: 'no body', body: '' },
    { what: 'a page', body: '<html>' },
    { what: 'an answer cut short', body: '{"valueRanges":[' },
    { what: 'the header row alone', body: '{"valueRanges":[{"valueRange":{"range":"Prospects!A1:H1"}}]}' },
  ])('$what', async ({ body }) => {
    const trial = createTrial({ values: plain });
    const table = trial.openTable();
    await table.read();
    trial.reroute = async () => new Response(body);
    await expect(table.read()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  });

  describe.each([
    ['spreadsheets.get', 'the tabs'],
    ['developerMetadata.search', 'the marks'],
    ['spreadsheets.getByDataFilter', 'the header row'],
    ['values.batchGetByDataFilter', 'the rows'],
  ])('%s, which answers %s', (operation, _what) => {
    test.each(['empty', 'cut', 'html'] as const)('L7, W6: is repeated after a 200 that is %s', async (type) => {
      const trial = createTrial({ values: plain });
      const effect = type === 'html' ? { type, status: 200 } : { type };
      trial.standin.faults.add({ effect, times: 2, match: { operation } });
      const { rows } = await trial.openTable().read();
      expect(rows).toHaveLength(2);
      expect(trial.standin.log.entries.filter((entry) => entry.operation === operation)).toHaveLength(3);
    });

    test('L7: that never answers in full is reported as such: nothing was deleted', async () => {
      const trial = createTrial({ values: plain });
      trial.standin.faults.add({ effect: { type: 'cut' }, times: 99, match: { operation } });
      await expect(trial.openTable().read()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
    });
  });

  test.each(['spreadsheets.get', 'spreadsheets.getByDataFilter'])(
    'L7: %s that answers {} is repeated: a spreadsheet has a tab, and the tab a header row',
    async (operation) => {
      const trial = createTrial({ values: plain });
      trial.standin.faults.add({ effect: { type: 'bare' }, times: 2, match: { operation } });
      expect((await trial.openTable().read()).rows).toHaveLength(2);
    },
  );

  test('L7: what open cells show, answered without any cell, is an error of the answer', async () => {
    const trial = createTrial({ values });
    const table = trial.openTable();
    await table.read();
    trial.standin.faults.add({ effect: { type: 'bare' }, times: 99, match: { operation: grid } });
    await expect(table.read()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  });

  test.each(['empty', 'cut'] as const)(
    'L7: marks of an earlier process are known although the first answer about them was %s',
    async (type) => {
      const trial = createTrial({ values: plain });
      const { table, snapshot } = await openAnchored(trial);
      await table.append(snapshot, [{ id: 'n', set: { email: 'n@x.org' } }]);
      trial.standin.faults.add({ effect: { type }, match: { operation: 'developerMetadata.search' } });
      expect((await trial.openTable({}, snapshot.memory).read()).leftovers).toBe(1);
    },
  );

  test('a connection that breaks off in the middle is tried again', async () => {
    const trial = createTrial({ values: plain });
    const table = trial.openTable();
    await table.read();
    trial.reroute = async () => {
      trial.reroute = trial.standin.fetch;
      return new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"valueRanges":['));
            controller.error(new Error('terminated'));
          },
        }),
      );
    };
    expect((await table.read()).rows).toHaveLength(2);
  });
});

test('rows come in order with id, values by kind, and formulas listed; blank rows are left out (V3, V4, V5)', async () => {
  const trial = createTrial({ values, tab: { typed: true } });
  const { rows } = await trial.openTable().read();
  expect(rows.map(contentOf)).toEqual([
    { number: 2, id: 'a', cells: { first_name: 'Ann', email: 'ann@x.org', score: 1.5 }, formulas: [] },
    { number: 4, id: '', cells: { first_name: 'New', email: null, score: true }, formulas: [] },
    {
      number: 5,
      id: 'c',
      cells: { first_name: 'xy', email: { error: '#DIV/0!' }, score: { error: '#NAME?' } },
      formulas: ['first_name', 'email', 'score'],
    },
  ]);
});

describe('V8: a number in a column of text', () => {
  const numbers = [header, ['a', null, null, 'ann@x.org', null]];
  const read = async (trial: Trial) => (await trial.openTable().read()).rows.map(({ cells }) => cells);

  test.each([
    ['3/14/2026', '3/14/2026'],
    ['1:05 PM', '1:05 PM'],
    ['12%', '12%'],
    ['1,234', '1,234'],
    ['1e5', '1.00E+05'],
    ['007', 7],
  ])('typed as %s is read as %s; in a column of numbers it is a number', async (typed, shown) => {
    const trial = createTrial({ values: numbers, tab: { typed: true } });
    trial.person.type('Prospects!B2', typed);
    trial.person.type('Prospects!E2', typed);
    const [row] = trial.person.read('Prospects!E2', 'UNFORMATTED_VALUE');
    expect(await read(trial)).toEqual([{ first_name: shown, email: 'ann@x.org', score: row![0] }]);
  });

  test.each([
    ['shows it with leading zeros', { type: 'NUMBER', pattern: '00000' }, '01234'],
    ['is that of text', { type: 'TEXT' }, 1234],
    ['hides it', { type: 'NUMBER', pattern: ';;;' }, 1234],
    ['is automatic', { type: 'NUMBER', pattern: 'General' }, 1234],
  ])('whose format %s', async (_what, numberFormat, expected) => {
    const trial = createTrial({ values: [header, ['a', 1234, null, null, null]], tab: { typed: true } });
    trial.person.request({
      repeatCell: {
        range: { sheetId: 7, startRowIndex: 1, endRowIndex: 2, startColumnIndex: 1, endColumnIndex: 2 },
        cell: { userEnteredFormat: { numberFormat } },
        fields: 'userEnteredFormat.numberFormat',
      },
    });
    expect(await read(trial)).toMatchObject([{ first_name: expected }]);
  });

  test('costs a second call, which numbers in columns of numbers do not; a changed format is a change', async () => {
    const trial = createTrial({ values: [header, ['a', 1234, null, null, 5]], tab: { typed: true } });
    const table = trial.openTable();
    const { fingerprint, recall } = await table.read();
    expect(await callsOf(trial, () => table.read())).toEqual([routine, grid]);
    expect(await table.read({ unless: fingerprint })).toBe('unchanged');
    expect(await table.isAsRecalled(recall!)).toBe(true);
    trial.person.request({
      repeatCell: {
        range: { sheetId: 7, startRowIndex: 1, endRowIndex: 2, startColumnIndex: 1, endColumnIndex: 2 },
        cell: { userEnteredFormat: { numberFormat: { type: 'PERCENT' } } },
        fields: 'userEnteredFormat.numberFormat',
      },
    });
    expect(await table.isAsRecalled(recall!)).toBe(false);
    expect(await table.read({ unless: fingerprint })).toMatchObject({
      rows: [{ cells: { first_name: '123400.00%' } }],
    });
  });

  test('equals the text that the caller holds for its row, whatever Google answers for it', async () => {
    const trial = createTrial({ values: [header, ['a', null, null, 'ann@x.org', 5]], tab: { typed: true } });
    trial.person.type('Prospects!B2', '3/14/2026');
    const knownText = () => '[46095,"ann@x.org",5]';
    const [row] = (await trial.openTable().read({ knownText })).rows;
    expect(row).toMatchObject({ cells: { first_name: '3/14/2026' }, unchangedText: undefined });
  });

  test('that changes between the two calls is read anew', async () => {
    const trial = createTrial({ values: [header, ['a', 0.5, null, null, 5]], tab: { typed: true } });
    const table = trial.openTable();
    await table.read();
    trial.onRequest = (path) => {
      if (!path.endsWith(':getByDataFilter')) return;
      trial.onRequest = () => undefined;
      trial.person.paste('Prospects!B2', [[0.25]]);
    };
    expect((await table.read()).rows).toMatchObject([{ cells: { first_name: 0.25 } }]);
  });
});

test('V3: a cell that is blank in the place of a value which the caller holds by now is read, although the tab is as before', async () => {
  const filler = Array.from({ length: 150 }, (_, index) => [`f${index}`, 'x', null, null, null]);
  const trial = createTrial({
    values: [header, ['a', null, null, 'ann@x.org', 1], ...filler, ['z', '="x"&"y"', null, null, null]],
    tab: { typed: true, rowCount: 200 },
  });
  const table = trial.openTable();
  await table.read();
  const texts = new Map([['a', '["Ann","ann@x.org",1]']]);
  const { rows } = await table.read({ knownText: (id) => texts.get(id) });
  expect(rows[0]).toMatchObject({ cells: { first_name: null, email: 'ann@x.org' } });
  expect(rows.at(-1)).toMatchObject({ cells: { first_name: 'xy' } });
});

test('V3, V4: an array formula in the header row that breaks, and is mended, between two reads of one table', async () => {
  const trial = createTrial({
    values: [
      [header[0]!, null, ...header.slice(2)],
      ['a', null, null, 'ann@x.org', 1],
      ['b', null, null, 'bob@x.org', 2],
    ],
    tab: { typed: true },
  });
  trial.person.type('Prospects!B1', '=ARRAYFORMULA(IF(D1:D9="Email","First name",IF(D1:D9="","","Hi "&D1:D9)))');
  const table = trial.openTable();
  await table.ensure(await table.read(), []);
  const firstNames = async () => {
    const texts = new Map([
      ['a', '["Hi ann@x.org","ann@x.org",1]'],
      ['b', '["Hi bob@x.org","bob@x.org",2]'],
    ]);
    const { rows } = await table.read({ knownText: (id) => texts.get(id) });
    return rows.map(({ cells }) => cells['first_name']);
  };
  expect(await firstNames()).toEqual(['Hi ann@x.org', 'Hi bob@x.org']);
  trial.person.paste('Prospects!B3', [['mine']]);
  const error = {
    error: 'nothing, since the array formula in B1 shows #REF!: mend it, or clear what stands in its way',
  };
  expect(await firstNames()).toEqual([error, 'mine']);
  trial.person.clear('Prospects!B3');
  expect(await firstNames()).toEqual(['Hi ann@x.org', 'Hi bob@x.org']);
});

test("a row that equals the caller's text is reported so", async () => {
  const trial = createTrial({ values });
  const held = '["Ann","ann@x.org",1.5]';
  const texts = new Map([
    ['a', held],
    ['c', held],
  ]);
  const { rows } = await trial.openTable().read({ knownText: (id) => texts.get(id) });
  expect(rows.map(({ id, unchangedText }) => ({ id, unchangedText }))).toEqual([
    { id: 'a', unchangedText: held },
    { id: '', unchangedText: undefined },
    { id: 'c', unchangedText: undefined },
  ]);
  expect(rows.map(contentOf)).toEqual((await trial.openTable().read()).rows.map(contentOf));
  trial.person.type('Prospects!B2', 'Anna');
  const edited = await trial.openTable().read({ knownText: (id) => texts.get(id) });
  expect(edited.rows[0]!.unchangedText).toBeUndefined();
});

test('a tab by gid, a spreadsheet by URL', async () => {
  const trial = createTrial({ values });
  const url = `https://docs.google.com/spreadsheets/d/${spreadsheetId}/edit#gid=7`;
  const table = trial.openTable({ spreadsheet: url, tab: 'gid:7' });
  expect((await table.read()).title).toBe('Prospects');
});

test('W11: a renamed tab is found', async () => {
  const trial = createTrial({ values });
  const table = trial.openTable();
  await table.read();
  trial.person.renameTab('Prospects', "Ann's “leads”!");
  trial.person.request({ addSheet: { properties: { title: 'Prospects' } } });
  const { title, rows } = await table.read();
  expect([title, rows.length]).toEqual(["Ann's “leads”!", 3]);
});

test('W11: moved columns are found, a renamed one by its anchor', async () => {
  const trial = createTrial({ values });
  const { table } = await openAnchored(trial);
  trial.person.moveColumns('Prospects', 'B', 1, 'F');
  trial.person.type('Prospects!C1', 'E-mail address');
  const snapshot = await table.read();
  expect(snapshot.columns).toEqual([
    { kind: 'found', key: 'first_name', header: 'First name', letter: 'E' },
    { kind: 'renamed', key: 'email', header: 'Email', headerNow: 'E-mail address', letter: 'C' },
    { kind: 'found', key: 'score', header: 'Score', letter: 'D' },
  ]);
  expect(rowOf(snapshot, 'a').cells).toEqual({ first_name: 'Ann', email: 'ann@x.org', score: 1.5 });
});

test('W11: a missing or doubled column is named, and its cells are unknown, not blank (V3)', async () => {
  const trial = createTrial({
    values: [
      ['Contact ID', 'First name', 'First name', 'Email'],
      ['a', 'x', 'y', 'z'],
    ],
  });
  const snapshot = await trial.openTable().read();
  expect(snapshot.columns).toMatchObject([
    { kind: 'doubled', key: 'first_name', letters: ['B', 'C'] },
    { kind: 'found', key: 'email' },
    { kind: 'missing', key: 'score', header: 'Score' },
  ]);
  expect(rowOf(snapshot, 'a').cells).toEqual({ email: 'z' });
});

describe('unexpected sheets have defined results', () => {
  test('an empty tab: every column is missing, there are no rows', async () => {
    const snapshot = await createTrial({ values: [] }).openTable().read();
    expect(snapshot.rows).toEqual([]);
    expect([snapshot.idColumn, ...snapshot.columns].map(({ kind }) => kind)).toEqual(Array(4).fill('missing'));
  });

  test('a tab that ends with its header', async () => {
    const trial = createTrial({ values: [header], tab: { rowCount: 1 } });
    const table = trial.openTable();
    expect((await table.read()).rows).toEqual([]);
    trial.person.request({ appendDimension: { sheetId: 7, dimension: 'ROWS', length: 2 } });
    trial.person.type('Prospects!B2', 'Ann');
    expect((await table.read()).rows).toHaveLength(1);
  });

  test('a header row beyond the grid', async () => {
    const table = createTrial({ values }).openTable({ headerRow: 21 });
    await expect(table.read()).rejects.toMatchObject({
      code: 'header-row-beyond-grid',
      message: 'header_row is 21, but tab "Prospects" has only 20 rows: correct header_row or add rows',
    });
  });

  test('a tab without cells, such as a chart: it has no header row', async () => {
    const trial = createTrial({ values: plain });
    const sheets = [{ properties: { sheetId: 7, title: 'Prospects' } }];
    trial.reroute = async (url, init) =>
      init.method === 'GET' ? Response.json({ sheets }) : trial.standin.fetch(url, init);
    await expect(trial.openTable().read()).rejects.toMatchObject({
      code: 'header-row-beyond-grid',
      message: expect.stringContaining('has only 0 rows') as string,
    });
  });

  test('rows that were deleted until the header row is beyond the grid', async () => {
    const trial = createTrial({ values: [[], [], [], ...values] });
    const table = trial.openTable({ headerRow: 4 });
    expect((await table.read()).rows).toHaveLength(3);
    trial.person.deleteRows('Prospects', 2, 17);
    await expect(table.read()).rejects.toMatchObject({ code: 'header-row-beyond-grid' });
  });

  test.each([
    ['some of the mapped columns', 'D', 5, ['found', 'missing', 'missing']],
    ['all columns but one', 'B', 7, ['missing', 'missing', 'missing']],
  ])('W11: %s that were deleted with the end of the grid are missing, read after read', async (...given) => {
    const [, first, count, kinds] = given;
    const trial = createTrial({ values });
    const table = trial.openTable();
    await table.read();
    trial.person.deleteColumns('Prospects', first, count);
    for (let read = 1; read <= 2; read += 1) {
      expect((await table.read()).columns.map(({ kind }) => kind)).toEqual(kinds);
    }
  });

  test('200 columns, of which three are mapped: only these are read', async () => {
    const wide = Array.from({ length: 200 }, (_, index) => `Column ${index}`);
    const names = wide.with(10, 'Contact ID').with(70, 'First name').with(199, 'Email');
    const trial = createTrial({ values: [names, names.map((_, index) => `cell ${index}`)], tab: { columnCount: 200 } });
    const table = trial.openTable();
    const { rows, columns } = await table.read();
    expect(rows[0]).toMatchObject({ id: 'cell 10', cells: { first_name: 'cell 70', email: 'cell 199' } });
    expect(columns[1]).toMatchObject({ letter: 'GR' });
    expect((await table.read()).rows.map(contentOf)).toEqual(rows.map(contentOf));
  });

  test('merged header cells: the left one has the text, the others none', async () => {
    const trial = createTrial({ values });
    const range = { sheetId: 7, startRowIndex: 0, endRowIndex: 1, startColumnIndex: 1, endColumnIndex: 3 };
    trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
    const { columns } = await trial.openTable().read();
    expect(columns.map(({ kind }) => kind)).toEqual(['found', 'found', 'found']);
  });

  test('an error in a header cell is no header', async () => {
    const trial = createTrial({ values: [header.with(3, '=1/0'), ['a']], tab: { typed: true } });
    expect((await trial.openTable().read()).columns[1]).toMatchObject({ kind: 'missing', key: 'email' });
  });

  test('an id that is a number or an error is its text', async () => {
    const trial = createTrial({ values: [header, [17], ['=1/0']], tab: { typed: true } });
    expect((await trial.openTable().read()).rows.map(({ id }) => id)).toEqual(['17', '#DIV/0!']);
  });

  test('a missing tab: the error names the existing ones', async () => {
    await expect(createTrial().openTable({ tab: 'Prospect' }).read()).rejects.toMatchObject({
      code: 'tab-gone',
      message: `Spreadsheet ${spreadsheetId} has no tab "Prospect"; it has Prospects, Other`,
    });
  });

  test('a tab that was deleted meanwhile', async () => {
    const trial = createTrial({ values });
    const table = trial.openTable();
    await table.read();
    trial.person.request({ deleteSheet: { sheetId: 7 } });
    await expect(table.read()).rejects.toMatchObject({ code: 'tab-gone' });
  });
});

describe('a table beyond one answer is read in chunks', () => {
  const rowCount = 101;
  const large = [
    header,
    ...Array.from({ length: rowCount - 1 }, (_, row) => [`id ${row}`, `name ${row}`, null, `mail ${row}`, row]),
  ];
  const createLargeTrial = (rows: NewTab['values'] = large) =>
    createTrial({
      values: rows,
      tab: { rowCount, columnCount: 5, typed: true },
      client: { readLimits: { cellsPerRead: 200, cellsPerChunk: 80 } },
    });

  test('L7: compared with one last reading: rows that moved meanwhile are read again', async () => {
    const trial = createLargeTrial();
    const table = trial.openTable();
    const first = await table.read();
    expect(first.rows).toHaveLength(rowCount - 1);
    expect(first.rows.at(-1)).toMatchObject({ number: rowCount, id: 'id 99', cells: { email: 'mail 99' } });
    let requests = 0;
    trial.onRequest = () => {
      requests += 1;
      if (requests === 2) trial.person.moveRows('Prospects', 2, 1, 98);
    };
    const second = await table.read();
    expect(new Set(second.rows.map(({ id }) => id)).size).toBe(rowCount - 1);
    // Five chunks of 20 rows of 4 columns and the last reading, twice.
    expect(requests).toBe(12);
  });

  test('W11: a column that moved meanwhile is searched, and all is read again', async () => {
    const trial = createLargeTrial();
    const { table } = await openAnchored(trial);
    let requests = 0;
    trial.onRequest = () => {
      requests += 1;
      if (requests === 3) trial.person.moveColumns('Prospects', 'B', 1, 'E');
    };
    const { rows } = await table.read();
    expect(rows.map(({ cells }) => cells)).toEqual(
      Array.from({ length: rowCount - 1 }, (_, row) => ({
        first_name: `name ${row}`,
        email: `mail ${row}`,
        score: row,
      })),
    );
  });

  test('V5: formulas are read chunk by chunk, with the ids', async () => {
    const trial = createLargeTrial([
      ...large.slice(0, 30),
      ['=UPPER("id x")', '=LEN("abc")', null, null, 1],
      ...large.slice(31),
    ]);
    const { rows } = await trial.openTable().read();
    expect(rows[29]).toMatchObject({ id: 'ID X', cells: { first_name: 3 }, formulas: ['first_name', '#id'] });
  });

  test('unchanged is reported after all was read', async () => {
    const trial = createLargeTrial();
    const { table, snapshot } = await openAnchored(trial);
    expect(await table.read({ unless: snapshot.fingerprint })).toBe('unchanged');
    trial.person.type('Prospects!E101', '7');
    expect(await table.read({ unless: snapshot.fingerprint })).not.toBe('unchanged');
  });
});

test('L7: a read is started over five times while rows move, and not once more', async () => {
  const trial = createTrial({ values: [header, ['a', '="x"', null, null, 1]], tab: { typed: true } });
  const table = trial.openTable();
  await table.read();
  let seconds = 0;
  trial.onRequest = (path) => {
    if (!path.endsWith(':getByDataFilter') || seconds === 5) return;
    seconds += 1;
    trial.person.insertRows('Prospects', 2);
  };
  expect((await table.read()).rows).toMatchObject([{ number: 7, cells: { first_name: 'x' } }]);
  const calls = await callsOf(trial, async () => {
    trial.onRequest = (path) => {
      if (path.endsWith(':getByDataFilter')) trial.person.insertRows('Prospects', 2);
    };
    await expect(table.read()).rejects.toMatchObject({ code: 'table-moving' });
  });
  expect(calls.filter((call) => call === routine)).toHaveLength(6);
});

describe('the size of the tab is that of the last answer', () => {
  const narrow = { columns: [{ key: 'first_name', header: 'First name', format: 'text' as const }] };

  test.each([
    ['columns side by side', narrow],
    ['columns apart', {}],
  ])('with %s', async (_, overrides) => {
    const trial = createTrial({ values: plain });
    const table = trial.openTable(overrides);
    expect((await table.read()).memory).toMatchObject({ rowCount: 20, columnCount: 8 });
    trial.person.request({ appendDimension: { sheetId: 7, dimension: 'ROWS', length: 5 } });
    trial.person.request({ appendDimension: { sheetId: 7, dimension: 'COLUMNS', length: 2 } });
    expect((await table.read()).memory).toMatchObject({ rowCount: 25, columnCount: 10 });
    trial.person.deleteRows('Prospects', 10, 12);
    const after = await table.read();
    expect(after.memory).toMatchObject({ rowCount: 13, columnCount: 10 });
    const fingerprint = after.fingerprint;
    expect(await table.read({ unless: fingerprint })).toBe('unchanged');
  });
});

describe('a table in chunks', () => {
  const people = Array.from({ length: 6 }, (_, row) => ['note', `id ${row}`, `name ${row}`, `mail ${row}`, row]);
  const noted = [['Notes', 'Contact ID', 'First name', 'Email', 'Score'], ...people];
  const open = (cellsPerRead: number, cellsPerChunk: number) =>
    createTrial({
      values: noted,
      tab: { rowCount: 7, columnCount: 5, typed: true },
      client: { readLimits: { cellsPerRead, cellsPerChunk } },
    });
  /** A person acts right before this request, counted from here on. Answers how many requests there were. */
  const atRequest = (trial: Trial, place: number, act: () => void) => {
    let requests = 0;
    trial.onRequest = () => {
      requests += 1;
      if (requests === place) act();
    };
    return () => requests;
  };

  test.each([
    ['24 cells are within the limit', 24, 8, 1],
    ['24 cells are beyond it: two rows a chunk', 23, 8, 4],
    ['two rows and a half make two', 23, 11, 4],
    ['never less than one row', 23, 1, 7],
    ['a last chunk that is not full', 23, 16, 3],
  ])('%s', async (_, cellsPerRead, cellsPerChunk, calls) => {
    const trial = open(cellsPerRead, cellsPerChunk);
    const table = trial.openTable();
    const first = await table.read();
    expect(first.rows.map(({ number, id, cells }) => [number, id, cells['score']])).toEqual(
      people.map(([, id], row) => [row + 2, id, row]),
    );
    expect(await callsOf(trial, () => table.read())).toEqual(Array(calls).fill(routine));
  });

  test('L7: the ID column shows rows that moved, wherever it stands', async () => {
    const trial = open(23, 8);
    const table = trial.openTable();
    await table.read();
    const sent = atRequest(trial, 2, () => trial.person.moveRows('Prospects', 2, 1, 8));
    const { rows } = await table.read();
    expect(rows.map(({ id }) => id)).toEqual(['id 1', 'id 2', 'id 3', 'id 4', 'id 5', 'id 0']);
    expect(sent()).toBe(8);
  });

  test('L7: without an ID column the first mapped one that is there shows them', async () => {
    const trial = open(17, 6);
    trial.person.deleteColumns('Prospects', 'B');
    const table = trial.openTable();
    await table.read();
    atRequest(trial, 4, () => trial.person.moveRows('Prospects', 2, 1, 8));
    const { rows } = await table.read();
    expect(rows.map(({ cells }) => cells['first_name'])).toEqual([1, 2, 3, 4, 5, 0].map((row) => `name ${row}`));
  });

  test('L7: rows that came meanwhile are read', async () => {
    const trial = open(23, 8);
    const table = trial.openTable();
    await table.read();
    atRequest(trial, 4, () => {
      trial.person.insertRows('Prospects', 7);
      trial.person.type('Prospects!B7', 'id x');
    });
    expect((await table.read()).rows.map(({ id }) => id)).toContain('id x');
  });
});
