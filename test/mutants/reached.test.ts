// Which tests a mutant gets, from what each of them runs.
import { expect, test } from 'vitest';
import { mutantsOf } from './mutate.ts';
import type { Reach } from './reach.ts';
import { testsThatReach } from './reached.ts';

test('a change of an operator gets the tests that run its left side, also if none runs its right side', () => {
  const source = 'export const f = (a, b) => a ?? b;';
  const [mutant] = mutantsOf('f.ts', source);
  expect(mutant?.what).toBe('?? -> && in a ?? b');
  const parts = [
    { start: 0, end: source.length, isRun: true },
    { start: source.indexOf('(a'), end: source.length - 1, isRun: true },
    // V8 counts the right side from its operator on.
    { start: source.indexOf('??'), end: source.length - 1, isRun: false },
  ];
  const reach = (test: string, isRun: boolean): Reach => ({
    test,
    partsByFile: { 'f.ts': parts.map((part) => ({ ...part, isRun: part.isRun && isRun })) },
  });
  expect(testsThatReach([reach('calls it', true), reach('loads another file', false)], mutant!)).toEqual(['calls it']);
});
