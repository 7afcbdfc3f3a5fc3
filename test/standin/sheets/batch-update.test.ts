import { describe, expect, test } from 'vitest';
import { createTrial, problem } from './support/standin.ts';

const values = [
  ['id', 'name', 'n'],
  ['c', 'Cy', 3],
  ['a', 'Ada', 1],
  ['b', 'Bob', 2],
];
const trialWithRows = () => createTrial({ tabs: [{ title: 'T', rowCount: 8, columnCount: 5, values }] });
const rowsAt = (startIndex: number, endIndex: number) => ({ sheetId: 0, dimension: 'ROWS', startIndex, endIndex });
const columnsAt = (startIndex: number, endIndex: number) => ({
  sheetId: 0,
  dimension: 'COLUMNS',
  startIndex,
  endIndex,
});
const column = (data: unknown) => (data as readonly (readonly unknown[])[]).map(([first]) => first ?? '');

describe('rows and columns', () => {
  test.each([
    ['insertDimension', { insertDimension: { range: rowsAt(1, 3) } }, ['id', '', '', 'c', 'a', 'b']],
    [
      'insertDimension at the end',
      { insertDimension: { range: rowsAt(8, 9), inheritFromBefore: true } },
      ['id', 'c', 'a', 'b'],
    ],
    ['deleteDimension', { deleteDimension: { range: rowsAt(1, 2) } }, ['id', 'a', 'b']],
    ['moveDimension down', { moveDimension: { source: rowsAt(1, 2), destinationIndex: 4 } }, ['id', 'a', 'b', 'c']],
    ['moveDimension up', { moveDimension: { source: rowsAt(2, 4), destinationIndex: 1 } }, ['id', 'a', 'b', 'c']],
    [
      'moveDimension to its own place',
      { moveDimension: { source: rowsAt(1, 3), destinationIndex: 3 } },
      ['id', 'c', 'a', 'b'],
    ],
    [
      'sortRange',
      {
        sortRange: {
          range: { sheetId: 0, startRowIndex: 1 },
          sortSpecs: [{ dimensionIndex: 2, sortOrder: 'DESCENDING' }],
        },
      },
      ['id', 'c', 'b', 'a'],
    ],
  ])('%s', async (_name, request, ids) => {
    const trial = trialWithRows();
    expect(await trial.batch(request)).toMatchObject({ status: 200, body: { replies: [{}] } });
    expect(column(await trial.values('T!A:A'))).toEqual(ids);
  });

  test('columns are inserted, moved and deleted with their contents', async () => {
    const trial = trialWithRows();
    await trial.batch(
      { insertDimension: { range: columnsAt(1, 2) } },
      { moveDimension: { source: columnsAt(3, 4), destinationIndex: 0 } },
      { deleteDimension: { range: columnsAt(1, 2) } },
    );
    expect(await trial.values('T!A1:E2')).toEqual([
      ['n', '', 'name'],
      [3, '', 'Cy'],
    ]);
  });

  test.each([
    ['ROWS', true],
    ['ROWS', false],
    ['COLUMNS', true],
  ])('new %s look like those before them: %s', async (dimension, inheritFromBefore) => {
    const trial = trialWithRows();
    const bold = { userEnteredFormat: { textFormat: { bold: true } } };
    const range = { startRowIndex: 0, endRowIndex: 1, startColumnIndex: 0, endColumnIndex: 1 };
    await trial.batch(
      { repeatCell: { range, cell: bold, fields: 'userEnteredFormat' } },
      { insertDimension: { range: { sheetId: 0, dimension, startIndex: 1, endIndex: 2 }, inheritFromBefore } },
    );
    const inserted = dimension === 'ROWS' ? 'T!A2' : 'T!B1';
    const { body } = await trial.get(`?ranges=${inserted}&fields=sheets/data/rowData/values/userEnteredFormat`);
    expect(body.sheets[0].data[0].rowData?.[0].values[0]).toEqual(inheritFromBefore ? bold : undefined);
    expect(await trial.values(inserted)).toBeUndefined();
  });

  test('appendDimension and appendCells extend the grid', async () => {
    const trial = trialWithRows();
    await trial.batch(
      { appendDimension: { sheetId: 0, dimension: 'ROWS', length: 2 } },
      {
        appendCells: {
          sheetId: 0,
          fields: 'userEnteredValue',
          rows: Array.from({ length: 8 }, () => ({ values: [{ userEnteredValue: { boolValue: true } }] })),
        },
      },
    );
    const { body } = await trial.get('?fields=sheets/properties/gridProperties');
    expect(body.sheets[0].properties.gridProperties).toEqual({ rowCount: 12, columnCount: 5 });
    expect(column(await trial.values('T!A:A')).slice(4)).toEqual(Array.from({ length: 8 }, () => true));
  });

  test('merges, names, protections and groups follow their cells', async () => {
    const trial = trialWithRows();
    const range = { startRowIndex: 2, endRowIndex: 4, startColumnIndex: 1, endColumnIndex: 3 };
    await trial.batch(
      { mergeCells: { range, mergeType: 'MERGE_ALL' } },
      { addNamedRange: { namedRange: { name: 'Block', range } } },
      { addProtectedRange: { protectedRange: { range, warningOnly: true } } },
      { addDimensionGroup: { range: rowsAt(2, 4) } },
      { setBasicFilter: { filter: { range } } },
    );
    await trial.batch({ insertDimension: { range: rowsAt(0, 1) } }, { deleteDimension: { range: rowsAt(3, 4) } });
    const moved = { ...range, startRowIndex: 3, endRowIndex: 4 };
    const { body } = await trial.get('');
    expect(body.namedRanges[0].range).toEqual(moved);
    expect(body.sheets[0].merges).toEqual([moved]);
    expect(body.sheets[0].protectedRanges[0].range).toEqual(moved);
    expect(body.sheets[0].basicFilter.range).toEqual(moved);
    expect(body.sheets[0].rowGroups[0].range).toEqual({ dimension: 'ROWS', startIndex: 3, endIndex: 4 });
  });

  test('a sort is stable, puts blanks last in either direction, and orders numbers before text', async () => {
    const trial = createTrial({
      tabs: [
        {
          title: 'T',
          values: [
            ['b', 1],
            ['', 2],
            ['a', 3],
            [10, 4],
            ['B', 5],
            [true, 6],
          ],
        },
      ],
    });
    const sort = (sortOrder: string) =>
      trial.batch({ sortRange: { range: { endRowIndex: 6 }, sortSpecs: [{ dimensionIndex: 0, sortOrder }] } });
    await sort('ASCENDING');
    expect((await trial.values('T!B1:B6')) as number[][]).toEqual([[4], [3], [1], [5], [6], [2]]);
    await sort('DESCENDING');
    expect((await trial.values('T!B1:B6')) as number[][]).toEqual([[6], [1], [5], [3], [4], [2]]);
  });

  test('an unspecified order is an internal error, as measured', async () => {
    const sortSpecs = [{ dimensionIndex: 0, sortOrder: 'SORT_ORDER_UNSPECIFIED' }];
    expect(problem(await trialWithRows().batch({ sortRange: { range: {}, sortSpecs } }))).toBe(
      '500 INTERNAL: Internal error encountered.',
    );
  });
});

