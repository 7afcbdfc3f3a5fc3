import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repeats } from '../../support/repeats.ts';
import { createTrial } from './support/standin.ts';

const rowCount = 8;
const rowIndex = fc.nat(rowCount - 1);
/** A dozen sheets of the usual size. A spreadsheet with a larger answer is given up for a new one. */
const answerCharsMax = 100_000;

/** A change of rows, as a request and as its effect on a plain list. */
type RowChange =
  | { readonly kind: 'insert'; readonly at: number; readonly count: number }
  | { readonly kind: 'delete'; readonly at: number }
  | { readonly kind: 'move'; readonly from: number; readonly count: number; readonly before: number }
  | { readonly kind: 'sort'; readonly from: number; readonly descending: boolean }
  | { readonly kind: 'pin'; readonly at: number };

const rowChange: fc.Arbitrary<RowChange> = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), at: rowIndex, count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('delete' as const), at: rowIndex }),
  fc.record({
    kind: fc.constant('move' as const),
    from: rowIndex,
    count: fc.integer({ min: 1, max: 3 }),
    before: rowIndex,
  }),
  fc.record({ kind: fc.constant('sort' as const), from: rowIndex, descending: fc.boolean() }),
  fc.record({ kind: fc.constant('pin' as const), at: rowIndex }),
);

interface OracleRow {
  readonly label: string;
  readonly pins: number[];
}

/** The slow, obvious implementation. Returns false if the list is too short for the change. */
function applyToOracle(rows: OracleRow[], change: RowChange, pinId: number): boolean {
  switch (change.kind) {
    case 'insert':
      if (change.at >= rows.length) return false;
      for (let count = 0; count < change.count; count += 1) rows.splice(change.at, 0, { label: '', pins: [] });
      return true;
    case 'delete':
      if (change.at >= rows.length || rows.length === 1) return false;
      rows.splice(change.at, 1);
      return true;
    case 'move': {
      const end = change.from + change.count;
      if (end > rows.length || change.before > rows.length || (change.before > change.from && change.before < end))
        return false;
      const anchor = rows[change.before];
      if (change.before >= change.from && change.before <= end) return true;
      const block = rows.splice(change.from, change.count);
      rows.splice(anchor ? rows.indexOf(anchor) : rows.length, 0, ...block);
      return true;
    }
    case 'sort': {
      if (change.from >= rows.length) return false;
      const tail = rows.splice(change.from);
      const filled = tail.filter(({ label }) => label !== '').toSorted((a, b) => (a.label < b.label ? -1 : 1));
      if (change.descending) filled.reverse();
      rows.push(...filled, ...tail.filter(({ label }) => label === ''));
      return true;
    }
    case 'pin':
      if (change.at >= rows.length) return false;
      rows[change.at]?.pins.push(pinId);
      return true;
  }
}

const rowsOf = (startIndex: number, endIndex: number) => ({ sheetId: 0, dimension: 'ROWS', startIndex, endIndex });

function toRequest(change: RowChange, pinId: number): object {
  switch (change.kind) {
    case 'insert':
      return { insertDimension: { range: rowsOf(change.at, change.at + change.count) } };
    case 'delete':
      return { deleteDimension: { range: rowsOf(change.at, change.at + 1) } };
    case 'move':
      return {
        moveDimension: { source: rowsOf(change.from, change.from + change.count), destinationIndex: change.before },
      };
    case 'sort': {
      const sortOrder = change.descending ? 'DESCENDING' : 'ASCENDING';
      return { sortRange: { range: { startRowIndex: change.from }, sortSpecs: [{ dimensionIndex: 0, sortOrder }] } };
    }
    case 'pin': {
      const location = { dimensionRange: rowsOf(change.at, change.at + 1) };
      return {
        createDeveloperMetadata: {
          developerMetadata: { metadataId: pinId, metadataKey: 'p', visibility: 'DOCUMENT', location },
        },
      };
    }
  }
}

