import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ControlAnswer, FeedInput, FeedLink, FeedRecord, FeedRow } from '../../src/sync/feed/input.ts';
import { controlIntents, type FeedPlan, planFeed, settleFeed, withoutIntents } from '../../src/sync/feed/feed.ts';
import { planFeedUndo } from '../../src/sync/feed/undo.ts';
import { type FeedField, isSameInCell, readField, toFeedCell } from '../../src/sync/feed/value.ts';

const field = (name: string, kind: FeedField['kind'] = 'text'): FeedField => ({
  name,
  header: name,
  kind,
  path: name.split('.'),
});
const fields = [field('name'), field('status'), field('size', 'integer')];

interface WorldRow {
  id: string;
  cells: (string | number | boolean | null)[];
  /** A note that a person wrote beside the record. */
  note: string;
  status: string;
}

/** A tab and the links of its feed. `run` does what the engine does with a plan, and every change succeeds. */
function createWorld(options: Partial<FeedInput> = {}) {
  let rows: WorldRow[] = [];
  let links: ReadonlyMap<string, FeedLink> = new Map();
  return {
    rows: () => rows,
    links: () => links,
    edit: (change: (rows: WorldRow[]) => WorldRow[]) => void (rows = change(rows)),
    forget: () => void (links = new Map()),
    plan: (records: readonly FeedRecord[], more: Partial<FeedInput> = {}) => planFeed(input(records, more)),
    run(records: readonly FeedRecord[], more: Partial<FeedInput> = {}): FeedPlan {
      const plan = planFeed(input(records, more));
      if (plan.holds.length > 0) return plan;
      apply(plan);
      links = settleFeed(links, plan, new Map(plan.changes.map((change) => [change, { kind: 'done' }])));
      return plan;
    },
    /** A run of which no change succeeds. */
    attempt(records: readonly FeedRecord[]): void {
      links = settleFeed(links, planFeed(input(records, {})), new Map());
    },
  };

  function input(records: readonly FeedRecord[], more: Partial<FeedInput>): FeedInput {
    const seen = rows.map(({ id, cells }, index): FeedRow => ({ number: index + 2, id, cells, formulas: [] }));
    const fixed = { fields, coverage: 'whole', isDrifted: false, onGone: 'mark', what: 'automations' } as const;
    return { ...fixed, records, rows: seen, links, answers: new Map(), ...options, ...more };
  }

  function apply({ changes, statuses }: FeedPlan): void {
    for (const [number, text] of statuses) rows[number - 2]!.status = text;
    const removed = new Set(changes.flatMap(({ op, row }) => (op === 'remove' ? [row] : [])));
    for (const { op, row, fields: set } of changes) {
      if (op !== 'set') continue;
      for (const { field: name, after } of set) rows[row! - 2]!.cells[placeOf(name)] = after;
    }
    rows = rows.filter((_row, index) => !removed.has(index + 2));
    for (const { op, uuid, fields: set } of changes) {
      if (op !== 'append') continue;
      const cells = fields.map(({ name }) => set.find((each) => each.field === name)?.after ?? null);
      rows.push({ id: uuid!, cells, note: '', status: 'in sync' });
    }
  }
}

const placeOf = (name: string) => fields.findIndex((each) => each.name === name);
const record = (uuid: string, name = uuid, status = 'off', size = 1): FeedRecord => ({
  uuid,
  values: [name, status, size],
});
const kinds = ({ problems }: FeedPlan) => problems.map(({ kind, row, rule }) => [kind, row, rule]);

describe('F1, F2: of 5,000 records', () => {
  const count = 5_000;
  const all = Array.from({ length: count }, (_, index) => record(`u${index}`, `name ${index}`, 'off', index));

  test('each has one row, and a second run plans nothing (L6)', () => {
    const world = createWorld();
    expect(world.run(all).changes).toHaveLength(count);
    expect(world.run(all).changes).toEqual([]);
  });

  test('notes stay with their records while people sort and a fifth of the records changes', () => {
    const world = createWorld({ onGone: 'delete_row' });
    world.run(all);
    world.edit((rows) => rows.map((row) => ({ ...row, note: `note of ${row.id}` })));
    world.edit((rows) => rows.toSorted((a, b) => String(a.cells[0]).localeCompare(String(b.cells[0]))).toReversed());
    const stayed = all.slice(count / 5).map(({ uuid }, index) => record(uuid, `name ${index}`, 'on', index * 2));
    const came = Array.from({ length: count / 5 }, (_, index) => record(`v${index}`));
    const plan = world.run([...came, ...stayed]);
    const ops = (op: string) => plan.changes.filter((change) => change.op === op).length;
    expect([ops('append'), ops('remove'), ops('set')]).toEqual([count / 5, count / 5, stayed.length]);
    expect(world.rows()).toHaveLength(count);
    expect(world.rows().filter(({ id, note }) => id.startsWith('u') && note !== `note of ${id}`)).toEqual([]);
    const cellsById = new Map(world.rows().map(({ id, cells }) => [id, cells]));
    expect([...came, ...stayed].filter(({ uuid, values }) => String(cellsById.get(uuid)) !== String(values))).toEqual(
      [],
    );
    expect(world.run([...came, ...stayed]).changes).toEqual([]);
  });
});

