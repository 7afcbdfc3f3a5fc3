import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BlankPolicy,
  blankPolicies,
  conflictPolicies,
  type ConflictPolicy,
  type Direction,
  type Field,
} from '../../src/sync/record/mapping.ts';
import { type FieldDecision, mergeField } from '../../src/sync/merge/merge-field.ts';
import { plan } from '../../src/sync/plan.ts';
import type { Reading, Side } from '../../src/sync/value/value.ts';
import { fieldOf, person, scene, withFields } from './support.ts';

// docs/SPEC.md, "Merge, one field" with M1 to M4, written a second time, slow and obvious: O, A and B as there. Nothing
// is taken from the code.
type Outcome = 'nothing' | 'conflict' | `base := ${string}` | `${Side} := ${string}`;

interface Told {
  readonly o: Reading;
  readonly a: Reading;
  readonly b: Reading;
  readonly direction: Direction;
  readonly policy: ConflictPolicy;
  readonly blank: BlankPolicy;
  /** The side that was edited last, if that is known. */
  readonly newer?: Side | undefined;
}

function oracle({ o, a, b, direction, policy, blank, newer }: Told): Outcome {
  if (direction === 'to_crm') {
    // M4: the CRM side is never read; O is what was last sent.
    if (b === undefined || b === o) return 'nothing';
    if (b === null && (o === undefined || blank === 'ignore')) return 'nothing';
    return set('crm', b);
  }
  // V3: unknown is neither a change nor a blank.
  if (a === undefined || b === undefined) return 'nothing';
  if (a === b) return `base := ${a}`;
  if (direction === 'to_sheet') {
    // M4, M3: under `ignore` an emptied contact is not shown, and here the cell cannot fill it.
    return a === null && o !== null && blank === 'ignore' ? 'nothing' : set('sheet', a);
  }
  const isOnlyA = o !== undefined && b === o;
  const isOnlyB = o !== undefined && a === o;
  if (isOnlyA) return a === null && blank === 'ignore' ? set('crm', b) : set('sheet', a);
  if (isOnlyB) return b === null && blank === 'ignore' ? set('sheet', a) : set('crm', b);
  if (o === undefined && a === null) return set('crm', b);
  if (o === undefined && b === null) return set('sheet', a);
  // All three differ, or O is missing and both sides have a value.
  const isDeclared = policy === 'crm' || policy === 'sheet';
  if ((a === null || b === null) && (blank === 'ignore' || !isDeclared)) {
    return a === null ? set('crm', b) : set('sheet', a);
  }
  const winner = isDeclared ? policy : policy === 'newest' ? newer : undefined;
  if (winner === undefined) return 'conflict';
  return winner === 'crm' ? set('sheet', a) : set('crm', b);
}

function set(side: Side, value: Reading): Outcome {
  return `${side} := ${String(value)}`;
}

function outcomeOf(decision: FieldDecision): Outcome {
  switch (decision.kind) {
    case 'leave':
      return 'nothing';
    case 'agree':
      return `base := ${String(decision.value)}`;
    case 'conflict':
      return 'conflict';
    case 'write':
      return set(decision.side, decision.value);
  }
}

const values: readonly Reading[] = [undefined, null, 'x', 'y', 'z'];
const directions = ['both', 'to_sheet', 'to_crm'] as const;

const everything: readonly Told[] = values.flatMap((o) =>
  values.flatMap((a) =>
    values.flatMap((b) =>
      conflictPolicies.flatMap((policy) =>
        blankPolicies.flatMap((blank) =>
          directions.flatMap((direction) =>
            ([undefined, 'crm', 'sheet'] as const).map((newer) => ({ o, a, b, policy, blank, direction, newer })),
          ),
        ),
      ),
    ),
  ),
);

const fieldIn = ({ direction, policy, blank }: Told): Field =>
  fieldOf('position', 'Position', { direction, conflict: policy, blank });

const decide = (each: Told): FieldDecision =>
  mergeField(fieldIn(each), { base: each.o, crm: each.a, sheet: each.b }, each.newer);

