import { expect, test } from 'vitest';
import { type ProblemKind, problem } from '../../src/sync/change.ts';
import { estimate } from '../../src/sync/estimate.ts';
import { plan } from '../../src/sync/plan.ts';
import { inSync, isHarmless, statusByRow } from '../../src/sync/status.ts';
import { gone, newContact, newRow, person, scene, uuidOf } from './support.ts';

test('L12: a row is told its most urgent problem, and the number of the others', () => {
  const status = statusByRow([
    problem('waiting', { uuid: uuidOf('a'), row: 2 }, 'W10', 'Position: waits'),
    problem('conflict', { uuid: uuidOf('a'), row: 2 }, 'M1', 'Company: changed on both sides'),
    problem('unreadable', { uuid: uuidOf('a'), row: 2 }, 'V4', 'Email: shows #REF!'),
    problem('quarantined', { row: 3 }, 'I4', 'copy of row 2'),
    problem('waiting', { uuid: uuidOf('b') }, 'I10', 'has no row'),
  ]);
  expect([...status]).toEqual([
    [2, 'conflict: Company: changed on both sides (and 2 more)'],
    [3, 'quarantined: copy of row 2'],
  ]);
  expect(status.get(4) ?? inSync).toBe('in sync');
});

test('L12: a reason that begins with the kind of its problem says it once', () => {
  const status = statusByRow([problem('refused', { row: 2 }, 'W5', 'refused: the account may not edit C2')]);
  expect([...status]).toEqual([[2, 'refused: the account may not edit C2']]);
});

test('W12: a run with only waiting or ignored records succeeds; every other kind of problem makes it partial', () => {
  const verdicts: Record<ProblemKind, boolean> = {
    waiting: true,
    ignored: true,
    conflict: false,
    quarantined: false,
    held: false,
    parked: false,
    unreadable: false,
    refused: false,
    failed: false,
    unknown: false,
    incomplete: false,
  };
  for (const [kind, harmless] of Object.entries(verdicts)) expect(isHarmless(kind as ProblemKind)).toBe(harmless);
});

test('a plan has the number of calls to each side, and the time of the slower one', () => {
  const input = scene(
    [
      person('a', { sheet: { position: 'CEO', 'custom:segment': 'silver' } }),
      person('b', { crm: { position: 'CEO' } }),
      newContact('c'),
      newRow('d'),
      newRow('e', { company_name: 'Beta' }),
    ],
    { asked: { 5: gone } },
  );
  const { changes, questions } = plan(input);
  const budgets = { crmPerMinute: 60, sheetReadsPerMinute: 60, sheetWritesPerMinute: 2 };
  // One lookup, one create, one update of fields and of a custom field (looked up) after one search; set and uuid in one batch, one
  // append and its mark.
  expect(estimate(changes, questions, budgets, (field) => field.startsWith('custom:'))).toEqual({
    crmCalls: 6,
    sheetReads: 1,
    sheetWrites: 5,
    seconds: 150,
  });
});
