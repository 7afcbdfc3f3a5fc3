import { expect, test } from 'vitest';
import { readCollection } from '../../src/crm/outreach/listing.ts';
import { createRandom } from '../../src/standin/service/random.ts';
import { operations } from '../../src/crm/outreach/operations/table.ts';
import { createService } from '../support/service.ts';

/* The coverage of a reading: whether a feed may conclude anything from a missing record (F3, G5). */

function createLists(count: number, switches: Parameters<typeof createService>[0] = {}) {
  const { client, standin } = createService(switches);
  for (let index = 0; index < count; index += 1) standin.model.lists.add({ name: `list ${index}` });
  const { lists } = operations;
  return {
    standin,
    client,
    read: (recordsMax?: number) =>
      readCollection(client, lists.list, {}, recordsMax === undefined ? {} : { recordsMax }),
  };
}

test('F3: a listing that was read to its end is whole', async () => {
  const { read } = createLists(250);
  expect(await read()).toMatchObject({ coverage: 'whole', isDrifted: false, records: { length: 250 } });
});

test('T12: a listing with clamped pages is whole', async () => {
  const { read } = createLists(50, { pageRowsMax: 7 });
  expect(await read()).toMatchObject({ coverage: 'whole', isDrifted: false, records: { length: 50 } });
});

test('F5: of too many records the first are read, and the reading says that there are more', async () => {
  const { read } = createLists(150);
  expect(await read(120)).toMatchObject({ coverage: 'newest', records: { length: 120 } });
  expect(await read(150)).toMatchObject({ coverage: 'whole', records: { length: 150 } });
});

test('F3: a record that comes while pages are read makes the reading drift', async () => {
  const { client, standin } = createLists(150);
  let pages = 0;
  const list = {
    ...operations.lists.list,
    prepare: (input: Readonly<Record<string, unknown>>) => {
      pages += 1;
      if (pages === 2) standin.model.lists.add({ name: 'came meanwhile' });
      return input;
    },
  };
  expect(await readCollection(client, list, {})).toMatchObject({ coverage: 'whole', isDrifted: true });
});

test('L12, T16: records that are equal in the order, in another one each time, are all listed', async () => {
  const { client, standin } = createLists(70, { pageRowsMax: 20 });
  expect(await readCollection(client, shuffled(standin), {})).toMatchObject({
    coverage: 'whole',
    records: { length: 70 },
  });
});

test('L12, G5: pages that end before the total give a partial listing, which says how many of how many', async () => {
  const { client } = createLists(250);
  const list = {
    ...operations.lists.list,
    answer: {
      ...operations.lists.list.answer,
      read: (json: unknown, status: number) => {
        const page = operations.lists.list.answer.read(json, status);
        return page.offset === 0 ? page : { ...page, data: [] };
      },
    },
  };
  expect(await readCollection(client, list, {})).toMatchObject({
    coverage: 'partial',
    records: { length: 100 },
    notice: expect.stringContaining('only 100 of 250 records could be listed'),
  });
});

/** The listing of lists, all of one second and in another order in each answer: one pass misses about a third. */
function shuffled({ model }: ReturnType<typeof createLists>['standin']): typeof operations.lists.list {
  const random = createRandom(7);
  const prepare = (input: Readonly<Record<string, unknown>>) => {
    const lists = [...model.lists.table.all()].map((list) => ({ list, draw: random.integer(0, 1_000_000) }));
    model.lists.table.replaceAll(lists.toSorted((a, b) => a.draw - b.draw).map(({ list }) => list));
    return input;
  };
  return { ...operations.lists.list, prepare };
}
