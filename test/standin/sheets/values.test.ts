import { describe, expect, test } from 'vitest';
import { createTrial, problem } from './support/standin.ts';

const rows = [
  ['id', 'name', 'score'],
  ['a', 'Ada', 1],
  ['b', '', true],
];
const trialWithRows = () => createTrial({ tabs: [{ title: 'People', rowCount: 10, columnCount: 5, values: rows }] });
const update = (trial: ReturnType<typeof createTrial>, range: string, values: unknown, option = 'RAW', more = '') =>
  trial.call('PUT', `/values/${encodeURIComponent(range)}?valueInputOption=${option}${more}`, { values });

describe('reading', () => {
  test.each([
    ['People', 'People!A1:E10', rows],
    ["'People'!A2:B", 'People!A2:B10', [['a', 'Ada'], ['b']]],
    ['people!2:2', 'People!A2:E2', [['a', 'Ada', 1]]],
    [
      'C3:A2',
      'People!A2:C3',
      [
        ['a', 'Ada', 1],
        ['b', '', true],
      ],
    ],
    ['People!A9:Z99', 'People!A9:E10', undefined],
    ['People!B3', 'People!B3', undefined],
  ])('%s is answered as %s', async (asked, range, values) => {
    const { get } = trialWithRows();
    const { body } = await get(`/values/${encodeURIComponent(asked)}?valueRenderOption=UNFORMATTED_VALUE`);
    expect(body).toEqual({ range, majorDimension: 'ROWS', ...(values ? { values } : {}) });
  });

  test('columns are lists when they are the major dimension', async () => {
    const { get } = trialWithRows();
    const { body } = await get('/values/People!A1:C3?majorDimension=COLUMNS');
    expect(body.values).toEqual([
      ['id', 'a', 'b'],
      ['name', 'Ada'],
      ['score', '1', 'TRUE'],
    ]);
  });

  test.each([
    ['Nowhere!A1', '400 INVALID_ARGUMENT: Unable to parse range: Nowhere!A1'],
    ['AAAA1', '400 INVALID_ARGUMENT: Unable to parse range: AAAA1'],
    ['A1:B2:C3', '400 INVALID_ARGUMENT: Unable to parse range: A1:B2:C3'],
    [
      'People!A50:B51',
      '400 INVALID_ARGUMENT: Range (People!A50:B51) exceeds grid limits. Max rows: 10, max columns: 5',
    ],
  ])('%s is refused', async (range, message) => {
    const { get } = trialWithRows();
    expect(problem(await get(`/values/${encodeURIComponent(range)}`))).toBe(message);
  });

  test('a named range takes precedence over a cell and a tab of its name', async () => {
    const trial = trialWithRows();
    await trial.batch(
      { addSheet: { properties: { title: 'Names', sheetId: 5 } } },
      {
        addNamedRange: { namedRange: { name: 'Names', range: { sheetId: 0, startColumnIndex: 1, endColumnIndex: 2 } } },
      },
    );
    expect((await trial.get('/values/Names')).body.range).toBe('People!B1:B10');
    expect((await trial.get("/values/'Names'!A1:A2")).body.range).toBe('Names!A1:A2');
  });

  test('an error is answered as its text, a formula as itself on request', async () => {
    const trial = createTrial({
      tabs: [{ title: 'T', typed: true, values: [['=1/0', '=NOSUCH(1)', '=A9+1', '=B1']] }],
    });
    expect(await trial.values('T!A1:D1')).toEqual([['#DIV/0!', '#NAME?', 1, '#NAME?']]);
    expect(await trial.values('T!A1:B1', 'FORMULA')).toEqual([['=1/0', '=NOSUCH(1)']]);
  });
});

