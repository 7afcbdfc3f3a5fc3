import { describe, expect, test } from 'vitest';
import { createTrial, problem } from './support/standin.ts';

const values = Array.from({ length: 6 }, (_, row) => [`r${row}`, 6 - row, 'beside']);
const trialWithRows = (behaviour = {}) => createTrial({ tabs: [{ title: 'T', rowCount: 10, values }] }, { behaviour });
const rowAt = (index: number, sheetId = 0) => ({
  dimensionRange: { sheetId, dimension: 'ROWS', startIndex: index, endIndex: index + 1 },
});
const create = (metadataId: number | undefined, location: unknown, key = 'k', value?: string) => ({
  createDeveloperMetadata: {
    developerMetadata: { metadataId, metadataKey: key, metadataValue: value, visibility: 'DOCUMENT', location },
  },
});
type Trial = ReturnType<typeof trialWithRows>;
/** The present place of the entry: row index; undefined: it is deleted. */
async function rowOf(trial: Trial, id: number): Promise<number | undefined> {
  const { status, body } = await trial.get(`/developerMetadata/${id}`);
  return status === 404 ? undefined : body.location.dimensionRange.startIndex;
}
const search = async (trial: Trial, lookup: object) => {
  const { body } = await trial.post('/developerMetadata:search', {
    dataFilters: [{ developerMetadataLookup: lookup }],
  });
  return (body.matchedDeveloperMetadata ?? []).map(
    (match: { developerMetadata: { metadataId: number } }) => match.developerMetadata.metadataId,
  );
};