describe('one field, every combination', () => {
  test('merge, V3, M1, M2, M3, M4: every combination of base, CRM, sheet and policies is decided as written', () => {
    const wrong = everything.filter((each) => outcomeOf(decide(each)) !== oracle(each));
    expect(wrong.map((each) => ({ ...each, is: outcomeOf(decide(each)), ought: oracle(each) }))).toEqual([]);
  });

  test('L11: swapping the sides and the policy mirrors the decision', () => {
    const mirrored = { crm: 'sheet', sheet: 'crm', manual: 'manual', newest: 'newest' } as const;
    const mirrorOutcome = (outcome: Outcome): string =>
      outcome.replace(/^(crm|sheet) :=/, (_, side: Side) => `${mirrored[side]} :=`);
    const wrong = everything.filter((each) => {
      const { a, b, policy, newer } = each;
      const mirror = { ...each, a: b, b: a, policy: mirrored[policy], newer: newer && mirrored[newer] };
      return each.direction === 'both' && outcomeOf(decide(mirror)) !== mirrorOutcome(outcomeOf(decide(each)));
    });
    expect(wrong).toEqual([]);
  });

  test('L2: only a value of one of the two sides is ever written', () => {
    const invented = everything.filter((each) => {
      const decision = decide(each);
      return decision.kind === 'write' && decision.value !== each.a && decision.value !== each.b;
    });
    expect(invented).toEqual([]);
  });

  test('L1: under manual, an edit since the base is not overwritten', () => {
    const lost = everything.filter((each) => {
      const decision = decide(each);
      if (each.policy !== 'manual' || each.direction !== 'both' || each.o === undefined) return false;
      if (decision.kind !== 'write') return false;
      const overwritten = decision.side === 'crm' ? each.a : each.b;
      // M2, M3: only a blank may lose.
      return overwritten !== each.o && overwritten !== null;
    });
    expect(lost).toEqual([]);
  });

  test('V2: equal values are the same, whatever their form', () => {
    const field = fieldOf('email', 'Email', { kind: 'email' });
    expect(mergeField(field, { base: 'a@x.test', crm: 'A@x.test', sheet: ' a@X.test ' })).toEqual({
      kind: 'agree',
      value: 'A@x.test',
    });
    expect(mergeField(field, { base: 'a@x.test', crm: 'A@x.test', sheet: 'b@x.test' })).toMatchObject({
      side: 'crm',
      value: 'b@x.test',
    });
  });
});

describe('two fields of one person', () => {
  const reading = fc.constantFrom(...values);
  const told = fc.record({
    o: reading,
    a: reading,
    b: reading,
    direction: fc.constantFrom(...directions),
    policy: fc.constantFrom('manual' as const, 'crm' as const, 'sheet' as const),
    blank: fc.constantFrom(...blankPolicies),
  });
  const names = ['position', 'company_name'] as const;

  test('L4, L5: each field is decided without regard to the other', () => {
    fc.assert(
      fc.property(told, told, (first, second) => {
        const both = { position: first, company_name: second };
        const side = (pick: (each: Told) => Reading) =>
          Object.fromEntries(names.map((name) => [name, pick(both[name])]));
        const mapping = withFields(
          Object.fromEntries(
            names.map((name) => {
              const { direction, policy: conflict, blank } = both[name];
              return [name, { direction, conflict, blank }];
            }),
          ),
        );
        const someone = person('a', { base: side(({ o }) => o), crm: side(({ a }) => a), sheet: side(({ b }) => b) });
        const made = plan(scene([someone], { mapping }));
        for (const name of names) {
          const writes = made.changes.flatMap((change) =>
            change.fields.flatMap(({ field, after }) => (field === name ? [set(change.side, after)] : [])),
          );
          const isConflict = made.problems.some(({ field, kind }) => field === name && kind === 'conflict');
          const ought = oracle(both[name]);
          expect(writes).toEqual(/^(crm|sheet) :=/.test(ought) ? [ought] : []);
          expect(isConflict).toBe(ought === 'conflict');
        }
      }),
      { numRuns: 2000 },
    );
  });
});