test.each([
  { formulaRenderingShowsApostrophes: false, shown: ['=1/0', '007', '=x', "'q", 'text', true, 1.5, 46_023] },
  { formulaRenderingShowsApostrophes: true, shown: ['=1/0', "'007", "'=x", "''q", 'text', true, 1.5, 46_023] },
])(
  'FORMULA gives constants as they are, dates as serial numbers; with apostrophes: $formulaRenderingShowsApostrophes',
  async ({ shown, ...behaviour }) => {
    const typed = ['=1/0', "'007", "'=x", "''q", 'text', 'TRUE', '1.5', '2026-01-01'];
    const trial = createTrial({ tabs: [{ title: 'T', sheetId: 3, typed: true, values: [typed] }] }, { behaviour });
    const { body } = await trial.post('/values:batchGetByDataFilter', {
      dataFilters: [{ gridRange: { sheetId: 3, startRowIndex: 0, endRowIndex: 1 } }],
      valueRenderOption: 'FORMULA',
      majorDimension: 'COLUMNS',
    });
    const { range, values } = body.valueRanges[0].valueRange;
    expect([range, values.flat()]).toEqual(['T!A1:Z1', shown]);
  },
);

describe('writing', () => {
  test('null skips a cell, "" clears it, cells that are not sent stay; the answer counts the sent ones', async () => {
    const trial = trialWithRows();
    const { body } = await update(trial, 'People!A2:C3', [
      [null, 'Grace'],
      ['', 'x'],
    ]);
    expect(body).toMatchObject({ updatedRange: 'People!A2:B3', updatedRows: 2, updatedColumns: 2, updatedCells: 3 });
    expect(await trial.values('People!A2:C3')).toEqual([
      ['a', 'Grace', 1],
      ['', 'x', true],
    ]);
  });

  test('RAW keeps text as text; USER_ENTERED parses it', async () => {
    const trial = trialWithRows();
    await update(trial, 'People!A5', [['=1+1', '007', '$100.15', "'0123"]]);
    await update(trial, 'People!A6', [['=1+1', '007', '$100.15', "'0123"]], 'USER_ENTERED');
    expect(await trial.values('People!A5:D6')).toEqual([
      ['=1+1', '007', '$100.15', "'0123"],
      [2, 7, 100.15, '0123'],
    ]);
    expect(await trial.values('People!A6:D6', 'FORMATTED_VALUE')).toEqual([['2', '7', '$100.15', '0123']]);
  });

  test('format, note and validation of the cells stay', async () => {
    const trial = trialWithRows();
    const cell = { userEnteredFormat: { textFormat: { bold: true } }, note: 'kept', dataValidation: { strict: true } };
    await trial.batch({
      updateCells: {
        start: { rowIndex: 1 },
        rows: [{ values: [cell] }],
        fields: 'userEnteredFormat,note,dataValidation',
      },
    });
    await update(trial, 'People!A2', [['changed']]);
    const { body } = await trial.get(
      '?ranges=People!A2&fields=sheets/data/rowData/values(note,userEnteredFormat,dataValidation)',
    );
    expect(body.sheets[0].data[0].rowData[0].values).toEqual([cell]);
  });

  test('the values requested in the answer cover the requested range', async () => {
    const trial = trialWithRows();
    const more = '&includeValuesInResponse=true&responseValueRenderOption=UNFORMATTED_VALUE';
    const { body } = await update(trial, 'People!A2:C3', [['z']], 'RAW', more);
    expect(body.updatedData).toEqual({
      range: 'People!A2:C3',
      majorDimension: 'ROWS',
      values: [
        ['z', 'Ada', 1],
        ['b', '', true],
      ],
    });
  });

  test.each([
    [
      'People!A1:B1',
      [['1', '2'], ['3']],
      'Requested writing within range [People!A1:B1], but tried writing to row [2]',
    ],
    [
      'People!A1:B1',
      [['1', '2', '3']],
      'Requested writing within range [People!A1:B1], but tried writing to column [C]',
    ],
    ['People!E10', [['1'], ['2']], 'Range (People!E10:E11) exceeds grid limits. Max rows: 10, max columns: 5'],
    [
      'People!A1',
      [['x'.repeat(50_001)]],
      'Your input contains more than the maximum of 50000 characters in a single cell.',
    ],
  ])('%s refuses values that do not fit', async (range, values, message) => {
    const trial = trialWithRows();
    const before = trial.file.content;
    expect(problem(await update(trial, range, values))).toBe(`400 INVALID_ARGUMENT: ${message}`);
    expect(trial.file.content).toBe(before);
  });

  test('50,000 characters fit', async () => {
    const trial = trialWithRows();
    expect((await update(trial, 'People!A1', [['x'.repeat(50_000)]])).status).toBe(200);
  });

  test('a missing valueInputOption and values that are no lists are refused', async () => {
    const trial = trialWithRows();
    expect(problem(await trial.call('PUT', '/values/A1', { values: [['x']] }))).toBe(
      "400 INVALID_ARGUMENT: 'valueInputOption' is required but not specified",
    );
    const { body } = await update(trial, 'A1', 'X');
    const description = `Invalid value at 'data.values' (type.googleapis.com/google.protobuf.ListValue), "X"`;
    expect(body.error.message).toBe(description);
    expect(body.error.details[0].fieldViolations).toEqual([{ field: 'data.values', description }]);
  });

  test('a batch is applied as a whole or not at all', async () => {
    const trial = trialWithRows();
    const before = trial.file.content;
    const data = [
      { range: 'People!A1', values: [['x']] },
      { range: 'NoSuchTab!A1', values: [['y']] },
    ];
    expect(problem(await trial.post('/values:batchUpdate', { valueInputOption: 'RAW', data }))).toBe(
      '400 INVALID_ARGUMENT: Invalid data[1]: Unable to parse range: NoSuchTab!A1',
    );
    expect(trial.file.content).toBe(before);
  });

  test('clearing empties cells and nothing else', async () => {
    const trial = trialWithRows();
    expect((await trial.post('/values/People!A2:B/x:clear')).status).toBe(400);
    expect((await trial.post('/values/People!A2:B:clear')).body.clearedRange).toBe('People!A2:B10');
    expect(await trial.values('People!A1:C3')).toEqual([
      ['id', 'name', 'score'],
      ['', '', 1],
      ['', '', true],
    ]);
  });
});

