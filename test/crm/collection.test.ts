import { expect, test } from 'vitest';
import { createOutreachCrm } from '../../src/crm/outreach/crm.ts';
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

test.each([
  ['latest first', true, 1],
  ['in an order of its own', false, 2],
])(
  'P5: of messages that come %s older ones end the reading only if they prove that no newer one follows',
  async (_, isInOrder, calls) => {
    const instantOf = (minute: number) => new Date(Date.UTC(2026, 10, 20, 0, minute)).toISOString();
    const ascending = Array.from({ length: 150 }, (__, index) => ({ uuid: `m${index}`, created_at: instantOf(index) }));
    const messages = isInOrder ? ascending.toReversed() : ascending;
    let asked = 0;
    const { client } = createService(
      {},
      {
        transport: async (url) => {
          asked += 1;
          const offset = Number(new URL(url).searchParams.get('offset') ?? 0);
          const data = messages.slice(offset, offset + 100);
          return Response.json({ data, limit: 100, offset, total: messages.length });
        },
      },
    );
    const usage = () => ({ calls: 0, lastMinute: 0, perMinute: 60_000 });
    const crm = createOutreachCrm({ client, account: 'x', usage, now: () => Date.now() });
    const pages = await Array.fromAsync(crm.messages!.deliveries('network_messages', Date.parse(instantOf(140)), {}));
    const found = new Set(pages.flatMap(({ deliveries }) => deliveries.map(({ uuid }) => uuid)));
    expect(ascending.slice(140).filter(({ uuid }) => !found.has(uuid))).toEqual([]);
    expect([asked, pages.at(-1)]).toMatchObject([calls, expect.not.objectContaining({ missing: expect.anything() })]);
  },
);