describe('as a property', () => {
  const uuids = ['a', 'b', 'c', 'd'];
  const records = fc.uniqueArray(
    fc.tuple(fc.constantFrom(...uuids), fc.constantFrom('x', 'y', ''), fc.constantFrom('on', 'off'), fc.nat(2)),
    { selector: ([uuid]) => uuid, minLength: 1 },
  );
  const step = fc.oneof(
    fc.record({ do: fc.constant('run' as const), records, isDrifted: fc.boolean(), isPartial: fc.boolean() }),
    fc.record({
      do: fc.constant('type' as const),
      row: fc.nat(5),
      place: fc.nat(2),
      text: fc.constantFrom('x', '', '9'),
    }),
    fc.record({ do: fc.constant('delete' as const), row: fc.nat(5) }),
    fc.record({ do: fc.constant('swap' as const), row: fc.nat(5) }),
    fc.record({ do: fc.constant('copy' as const), row: fc.nat(5) }),
    fc.record({ do: fc.constant('add' as const), id: fc.constantFrom('', 'mine') }),
    fc.record({ do: fc.constant('forget' as const) }),
  );

  test.each(['mark', 'delete_row'] as const)(
    'F1, F2, F3: after any acts, with on_gone: %s, a run mirrors every record once, keeps every note, and converges',
    (onGone) => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 12 }), records, (steps, last) => {
          const world = createWorld({ onGone });
          let notes = 0;
          const broken: string[] = [];
          for (const each of steps) {
            const at = 'row' in each && world.rows().length > 0 ? each.row % world.rows().length : -1;
            if (each.do === 'run') {
              const before = world.rows().map(({ id, note }) => `${id} ${note}`);
              const plan = world.run(toRecords(each.records), {
                isDrifted: each.isDrifted,
                coverage: each.isPartial ? 'partial' : 'whole',
              });
              const listed = new Set(each.records.map(([uuid]) => uuid));
              const removed = plan.changes.flatMap(({ op, uuid }) => (op === 'remove' ? [uuid!] : []));
              // A row is deleted only if its record is gone, and never after a reading that proves nothing.
              broken.push(...removed.filter((uuid) => listed.has(uuid) || uuid === 'mine' || each.isPartial));
              const after = new Set(world.rows().map(({ id, note }) => `${id} ${note}`));
              broken.push(
                ...before.filter((row) => !after.has(row) && !removed.some((uuid) => row.startsWith(`${uuid} `))),
              );
            } else if (each.do === 'forget') world.forget();
            else if (each.do === 'add') {
              world.edit((rows) => [
                ...rows,
                { id: each.id, cells: ['own', null, null], note: `n${notes++}`, status: '' },
              ]);
            } else if (at >= 0) {
              world.edit((rows) => {
                const row = { ...rows[at]!, note: `n${notes++}` };
                if (each.do === 'delete') return rows.toSpliced(at, 1);
                if (each.do === 'swap') return [...rows.toSpliced(at, 1), row];
                if (each.do === 'copy') return [...rows, { ...row, cells: [...row.cells] }];
                const cells = row.cells.with(each.place, each.text === '' ? null : each.text);
                return rows.with(at, { ...row, cells });
              });
            }
          }
          expect(broken).toEqual([]);
          const final = toRecords(last);
          world.run(final);
          world.run(final);
          for (const { uuid, values } of final) {
            const mirrored = world
              .rows()
              .filter(
                ({ id, cells }) =>
                  id === uuid && fields.every((each, i) => isSameInCell(each, values[i] ?? null, cells[i]!)),
              );
            // Two different rows that differ in equally many fields: both say so, and a person decides (I4).
            const its = world.rows().filter(({ id }) => id === uuid);
            const isInDoubt =
              its.length > 1 && its.every(({ status }) => status.includes('cannot be told from a copy'));
            expect(isInDoubt || mirrored.length > 0).toBe(true);
          }
          const links = world.links();
          const again = world.run(final);
          expect(again.changes).toEqual([]);
          expect(world.links()).toEqual(links);
        }),
        { numRuns: 500 },
      );
    },
  );

  const toRecords = (drawn: readonly [string, string, string, number][]) =>
    drawn.map(([uuid, name, status, size]) => ({ uuid, values: [name === '' ? null : name, status, size] }));
});

