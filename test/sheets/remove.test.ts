// Deleting rows: by index, but never the index of another row.
import { describe, expect, test } from 'vitest';
import {
  createTrial,
  fillMetadata,
  header,
  openAnchored,
  rowOf,
  temporaryMarks,
  type Trial,
} from '../support/sheets.ts';

const values = [header, ...['a', 'b', 'c', 'd'].map((id) => [id, `name ${id}`, `tag ${id}`, `${id}@x.org`, 1])];

async function open(options: Parameters<typeof createTrial>[0] = {}) {
  const trial = createTrial({ values, ...options });
  const { table, snapshot } = await openAnchored(trial);
  trial.standin.log.clear();
  return { trial, table, snapshot };
}

const ids = (trial: Trial) => trial.person.read('Prospects!A2:A20').map(([id]) => id ?? '');

test('one read and two writes, from the bottom up, and no pin is left', async () => {
  const { trial, table, snapshot } = await open();
  const rows = ['a', 'c'].map((id) => rowOf(snapshot, id));
  expect(await table.remove(snapshot, rows)).toEqual([{ kind: 'removed' }, { kind: 'removed' }]);
  expect(ids(trial)).toEqual(['b', 'd']);
  expect(trial.standin.log.counters).toMatchObject({ reads: 1, writes: 2 });
  expect(temporaryMarks(trial)).toEqual([]);
});

test.each<[string, (trial: Trial) => void, string[]]>([
  ['sorts', ({ person }) => person.sort('Prospects', 'A', 'DESCENDING'), ['d', 'c', 'a']],
  ['inserts a row', ({ person }) => person.insertRows('Prospects', 2), ['', 'a', 'c', 'd']],
  ['deletes the row above', ({ person }) => person.deleteRows('Prospects', 2), ['c', 'd']],
  ['deletes the very row', ({ person }) => person.deleteRows('Prospects', 3), ['a', 'c', 'd']],
])('L9: a person %s at the moment of deleting: the right row is deleted all the same', async (_, edit, left) => {
  const { trial, table, snapshot } = await open();
  let requests = 0;
  trial.onRequest = () => {
    requests += 1;
    if (requests === 3) edit(trial);
  };
  await table.remove(snapshot, [rowOf(snapshot, 'b')]);
  expect(ids(trial)).toEqual(left);
  expect(temporaryMarks(trial)).toEqual([]);
});

test.each<[string, number, string[], number, string[]]>([
  ['since the snapshot', 20, ['b'], 5, ['a', 'c', 'd']],
  ['by the batch before', 0, ['b', 'd'], 11, ['a', 'c']],
])(
  'L9: a grid that became shorter %s: the very row is deleted by a person, and no other one with it',
  async (...given) => {
    const [, shortened, removed, moment, left] = given;
    const { trial, table, snapshot } = await open();
    if (shortened > 0) trial.person.deleteRows('Prospects', shortened);
    // Room for the pins of one row and of the last row of the grid: two rows are two batches.
    else fillMetadata(trial, 2);
    let requests = 0;
    trial.onRequest = () => {
      requests += 1;
      if (requests === moment) trial.person.deleteRows('Prospects', 3);
    };
    await table.remove(
      snapshot,
      removed.map((id) => rowOf(snapshot, id)),
    );
    expect(requests).toBeGreaterThanOrEqual(moment);
    expect(ids(trial)).toEqual(left);
  },
);

test('L9: another row in the same place, both at the moment of deleting: the outcome is not a deletion of this row', async () => {
  const { trial, table, snapshot } = await open();
  let requests = 0;
  trial.onRequest = () => {
    requests += 1;
    if (requests !== 3) return;
    trial.person.deleteRows('Prospects', 3);
    trial.person.insertRows('Prospects', 3);
    trial.person.type('Prospects!B3', 'typed');
  };
  expect(await table.remove(snapshot, [rowOf(snapshot, 'b')])).toEqual([{ kind: 'displaced', number: 3 }]);
  expect(temporaryMarks(trial)).toEqual([]);
});

test('a row that was edited since the snapshot stays', async () => {
  const { trial, table, snapshot } = await open();
  trial.person.type('Prospects!D3', 'new@x.org');
  trial.person.insertRows('Prospects', 5);
  expect(
    await table.remove(
      snapshot,
      ['b', 'd'].map((id) => rowOf(snapshot, id)),
    ),
  ).toEqual([{ kind: 'changed-meanwhile', columns: ['email'] }, { kind: 'moved' }]);
  expect(temporaryMarks(trial)).toEqual([]);
});