describe('developer metadata', () => {
  test('has a chosen or a random id, and is found by it', async () => {
    const trial = trialWithRows();
    const { body } = await trial.batch(create(42, rowAt(3), 'key', 'value'), create(undefined, { spreadsheet: true }));
    expect(body.replies[0].createDeveloperMetadata.developerMetadata).toEqual({
      metadataId: 42,
      metadataKey: 'key',
      metadataValue: 'value',
      location: { locationType: 'ROW', dimensionRange: { dimension: 'ROWS', startIndex: 3, endIndex: 4 } },
      visibility: 'DOCUMENT',
    });
    expect(body.replies[1].createDeveloperMetadata.developerMetadata.metadataId).toBeGreaterThan(0);
    expect(problem(await trial.get('/developerMetadata/7'))).toBe('404 NOT_FOUND: No developer metadata with ID 7');
  });

  test.each([
    ['insert above', (trial: Trial) => trial.standin.person(trial.file.id).insertRows('T', 1, 2), 5],
    ['delete above', (trial: Trial) => trial.standin.person(trial.file.id).deleteRows('T', 1), 2],
    ['move', (trial: Trial) => trial.standin.person(trial.file.id).moveRows('T', 4, 1, 1), 0],
    ['sort', (trial: Trial) => trial.standin.person(trial.file.id).sort('T', 'B', 'ASCENDING', 0), 2],
    ['overwriting', (trial: Trial) => trial.standin.person(trial.file.id).paste('T!A4', [['x', 'y']]), 3],
    ['cutting the cells away', (trial: Trial) => trial.standin.person(trial.file.id).cutPaste('T!A4:C4', 'T!A9'), 3],
    ['copying the row', (trial: Trial) => trial.standin.person(trial.file.id).copyPaste('T!A4:C4', 'T!A9'), 3],
    ['deleting the row', (trial: Trial) => trial.standin.person(trial.file.id).deleteRows('T', 4), undefined],
  ])('of a row after %s', async (_name, change, row) => {
    const trial = trialWithRows();
    await trial.batch(create(1, rowAt(3)));
    change(trial);
    expect(await rowOf(trial, 1)).toBe(row);
  });

  test('of a column follows it', async () => {
    const trial = trialWithRows();
    const location = { dimensionRange: { sheetId: 0, dimension: 'COLUMNS', startIndex: 1, endIndex: 2 } };
    await trial.batch(create(1, location));
    const person = trial.standin.person(trial.file.id);
    person.insertColumns('T', 'A');
    expect(await rowOf(trial, 1)).toBe(2);
    person.moveColumns('T', 'C', 1, 'A');
    expect(await rowOf(trial, 1)).toBe(0);
    person.deleteColumns('T', 'A');
    expect(await rowOf(trial, 1)).toBeUndefined();
  });

  test.each([
    [false, 3],
    [true, 2],
  ])('a sort that leaves columns out moves it: %s', async (partialSortMovesMetadata, row) => {
    const trial = trialWithRows({ partialSortMovesMetadata });
    await trial.batch(create(1, rowAt(3)));
    trial.standin.person(trial.file.id).sortRange('T!A1:B6', 'B');
    expect(await rowOf(trial, 1)).toBe(row);
  });

  test('an id in use is refused, and the batch with it: it is applied at most once', async () => {
    const trial = trialWithRows();
    const append = [
      { insertDimension: { range: { dimension: 'ROWS', startIndex: 1, endIndex: 2 } } },
      create(5, rowAt(1)),
    ];
    expect((await trial.batch(...append)).status).toBe(200);
    const before = trial.file.content;
    expect(problem(await trial.batch(...append))).toMatch(
      /^400 INVALID_ARGUMENT: Invalid requests\[1\]\.createDeveloperMetadata:/,
    );
    expect(trial.file.content).toBe(before);
  });

  test('two entries with one key on one row are kept apart', async () => {
    const trial = trialWithRows();
    await trial.batch(create(1, rowAt(8)), create(2, rowAt(8)));
    expect(await search(trial, { metadataKey: 'k' })).toEqual([1, 2]);
  });

  test('is looked up by key, value, kind of place and place', async () => {
    const trial = trialWithRows();
    await trial.batch(
      create(1, rowAt(1), 'a', 'x'),
      create(2, rowAt(2), 'a', 'y'),
      create(3, { sheetId: 0 }, 'b'),
      create(4, { spreadsheet: true }, 'b'),
    );
    expect(await search(trial, {})).toEqual([1, 2, 3, 4]);
    expect(await search(trial, { metadataKey: 'a', metadataValue: 'y' })).toEqual([2]);
    expect(await search(trial, { locationType: 'SHEET' })).toEqual([3]);
    expect(await search(trial, { metadataLocation: rowAt(1) })).toEqual([1]);
    expect(
      await search(trial, { metadataLocation: { sheetId: 0 }, locationMatchingStrategy: 'INTERSECTING_LOCATION' }),
    ).toEqual([1, 2, 3, 4]);
  });

  test('is in a grid read with the rows', async () => {
    const trial = trialWithRows();
    await trial.batch(create(1, rowAt(2)));
    const fields = 'sheets/data(startRow,rowData/values/effectiveValue,rowMetadata/developerMetadata/metadataId)';
    const { body } = await trial.get(`?ranges=T!A2:A3&fields=${encodeURIComponent(fields)}`);
    expect(body.sheets[0].data).toEqual([
      {
        startRow: 1,
        rowData: [
          { values: [{ effectiveValue: { stringValue: 'r1' } }] },
          { values: [{ effectiveValue: { stringValue: 'r2' } }] },
        ],
        rowMetadata: [{}, { developerMetadata: [{ metadataId: 1 }] }],
      },
    ]);
  });

  test('is changed and deleted through filters', async () => {
    const trial = trialWithRows();
    await trial.batch(create(1, rowAt(1)), create(2, rowAt(2)));
    const dataFilter = { developerMetadataLookup: { metadataId: 1 } };
    await trial.batch({
      updateDeveloperMetadata: {
        dataFilters: [dataFilter],
        developerMetadata: { metadataValue: 'new', location: rowAt(5) },
        fields: 'metadataValue,location',
      },
    });
    expect((await trial.get('/developerMetadata/1')).body).toMatchObject({ metadataKey: 'k', metadataValue: 'new' });
    expect(await rowOf(trial, 1)).toBe(5);
    const { body } = await trial.batch({ deleteDeveloperMetadata: { dataFilter } });
    expect(body.replies[0].deleteDeveloperMetadata.deletedDeveloperMetadata).toHaveLength(1);
    expect(await search(trial, {})).toEqual([2]);
  });

  test('has 30,000 characters a sheet and 30,000 more for the spreadsheet; deleting frees them', async () => {
    const trial = trialWithRows();
    const half = 'v'.repeat(14_999);
    expect((await trial.batch(create(1, rowAt(0), 'k', half), create(2, rowAt(1), 'k', half))).status).toBe(200);
    expect(problem(await trial.batch(create(3, rowAt(2), 'k')))).toBe(
      '400 INVALID_ARGUMENT: Invalid requests[0].createDeveloperMetadata: Adding the requested developer metadata would exceed the allowed storage limit',
    );
    expect((await trial.batch(create(4, { spreadsheet: true }, 'k', half))).status).toBe(200);
    trial.standin.person(trial.file.id).deleteRows('T', 1);
    expect((await trial.batch(create(3, rowAt(2), 'k'))).status).toBe(200);
  });

  test.each([
    [
      { dimensionRange: { dimension: 'ROWS', startIndex: 1, endIndex: 3 } },
      'DimensionRange must represent a single row or column',
    ],
    [
      { dimensionRange: { dimension: 'ROWS', startIndex: 1 } },
      'DimensionRange must specify both a startIndex and an endIndex',
    ],
    [rowAt(0, 5), 'No grid with id: 5'],
  ])('at %j is refused', async (location, message) => {
    expect(problem(await trialWithRows().batch(create(1, location)))).toBe(
      `400 INVALID_ARGUMENT: Invalid requests[0].createDeveloperMetadata: ${message}`,
    );
  });

  test('needs a scope for writing, also for reading', async () => {
    const trial = trialWithRows();
    const token = trial.standin.tokens.issue('sync@project.example.com', [
      'https://www.googleapis.com/auth/spreadsheets.readonly',
    ]);
    expect((await trial.call('GET', '/values/A1', undefined, token)).status).toBe(200);
    const refused = await trial.call('POST', '/developerMetadata:search', {}, token);
    expect(problem(refused)).toBe('403 PERMISSION_DENIED: Request had insufficient authentication scopes.');
    expect(refused.body.error.details[0].reason).toBe('ACCESS_TOKEN_SCOPE_INSUFFICIENT');
  });
});
