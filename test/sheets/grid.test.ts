// Compares values of cells as Google answers them.
import { expect, test } from 'vitest';
import { isSameValue } from '../../src/sheets/google/grid.ts';

test.each([
  ['two blank cells', null, null, true],
  ['a blank cell and an empty text', null, '', false],
  ['a text and a blank cell', 'a', null, false],
  ['the same text', 'a', 'a', true],
  ['a number and its text', 1, '1', false],
  ['the same error', { error: '#N/A' }, { error: '#N/A' }, true],
  ['two errors', { error: '#N/A' }, { error: '#REF!' }, false],
  ['an error and its text', { error: '#N/A' }, '#N/A', false],
  ['a text and an error', '#N/A', { error: '#N/A' }, false],
  ['a blank cell and an error', null, { error: '#N/A' }, false],
])('W3: a cell counts as unchanged or not: %s', (_what, a, b, isSame) => expect(isSameValue(a, b)).toBe(isSame));
