// Which small changes are made of a source, and which are not worth a test.
import { expect, test } from 'vitest';
import { mutantsOf } from './mutate.ts';

const changesOf = (source: string) => mutantsOf('f.ts', source).map(({ what }) => what);

test('operators, conditions, numbers, returns and statements are changed', () => {
  expect(changesOf('export function f(a: number) { if (a > 1) g(); return a + 2; }')).toEqual([
    'true for a > 1',
    'false for a > 1',
    '> -> >= in a > 1',
    '1 -> 2',
    'dropped: g();',
    'emptied: return a + 2;',
    '+ -> - in a + 2',
    '2 -> 3',
  ]);
});

test('texts that are put together are left alone, however many', () => {
  expect(changesOf("export const a = 'one ' + 'two ' + b; export const c = `${d} ` + e;")).toEqual([]);
});

test('types are left alone', () => {
  expect(changesOf('export type A = 1 | 2; export interface B { readonly c: 3 }')).toEqual([]);
});