describe('F3: a record that is gone', () => {
  const both = [record('a'), record('b')];

  test('a first reading with drift proves nothing, a second one does', () => {
    const world = createWorld({ onGone: 'delete_row' });
    world.run(both);
    expect(world.run([both[0]!], { isDrifted: true }).changes).toEqual([]);
    expect(world.rows()[1]!.status).toBe('in sync');
    expect(world.run([both[0]!], { isDrifted: true }).changes).toMatchObject([{ op: 'remove', uuid: 'b' }]);
  });

  test('is not gone if it was listed between two readings with drift', () => {
    const world = createWorld({ onGone: 'delete_row' });
    world.run(both);
    world.run([both[0]!], { isDrifted: true });
    world.run(both);
    expect(world.run([both[0]!], { isDrifted: true }).changes).toEqual([]);
  });

  test.each([
    { how: 'a wish of its cell had no answer', cell: 'on', status: 'off' },
    { how: 'its cell could not be written', cell: 'off', status: 'on' },
  ])('F3, E7: nor if $how in the reading between', ({ cell, status }) => {
    const world = createWorld({ onGone: 'delete_row', controlled: 'status' });
    world.run(both);
    world.run([both[0]!], { isDrifted: true });
    world.edit(([a, b]) => [a!, { ...b!, cells: ['b', cell, 1] }]);
    world.attempt([both[0]!, record('b', 'b', status)]);
    expect(world.run([both[0]!], { isDrifted: true }).changes).toEqual([]);
    expect(world.run([both[0]!], { isDrifted: true }).changes).toMatchObject([{ op: 'remove', uuid: 'b' }]);
  });

  test('a partial reading concludes nothing, however often', () => {
    const world = createWorld({ onGone: 'delete_row' });
    world.run(both);
    for (let run = 0; run < 3; run += 1) {
      expect(world.run([both[0]!], { coverage: 'partial', isDrifted: true }).changes).toEqual([]);
    }
  });

  test('a row with an ID that the feed never wrote is not deleted, also after the state was lost', () => {
    const world = createWorld({ onGone: 'delete_row' });
    world.run(both);
    world.forget();
    const plan = world.run([both[0]!]);
    expect(plan.changes).toEqual([]);
    expect(kinds(plan)).toEqual([['ignored', 3, 'F3']]);
  });

  test('that comes back has its row in sync again', () => {
    const world = createWorld();
    world.run(both);
    world.run([both[0]!]);
    expect(world.rows()[1]!.status).toMatch(/^gone: /);
    expect(world.run(both).changes).toEqual([]);
    expect(world.rows()[1]!.status).toBe('in sync');
  });
});

describe('G1: a collection that is suddenly empty', () => {
  const known = (count: number) => {
    const world = createWorld({ onGone: 'delete_row' });
    world.run(Array.from({ length: count }, (_, index) => record(`u${index}`)));
    return world;
  };

  test('G1: is held if the tab has two of its records or more; one may be the only record', () => {
    expect(known(2).plan([])).toMatchObject({ holds: [{ rule: 'G1', fails: false }] });
    expect(known(2).plan([]).holds[0]!.reason).toContain('the service lists no automations, and 2 were there before');
    expect(known(1).plan([])).toMatchObject({ holds: [], changes: [{ op: 'remove' }] });
  });

  test('G1, G5: is not held if the reading was partial, or a record is listed', () => {
    expect(known(3).plan([], { coverage: 'partial' })).toMatchObject({ holds: [], changes: [] });
    expect(known(3).plan([record('u0')]).holds).toEqual([]);
  });

  test('G1: rows that the feed did not write do not count', () => {
    const world = known(3);
    world.forget();
    expect(world.plan([]).holds).toEqual([]);
  });
});

