// New rows (google-sheets protocol, step 7): one atomic batch under a chosen id.
import { describe, expect, test } from 'vitest';
import {
  createTrial,
  fillMetadata,
  header,
  openAnchored,
  takeMetadataId,
  temporaryMarks,
  type Trial,
} from '../support/sheets.ts';

const values = [header, ['a', 'Ann', 'tag a', 'ann@x.org', 1], [], ['b', 'Bob', 'tag b', 'bob@x.org', '=1+2'], []];

const people = (trial: Trial) => trial.person.read('Prospects!A1:H12', 'FORMULA');

async function open(options: Parameters<typeof createTrial>[0] = {}) {
  const trial = createTrial({ values, tab: { typed: true }, ...options });
  const { table, snapshot } = await openAnchored(trial);
  trial.standin.log.clear();
  return { trial, table, snapshot };
}

test('1,000 rows cost one write', async () => {
  const { trial, table, snapshot } = await open();
  const rows = Array.from({ length: 1_000 }, (_, index) => ({ id: `new ${index}`, set: { first_name: `=${index}` } }));
  const outcomes = await table.append(snapshot, rows);
  expect(outcomes.every(({ kind }) => kind === 'appended')).toBe(true);
  expect(trial.standin.log.counters).toMatchObject({ reads: 0, writes: 1 });
  const after = await table.read();
  expect(after.rows.slice(2).map(({ id, cells }) => [id, cells['first_name']])).toEqual(
    rows.map(({ id, set }) => [id, set.first_name]),
  );
});

test('they go below the last row, move rows further down, and change no column that is not mapped (L13)', async () => {
  const { trial, table, snapshot } = await open();
  trial.person.type('Prospects!C5', 'total');
  await table.append(snapshot, [{ id: 'c', set: { first_name: 'Cy', score: 0, email: '' } }]);
  expect(people(trial).slice(3)).toEqual([
    ['b', 'Bob', 'tag b', 'bob@x.org', '=1+2'],
    ['c', 'Cy', '', '', 0],
    ['', '', 'total'],
  ]);
});

test('below the header of an empty tab, at the end of the grid', async () => {
  const { trial, table, snapshot } = await open({ values: [header], tab: { rowCount: 1 } });
  expect(await table.append(snapshot, [{ id: 'a', set: {} }])).toEqual([{ kind: 'appended' }]);
  expect(people(trial)).toEqual([header, ['a']]);
});

