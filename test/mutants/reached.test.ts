// Which tests a mutant gets, from what each of them runs.
import { expect, test } from 'vitest';
import { mutantsOf } from './mutate.ts';
import type { Reach } from './reach.ts';
import { testsThatReach } from './reached.ts';

const source = 'export const f = (a, b) => a ?? b;';
const all = { start: 0, end: source.length, isRun: true };
const body = { start: source.indexOf('(a'), end: source.length - 1, isRun: true };
// V8 counts the right side from its operator on.
const right = { start: source.indexOf('??'), end: source.length - 1, isRun: false };
const [mutant] = mutantsOf('f.ts', source);

const calling: Reach = { test: 'calls it', loadedByFile: {}, partsByFile: { 'f.ts': [body, right] } };
const other: Reach = { test: 'runs another file', loadedByFile: {}, partsByFile: { 'g.ts': [body] } };

test('a change of an operator gets the tests that run its left side, also if none runs its right side', () => {
  expect(mutant?.what).toBe('?? -> && in a ?? b');
  const loading: Reach = {
    test: 'loads it first',
    loadedByFile: { 'f.ts': [all, { ...body, isRun: false }] },
    partsByFile: {},
  };
  expect(testsThatReach([loading, calling, other], mutant!)).toEqual(['calls it']);
});

test('a change of what runs while a module is loaded gets all tests: it is loaded once for all of them', () => {
  const loading: Reach = { test: 'loads it first', loadedByFile: { 'f.ts': [all, body] }, partsByFile: {} };
  expect(testsThatReach([loading, other], mutant!)).toEqual(['loads it first', 'runs another file']);
});