describe('what is told of each row', () => {
  test('F1, L12: a change has the value before, the value after, and why', () => {
    const world = createWorld({ controlled: 'status' });
    const [append] = world.run([record('a')]).changes;
    expect(append).toMatchObject({ op: 'append', row: null, rule: 'F1', reason: 'new in the service' });
    expect(append!.fields).toEqual([
      { field: 'name', before: null, after: 'a', rule: 'F1', reason: 'new in the service' },
      { field: 'status', before: null, after: 'off', rule: 'F1', reason: 'new in the service' },
      { field: 'size', before: null, after: 1, rule: 'F1', reason: 'new in the service' },
    ]);
    const [set] = world.plan([record('a', 'b', 'on')]).changes;
    expect(set).toMatchObject({ op: 'set', row: 2, rule: 'F1', reason: 'in the service' });
    expect(set!.fields).toEqual([
      { field: 'name', before: 'a', after: 'b', rule: 'F1', reason: 'in the service' },
      { field: 'status', before: 'off', after: 'on', rule: 'F1', reason: 'in the service' },
    ]);
  });

  test('V6: a new record with a text that is too long gets its row without that text', () => {
    const plan = createWorld().plan([{ uuid: 'a', values: ['x'.repeat(50_001), null, 1] }]);
    expect(plan.changes[0]!.fields.map(({ field: name }) => name)).toEqual(['size']);
    expect(plan.problems).toMatchObject([{ kind: 'refused', uuid: 'a', field: 'name', rule: 'V6' }]);
  });

  test('V4: a cell that shows an error has an unknown value before the change', () => {
    const world = createWorld();
    world.run([record('a')]);
    const rows = [{ number: 2, id: 'a', cells: [{ error: '#REF!' }, 'off', 1], formulas: [] }];
    expect(world.plan([record('a')], { rows }).changes[0]!.fields).toMatchObject([{ before: undefined, after: 'a' }]);
  });

  test('F3: where only the newest are mirrored, the row of an older record says so', () => {
    const world = createWorld();
    world.run([record('a'), record('b')]);
    world.run([record('a')], { coverage: 'newest' });
    expect(world.rows()[1]!.status).toBe('gone: not among the first 1 any more');
    world.run([record('a')]);
    expect(world.rows()[1]!.status).toBe('gone: the service does not list it any more');
  });

  test('F3: a row with an ID that the feed did not write says so, and not that it is gone', () => {
    const world = createWorld();
    world.run([record('a')]);
    world.edit((rows) => [...rows, { id: 'mine', cells: ['own', null, null], note: '', status: '' }]);
    world.run([record('a')]);
    expect(world.rows()[1]!.status).toBe('ignored: the service does not list it, and the feed did not write it');
  });

  test('F3, G5: a row about which a reading proves nothing keeps its status', () => {
    const world = createWorld();
    world.run([record('a'), record('b')]);
    world.edit((rows) => rows.map((row) => ({ ...row, status: 'as it was' })));
    world.run([record('a')], { coverage: 'partial' });
    expect(world.rows().map(({ status }) => status)).toEqual(['in sync', 'as it was']);
  });

  test('F3: a row that is about to be removed is not written to', () => {
    const world = createWorld({ onGone: 'delete_row' });
    world.run([record('a'), record('b')]);
    const plan = world.plan([record('a')]);
    expect([plan.changes.map(({ op, row }) => [op, row]), [...plan.statuses.keys()]]).toEqual([[['remove', 3]], [2]]);
  });

  test('F2: the rows that belong to a record are counted as linked', () => {
    const world = createWorld();
    expect(world.run([record('a'), record('b')]).linked).toBe(0);
    expect(world.run([record('a'), record('b')]).linked).toBe(2);
    expect(world.run([record('a'), record('c')]).linked).toBe(1);
  });

  test('F3: a record that is gone and whose row a person deleted is forgotten', () => {
    const world = createWorld();
    const both = [record('a'), record('b')];
    world.run(both);
    world.edit(([row]) => [row!]);
    const remembered = () => [...world.links().keys()];
    world.run([both[0]!], { coverage: 'partial' });
    expect(remembered()).toEqual(['a', 'b']);
    world.run([both[0]!], { isDrifted: true });
    expect(remembered()).toEqual(['a', 'b']);
    world.run([both[0]!]);
    expect(remembered()).toEqual(['a']);
  });
});