describe('append', () => {
  const append = (trial: ReturnType<typeof createTrial>, range: string, more = '') =>
    trial.post(`/values/${encodeURIComponent(range)}:append?valueInputOption=RAW${more}`, { values: [['n1', 'n2']] });
  // Two blocks: rows 1 to 3 from A on, rows 6 and 7 from B on.
  const blocks = [['h', 'h'], ['1', '1'], ['2', '2'], [], [], ['', 'x', 'y'], ['', 'x', 'y']];
  const twoBlocks = () => createTrial({ tabs: [{ title: 'T', rowCount: 7, columnCount: 4, values: blocks }] });

  test.each([
    ['T!A1', 'T!A1:B3', 'T!A4:B4'],
    ['T', 'T!B6:C7', 'T!B8:C8'],
    ['T!A5', undefined, 'T!A5:B5'],
  ])('at %s finds the table %s and writes %s', async (range, tableRange, updatedRange) => {
    const { body } = await append(twoBlocks(), range);
    expect(body.tableRange).toBe(tableRange);
    expect(body.updates.updatedRange).toBe(updatedRange);
  });

  test('OVERWRITE overwrites the rows below, INSERT_ROWS moves them down', async () => {
    const below = [['a'], [], ['c']];
    const overwritten = createTrial({ tabs: [{ title: 'T', values: below }] });
    await overwritten.post('/values/T!A1:append?valueInputOption=RAW', { values: [['x'], ['y']] });
    expect(await overwritten.values('T')).toEqual([['a'], ['x'], ['y']]);
    const inserted = createTrial({ tabs: [{ title: 'T', values: below }] });
    await inserted.post('/values/T!A1:append?valueInputOption=RAW&insertDataOption=INSERT_ROWS', {
      values: [['x'], ['y']],
    });
    expect(await inserted.values('T')).toEqual([['a'], ['x'], ['y'], [], ['c']]);
  });
});

