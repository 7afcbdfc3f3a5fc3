// Laws of one plan: it must not depend on order, on which side is called what, or on other problems.
import { deepStrictEqual } from 'node:assert';
import type { Change } from '../../../src/sync/change.ts';
import { healthy } from './options.ts';
import type { PlanInput } from '../../../src/sync/input.ts';
import { type Plan, plan } from '../../../src/sync/plan.ts';
import type { Side } from '../../../src/sync/value/value.ts';
import { type Act, act } from './people.ts';
import { planAndAsk, readBoth, run } from './run.ts';
import type { World } from './world.ts';
import { expectedOf } from './oracle.ts';
import { firstFree, type FreePlan, inputOf, mirrored, type Shuffle, shuffled, uuidOf } from './records.ts';

/** A plan as text, with its maps sorted: their order has no meaning. */
function told({ links, strays, people, wishes, wishResults, ...rest }: Plan): unknown {
  const sorted = (map: ReadonlyMap<string | number, unknown>) => [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return structuredClone({
    ...rest,
    links: sorted(links),
    strays: sorted(strays),
    people: sorted(people),
    wishes: sorted(wishes),
    wishResults: sorted(wishResults),
  });
}

/** L11: another order of contacts, pages, rows and links, and contacts that were seen twice (I8). */
export function judgeOrder(input: PlanInput, shuffle: Shuffle): void {
  const { contacts } = input.crm;
  const other: PlanInput = {
    ...input,
    base: { ...input.base, links: new Map(shuffled([...input.base.links], shuffle)) },
    crm: { ...input.crm, contacts: shuffled([...contacts, ...contacts.slice(0, shuffle.turn)], shuffle) },
    sheet: { ...input.sheet, rows: shuffled(input.sheet.rows, shuffle) },
  };
  deepStrictEqual(told(plan(other)), told(plan(input)));
}

/** L11: the same input gives the same plan, and the input is not changed. */
export function judgeRepeatable(input: PlanInput): void {
  const before = structuredClone(input);
  const first = told(plan(input));
  deepStrictEqual(told(plan(input)), first);
  deepStrictEqual(input, before);
}

/** L11: which values are written where, without the names of the sides. Only the key tells the people apart. */
export function judgeMirror(drawn: FreePlan): void {
  const other = { crm: 'sheet', sheet: 'crm' } as const;
  const itself = effectsOf(plan(inputOf(drawn)), (side) => side);
  const mirror = effectsOf(plan(inputOf(mirrored(drawn))), (side) => other[side]);
  deepStrictEqual(mirror, itself);
}

function effectsOf({ changes, problems }: Plan, seen: (side: Side) => Side): unknown {
  const isNew = ({ op }: Change) => op === 'create' || op === 'append';
  const written = changes.flatMap((change) =>
    change.fields.map(({ field, before, after }) => {
      const key = change.fields.find((each) => each.field === 'network_id')?.after;
      return JSON.stringify([seen(change.side), isNew(change) ? key : change.uuid, field, before, after]);
    }),
  );
  const open = problems.map(({ kind, uuid, field }) => JSON.stringify([kind, uuid, field]));
  return { written: written.toSorted(), open: open.toSorted() };
}

/** L1, L2, L4, L5: each field of each person becomes what the table says, whatever the other fields become. */
export function judgeByTable(drawn: FreePlan): void {
  const { changes, problems } = plan(inputOf(drawn));
  const expected: string[] = [];
  const conflicts: string[] = [];
  for (const [index, { presence, base, crm, sheet }] of drawn.records.entries()) {
    if (presence !== 'linked') continue;
    for (const [at, field] of drawn.fields.entries()) {
      const outcome = expectedOf(field, base[at], crm[at]!, sheet[at]!);
      const name = `f${at + firstFree - 1}`;
      if (outcome === 'conflict') conflicts.push(`${uuidOf(index)}/${name}`);
      else if (outcome !== 'nothing') expected.push(JSON.stringify([outcome.to, uuidOf(index), name, outcome.value]));
    }
  }
  const planned = changes
    .filter(({ op }) => op === 'update' || op === 'set')
    .flatMap(({ side, uuid, fields }) => fields.map(({ field, after }) => JSON.stringify([side, uuid, field, after])))
    .toSorted();
  deepStrictEqual(planned, expected.toSorted());
  deepStrictEqual(problems.map(({ id }) => id).toSorted(), conflicts.toSorted());
}

/** L4: a conflict in one field changes nothing for all others. */
export function judgeFrozen(drawn: FreePlan): void {
  const [first] = drawn.records;
  const manual = drawn.fields.map((field, at) =>
    at === 0 ? ({ ...field, direction: 'both', conflict: 'manual' } as const) : field,
  );
  const calm: FreePlan = {
    fields: manual,
    records: withFirst(drawn, {
      ...first!,
      presence: 'linked',
      base: ['o', ...first!.base.slice(1)],
      crm: ['o', ...first!.crm.slice(1)],
      sheet: ['o', ...first!.sheet.slice(1)],
    }),
  };
  const torn: FreePlan = {
    fields: manual,
    records: withFirst(drawn, {
      ...calm.records[0]!,
      crm: ['a', ...first!.crm.slice(1)],
      sheet: ['b', ...first!.sheet.slice(1)],
    }),
  };
  const [before, after] = [plan(inputOf(calm)), plan(inputOf(torn))];
  deepStrictEqual(after.changes, before.changes);
  const id = `${uuidOf(0)}/f0`;
  deepStrictEqual(
    after.problems.filter((each) => each.id !== id),
    before.problems,
  );
  deepStrictEqual(
    after.problems.filter((each) => each.id === id).map(({ kind, values }) => ({ kind, values })),
    [{ kind: 'conflict', values: { base: 'o', crm: 'a', sheet: 'b' } }],
  );
}

function withFirst({ records }: FreePlan, first: FreePlan['records'][number]): FreePlan['records'] {
  return [first, ...records.slice(1)];
}

/**
 * W3, L11: a contact that was not read again counts as last seen, so an incremental pull plans the same as a whole one.
 */
export function judgeIncremental(world: World, edits: readonly Act[]): void {
  run(world, healthy);
  run(world, healthy);
  for (const each of edits) act(world, each);
  const [, whole] = planAndAsk(world, readBoth(world, healthy), healthy);
  const [input, incremental] = planAndAsk(world, readBoth(world, { ...healthy, coverage: 'changes' }), healthy);
  // A contact that waited for a decision about a row has no link: the next whole scan appends it.
  const read = new Set(input.crm.contacts.map(({ uuid }) => uuid));
  // A row without an ID is set aside too often rather than linked too early.
  const doubted = new Set(incremental.problems.filter(({ field }) => field === null).map(({ row }) => row));
  const expected = whole.changes.filter(
    ({ op, uuid, row }) => (op !== 'append' || read.has(uuid ?? '')) && (row === null || !doubted.has(row)),
  );
  deepStrictEqual(incremental.changes, expected);
}