describe('rows that people changed', () => {
  test('I4: of two rows with one ID the one that equals the record keeps it, and the other is told', () => {
    const world = createWorld();
    world.run([record('a')]);
    world.edit(([row]) => [{ ...row!, cells: ['typed', 'off', 1] }, row!]);
    const plan = world.run([record('a')]);
    expect(plan.changes).toEqual([]);
    expect(world.rows()[0]!.status).toBe('quarantined: copy of row 3: delete one of them');
  });

  test('I4: if the record changed, the most similar row keeps it, and nothing typed into a copy is a wish', () => {
    const world = createWorld({ controlled: 'status' });
    world.run([record('a', 'a', 'on')]);
    world.edit(([row]) => [{ ...row!, cells: ['typed', 'off', 1] }, row!]);
    const plan = world.run([record('a', 'a', 'on', 2)]);
    expect(plan.changes).toMatchObject([{ side: 'sheet', op: 'set', row: 3, fields: [{ field: 'size', after: 2 }] }]);
    expect(world.rows().map(({ cells }) => cells)).toEqual([
      ['typed', 'off', 1],
      ['a', 'on', 2],
    ]);
    expect(world.rows()[0]!.status).toBe('quarantined: copy of row 3: delete one of them');
    expect(world.run([record('a', 'a', 'on', 2)]).changes).toEqual([]);
  });

  test('I4: of rows with the same contents the upper one keeps the record', () => {
    const world = createWorld();
    world.run([record('a')]);
    world.edit(([row]) => [row!, { ...row!, cells: [...row!.cells] }]);
    expect(world.run([record('a', 'new')]).changes).toMatchObject([{ op: 'set', row: 2 }]);
  });

  test('I4: the row that was written keeps the record, also when the record equals its copy again', () => {
    const world = createWorld();
    world.run([record('a', 'old')]);
    world.edit(([row]) => [
      { ...row!, note: 'its own' },
      { ...row!, cells: [...row!.cells] },
    ]);
    world.run([record('a', 'new')]);
    world.edit((rows) => rows.toReversed());
    world.run([record('a', 'newer')]);
    expect(world.rows().map(({ cells, note }) => [cells[0], note])).toEqual([
      ['old', ''],
      ['newer', 'its own'],
    ]);
    world.run([record('a', 'old')]);
    expect(world.rows().map(({ status }) => status)).toEqual([
      'quarantined: copy of row 3: delete one of them',
      'in sync',
    ]);
    const remembered = world.links();
    world.edit(([, row]) => [row!]);
    world.run([record('a', 'old')]);
    expect([remembered.get('a'), world.links().get('a')]).toEqual([{}, {}]);
  });

  test('I4: two different rows that differ in equally many fields are not written, hold no wish, and no third row is appended', () => {
    const world = createWorld({ controlled: 'status' });
    world.run([record('a', 'a', 'on')]);
    world.edit(([row]) => [
      { ...row!, cells: ['a', 'off', 1] },
      { ...row!, cells: ['typed', 'on', 1] },
    ]);
    const plan = world.run([record('a', 'a', 'on')]);
    expect([plan.changes, plan.linked]).toEqual([[], 0]);
    expect(world.rows().map(({ status }) => status)).toEqual([
      'quarantined: has the same ID as row 3, and cannot be told from a copy: delete all but one of them',
      'quarantined: has the same ID as row 2, and cannot be told from a copy: delete all but one of them',
    ]);
    expect([...world.links().keys()]).toEqual(['a']);
    world.edit(([, row]) => [row!]);
    expect(world.run([record('a', 'a', 'on')]).changes).toMatchObject([{ op: 'set', fields: [{ after: 'a' }] }]);
  });

  test('I4, F3: no row is deleted for a record that is gone if its row was copied', () => {
    const world = createWorld({ onGone: 'delete_row' });
    world.run([record('a'), record('b')]);
    world.edit(([a, b]) => [{ ...a!, cells: ['typed', 'off', 1] }, a!, b!]);
    expect(world.run([record('b')]).changes).toEqual([]);
    expect(world.rows().map(({ status }) => status)).toEqual([
      'gone: the service does not list it any more; it was copied here',
      'quarantined: copy of row 2: delete one of them',
      'in sync',
    ]);
    expect(world.run([record('b')]).changes).toEqual([]);
  });

  test('F2: no cell of a row without an ID is written, not even its status', () => {
    const world = createWorld();
    world.run([record('a')]);
    world.edit((rows) => [...rows, { id: '', cells: ['own', null, null], note: 'n', status: '' }]);
    const plan = world.run([record('a')]);
    expect(plan.changes).toEqual([]);
    expect(world.rows()[1]).toEqual({ id: '', cells: ['own', null, null], note: 'n', status: '' });
  });

  test('V5: a formula is not written over, V6: nor is text that is too long cut', () => {
    const world = createWorld();
    world.run([record('a')]);
    const rows = [{ number: 2, id: 'a', cells: ['=', 'off', 1], formulas: ['name'] }];
    const formula = world.plan([record('a', 'new')], { rows });
    expect([formula.changes, kinds(formula)]).toEqual([[], [['held', 2, 'V5']]]);
    const long = world.plan([record('a', 'x'.repeat(50_001))]);
    expect([long.changes, kinds(long)]).toEqual([[], [['refused', 2, 'V6']]]);
  });

  test('V3: a field that the answer does not have, and a column that is not there, are left alone', () => {
    const world = createWorld();
    world.run([record('a')]);
    expect(world.plan([{ uuid: 'a', values: [undefined, 'off', 1] }]).changes).toEqual([]);
    const rows = [{ number: 2, id: 'a', cells: ['a', undefined, 1], formulas: [] }];
    expect(world.plan([record('a', 'a', 'on')], { rows }).changes).toEqual([]);
  });
});