test('W4: a lost answer is read back', async () => {
  const { trial, table, snapshot } = await open();
  trial.standin.faults.add({ effect: { type: 'lost' }, when: 'after', match: { kind: 'write' }, skip: 1 });
  expect(await table.remove(snapshot, [rowOf(snapshot, 'b')])).toEqual([{ kind: 'removed' }]);
  expect(ids(trial)).toEqual(['a', 'c', 'd']);
});

describe('L9: a deletion whose answer is lost and that arrives late deletes no other row', () => {
  /** The first deletion is held back, and so are the answers of the `lostMore` ones after it. */
  async function openWithLate(lostMore = 0) {
    const opened = await open();
    const { fetch } = opened.trial.standin;
    let arrive: (() => Promise<Response>) | undefined;
    let lost = 0;
    opened.trial.reroute = (url, init) => {
      const isDeletion = typeof init.body === 'string' && init.body.includes('deleteDimension');
      if (!isDeletion || lost > lostMore) return fetch(url, init);
      lost += 1;
      const request = { ...init, headers: new Headers(init.headers) };
      arrive ??= () => fetch(url, request);
      return Promise.reject(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    };
    return { ...opened, arrive: async () => (await arrive?.())?.status };
  }

  test.each<[string, string, string[]]>([
    ['a row', 'b', ['a', '', 'c', 'd']],
    ['the last row of the grid', 'd', ['a', '', 'b', 'c']],
  ])('after it was sent again for %s, and rows were inserted', async (_, id, left) => {
    const { trial, table, snapshot, arrive } = await openWithLate();
    if (id === 'd') trial.person.deleteRows('Prospects', 6, 15);
    expect(await table.remove(snapshot, [rowOf(snapshot, id)])).toEqual([{ kind: 'removed' }]);
    trial.person.insertRows('Prospects', 3);
    expect(await arrive()).toBe(400);
    expect(ids(trial)).toEqual(left);
    expect((await table.read()).leftovers).toBeGreaterThan(0);
    await table.tidy();
    expect(temporaryMarks(trial)).toEqual([]);
  });

  test('after it was sent in vain, and rows were inserted', async () => {
    const { trial, table, snapshot, arrive } = await openWithLate(3);
    expect(await table.remove(snapshot, [rowOf(snapshot, 'b')])).toMatchObject([{ kind: 'unknown' }]);
    trial.person.insertRows('Prospects', 2);
    expect(await arrive()).toBe(400);
    expect(ids(trial)).toEqual(['', 'a', 'b', 'c', 'd']);
    expect((await table.read()).leftovers).toBeGreaterThan(0);
    await table.tidy();
    expect(temporaryMarks(trial)).toEqual([]);
  });

  test('after nothing could be read any more, and rows were inserted', async () => {
    const { trial, table, snapshot, arrive } = await openWithLate();
    trial.standin.faults.add({ effect: { type: 'lost' }, match: { kind: 'read' }, skip: 1, times: 4 });
    expect(await table.remove(snapshot, [rowOf(snapshot, 'b')])).toMatchObject([{ kind: 'unknown' }]);
    trial.person.insertRows('Prospects', 2);
    expect(await arrive()).toBe(400);
    expect(ids(trial)).toEqual(['', 'a', 'b', 'c', 'd']);
  });
});

describe('W4: a lost answer to the pins', () => {
  const lost = (trial: Trial, when: 'before' | 'after') =>
    trial.standin.faults.add({ effect: { type: 'lost' }, when, match: { kind: 'write' } });

  test('that arrived: the row is deleted', async () => {
    const { trial, table, snapshot } = await open();
    lost(trial, 'after');
    expect(await table.remove(snapshot, [rowOf(snapshot, 'b')])).toEqual([{ kind: 'removed' }]);
    expect(ids(trial)).toEqual(['a', 'c', 'd']);
    expect(temporaryMarks(trial)).toEqual([]);
  });

  test('that did not arrive: the row stays, and is not taken for a deleted one', async () => {
    const { trial, table, snapshot } = await open();
    lost(trial, 'before');
    expect(await table.remove(snapshot, [rowOf(snapshot, 'b')])).toMatchObject([
      { kind: 'failed', error: { code: 'unavailable', retryable: true } },
    ]);
    expect(ids(trial)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('that arrived, and the row moved and was then deleted by a person: it is gone', async () => {
    const { trial, table, snapshot } = await open({ tab: { rowCount: 5 } });
    lost(trial, 'after');
    const edits = [
      () => undefined,
      () => undefined,
      () => trial.person.insertRows('Prospects', 2),
      () => trial.person.deleteRows('Prospects', 6),
    ];
    trial.onRequest = () => edits.shift()?.();
    expect(await table.remove(snapshot, [rowOf(snapshot, 'd')])).toEqual([{ kind: 'row-gone' }]);
    expect(ids(trial)).toEqual(['', 'a', 'b', 'c']);
  });
});

test('the last row of the grid that a person deletes after it was pinned is gone', async () => {
  const { trial, table, snapshot } = await open({ tab: { rowCount: 5 } });
  const edits = [() => undefined, () => trial.person.deleteRows('Prospects', 5)];
  trial.onRequest = () => edits.shift()?.();
  expect(await table.remove(snapshot, [rowOf(snapshot, 'd')])).toEqual([{ kind: 'row-gone' }]);
  expect(ids(trial)).toEqual(['a', 'b', 'c']);
});

test('if others leave little room for metadata, batches shrink until they fit; without any room, the error says so', async () => {
  const { trial, table, snapshot } = await open();
  // Two rows' pins and one of the last row of the grid.
  fillMetadata(trial, 3);
  const rows = ['a', 'b', 'c'].map((id) => rowOf(snapshot, id));
  expect((await table.remove(snapshot, rows)).map(({ kind }) => kind)).toEqual(['removed', 'removed', 'removed']);
  expect(ids(trial)).toEqual(['d']);
  fillMetadata(trial);
  const after = await table.read();
  expect(await table.remove(after, [rowOf(after, 'd')])).toMatchObject([
    { kind: 'failed', error: { code: 'metadata-full' } },
  ]);
});

test.each<[string, object]>([
  ['', {}],
  ['the first cell of ', { endColumnIndex: 1 }],
  ['the last cell of ', { startColumnIndex: 7 }],
])('a row stays, and is named, if this account may not edit %sit; the others are deleted', async (_, columns) => {
  const { trial, table, snapshot } = await open();
  const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 2, ...columns };
  trial.person.request({ addProtectedRange: { protectedRange: { range } } });
  const rows = ['a', 'b'].map((id) => rowOf(snapshot, id));
  expect(await table.remove(snapshot, rows)).toMatchObject([
    { kind: 'failed', error: { code: 'protected' } },
    { kind: 'removed' },
  ]);
  expect(ids(trial)).toEqual(['a', 'c', 'd']);
});

describe('if Google refuses assertions of place', () => {
  const refuseAssertions = (trial: Trial, times = Infinity) => {
    const { fetch } = trial.standin;
    const refused = { count: 0 };
    trial.reroute = (url, init) => {
      const isAsserting = typeof init.body === 'string' && init.body.includes('EXACT_LOCATION');
      if (!isAsserting || refused.count >= times) return fetch(url, init);
      refused.count += 1;
      const error = { code: 400, message: 'not like this', status: 'INVALID_ARGUMENT' };
      return Promise.resolve(Response.json({ error }, { status: 400 }));
    };
    return refused;
  };

  test('twice while every row is in its place, rows are deleted without them, now and later', async () => {
    const { trial, table, snapshot } = await open();
    const refused = refuseAssertions(trial);
    expect(await table.remove(snapshot, [rowOf(snapshot, 'b')])).toEqual([{ kind: 'removed' }]);
    expect(refused.count).toBe(2);
    const after = await table.read();
    expect(await table.remove(after, [rowOf(after, 'c')])).toEqual([{ kind: 'removed' }]);
    expect(refused.count).toBe(2);
    expect(ids(trial)).toEqual(['a', 'd']);
    expect(temporaryMarks(trial)).toEqual([]);
  });

  test('once, they are made again, now and later', async () => {
    const { trial, table, snapshot } = await open();
    const refused = refuseAssertions(trial, 1);
    expect(await table.remove(snapshot, [rowOf(snapshot, 'b')])).toEqual([{ kind: 'removed' }]);
    expect(refused.count).toBe(1);
    refuseAssertions(trial, 0);
    let asserting = 0;
    const { reroute } = trial;
    trial.reroute = (url, init) => {
      if (typeof init.body === 'string' && init.body.includes('EXACT_LOCATION')) asserting += 1;
      return reroute(url, init);
    };
    const after = await table.read();
    expect(await table.remove(after, [rowOf(after, 'c')])).toEqual([{ kind: 'removed' }]);
    expect(asserting).toBe(1);
  });

  test('while rows move each time, that says nothing of the assertions: after four tries the rows stay', async () => {
    const { trial, table, snapshot } = await open();
    const refused = refuseAssertions(trial);
    trial.onRequest = (path) => {
      if (path.endsWith(':getByDataFilter')) trial.person.insertRows('Prospects', 2);
    };
    expect(await table.remove(snapshot, [rowOf(snapshot, 'b')])).toMatchObject([
      { kind: 'failed', error: { code: 'refused' } },
    ]);
    expect(refused.count).toBe(4);
    expect(temporaryMarks(trial)).toEqual([]);
  });
});

test('W4: a deletion that is lost each time is sent four times, and is of unknown outcome; the pins stay for the next run', async () => {
  const { trial, table, snapshot } = await open();
  trial.standin.faults.add({ effect: { type: 'lost' }, skip: 1, times: 4, match: { kind: 'write' } });
  expect(await table.remove(snapshot, [rowOf(snapshot, 'b')])).toMatchObject([{ kind: 'unknown' }]);
  expect(trial.standin.log.counters.writes).toBe(5);
  expect(temporaryMarks(trial)).toHaveLength(2);
  expect(ids(trial)).toEqual(['a', 'b', 'c', 'd']);
});

test('W4: after a lost deletion a row that a person deleted meanwhile is gone, and the other is deleted', async () => {
  const { trial, table, snapshot } = await open();
  trial.standin.faults.add({ effect: { type: 'lost' }, when: 'before', skip: 1, match: { kind: 'write' } });
  const edits = [() => undefined, () => undefined, () => undefined, () => trial.person.deleteRows('Prospects', 3)];
  trial.onRequest = () => edits.shift()?.();
  const rows = ['b', 'c'].map((id) => rowOf(snapshot, id));
  expect(await table.remove(snapshot, rows)).toEqual([{ kind: 'row-gone' }, { kind: 'removed' }]);
  expect(ids(trial)).toEqual(['a', 'd']);
});

test('I4: a row whose id two rows have stays; the others are deleted', async () => {
  const { trial, table, snapshot } = await open({ values: [...values, values[2]!] });
  const rows = ['b', 'c'].map((id) => rowOf(snapshot, id));
  expect(await table.remove(snapshot, rows)).toEqual([{ kind: 'duplicate-id' }, { kind: 'removed' }]);
  expect(ids(trial)).toEqual(['a', 'b', 'd', 'b']);
});

test('L13: only bare rows: one with a cell of another column stays, and the column is named', async () => {
  const bare = values.map((cells, index) => (index === 2 ? cells.with(2, null as never) : cells));
  const { trial, table, snapshot } = await open({ values: bare });
  const rows = ['a', 'b'].map((id) => rowOf(snapshot, id));
  expect(await table.remove(snapshot, rows, { onlyBare: true })).toEqual([
    { kind: 'has-more', letters: ['C'] },
    { kind: 'removed' },
  ]);
  expect(ids(trial)).toEqual(['a', 'c', 'd']);
});

test('a row without an id that was edited has moved; one that was not is deleted', async () => {
  const { trial, table, snapshot } = await open({ values: [...values, [null, 'New', 'tag', 'new@x.org', 1]] });
  const nameless = snapshot.rows.at(-1)!;
  trial.person.type('Prospects!B6', 'Newer');
  expect(await table.remove(snapshot, [nameless])).toEqual([{ kind: 'moved' }]);
  trial.person.type('Prospects!B6', 'New');
  expect(await table.remove(snapshot, [nameless])).toEqual([{ kind: 'removed' }]);
  expect(ids(trial)).toEqual(['a', 'b', 'c', 'd']);
});

test('a deletion that fails for another reason than its rows: they fail with it, and none is taken for a deleted one', async () => {
  const { trial, table, snapshot } = await open();
  let requests = 0;
  trial.onRequest = () => {
    requests += 1;
    if (requests === 3) trial.file.sharedWith.set(trial.sheets.account, 'reader');
  };
  const rows = ['b', 'c'].map((id) => rowOf(snapshot, id));
  expect(await table.remove(snapshot, rows)).toMatchObject([
    { kind: 'failed', error: { code: 'read-only-share' } },
    { kind: 'failed', error: { code: 'read-only-share' } },
  ]);
  expect(ids(trial)).toEqual(['a', 'b', 'c', 'd']);
});
