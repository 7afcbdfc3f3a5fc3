// Rows of unknown outcome are never reported as done: answers that are not Google's, and rows without an outcome.
import { expect, test, vi } from 'vitest';
import type * as verify from '../../src/sheets/google/verify.ts';
import { createTrial, header, openAnchored, rowOf, type Trial } from '../support/sheets.ts';

const values = [header, ['a', 'Ann', 'tag', 'ann@x.org', 1], ['b', 'Bob', 'tag', 'bob@x.org', 2]];

const lost = vi.hoisted(() => ({ row: '' }));

/** Verification that leaves one row out, like a fault of the program. */
vi.mock(import('../../src/sheets/google/verify.ts'), async (importOriginal) => {
  const original = await importOriginal();
  const verifyAll: typeof verify.verifyAll = (context, view, items) =>
    original.verifyAll(
      context,
      view,
      items.filter(({ item }) => item.change.row.id !== lost.row),
    );
  return { ...original, verifyAll };
});

/** Another machine answers a write with JSON of its own; `isApplied`: after Google has carried it out. */
function answerWrites(trial: Trial, path: string, times: number, isApplied: boolean): void {
  let left = times;
  const { fetch } = trial.standin;
  trial.reroute = async (url, init) => {
    if (!url.pathname.endsWith(path) || left === 0) return fetch(url, init);
    left -= 1;
    if (isApplied) await fetch(url, init);
    return Response.json({});
  };
}

test('L3, L12: a row that verification lost is of unknown outcome, and the others are written', async () => {
  const trial = createTrial({ values });
  const { table, snapshot } = await openAnchored(trial);
  lost.row = 'a';
  const changes = ['a', 'b'].map((id) => ({ row: rowOf(snapshot, id), set: { score: 9 } }));
  const outcomes = await table.update(snapshot, changes);
  lost.row = '';
  expect(outcomes).toMatchObject([{ kind: 'unknown', error: { code: 'outcome-unknown' } }, { kind: 'written' }]);
  expect((await table.read()).rows.map(({ cells }) => cells['score'])).toEqual([1, 9]);
});

test('a change that sets no cell counts as written', async () => {
  const trial = createTrial({ values });
  const { table, snapshot } = await openAnchored(trial);
  trial.standin.log.clear();
  expect(await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: {} }])).toEqual([
    { kind: 'written', stored: {} },
  ]);
  expect(trial.standin.log.counters).toMatchObject({ reads: 0, writes: 0 });
});

test.each([true, false])(
  'L3, W4: an update answered with other JSON is read back, and sent again only if it was not applied (%s)',
  async (isApplied) => {
    const trial = createTrial({ values });
    const { table, snapshot } = await openAnchored(trial);
    answerWrites(trial, '/values:batchUpdateByDataFilter', 1, isApplied);
    trial.standin.log.clear();
    const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 9 } }]);
    expect(outcomes).toMatchObject([{ kind: 'written', stored: { score: 9 } }]);
    expect((await table.read()).rows[0]?.cells['score']).toBe(9);
  },
);

test.each<[string, (trial: Trial) => void, object]>([
  ['its ID is cleared', ({ person }) => person.clear('Prospects!A2'), { kind: 'unknown' }],
  ['one of its cells is typed over', ({ person }) => person.type('Prospects!B2', 'Mine'), { kind: 'unknown' }],
  ['nothing is changed', () => {}, { kind: 'written' }],
])(
  'W4, L12: an update that was applied and answered with other JSON, of a row where %s before the second look',
  async (_, edit, outcome) => {
    const trial = createTrial({ values });
    const { table, snapshot } = await openAnchored(trial);
    answerWrites(trial, '/values:batchUpdateByDataFilter', 1, true);
    let looks = 0;
    trial.onRequest = (path) => {
      if (!path.endsWith(':getByDataFilter')) return;
      looks += 1;
      if (looks === 2) edit(trial);
    };
    const set = { first_name: 'Anna', score: 9 };
    expect(await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set, id: 'z' }])).toMatchObject([outcome]);
    expect(trial.person.read('Prospects!E2:E2')).toEqual([['9']]);
  },
);

test('L3, W4: an update that is always answered with other JSON is of unknown outcome', async () => {
  const trial = createTrial({ values });
  const { table, snapshot } = await openAnchored(trial);
  answerWrites(trial, '/values:batchUpdateByDataFilter', Infinity, false);
  const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 9 } }]);
  expect(outcomes).toMatchObject([{ kind: 'unknown', error: { code: 'outcome-unknown' } }]);
});

test.each([true, false])(
  'L7, L8: an append answered with other JSON is there once (applied: %s)',
  async (isApplied) => {
    const trial = createTrial({ values });
    const { table, snapshot } = await openAnchored(trial);
    answerWrites(trial, ':batchUpdate', 1, isApplied);
    expect(await table.append(snapshot, [{ id: 'c', set: { score: 3 } }])).toEqual([{ kind: 'appended' }]);
    expect((await table.read()).rows.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  },
);

test('L3, L7: an append that is always answered with other JSON does not count as appended', async () => {
  const trial = createTrial({ values });
  const { table, snapshot } = await openAnchored(trial);
  answerWrites(trial, ':batchUpdate', Infinity, false);
  expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toMatchObject([{ kind: 'unknown' }]);
});

test('L12: a deletion that is always answered with other JSON does not count as done', async () => {
  const trial = createTrial({ values });
  const { table, snapshot } = await openAnchored(trial);
  const { fetch } = trial.standin;
  trial.reroute = async (url, init) =>
    typeof init.body === 'string' && init.body.includes('deleteDimension') ? Response.json({}) : fetch(url, init);
  expect(await table.remove(snapshot, [rowOf(snapshot, 'a')])).toMatchObject([{ kind: 'unknown' }]);
  trial.reroute = fetch;
  expect((await table.read()).rows.map(({ id }) => id)).toEqual(['a', 'b']);
});