describe('E7: a controlled status', () => {
  test('typed into a cell is a wish; before the call nothing is written into that cell', () => {
    const world = createWorld({ controlled: 'status' });
    world.run([record('a')]);
    world.edit(([row]) => [{ ...row!, cells: ['a', ' On', 1] }]);
    expect(world.plan([record('a')]).changes).toMatchObject([
      { side: 'crm', op: 'update', uuid: 'a', fields: [{ before: 'off', after: 'on', rule: 'E7' }] },
    ]);
  });

  test('L10: a value that was written before a crash is no wish, whatever the service has by then', () => {
    const world = createWorld({ controlled: 'status' });
    world.run([record('a')]);
    const changes = world.plan([record('a', 'a', 'on')]).changes;
    const intents = controlIntents({ controlled: 'status', links: world.links() }, changes);
    expect(intents).toEqual(new Map([['a', { agreed: 'off', writing: 'on' }]]));
    // The cell was written and the process was killed; then a person stopped the automation in the service.
    world.edit(([row]) => [{ ...row!, cells: ['a', 'on', 1] }]);
    const next = world.plan([record('a', 'a', 'off')], { links: intents });
    expect(next.changes).toMatchObject([{ side: 'sheet', op: 'set', fields: [{ before: 'on', after: 'off' }] }]);
  });

  const typed = (cell: string | number, more: Partial<FeedInput> = {}, status = 'off') => {
    const world = createWorld({ controlled: 'status' });
    world.run([record('a', 'a', status)]);
    world.edit(([row]) => [{ ...row!, cells: ['a', cell, 1] }]);
    return { world, plan: world.plan([record('a', 'a', status)], more) };
  };
  const answered = (answer: ControlAnswer) => ({ answers: new Map([['a', answer]]) });

  test.each([
    { cell: 'on', status: 'off', after: 'on', reason: 'to be started' },
    { cell: 'OFF ', status: 'on', after: 'off', reason: 'to be stopped' },
  ])('"$cell" is a wish $reason', ({ cell, status, after, reason }) => {
    expect(typed(cell, {}, status).plan.changes).toEqual([
      {
        side: 'crm',
        op: 'update',
        uuid: 'a',
        row: 2,
        fields: [{ field: 'status', before: status, after, rule: 'E7', reason }],
        rule: 'E7',
        reason,
      },
    ]);
  });

  test.each(['maybe', 7])('anything else (%s) is refused, and replaced by what the service has', (cell) => {
    const { plan } = typed(cell);
    expect(plan.problems).toMatchObject([
      { kind: 'refused', row: 2, field: 'status', rule: 'E7', reason: 'status takes on or off' },
    ]);
    expect(plan.changes).toMatchObject([{ op: 'set', rule: 'E7', reason: 'what the service has' }]);
  });

  test('typed in another case is no wish if the service has the same: the cell is corrected', () => {
    expect(typed('Off').plan.changes).toMatchObject([
      { op: 'set', rule: 'E7', fields: [{ before: 'Off', after: 'off' }] },
    ]);
  });

  test('done: the cell gets what the service has now', () => {
    const { world } = typed('on');
    const plan = world.plan([record('a', 'a', 'starting')], answered({ kind: 'done' }));
    expect(plan.changes).toMatchObject([
      { op: 'set', rule: 'E7', fields: [{ field: 'status', before: 'on', after: 'starting' }] },
    ]);
    // As long as the cell is not written, what it says is no wish any more.
    const unwritten = settleFeed(world.links(), plan, new Map());
    expect(unwritten.get('a')).toEqual({ agreed: 'on' });
    expect(world.plan([record('a')], { links: unwritten }).changes).toMatchObject([{ op: 'set', rule: 'F1' }]);
  });

  test.each([
    { answer: { kind: 'failed', message: 'no answer' }, kind: 'failed' },
    { answer: { kind: 'unknown', message: 'timeout' }, kind: 'unknown' },
  ] as const)('W4: $kind: the cell stays as it was typed, and a problem says so', ({ answer, kind }) => {
    const { plan, world } = typed('on', answered(answer));
    expect(plan.changes).toEqual([]);
    expect(plan.problems).toMatchObject([{ kind, uuid: 'a', row: 2, rule: 'W4' }]);
    expect(plan.linkUpdates).toEqual([{ uuid: 'a', link: world.links().get('a') }]);
  });

  test('V5, V3, W11: a formula, an unknown status and a column that is not there are no wishes', () => {
    const { world } = typed('on');
    const row = { number: 2, id: 'a', cells: ['a', 'on', 1], formulas: ['status'] };
    const formula = world.plan([record('a')], { rows: [row] });
    expect([formula.changes, kinds(formula)]).toEqual([[], [['held', 2, 'V5']]]);
    expect(world.plan([{ uuid: 'a', values: ['a', undefined, 1] }]).changes).toEqual([]);
    const missing = { ...row, cells: ['a', undefined, 1], formulas: [] };
    expect(world.plan([record('a')], { rows: [missing] }).changes).toEqual([]);
    for (const plan of [formula, world.plan([record('a')], { rows: [missing] })])
      expect(plan.linkUpdates).toEqual([{ uuid: 'a', link: { agreed: 'off' } }]);
  });

  test('in a row from before the state was lost is mirrored, and no wish', () => {
    const { world } = typed('on');
    world.forget();
    expect(world.plan([record('a')]).changes).toMatchObject([{ op: 'set', rule: 'F1', fields: [{ after: 'off' }] }]);
  });

  test('F1: an unedited cell is mirrored when the service changes', () => {
    const world = createWorld({ controlled: 'status' });
    world.run([record('a')]);
    const plan = world.run([record('a', 'a', 'on')]);
    expect(plan.changes).toMatchObject([{ op: 'set', rule: 'F1', fields: [{ before: 'off', after: 'on' }] }]);
    expect(world.links().get('a')).toEqual({ agreed: 'on' });
  });

  test('L3: the agreed value stays as it was if the cell could not be written', () => {
    const world = createWorld({ controlled: 'status' });
    world.run([record('a')]);
    const plan = world.plan([record('a', 'a', 'on')]);
    const failed = settleFeed(world.links(), plan, new Map([[plan.changes[0]!, { kind: 'failed', message: 'x' }]]));
    expect(failed.get('a')).toEqual({ agreed: 'off' });
  });

  test('L10: only cells of that column that are about to be written are stored as intents', () => {
    const world = createWorld({ controlled: 'status' });
    world.run([record('a'), record('b')]);
    const changes = world.plan([record('a', 'new name'), record('b', 'b', 'on'), record('c')]).changes;
    expect(controlIntents({ controlled: 'status', links: world.links() }, changes)).toEqual(
      new Map<string, FeedLink>([
        ['b', { agreed: 'off', writing: 'on' }],
        ['c', { agreed: 'off' }],
      ]),
    );
  });

  test('L10, F3: an intent of what surely was not written is taken back', () => {
    const world = createWorld({ controlled: 'status' });
    world.run([record('a'), record('b')]);
    world.edit(([a]) => [a!]);
    const before = world.links();
    const changes = world.plan([record('a', 'a', 'on'), record('b', 'b', 'on'), record('c')]).changes;
    const intents = controlIntents({ controlled: 'status', links: before }, changes);
    expect([...intents.keys()]).toEqual(['a', 'b', 'c']);
    expect(withoutIntents(before, intents, changes)).toEqual(before);
    expect(withoutIntents(before, intents, [])).toEqual(new Map([...before, ...intents]));
  });

  test('what the service said stays in the status until the record changes or another wish is made', () => {
    const world = createWorld({ controlled: 'status' });
    world.run([record('a', 'a', 'archived')]);
    world.edit(([row]) => [{ ...row!, cells: ['a', 'on', 1] }]);
    const answers = new Map([['a', { kind: 'refused', message: 'it is archived' } as const]]);
    world.run([record('a', 'a', 'archived')], { answers });
    expect(world.rows()[0]).toMatchObject({ cells: ['a', 'archived', 1], status: 'refused: it is archived' });
    world.run([record('a', 'a', 'archived')]);
    expect(world.rows()[0]!.status).toBe('refused: it is archived');
    world.run([record('a', 'a', 'off')]);
    expect(world.rows()[0]!.status).toBe('in sync');
  });
});

