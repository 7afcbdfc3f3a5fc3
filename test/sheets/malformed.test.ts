// Answers of another shape than Google's, as from a proxy: each gives a clear error, and never a TypeError.
import { expect, test } from 'vitest';
import { SheetsError } from '../../src/sheets/errors.ts';
import { createTrial, header } from '../support/sheets.ts';

const values = [header, ['a', 'Ann', 'tag a', 'ann@x.org', 1]];

type Shape = Record<string, any>;

test.each<readonly [what: string, spoil: (answer: Shape) => unknown]>([
  ['a mark that is null', ({ sheets: [sheet] }) => (sheet.data[0].columnMetadata = [{ developerMetadata: [null] }])],
  ['marks that are no list', ({ sheets: [sheet] }) => (sheet.data[0].columnMetadata = [{ developerMetadata: {} }])],
  ['marks of a column that are null', ({ sheets: [sheet] }) => (sheet.data[0].columnMetadata = [null])],
  ['a row that is a text', ({ sheets: [sheet] }) => (sheet.data[0].rowData = ['text'])],
  ['a cell that is null', ({ sheets: [sheet] }) => (sheet.data[0].rowData = [{ values: [null] }])],
  [
    'a text that is a number',
    ({ sheets: [sheet] }) => (sheet.data[0].rowData = [{ values: [{ effectiveValue: { stringValue: 7 } }] }]),
  ],
  ['blocks that are no list', ({ sheets: [sheet] }) => (sheet.data = { rowData: [] })],
  ['a tab that is null', (answer) => (answer['sheets'] = [null])],
  ['tabs that are a text', (answer) => (answer['sheets'] = 'text')],
  ['properties that are a list of null', ({ sheets: [sheet] }) => (sheet.properties = [null])],
  ['protected ranges that are null', ({ sheets: [sheet] }) => (sheet.protectedRanges = [null])],
])('%s: the read fails with the answer it got, and may be retried', async (_, spoil) => {
  const trial = createTrial({
    values,
    wrapFetch: (fetch) => async (url, init) => {
      const answer = await fetch(url, init);
      if (!url.pathname.endsWith(':getByDataFilter')) return answer;
      const whole = (await answer.json()) as Shape;
      spoil(whole);
      return Response.json(whole);
    },
  });
  const error: unknown = await trial
    .openTable()
    .read()
    .catch((failed: unknown) => failed);
  expect(error).toBeInstanceOf(SheetsError);
  expect(error).toMatchObject({
    code: 'unavailable',
    retryable: true,
    message: expect.stringContaining('another shape'),
  });
});

test.each<readonly [what: string, path: RegExp, spoil: (answer: Shape) => unknown]>([
  ['no tab', /^\/v4\/spreadsheets\/[^/:]+$/, (answer) => (answer['sheets'] = [])],
  ['one range less than was asked for', /values:batchGetByDataFilter$/, (answer) => answer['valueRanges'].splice(1, 1)],
])('L7: an answer with %s is incomplete: no tab is gone, and no row', async (_, path, spoil) => {
  let isSpoilt = false;
  const trial = createTrial({
    values,
    wrapFetch: (fetch) => async (url, init) => {
      const answer = await fetch(url, init);
      if (!isSpoilt || !path.test(url.pathname)) return answer;
      const whole = (await answer.json()) as Shape;
      spoil(whole);
      return Response.json(whole);
    },
  });
  await trial.openTable().read();
  isSpoilt = true;
  await expect(trial.openTable().read()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
});
