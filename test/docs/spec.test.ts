import { expect, test } from 'vitest';
import { awaiting, ruleTests, untested } from '../../scripts/rule-tests.ts';

test('every rule of docs/SPEC.md has a test whose title names it, or is one of those that still await theirs', () => {
  expect(untested(ruleTests()).filter((id) => !awaiting.includes(id))).toEqual([]);
});

test('no rule that the algorithm decides awaits its test', () => {
  const decided = [...ruleTests().keys()].filter((id) => /^(?:merge|[VMIDG]\d+|E[1-6]|P\d+|S4)$/.test(id));
  expect(decided.length).toBeGreaterThan(40);
  expect(awaiting.filter((id) => decided.includes(id))).toEqual([]);
});