test.each([
  ['off', [], ['undo of R: not taken back: it is so again']],
  ['on', ['u: on -> off'], []],
])(
  'S8: of an automation that one run wrote twice, an undo goes back to before the first write; it is %s now',
  (status, changes, says) => {
    const started = { uuid: 'u', before: 'off', after: 'on' };
    const past = [started, { uuid: 'u', before: 'on', after: status }];
    const input = { records: [record('u', 'u', status)], rows: [], fields, controlled: 'status', links: new Map() };
    const undo = planFeedUndo(input, past, { set: 0, append: 0, remove: 0 }, 'R');
    expect(undo.changes.map(({ uuid, fields: [each] }) => `${uuid}: ${each?.before} -> ${each?.after}`)).toEqual(
      changes,
    );
    expect(undo.problems.map(({ reason }) => reason)).toEqual(says);
  },
);

describe('what stands in a cell', () => {
  const schedule = { timezone: 'Europe/Berlin', timeblocks: [{ dow: 0, from: 600, to: 720 }] };
  const at = (name: string, path: readonly (string | number)[]): FeedField => ({ ...field(name, 'inner'), path });

  test('V1: a path finds the value inside a field, and a blank where there is none', () => {
    expect(readField(at('z', ['schedule', 'timezone']), { schedule })).toBe('Europe/Berlin');
    expect(readField(at('z', ['schedule', 'timeblocks', 0, 'from']), { schedule })).toBe(600);
    expect(readField(at('z', ['schedule', 'constructor']), { schedule })).toBeNull();
    expect(readField(at('z', ['schedule', '__proto__']), { schedule })).toBeNull();
    expect(readField(at('z', ['schedule', 'timezone']), { schedule: null })).toBeNull();
    expect(readField(at('z', ['schedule', 'timezone']), {})).toBeUndefined();
    expect(readField(at('z', ['cc', 0]), { cc: ['a', 'b'] })).toBe('a');
    expect(readField(field('cc', 'list'), { cc: ['a', 'b'] })).toBe('a, b');
  });

  test.each([
    [7, 7],
    [true, 'TRUE'],
    [' ', null],
    [[], null],
    [{}, '{}'],
    [{ a: 1 }, '{"a":1}'],
    [['a', 2], 'a, 2'],
    [['a', { b: 1 }], '["a",{"b":1}]'],
    [schedule.timeblocks, 'Sun 10:00-12:00'],
    [[{ dow: 0, from: 600 }], '[{"dow":0,"from":600}]'],
    [[{ dow: 0, to: 600 }], '[{"dow":0,"to":600}]'],
    [[{ from: 0, to: 600 }], '[{"from":0,"to":600}]'],
    [[...schedule.timeblocks, 'x'], '[{"dow":0,"from":600,"to":720},"x"]'],
  ])('V1: inside a record, %j is shown as %j', (found, text) => {
    expect(readField(at('z', ['a', 'b']), { a: { b: found } })).toEqual(text);
  });

  test('V1, V3: a whole field of a kind is read as that kind; a json field, or a path into it, shows what it finds', () => {
    expect(readField(field('size', 'integer'), { size: '5' })).toBe(5);
    expect(readField(field('z', 'json'), { z: [1, 2] })).toBe('1, 2');
    expect(readField(field('z', 'json'), { z: null })).toBeNull();
  });

  test('V7: numbers go into cells as numbers, in columns of text as text', () => {
    expect([toFeedCell(field('f', 'json'), 5), toFeedCell(field('f', 'text'), 5)]).toEqual([5, '5']);
    expect(isSameInCell(field('f', 'text'), 5, '5')).toBe(true);
    expect(isSameInCell(field('f', 'integer'), 5, 5)).toBe(true);
    expect(isSameInCell(field('f', 'integer'), 5, 'five')).toBe(false);
  });

  test.each([
    [[], null],
    [
      [
        { dow: 1, from: 540, to: 600 },
        { dow: 1, from: 540, to: 570 },
      ],
      'Mon 09:00-09:30, 09:00-10:00',
    ],
    [
      [1, 2, 4, 6, 0].map((dow) => ({ dow, from: 0, to: 60 })),
      'Mon-Tue 00:00-01:00; Thu 00:00-01:00; Sat-Sun 00:00-01:00',
    ],
    [[{ dow: 7, from: 600, to: 720 }], 'Sun 10:00-12:00'],
    [[1, 2, 3, 4, 5].map((dow) => ({ dow, from: 540, to: 1020 })), 'Mon-Fri 09:00-17:00'],
    [
      [
        { dow: 1, from: 780, to: 1020 },
        { dow: 1, from: 540, to: 720 },
        { dow: 3, from: 0, to: 1440 },
      ],
      'Mon 09:00-12:00, 13:00-17:00; Wed 00:00-24:00',
    ],
  ])('V1: time blocks %j are shown as %s', (blocks, text) => {
    expect(readField(field('timeblocks', 'json'), { timeblocks: blocks })).toBe(text);
  });

  test('V1: a written value reads back as the same', () => {
    const cellOf = (each: FeedField, value: string | number | boolean) => toFeedCell(each, value);
    for (const [kind, value] of [
      ['text', '007'],
      ['integer', 5],
      ['flag', true],
      ['timestamp', '2026-11-21T09:00:00Z'],
      ['list', 'a, b'],
      ['inner', 600],
      ['inner', 'TRUE'],
    ] as const) {
      const each = field('f', kind);
      expect([kind, value, isSameInCell(each, value, cellOf(each, value))]).toEqual([kind, value, true]);
      expect(isSameInCell(each, value, null)).toBe(false);
      expect(isSameInCell(each, null, null)).toBe(true);
    }
  });
});