describe('properties', () => {
  test('row metadata stays with its row through any inserts, deletes, moves and sorts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rowChange, { maxLength: 25 }), fc.boolean(), async (changes, inOneBatch) => {
        const oracle: OracleRow[] = Array.from({ length: rowCount }, (_, row) => ({ label: `row ${row}`, pins: [] }));
        const values = oracle.map(({ label }) => [label]);
        const trial = createTrial({ tabs: [{ title: 'T', rowCount, columnCount: 3, values }] });
        const requests = changes.flatMap((change, index) =>
          applyToOracle(oracle, change, index + 1) ? [toRequest(change, index + 1)] : [],
        );
        const batches = inOneBatch && requests.length > 0 ? [requests] : requests.map((request) => [request]);
        for (const batch of batches) expect(await trial.batch(...batch)).toMatchObject({ status: 200 });

        const fields = 'sheets/data(rowData/values/formattedValue,rowMetadata/developerMetadata/metadataId)';
        const { body } = await trial.get(`?fields=${encodeURIComponent(fields)}`);
        const { rowData = [], rowMetadata } = body.sheets[0].data[0];
        const seen = (rowMetadata as { developerMetadata?: { metadataId: number }[] }[]).map((band, row) => ({
          label: rowData[row]?.values?.[0]?.formattedValue ?? '',
          pins: (band.developerMetadata ?? []).map(({ metadataId }) => metadataId),
        }));
        expect(seen).toEqual(oracle);
        const { body: found } = await trial.post('/developerMetadata:search', {
          dataFilters: [{ developerMetadataLookup: {} }],
        });
        expect(found.matchedDeveloperMetadata?.length ?? 0).toBe(
          oracle.reduce((sum, { pins }) => sum + pins.length, 0),
        );
      }),
      { numRuns: 150 },
    );
  });

  test('a batch with one refused request leaves every byte as it was', async () => {
    const cell = fc.record({ startRowIndex: rowIndex, startColumnIndex: fc.nat(2) });
    const change = fc.oneof(
      fc.tuple(rowChange, fc.integer({ min: 1000, max: 2000 })).map(([one, pinId]) => toRequest(one, pinId)),
      cell.map((start) => ({
        updateCells: { start: { rowIndex: start.startRowIndex }, rows: [{ values: [{ note: 'n' }] }], fields: '*' },
      })),
      cell.map((start) => ({
        mergeCells: {
          range: { ...start, endRowIndex: start.startRowIndex + 2, endColumnIndex: start.startColumnIndex + 1 },
        },
      })),
      cell.map((start) => ({ addNamedRange: { namedRange: { name: `N${start.startRowIndex}`, range: start } } })),
      cell.map((range) => ({ addProtectedRange: { protectedRange: { range } } })),
      cell.map((start) => ({ cutPaste: { source: start, destination: { rowIndex: 0, columnIndex: 0 } } })),
      fc.constant({ addSheet: { properties: { title: 'New' } } }),
      fc.constant({
        updateSheetProperties: {
          properties: { title: 'Renamed', gridProperties: { columnCount: 9 } },
          fields: 'title,gridProperties.columnCount',
        },
      }),
      fc.constant({ setBasicFilter: { filter: { range: {} } } }),
      fc.constant({ addDimensionGroup: { range: rowsOf(1, 3) } }),
      fc.constant({
        updateDimensionProperties: { range: rowsOf(0, 2), properties: { hiddenByUser: true }, fields: '*' },
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 12 }),
        fc.array(change, { maxLength: 12 }),
        async (before, refused) => {
          const values = Array.from({ length: rowCount }, (_, row) => [`row ${row}`, row, `=B${row + 1}*2`]);
          const trial = createTrial({ tabs: [{ title: 'T', rowCount, columnCount: 3, values, typed: true }] });
          for (const request of before) await trial.batch(request);
          const dump = async (): Promise<string> => JSON.stringify((await trial.get('?includeGridData=true')).body);
          const snapshot = await dump();
          const content = trial.file.content;
          expect((await trial.batch(...refused, { deleteSheet: { sheetId: 31_337 } })).status).toBe(400);
          expect(await dump()).toBe(snapshot);
          expect(trial.file.content).toBe(content);
        },
      ),
      { numRuns: repeats(50, 100) },
    );
  });

  test('no body, range or mask makes it fail: every answer is a documented one', async () => {
    const index = fc.oneof(fc.integer({ min: -2, max: 12 }), fc.constant(undefined));
    const sheetId = fc.constantFrom(0, 0, 0, 5);
    const start = { startRowIndex: index, startColumnIndex: index };
    const gridRange = fc.record({ sheetId, ...start, endRowIndex: index, endColumnIndex: index });
    const dimension = fc.constantFrom('ROWS', 'COLUMNS');
    const bandRange = fc.record({ sheetId, dimension, startIndex: index, endIndex: index });
    const coordinate = fc.record({ sheetId, rowIndex: index, columnIndex: index });
    const fields = fc.constantFrom(
      '*',
      'title',
      'userEnteredValue',
      'a(b',
      '',
      'note,userEnteredFormat.textFormat.bold',
      'range',
    );
    const cell = fc.record(
      {
        userEnteredValue: fc.constantFrom({ stringValue: 'x' }, { formulaValue: '=A1' }, { formulaValue: 'x' }, {}),
        note: fc.constantFrom('', 'n'),
        userEnteredFormat: fc.dictionary(
          fc.constantFrom('textFormat', 'numberFormat', 'backgroundColor'),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: [] },
    );
    const rows = fc.array(fc.record({ values: fc.array(cell, { maxLength: 5 }) }), { maxLength: 3 });
    const grid = fc.record({ rowCount: index, columnCount: index, frozenRowCount: index }, { requiredKeys: [] });
    const properties = fc.record(
      { sheetId, title: fc.constantFrom('T', 'U', ''), index, gridProperties: grid, hidden: fc.boolean() },
      { requiredKeys: [] },
    );
    const id = fc.integer({ min: -1, max: 3 });
    const location = fc.record({ dimensionRange: bandRange, sheetId, spreadsheet: fc.boolean() }, { requiredKeys: [] });
    const metadata = fc.record(
      {
        metadataId: id,
        metadataKey: fc.constantFrom('', 'k'),
        visibility: fc.constantFrom('DOCUMENT', 'PROJECT', 'x'),
        location,
      },
      { requiredKeys: [] },
    );
    const dataFilter = fc.oneof(
      fc.record({
        developerMetadataLookup: fc.record({ metadataId: id, metadataLocation: location }, { requiredKeys: [] }),
      }),
      fc.record({ a1Range: fc.constantFrom('T!A1', 'x!', 'A:A') }),
      fc.record({ gridRange }),
    );
    const dataFilters = fc.array(dataFilter, { maxLength: 2 });
    const filter = fc.record(
      { range: gridRange, filterViewId: id, criteria: fc.jsonValue(), sortSpecs: fc.jsonValue() },
      { requiredKeys: [] },
    );
    const namedRange = fc.record(
      { namedRangeId: fc.constantFrom('1', '2'), name: fc.constantFrom('N', '', 'a b'), range: gridRange },
      { requiredKeys: [] },
    );
    const protectedRange = fc.record(
      {
        protectedRangeId: id,
        range: gridRange,
        warningOnly: fc.boolean(),
        editors: fc.constantFrom({}, { users: ['a@example.com'] }),
      },
      { requiredKeys: [] },
    );
    const sortSpecs = fc.array(
      fc.record({ dimensionIndex: index, sortOrder: fc.constantFrom('ASCENDING', 'DESCENDING') }),
      { maxLength: 2 },
    );
    const fieldsByKind: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
      insertDimension: { range: bandRange, inheritFromBefore: fc.boolean() },
      deleteDimension: { range: bandRange },
      moveDimension: { source: bandRange, destinationIndex: index },
      appendDimension: { sheetId, dimension, length: index },
      updateDimensionProperties: {
        range: bandRange,
        properties: fc.record({ hiddenByUser: fc.boolean(), pixelSize: index }),
        fields,
      },
      autoResizeDimensions: { dimensions: bandRange },
      addDimensionGroup: { range: bandRange },
      deleteDimensionGroup: { range: bandRange },
      updateCells: { rows, fields, range: gridRange },
      appendCells: { sheetId, rows, fields },
      repeatCell: { range: gridRange, cell, fields },
      setDataValidation: { range: gridRange, rule: fc.constantFrom({}, { strict: true }) },
      copyPaste: {
        source: gridRange,
        destination: gridRange,
        pasteType: fc.constantFrom('PASTE_NORMAL', 'PASTE_VALUES', 'PASTE_FORMAT'),
      },
      cutPaste: { source: gridRange, destination: coordinate },
      sortRange: { range: gridRange, sortSpecs },
      mergeCells: { range: gridRange, mergeType: fc.constantFrom('MERGE_ALL', 'MERGE_ROWS') },
      unmergeCells: { range: gridRange },
      addSheet: { properties },
      deleteSheet: { sheetId },
      duplicateSheet: {
        sourceSheetId: sheetId,
        newSheetName: fc.constantFrom('T', 'V'),
        newSheetId: id,
        insertSheetIndex: index,
      },
      updateSheetProperties: { properties, fields },
      updateSpreadsheetProperties: { properties: fc.record({ title: fc.constantFrom('', 'x') }), fields },
      setBasicFilter: { filter },
      clearBasicFilter: { sheetId },
      addFilterView: { filter },
      updateFilterView: { filter, fields },
      deleteFilterView: { filterId: id },
      addNamedRange: { namedRange },
      updateNamedRange: { namedRange, fields },
      deleteNamedRange: { namedRangeId: fc.constantFrom('1', '2') },
      addProtectedRange: { protectedRange },
      updateProtectedRange: { protectedRange, fields },
      deleteProtectedRange: { protectedRangeId: id },
      createDeveloperMetadata: { developerMetadata: metadata },
      updateDeveloperMetadata: {
        dataFilters,
        developerMetadata: metadata,
        fields: fc.constantFrom('*', 'location', 'metadataKey'),
      },
      deleteDeveloperMetadata: { dataFilter },
    };
    const request = fc.oneof(
      ...Object.entries(fieldsByKind).map(([kind, ofKind]) =>
        fc.record({ [kind]: fc.record(ofKind, { requiredKeys: [] }) }),
      ),
    );
    const body = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.record({ requests: fc.oneof(fc.jsonValue(), fc.array(request, { maxLength: 3 })) }),
      fc.record({
        valueInputOption: fc.constantFrom('RAW', 'USER_ENTERED', 'x'),
        data: fc.jsonValue(),
        dataFilters: fc.jsonValue(),
        values: fc.array(fc.array(fc.jsonValue())),
      }),
    );
    const path = fc.oneof(
      fc.constantFrom(
        ':batchUpdate',
        ':getByDataFilter',
        '/values:batchUpdate',
        '/values:batchGetByDataFilter',
        '/values:batchUpdateByDataFilter',
        '/values:batchClear',
        '/values:batchClearByDataFilter',
        '/developerMetadata:search',
        '/values/A1:append?valueInputOption=USER_ENTERED',
        '/values/%:clear',
        '/nothing',
      ),
      fc.string().map((text) => `?fields=${encodeURIComponent(text)}&includeGridData=true`),
      fc.string().map((text) => `/values/${encodeURIComponent(text)}`),
    );
    const create = () =>
      createTrial({
        tabs: [{ title: 'T', rowCount: 8, columnCount: 4, values: [['a', 1, '=A1']], typed: true }],
      });
    let trial = create();
    await fc.assert(
      fc.asyncProperty(path, body, fc.array(request, { minLength: 1, maxLength: 3 }), async (at, sent, requests) => {
        const answers = [
          /^\?|^\/values\/(?!A1:append)/.test(at) ? await trial.get(at) : await trial.post(at, sent),
          await trial.post(':batchUpdate', { requests }),
          await trial.call('PUT', '/values/A1:B2?valueInputOption=USER_ENTERED', sent),
        ];
        for (const answer of answers) {
          expect([200, 400, 403, 404]).toContain(answer.status);
          expect(answer.body.error?.code ?? 200).toBe(answer.status);
        }
        const whole = await trial.get('?includeGridData=true');
        expect(whole.status).toBe(200);
        // What it holds grows by each sheet that is added or copied, and so does each answer: some seeds took a minute.
        if (JSON.stringify(whole.body).length > answerCharsMax) trial = create();
      }),
      { numRuns: 400 },
    );
  });

  test('text written RAW is read back unchanged, with any content', async () => {
    const text = fc.oneof(
      fc.string({ minLength: 1, unit: 'binary' }),
      fc.constantFrom('=1', "'", '007', '+1', 'TRUE', '1e5', ' '),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        async (values) => {
          const trial = createTrial();
          await trial.call('PUT', '/values/B2?valueInputOption=RAW', { values });
          for (const option of ['UNFORMATTED_VALUE', 'FORMATTED_VALUE', 'FORMULA']) {
            expect(await trial.values('B2:Z', option)).toEqual(values);
          }
        },
      ),
      { numRuns: repeats(40, 100) },
    );
  });
});
