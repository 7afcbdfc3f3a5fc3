import { expect, test } from 'vitest';
import { ruleTests, untested } from '../../scripts/rule-tests.ts';

test('every rule of docs/SPEC.md has a test whose title names it', () => {
  expect(untested(ruleTests())).toEqual([]);
});