describe('W4, L8: after a lost answer the mark decides, and nothing is appended twice', () => {
  test.each([
    ['applied', 'after', 1],
    ['not applied', 'before', 2],
  ] as const)('%s', async (_, when, writes) => {
    const { trial, table, snapshot } = await open();
    trial.standin.faults.add({ effect: { type: 'status', status: 503 }, when, match: { kind: 'write' } });
    expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toEqual([{ kind: 'appended' }]);
    expect(people(trial).filter(([id]) => id === 'c')).toHaveLength(1);
    expect(trial.standin.log.counters).toMatchObject({ reads: 1, writes });
  });

  test('which arrives late, after it was sent again', async () => {
    const { trial, table, snapshot } = await open();
    let late: (() => Promise<Response>) | undefined;
    const { fetch } = trial.standin;
    trial.reroute = (url, init) => {
      if (!url.pathname.endsWith(':batchUpdate')) return fetch(url, init);
      // The client masks the token in a failed request's headers.
      const request = { ...init, headers: new Headers(init.headers) };
      late = () => fetch(url, request);
      trial.reroute = fetch;
      return Promise.reject(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    };
    expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toEqual([{ kind: 'appended' }]);
    expect((await late?.())?.status).toBe(400);
    expect(people(trial).filter(([id]) => id === 'c')).toHaveLength(1);
  });

  test('or after other writes of the same run, which leave the mark', async () => {
    const { trial, table, snapshot } = await open();
    const late: (() => Promise<Response>)[] = [];
    const { fetch } = trial.standin;
    trial.reroute = (url, init) => {
      if (!url.pathname.endsWith(':batchUpdate')) return fetch(url, init);
      const request = { ...init, headers: new Headers(init.headers) };
      late.push(() => fetch(url, request));
      trial.reroute = fetch;
      return Promise.reject(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    };
    expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toEqual([{ kind: 'appended' }]);
    expect(await table.update(snapshot, [{ row: snapshot.rows[0]!, set: { score: 2 } }])).toMatchObject([
      { kind: 'written' },
    ]);
    expect((await late[0]!()).status).toBe(400);
    expect(people(trial).filter(([id]) => id === 'c')).toHaveLength(1);
  });

  test('or after it was sent again and refused, and sent once more', async () => {
    const { trial, table, snapshot } = await open();
    const { fetch } = trial.standin;
    const late: (() => Promise<Response>)[] = [];
    let batches = 0;
    trial.reroute = (url, init) => {
      if (!url.pathname.endsWith(':batchUpdate')) return fetch(url, init);
      batches += 1;
      if (batches > 2) return fetch(url, init);
      if (batches === 2) {
        const error = { code: 400, message: 'not now', status: 'INVALID_ARGUMENT' };
        return Promise.resolve(Response.json({ error }, { status: 400 }));
      }
      const request = { ...init, headers: new Headers(init.headers) };
      late.push(() => fetch(url, request));
      return Promise.reject(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    };
    expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toEqual([{ kind: 'appended' }]);
    expect((await late[0]!()).status).toBe(400);
    expect(people(trial).filter(([id]) => id === 'c')).toHaveLength(1);
  });

  test('and if nothing can be read any more, the outcome is unknown', async () => {
    const { trial, table, snapshot } = await open();
    trial.standin.faults.add({ effect: { type: 'lost' }, times: 99 });
    expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toMatchObject([{ kind: 'unknown' }]);
  });
});

test('columns that moved since the snapshot: nothing is appended, plan again', async () => {
  const { trial, table, snapshot } = await open();
  trial.person.moveColumns('Prospects', 'A', 1, 'F');
  expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toEqual([{ kind: 'moved' }]);
  expect(await table.append(await table.read(), [{ id: 'c', set: { score: 7 } }])).toEqual([{ kind: 'appended' }]);
  expect(people(trial)[4]).toEqual(['', '', '', 7, 'c']);
});

describe('L9: a missing column is not replaced by the column in its place', () => {
  // Score is the last mapped column: no column right of it moves and shows the deletion.
  const newRow = [{ id: 'c', set: { first_name: 'Cy', score: 7 } }];

  const replace = ({ person }: Trial) => {
    person.deleteColumns('Prospects', 'E');
    person.insertColumns('Prospects', 'E');
  };

  async function appendAfter(edit: (trial: Trial) => void, secondsLater: number) {
    const { trial, table, snapshot } = await open();
    edit(trial);
    trial.pass(secondsLater * 1000);
    const [outcome] = await table.append(snapshot, newRow);
    expect((await table.read()).columns[2]).toMatchObject({ kind: 'missing', key: 'score' });
    return { outcome, isThere: people(trial).some(([id]) => id === 'c') };
  }

  test('deleted a moment ago: the tab has one column less, and the batch fails', async () => {
    const deleteScore = ({ person }: Trial) => person.deleteColumns('Prospects', 'E');
    expect(await appendAfter(deleteScore, 0)).toEqual({ outcome: { kind: 'moved' }, isThere: false });
  });

  test('deleted, and another in its place, since the last look some time ago: the tab is read again', async () => {
    expect(await appendAfter(replace, 6)).toEqual({ outcome: { kind: 'moved' }, isThere: false });
  });

  test('deleted, and another in its place, both within seconds: the answer shows it, and it is reported', async () => {
    expect(await appendAfter(replace, 0)).toEqual({
      outcome: { kind: 'displaced', columns: ['score'] },
      isThere: true,
    });
  });
});

describe('W11: a column that is deleted and made again with exactly its header is the mapped one from then on', () => {
  const remake = ({ person }: Trial) => {
    person.deleteColumns('Prospects', 'E');
    person.insertColumns('Prospects', 'E');
    person.type('Prospects!E1', 'Score');
  };

  test('before a read that shows no anchors: the append reads them itself', async () => {
    const { trial, table } = await open();
    remake(trial);
    trial.pass(6_000);
    const outcomes = await table.append(await table.read(), [{ id: 'c', set: { score: 7 } }]);
    expect(outcomes).toEqual([{ kind: 'appended' }]);
    expect((await table.read()).unanchored).toEqual(['score']);
  });

  test('at the moment of appending: reported once, and the next read looks for it', async () => {
    const { trial, table, snapshot } = await open();
    remake(trial);
    const outcomes = await table.append(snapshot, [{ id: 'c', set: { score: 7 } }]);
    expect(outcomes).toEqual([{ kind: 'displaced', columns: ['score'] }]);
    const after = await table.read();
    expect(after.unanchored).toEqual(['score']);
    expect(await table.append(after, [{ id: 'd', set: { score: 8 } }])).toEqual([{ kind: 'appended' }]);
  });
});

describe('a cause that concerns all rows is not searched row by row', () => {
  const rows = Array.from({ length: 1_000 }, (_, index) => ({ id: `new ${index}`, set: { score: index } }));

  test('a column that this account may not edit', async () => {
    const { trial, table, snapshot } = await open();
    trial.person.request({
      addProtectedRange: { protectedRange: { range: { sheetId: 7, startColumnIndex: 4, endColumnIndex: 5 } } },
    });
    const outcomes = await table.append(snapshot, rows);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['refused']));
    expect(outcomes[999]).toMatchObject({
      reason: 'protected',
      message: expect.stringContaining('protected range E:E:'),
    });
    expect(trial.standin.log.counters.writes).toBeLessThan(5);
  });

  test('metadata used up by others: the error says so', async () => {
    const { trial, table, snapshot } = await open();
    fillMetadata(trial);
    const outcomes = await table.append(snapshot, rows);
    expect(outcomes[0]).toMatchObject({ kind: 'failed', error: { code: 'metadata-full' } });
    expect(trial.standin.log.counters.writes).toBeLessThan(5);
  });

  test('any other refusal by Google: a few rows are tried, the others fail', async () => {
    const { trial, table, snapshot } = await open();
    const { fetch } = trial.standin;
    trial.reroute = (url, init) => {
      if (!url.pathname.endsWith(':batchUpdate')) return fetch(url, init);
      const message =
        'This action would increase the number of cells in the workbook above the limit of 10000000 cells.';
      return Promise.resolve(
        Response.json({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }, { status: 400 }),
      );
    };
    const kinds = (await table.append(snapshot, rows)).map(({ kind }) => kind);
    expect(kinds.slice(0, 5)).toEqual(Array(5).fill('refused'));
    expect(new Set(kinds.slice(5))).toEqual(new Set(['failed']));
  });
});

test('an id that exists, that occurs twice, or that is blank is refused by name', async () => {
  const { table, snapshot } = await open();
  const outcomes = await table.append(snapshot, [
    { id: 'a', set: {} },
    { id: 'c', set: {} },
    { id: 'c', set: {} },
    { id: '', set: {} },
  ]);
  expect(outcomes).toMatchObject([
    { kind: 'duplicate-id' },
    { kind: 'appended' },
    { kind: 'duplicate-id' },
    { kind: 'refused', reason: 'no-id' },
  ]);
});

test('the mark is removed by the next write, or by tidy', async () => {
  const { trial, table, snapshot } = await open();
  await table.append(snapshot, [{ id: 'c', set: {} }]);
  const after = await table.read();
  expect(after.leftovers).toBe(1);
  await table.update(after, [{ row: after.rows[0]!, set: { score: 2 } }]);
  expect(temporaryMarks(trial)).toEqual([]);
  await table.append(await table.read(), [{ id: 'd', set: {} }]);
  expect(await table.tidy()).toBe(1);
  expect(await table.tidy()).toBe(0);
  expect(temporaryMarks(trial)).toEqual([]);
});

test('if Google does not list the marks that a batch deleted, no anchor counts as made anew', async () => {
  const { trial, table, snapshot } = await open();
  const { fetch } = trial.standin;
  trial.reroute = async (url, init) => {
    const response = await fetch(url, init);
    return url.pathname.endsWith(':batchUpdate') ? Response.json({}, { status: response.status }) : response;
  };
  expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toEqual([{ kind: 'appended' }]);
  const after = await table.read();
  expect(after.unanchored).toEqual([]);
  expect(await table.remove(after, [after.rows[2]!])).toEqual([{ kind: 'removed' }]);
});

test('if Google refuses assertions of place, rows are appended without them', async () => {
  const { trial, table, snapshot } = await open();
  const { fetch } = trial.standin;
  trial.reroute = (url, init) => {
    if (!(typeof init.body === 'string' && init.body.includes('EXACT_LOCATION'))) return fetch(url, init);
    const error = { code: 400, message: 'not like this', status: 'INVALID_ARGUMENT' };
    return Promise.resolve(Response.json({ error }, { status: 400 }));
  };
  expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toEqual([{ kind: 'appended' }]);
  expect(people(trial)[4]).toEqual(['c']);
});

test.each(['before', 'after'] as const)(
  'L3, W4: a success without content proves nothing: the row is there once, %s it was applied',
  async (when) => {
    const { trial, table, snapshot } = await open();
    trial.standin.faults.add({ effect: { type: 'empty' }, when, match: { kind: 'write' } });
    expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toEqual([{ kind: 'appended' }]);
    expect((await table.read()).rows.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  },
);

test('a mark whose id is in use is drawn anew', async () => {
  const { trial, table, snapshot } = await open();
  const { fetch } = trial.standin;
  let batches = 0;
  trial.reroute = (url, init) => {
    if (url.pathname.endsWith(':batchUpdate')) batches += 1;
    if (batches === 1 && url.pathname.endsWith(':batchUpdate')) {
      takeMetadataId(trial, init, ',"metadataKey":"a"');
    }
    return fetch(url, init);
  };
  expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toEqual([{ kind: 'appended' }]);
  expect(batches).toBe(2);
  expect(people(trial)[4]).toEqual(['c']);
});

test('W4: a batch that is lost each time is sent four times, and is of unknown outcome', async () => {
  const { trial, table, snapshot } = await open();
  trial.standin.faults.add({ effect: { type: 'lost' }, when: 'before', times: 99, match: { kind: 'write' } });
  expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toMatchObject([{ kind: 'unknown' }]);
  expect(trial.standin.log.counters).toMatchObject({ writes: 4, reads: 4 });
});

test('W4: lost, and columns moved since: it is not sent again, and is of unknown outcome', async () => {
  const { trial, table, snapshot } = await open();
  trial.standin.faults.add({ effect: { type: 'lost' }, when: 'before', match: { kind: 'write' } });
  const edits = [() => undefined, () => trial.person.moveColumns('Prospects', 'A', 1, 'F')];
  trial.onRequest = () => edits.shift()?.();
  expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toMatchObject([{ kind: 'unknown' }]);
  expect(trial.standin.log.counters).toMatchObject({ writes: 1, reads: 1 });
});

test('the header is read again if it is older than five seconds, and not before', async () => {
  const { trial, table, snapshot } = await open();
  trial.pass(5_000);
  await table.append(snapshot, [{ id: 'c', set: {} }]);
  expect(trial.standin.log.counters).toMatchObject({ reads: 0, writes: 1 });
  const after = await table.read();
  trial.pass(1);
  trial.standin.log.clear();
  await table.append(after, [{ id: 'd', set: {} }]);
  expect(trial.standin.log.counters).toMatchObject({ reads: 1, writes: 1 });
});

test('a row that Google refuses does not keep the others out: they stand without a gap', async () => {
  const { trial, table, snapshot } = await open();
  const { fetch } = trial.standin;
  trial.reroute = (url, init) => {
    if (!(typeof init.body === 'string' && init.body.includes('"bad"'))) return fetch(url, init);
    const error = { code: 400, message: 'not this one', status: 'INVALID_ARGUMENT' };
    return Promise.resolve(Response.json({ error }, { status: 400 }));
  };
  const rows = ['c', 'bad', 'd', 'e'].map((id) => ({ id, set: { first_name: `name ${id}` } }));
  const outcomes = await table.append(snapshot, rows);
  expect(outcomes).toMatchObject([
    { kind: 'appended' },
    {
      kind: 'refused',
      reason: 'by-spreadsheet',
      columns: ['first_name', '#id'],
      message: expect.stringContaining('not this one') as string,
    },
    { kind: 'appended' },
    { kind: 'appended' },
  ]);
  expect(
    people(trial)
      .slice(3)
      .map(([id]) => id),
  ).toEqual(['b', 'c', 'd', 'e']);
});

test.each<[string, number | undefined, string[]]>([
  ['below a row of data', undefined, ['ITALIC', 'ITALIC']],
  ['below the header, with a row below it', 3, ['plain', 'plain']],
])('the new rows %s have the format of the row that fits', async (_, rowCount, formats) => {
  const isEmpty = rowCount !== undefined;
  const trial = createTrial({ values: isEmpty ? [header] : values, tab: { typed: true, rowCount: rowCount ?? 20 } });
  const repeatCell = (row: number) => ({
    repeatCell: {
      range: { sheetId: 7, startRowIndex: row, endRowIndex: row + 1 },
      cell: { userEnteredFormat: { textFormat: { italic: true } } },
      fields: 'userEnteredFormat.textFormat',
    },
  });
  const { table, snapshot } = await openAnchored(trial);
  trial.person.request(repeatCell(isEmpty ? 0 : 3));
  await table.append(
    snapshot,
    ['x', 'y'].map((id) => ({ id, set: {} })),
  );
  const first = isEmpty ? 1 : 4;
  const seen = [first, first + 1].map((row) =>
    JSON.stringify(trial.file.content.sheet(7).cell(row, 0)?.format ?? {}).includes('italic') ? 'ITALIC' : 'plain',
  );
  expect(seen).toEqual(formats);
});

test('after an append the size of the tab is known: the last row of a full grid is still one of its rows', async () => {
  const { trial, table, snapshot } = await open({ values: values.slice(0, 4), tab: { typed: true, rowCount: 4 } });
  expect(await table.append(snapshot, [{ id: 'c', set: {} }])).toEqual([{ kind: 'appended' }]);
  expect(await table.update(snapshot, [{ row: snapshot.rows.at(-1)!, set: { first_name: 'Bobby' } }])).toEqual([
    { kind: 'written', stored: { first_name: 'Bobby' } },
  ]);
  expect(await table.append(snapshot, [{ id: 'd', set: {} }])).toEqual([{ kind: 'appended' }]);
  expect(people(trial).slice(3)).toEqual([['b', 'Bobby', 'tag b', 'bob@x.org', '=1+2'], ['d'], ['c']]);
});

test.each([
  ['the ID column', 'Prospects!A1', {}, ['#id'], 'the ID column is not there'],
  ['another column', 'Prospects!E1', { score: 7 }, ['score'], 'a column is not there, or not for certain'],
] as const)('without %s a row is refused, and the column is named', async (_, cell, set, columns, message) => {
  const trial = createTrial({ values });
  trial.person.clear(cell);
  const table = trial.openTable();
  const outcomes = await table.append(await table.read(), [{ id: 'c', set }]);
  expect(outcomes).toEqual([{ kind: 'refused', reason: 'column-not-found', columns, message }]);
});
