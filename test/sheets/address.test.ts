import { describe, expect, test } from 'vitest';
import {
  boundsToText,
  columnLetter,
  googleAddresses,
  rangeExtent,
  rangeStart,
  textToSpreadsheetId,
  textToTabReference,
} from '../../src/sheets/google/address.ts';

const id = '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms';

describe('a spreadsheet is named by its id or by its URL', () => {
  test.each([
    ['the id', id],
    ['the id with white space around it', `  ${id}\n`],
    ['the URL of the browser', `https://docs.google.com/spreadsheets/d/${id}/edit?gid=7#gid=7`],
    ['the URL of a second account', `https://docs.google.com/spreadsheets/u/1/d/${id}/edit`],
    ['the bare URL', `https://docs.google.com/spreadsheets/d/${id}`],
  ])('%s', (_, text) => expect(textToSpreadsheetId(text)).toBe(id));

  test.each(['', 'Prospects', 'https://example.com/spreadsheets/d/abc', '../../etc/passwd'])(
    '%j is refused, and the message names the place to copy from',
    (text) => expect(() => textToSpreadsheetId(text)).toThrow('copy the address from the browser'),
  );
});

test.each([
  ['as the browser shows it', `https://docs.google.com/spreadsheets/d/${id}/edit?gid=7#gid=8`, 'gid:7'],
  ['behind the hash alone', `https://docs.google.com/spreadsheets/d/${id}/edit#gid=0`, 'gid:0'],
  ['no tab is named', `https://docs.google.com/spreadsheets/d/${id}/edit`, undefined],
  ['an id alone', id, undefined],
  ['the address of another page', 'https://example.com/page?gid=7', undefined],
])('the tab of an address, %s: %s', (_what, address, tab) => expect(googleAddresses.tabIn(address)).toBe(tab));

test('a tab is named by its title, or by gid:N', () => {
  expect(textToTabReference('gid:123')).toEqual({ kind: 'gid', sheetId: 123 });
  expect(textToTabReference('gid:abc')).toEqual({ kind: 'title', title: 'gid:abc' });
  expect(textToTabReference(' Übersicht ')).toEqual({ kind: 'title', title: ' Übersicht ' });
});

test.each([
  [0, 'A'],
  [25, 'Z'],
  [26, 'AA'],
  [701, 'ZZ'],
  [702, 'AAA'],
  [18_277, 'ZZZ'],
])('column %i is %s, both ways', (index, letter) => {
  expect(columnLetter(index)).toBe(letter);
  expect(rangeStart(`${letter}1`)).toEqual({ rowIndex: 0, columnIndex: index });
});

test.each([
  ['Sheet1!A7:C7', { rowIndex: 6, columnIndex: 0 }],
  ["'Über uns!'!C7", { rowIndex: 6, columnIndex: 2 }],
  ["'it''s'!AB12:AD14", { rowIndex: 11, columnIndex: 27 }],
  ['D1', { rowIndex: 0, columnIndex: 3 }],
  ['Sheet1!B:C', { rowIndex: 0, columnIndex: 1 }],
  ['$C$7', { rowIndex: 6, columnIndex: 2 }],
  ['', undefined],
])('%j begins at %j', (range, start) => expect(rangeStart(range)).toEqual(start));

test.each([
  ['Sheet1!A7:C9', { title: 'Sheet1', startRow: 6, startColumn: 0, endRow: 9, endColumn: 3 }],
  ["'it''s !'!AB12", { title: "it's !", startRow: 11, startColumn: 27, endRow: 12, endColumn: 28 }],
  ['B2:B3', { title: undefined, startRow: 1, startColumn: 1, endRow: 3, endColumn: 2 }],
  ['Sheet1!A:C', undefined],
  ['Sheet1', undefined],
])('%j covers %j', (range, extent) => expect(rangeExtent(range)).toEqual(extent));

test.each([
  [{}, 'the whole tab'],
  [{ startRowIndex: 1, endRowIndex: 10, startColumnIndex: 1, endColumnIndex: 4 }, 'B2:D10'],
  [{ startRowIndex: 1, endRowIndex: 2, startColumnIndex: 1, endColumnIndex: 2 }, 'B2'],
  [{ startColumnIndex: 1, endColumnIndex: 2 }, 'B:B'],
  [{ startRowIndex: 1, endRowIndex: 2 }, '2:2'],
  [{ startRowIndex: 4, endRowIndex: 9 }, '5:9'],
])('%j is worded as %s', (bounds, text) => expect(boundsToText(bounds)).toBe(text));

test('two references to one tab have one key, and a title is no gid', () => {
  expect(googleAddresses.tabKey('gid:007')).toBe('gid:7');
  expect(googleAddresses.tabKey(' Leads ')).toBe('title:leads');
  expect(googleAddresses.tabKey('gid:x')).toBe('title:gid:x');
});
