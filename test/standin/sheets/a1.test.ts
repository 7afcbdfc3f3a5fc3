import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  columnToLetters,
  lettersToColumn,
  parseReference,
  quoteTitle,
  rectToA1,
  splitA1,
} from '../../../src/standin/sheets/a1.ts';

test.each([
  [0, 'A'],
  [25, 'Z'],
  [26, 'AA'],
  [701, 'ZZ'],
  [18_277, 'ZZZ'],
])('column %d is %s', (column, letters) => {
  expect(columnToLetters(column)).toBe(letters);
  expect(lettersToColumn(letters.toLowerCase())).toBe(column);
});

test.each([
  ['Sheet1', 'Sheet1'],
  ['My tab', "'My tab'"],
  ["It's", "'It''s'"],
  ['D3', "'D3'"],
  ['R1C1', "'R1C1'"],
  ['2026', "'2026'"],
  ['Größe', "'Größe'"],
])('the title %s is written %s', (title, quoted) => {
  expect(quoteTitle(title)).toBe(quoted);
});

test('a written range is read back, whatever the title', () => {
  const size = { min: 1, max: 300 };
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.nat(1000),
      fc.nat(1000),
      fc.integer(size),
      fc.integer(size),
      (title, top, left, rows, columns) => {
        const rect = { top, left, bottom: top + rows, right: left + columns };
        const parts = splitA1(rectToA1(title, rect));
        expect(parts?.title).toBe(title);
        expect(parseReference(parts?.reference ?? '')).toEqual(rect);
      },
    ),
  );
});