describe('cells', () => {
  test('updateCells clears cells in its mask that its rows lack, and keeps the rest', async () => {
    const trial = trialWithRows();
    const note = { updateCells: { start: { rowIndex: 1 }, rows: [{ values: [{ note: 'n' }] }], fields: 'note' } };
    await trial.batch(note, {
      updateCells: {
        range: { startRowIndex: 1, endRowIndex: 3, startColumnIndex: 0, endColumnIndex: 2 },
        rows: [{ values: [{ userEnteredValue: { stringValue: '=x' } }] }],
        fields: 'userEnteredValue',
      },
    });
    expect(await trial.values('T!A2:C4', 'FORMULA')).toEqual([
      ['=x', '', 3],
      ['', '', 1],
      ['b', 'Bob', 2],
    ]);
    const { body } = await trial.get('?ranges=T!A2&fields=sheets/data/rowData/values/note');
    expect(body.sheets[0].data[0].rowData[0].values[0].note).toBe('n');
  });

  test('repeatCell shifts its formula and sets single fields of the format', async () => {
    const trial = trialWithRows();
    const cell = {
      userEnteredValue: { formulaValue: '=C2*2' },
      userEnteredFormat: { textFormat: { bold: true, italic: true } },
    };
    const range = { startRowIndex: 1, endRowIndex: 4, startColumnIndex: 3, endColumnIndex: 4 };
    await trial.batch(
      { repeatCell: { range, cell, fields: 'userEnteredValue,userEnteredFormat.textFormat.bold' } },
      { repeatCell: { range, cell: {}, fields: 'userEnteredFormat.backgroundColor' } },
    );
    expect(await trial.values('T!D2:D4')).toEqual([[6], [2], [4]]);
    const { body } = await trial.get('?ranges=T!D2&fields=sheets/data/rowData/values/userEnteredFormat');
    expect(body.sheets[0].data[0].rowData[0].values[0].userEnteredFormat).toEqual({ textFormat: { bold: true } });
  });

  test('copyPaste by type, repeated over a larger destination, and transposed', async () => {
    const trial = trialWithRows();
    const source = { startRowIndex: 1, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: 2 };
    const destination = { startRowIndex: 4, endRowIndex: 6, startColumnIndex: 0, endColumnIndex: 4 };
    const turned = { startRowIndex: 6, endRowIndex: 7, startColumnIndex: 4, endColumnIndex: 5 };
    await trial.batch(
      { copyPaste: { source, destination, pasteType: 'PASTE_VALUES' } },
      { copyPaste: { source, destination: turned, pasteOrientation: 'TRANSPOSE' } },
    );
    expect(await trial.values('T!A5:E8')).toEqual([
      ['c', 'Cy', 'c', 'Cy'],
      ['c', 'Cy', 'c', 'Cy'],
      ['', '', '', '', 'c'],
      ['', '', '', '', 'Cy'],
    ]);
  });

  test('cutPaste empties its source and may overlap itself', async () => {
    const trial = trialWithRows();
    trial.standin.person(trial.file.id).cutPaste('T!A1:C4', 'T!A2');
    expect(await trial.values('T')).toEqual([[], ...values]);
  });

  test('mergeCells keeps the first value only; unmerging restores none', async () => {
    const trial = trialWithRows();
    const range = { startRowIndex: 1, endRowIndex: 3, startColumnIndex: 0, endColumnIndex: 2 };
    await trial.batch({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
    expect(await trial.values('T!A2:B3')).toEqual([['c']]);
    await trial.call('PUT', '/values/T!A2:B3?valueInputOption=RAW', {
      values: [
        ['new', 'lost'],
        ['lost', 'lost'],
      ],
    });
    expect(await trial.values('T!A2:B3')).toEqual([['new']]);
    const cells = { values: ['newer', 'lost'].map((stringValue) => ({ userEnteredValue: { stringValue } })) };
    await trial.batch({
      updateCells: { start: { rowIndex: 1, columnIndex: 0 }, rows: [cells, cells], fields: 'userEnteredValue' },
    });
    expect(await trial.values('T!A2:B3')).toEqual([['newer']]);
    const inside = { ...range, endRowIndex: 2 };
    expect(problem(await trial.batch({ unmergeCells: { range: inside } }))).toMatch(/You must select all cells/);
    await trial.batch({ unmergeCells: { range } });
    expect((await trial.get('?fields=sheets/merges')).body).toEqual({ sheets: [{}] });
  });

  test('a filter hides rows, without effect on reading values', async () => {
    const trial = trialWithRows();
    const filter = { range: { endRowIndex: 4, endColumnIndex: 3 }, criteria: { 1: { hiddenValues: ['Ada'] } } };
    await trial.batch({ setBasicFilter: { filter } });
    const hidden = async () =>
      (await trial.get('?ranges=T!A1:A4&fields=sheets/data/rowMetadata/hiddenByFilter')).body.sheets[0].data[0]
        .rowMetadata;
    expect(await hidden()).toEqual([{}, {}, { hiddenByFilter: true }, {}]);
    expect(await trial.values('T!A3')).toEqual([['a']]);
    await trial.batch({ clearBasicFilter: {} });
    expect(await hidden()).toEqual([{}, {}, {}, {}]);
  });

  test('filter views are kept, changed and deleted; their sort moves nothing', async () => {
    const trial = trialWithRows();
    const filter = {
      title: 'Mine',
      range: { endRowIndex: 4, endColumnIndex: 3 },
      sortSpecs: [{ dimensionIndex: 0, sortOrder: 'ASCENDING' }],
    };
    const { body } = await trial.batch({ addFilterView: { filter } });
    const { filterViewId } = body.replies[0].addFilterView.filter;
    await trial.batch({ updateFilterView: { filter: { filterViewId, title: 'Yours' }, fields: 'title' } });
    expect((await trial.get('')).body.sheets[0].filterViews[0]).toMatchObject({ filterViewId, title: 'Yours' });
    expect(await trial.values('T!A2')).toEqual([['c']]);
    await trial.batch({ deleteFilterView: { filterId: filterViewId } });
    expect((await trial.get('')).body.sheets[0].filterViews).toBeUndefined();
  });
});

describe('tabs', () => {
  test('are added, renamed, moved, duplicated without metadata, and deleted', async () => {
    const trial = trialWithRows();
    const location = { dimensionRange: rowsAt(1, 2) };
    await trial.batch(
      { createDeveloperMetadata: { developerMetadata: { metadataKey: 'k', visibility: 'DOCUMENT', location } } },
      { addSheet: { properties: { title: 'New', sheetId: 9 } } },
      { updateSheetProperties: { properties: { sheetId: 9, title: 'Newer', index: 0 }, fields: 'title,index' } },
      { duplicateSheet: { sourceSheetId: 0, newSheetName: 'Copy', newSheetId: 10 } },
      { deleteSheet: { sheetId: 9 } },
    );
    const { body } = await trial.get('?fields=sheets/properties(sheetId,title,index)');
    expect(body.sheets).toEqual([
      { properties: { sheetId: 0, title: 'T', index: 0 } },
      { properties: { sheetId: 10, title: 'Copy', index: 1 } },
    ]);
    expect(await trial.values('Copy')).toEqual(values);
    const search = await trial.post('/developerMetadata:search', { dataFilters: [{ developerMetadataLookup: {} }] });
    expect(search.body.matchedDeveloperMetadata).toHaveLength(1);
  });

  test.each([
    [
      { addSheet: { properties: { title: 't' } } },
      'Invalid requests[0].addSheet: A sheet with the name "t" already exists. Please enter another name.',
    ],
    [
      { addSheet: { properties: { sheetId: 0 } } },
      'Invalid requests[0].addSheet: Sheet with id 0 already exists. Please choose another id.',
    ],
    [
      { deleteSheet: { sheetId: 0 } },
      "Invalid requests[0].deleteSheet: You can't remove all the visible sheets in a document.",
    ],
    [
      { updateSheetProperties: { properties: { sheetId: 0, hidden: true }, fields: 'hidden' } },
      "Invalid requests[0].updateSheetProperties: You can't hide all the sheets in a document.",
    ],
    [
      { updateSheetProperties: { properties: { sheetId: 0, title: 'x' } } },
      "Invalid requests[0].updateSheetProperties: At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)",
    ],
    [
      { updateCells: { start: { sheetId: 999_999 }, fields: '*' } },
      'Invalid requests[0].updateCells: No grid with id: 999999',
    ],
    [
      { deleteDimension: { range: rowsAt(8, 9) } },
      "Invalid requests[0].deleteDimension: Cannot delete a row that doesn't exist. Tried to delete row index 8 but there are only 8 rows.",
    ],
    [
      { noSuchRequest: {} },
      `Invalid JSON payload received. Unknown name "noSuchRequest" at 'requests[0]': Cannot find field.`,
    ],
    [
      { insertDimension: { range: rowsAt(1, 2), inherit: true } },
      `Invalid JSON payload received. Unknown name "inherit" at 'requests[0].insert_dimension': Cannot find field.`,
    ],
    [
      { deleteDimension: { range: { ...rowsAt(1, 2), startIndex: 'x' } } },
      `Invalid value at 'requests[0].delete_dimension.range.start_index' (TYPE_INT32), "x"`,
    ],
    [
      { mergeCells: { range: {}, mergeType: 'ALL' } },
      `Invalid value at 'requests[0].merge_cells.merge_type' (type.googleapis.com/google.apps.sheets.v4.MergeType), "ALL"`,
    ],
    [{}, 'Invalid requests[0]: No request set.'],
  ])('%j is refused in the words of Google', async (request, message) => {
    expect(problem(await trialWithRows().batch(request))).toBe(`400 INVALID_ARGUMENT: ${message}`);
  });
});

describe('atomicity', () => {
  test('after one refused request nothing of the batch is applied on any tab', async () => {
    const trial = createTrial({
      tabs: [
        { title: 'T', values },
        { title: 'U', sheetId: 2, values },
      ],
    });
    const before = trial.file.content;
    const answer = await trial.batch(
      { deleteDimension: { range: rowsAt(0, 2) } },
      { deleteDimension: { range: { ...rowsAt(0, 2), sheetId: 2 } } },
      { updateCells: { start: { sheetId: 999_999 }, fields: '*' } },
    );
    expect(problem(answer)).toBe('400 INVALID_ARGUMENT: Invalid requests[2].updateCells: No grid with id: 999999');
    expect(trial.file.content).toBe(before);
    expect(await trial.values('U')).toEqual(values);
  });

  test('the spreadsheet after the batch is in the answer on request', async () => {
    const { body } = await trialWithRows().post(':batchUpdate', {
      requests: [{ updateSpreadsheetProperties: { properties: { title: 'Renamed' }, fields: 'title' } }],
      includeSpreadsheetInResponse: true,
      responseRanges: ['T!A1:A2'],
      responseIncludeGridData: true,
    });
    expect(body.updatedSpreadsheet.properties.title).toBe('Renamed');
    expect(body.updatedSpreadsheet.sheets[0].data[0].rowData).toHaveLength(2);
  });
});