describe('by data filter', () => {
  const pin = (row: number, metadataId: number) => ({
    createDeveloperMetadata: {
      developerMetadata: {
        metadataId,
        metadataKey: 'pin',
        visibility: 'DOCUMENT',
        location: { dimensionRange: { sheetId: 0, dimension: 'ROWS', startIndex: row, endIndex: row + 1 } },
      },
    },
  });
  const byId = (metadataId: number) => ({ developerMetadataLookup: { metadataId } });

  test('a pinned row is read and written at its present place', async () => {
    const trial = trialWithRows();
    await trial.batch(pin(1, 11), pin(2, 12));
    trial.standin.person(trial.file.id).insertRows('People', 1, 2);
    const read = await trial.post('/values:batchGetByDataFilter', { dataFilters: [byId(12), byId(11), byId(99)] });
    expect(read.body.valueRanges.map((entry: { valueRange: { range: string } }) => entry.valueRange.range)).toEqual([
      'People!A5:E5',
      'People!A4:E4',
    ]);
    expect(read.body.valueRanges[0].dataFilters).toEqual([byId(12)]);
    const written = await trial.post('/values:batchUpdateByDataFilter', {
      valueInputOption: 'RAW',
      includeValuesInResponse: true,
      responseValueRenderOption: 'UNFORMATTED_VALUE',
      data: [{ dataFilter: byId(11), majorDimension: 'ROWS', values: [[null, 'Grace']] }],
    });
    expect(written.body).toEqual({
      spreadsheetId: trial.file.id,
      totalUpdatedRows: 1,
      totalUpdatedColumns: 1,
      totalUpdatedCells: 1,
      totalUpdatedSheets: 1,
      responses: [
        {
          updatedRange: 'People!A4:B4',
          updatedRows: 1,
          updatedColumns: 1,
          updatedCells: 1,
          updatedData: { range: 'People!A4:E4', majorDimension: 'ROWS', values: [['a', 'Grace', 1]] },
          dataFilter: byId(11),
        },
      ],
    });
  });

  test('values larger than the match are refused, and nothing is written', async () => {
    const trial = trialWithRows();
    await trial.batch(pin(1, 11));
    const before = trial.file.content;
    const data = [{ dataFilter: byId(11), values: [['x'], ['y']] }];
    expect(problem(await trial.post('/values:batchUpdateByDataFilter', { valueInputOption: 'RAW', data }))).toBe(
      '400 INVALID_ARGUMENT: Invalid data[0]: Requested writing within range [People!A2:E2], but tried writing to row [3]',
    );
    expect(trial.file.content).toBe(before);
  });

  test.each([false, true])('a filter that matches nothing: refused is %s', async (unmatchedFilterRefuses) => {
    const trial = createTrial({}, { behaviour: { unmatchedFilterRefuses } });
    const data = [{ dataFilter: byId(1), values: [['x']] }];
    const { status, body } = await trial.post('/values:batchUpdateByDataFilter', { valueInputOption: 'RAW', data });
    expect(status).toBe(unmatchedFilterRefuses ? 400 : 200);
    expect(body.responses).toBeUndefined();
  });

  test('ranges by A1, by grid and by pin are cleared', async () => {
    const trial = trialWithRows();
    await trial.batch(pin(2, 12));
    const dataFilters = [
      { a1Range: 'People!A1' },
      { gridRange: { sheetId: 0, startRowIndex: 1, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: 1 } },
      byId(12),
    ];
    const { body } = await trial.post('/values:batchClearByDataFilter', { dataFilters });
    expect(body.clearedRanges).toEqual(['People!A1', 'People!A2', 'People!A3:E3']);
    expect(await trial.values('People')).toEqual([
      ['', 'name', 'score'],
      ['', 'Ada', 1],
    ]);
  });
});
