import { expect, test } from 'vitest';
import { createTrial } from './support/standin.ts';
import { parseFieldMask, updateByMask } from '../../../src/standin/sheets/field-mask.ts';

const answer = {
  id: 'x',
  sheets: [
    { properties: { title: 'A', index: 0 }, data: [{ startRow: 1, rowData: [{ values: [{ note: 'n', value: 1 }] }] }] },
    { properties: { title: 'B', index: 1 } },
  ],
};

test.each([
  ['*', answer],
  ['id', { id: 'x' }],
  ['sheets.properties.title', { sheets: [{ properties: { title: 'A' } }, { properties: { title: 'B' } }] }],
  ['sheets/properties/title', { sheets: [{ properties: { title: 'A' } }, { properties: { title: 'B' } }] }],
  [
    'sheets(properties(title),data/startRow), id',
    { id: 'x', sheets: [{ properties: { title: 'A' }, data: [{ startRow: 1 }] }, { properties: { title: 'B' } }] },
  ],
  ['sheets/data/rowData/values(note)', { sheets: [{ data: [{ rowData: [{ values: [{ note: 'n' }] }] }] }, {}] }],
  ['sheets/*/title', { sheets: [{ properties: { title: 'A' }, data: [{}] }, { properties: { title: 'B' } }] }],
  ['nothing', {}],
])('%s selects that and no more', (mask, picked) => {
  expect(parseFieldMask(mask).pick(answer)).toEqual(picked);
});

test.each(['', 'a(', 'a(b', 'a)', 'a,', ',a', 'a..b', 'a b', 'a(b)c', '(a)', '('.repeat(1000)])(
  '%j is refused',
  (mask) => {
    expect(() => parseFieldMask(mask)).toThrow('Invalid field selection');
  },
);

test.each([
  ['a', { a: 1 }, { b: 2, a: 1 }],
  ['a', {}, { b: 2 }],
  ['c.d', { c: { d: 5 } }, { a: 0, b: 2, c: { d: 5, e: 1 } }],
  ['c(d,e)', { c: {} }, { a: 0, b: 2, c: {} }],
  ['*', { z: 9 }, { z: 9 }],
])('an update by %s changes %j', (mask, patch, updated) => {
  const base = { a: 0, b: 2, ...(mask.startsWith('c') ? { c: { d: 0, e: 1 } } : {}) };
  expect(updateByMask(base, patch, parseFieldMask(mask))).toEqual(updated);
});

test.each([
  ['', 'sheets.data.rowDatas', 'sheets.data.rowDatas'],
  ['', 'propertys,sheets(data(rowData(values(formatedValue))))', 'propertys'],
  ['/values/A1', 'value', 'value'],
])('a field that no answer has is refused: %s?fields=%s', async (path, fields, unknown) => {
  const trial = createTrial();
  const { status, body } = await trial.get(`${path}?fields=${encodeURIComponent(fields)}`);
  expect([status, body.error.message]).toEqual([400, 'Request contains an invalid argument.']);
  expect(body.error.details[0].fieldViolations[0]).toEqual({
    field: unknown,
    description: `Error expanding 'fields' parameter. Cannot find matching fields for path '${unknown}'.`,
  });
});
