import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeFolder, syncFolder } from '../../src/state/file/disk.ts';
import type { Batch, Json } from '../../src/state/port.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import type { MemoryDisk } from '../support/memory-disk.ts';
import { repeats } from '../support/repeats.ts';
import { contentOf, createMachine, openTrial } from '../support/state.ts';

type Content = ReturnType<typeof contentOf>;

// One long value: some batches fold the log and others do not, and a torn write has blocks to lose.
const keys = fc.constantFrom('a', 'b', 'c');
const values = fc.oneof(fc.integer(), fc.constantFrom('short', 'long '.repeat(300)));
const records = fc.record({
  put: fc.dictionary(keys, fc.record({ value: values }, { noNullPrototype: true }), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
  remove: fc.uniqueArray(keys, { maxLength: 2 }),
});
const batches = fc.record(
  {
    links: records,
    strays: records,
    ledger: records,
    outbox: records,
    setAside: records,
    facts: fc.dictionary(keys, values, { maxKeys: 2, noNullPrototype: true }),
  },
  { requiredKeys: [] },
);
type Drawn = ReturnType<typeof batches.generate>['value'];

const tables = ['links', 'strays', 'ledger', 'outbox', 'setAside'] as const;

function toBatch(drawn: Drawn): Batch {
  const batch: Record<string, { put: Map<string, Json>; delete: readonly string[] }> = {};
  for (const name of tables) {
    const changes = drawn[name];
    if (changes) {
      const put = new Map(Object.entries(changes.put));
      batch[name] = { put, delete: changes.remove.filter((key) => !put.has(key)) };
    }
  }
  if (drawn.facts) batch['facts'] = { put: new Map(Object.entries(drawn.facts)), delete: [] };
  return batch;
}

/** The expected effect of a commit, implemented again and simply. */
function applied(content: Content, batch: Batch): Content {
  const result = structuredClone(content);
  for (const name of [...tables, 'facts'] as const) {
    const table: Record<string, Json> = result[name];
    for (const key of batch[name]?.delete ?? []) delete table[key];
    for (const [key, value] of batch[name]?.put ?? []) table[key] = value;
  }
  return result;
}

const nothing: Content = { links: {}, strays: {}, ledger: {}, outbox: {}, setAside: {}, facts: {}, requests: {} };
const foldFloorBytes = 2_000;

interface Outcome {
  /** The last confirmed state, and the state with the batch in flight. */
  readonly acknowledged: Content;
  readonly inFlight: Content;
}

let pids = 0;

/** Each process has its own id, and those before it have ended. */
function startProcess(disk: MemoryDisk) {
  pids += 1;
  const machine = createMachine('here', pids);
  return openTrial('/state', { disk, machine, pid: pids, foldFloorBytes }).store.sync('s');
}

/** One process, from its start to its end or that of the machine. */
async function runUntilOff(disk: MemoryDisk, from: Content, todo: readonly Batch[]): Promise<Outcome> {
  let [acknowledged, inFlight] = [from, from];
  try {
    await using lease = await startProcess(disk).acquireLease();
    await lease.load();
    for (const batch of todo) {
      inFlight = applied(acknowledged, batch);
      await lease.commit(batch);
      acknowledged = inFlight;
    }
  } catch (error) {
    if (!disk.isOff) throw error;
  }
  return { acknowledged, inFlight };
}

/** The state after a restart, read by a reader, then by a writer, which must agree. */
async function readBack(disk: MemoryDisk) {
  const process = startProcess(disk);
  const read = await process.load();
  await using lease = await process.acquireLease();
  const written = await lease.load();
  const again = await startProcess(disk).load();
  return { read, written, again };
}

/**
 * The state that was read, and its faults: it must be old or new, the same for every reader, and without notices of
 * damage.
 */
async function judge(disk: MemoryDisk, { acknowledged, inFlight }: Outcome) {
  const { read, written, again } = await readBack(disk);
  const found = contentOf(read);
  const isOldOrNew = [acknowledged, inFlight].some((each) => isDeepStrictEqual(found, each));
  const agree = [written, again].every((each) => isDeepStrictEqual(contentOf(each), found));
  const alarms = read.notices.filter(({ kind }) => kind === 'behind' || kind === 'damaged');
  const problems = [
    ...(isOldOrNew ? [] : [{ expected: [acknowledged, inFlight], found }]),
    ...(agree ? [] : [{ read: found, written: contentOf(written), again: contentOf(again) }]),
    ...alarms,
  ];
  return { found, problems };
}

const ends = ['kill', 'power loss'] as const;
/** Both ends share the operations between them; with REPEATS=all each takes all of them. */
const step = repeats(ends.length, 1);
const firstFor = (end: (typeof ends)[number]) => repeats(1 + ends.indexOf(end), 1);

describe('S1, L10: the state is the last confirmed one, or the one in flight, and never a mix', () => {
  test.each(ends)('after a %s at every operation of the disk', async (end) => {
    await fc.assert(
      fc.asyncProperty(fc.array(batches, { minLength: 1, maxLength: 8 }), fc.nat(1_000), async (drawn, seed) => {
        const todo = drawn.map((each) => toBatch(each));
        const rehearsal = createMemoryDisk(seed);
        await runUntilOff(rehearsal, nothing, todo);
        for (let operation = 1; operation <= rehearsal.operations; operation += 1) {
          const disk = createMemoryDisk(seed + operation);
          disk.planFault({ operation, effect: 'off' });
          const outcome = await runUntilOff(disk, nothing, todo);
          disk.restart(end);
          expect((await judge(disk, outcome)).problems).toEqual([]);
        }
      }),
      { numRuns: repeats(3, 8) },
    );
  });

  test('after repeated kills or power losses, during recovery too', async () => {
    const life = fc.record({
      todo: fc.array(batches, { maxLength: 5 }),
      operation: fc.integer({ min: 1, max: 60 }),
      end: fc.constantFrom(...ends),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 2, maxLength: 6 }), fc.nat(1_000_000), async (lives, seed) => {
        const disk = createMemoryDisk(seed);
        let content = nothing;
        for (const { todo, operation, end } of lives) {
          disk.planFault({ operation: disk.operations + operation, effect: 'off' });
          const outcome = await runUntilOff(
            disk,
            content,
            todo.map((each) => toBatch(each)),
          );
          disk.turnOff();
          disk.restart(end);
          const { found, problems } = await judge(disk, outcome);
          expect(problems).toEqual([]);
          content = found;
        }
      }),
      { numRuns: repeats(100, 300) },
    );
  });
});

describe('the heartbeat is the old one or the new one', () => {
  const storeOn = (disk: MemoryDisk) => openTrial('/state', { disk }).store;

  test.each(ends)('after a %s at every operation of the disk', async (end) => {
    for (let operation = 1; operation <= 12; operation += 1) {
      const disk = createMemoryDisk(operation);
      await makeFolder(disk, '/state');
      await storeOn(disk).writeHeartbeat({ n: 1 });
      await syncFolder(disk, '/state');
      disk.planFault({ operation: disk.operations + operation, effect: 'off' });
      await storeOn(disk)
        .writeHeartbeat({ n: 2 })
        .catch((error: unknown) => {
          if (!disk.isOff) throw error;
        });
      disk.turnOff();
      disk.restart(end);
      expect([{ n: 1 }, { n: 2 }]).toContainEqual(await storeOn(disk).readHeartbeat());
    }
  });
});

describe('E1, L10: a request of a person is carried out once', () => {
  test.each(ends)('after a %s at every operation of the disk', async (end) => {
    for (let operation = firstFor(end); operation <= 80; operation += step) {
      const disk = createMemoryDisk(operation);
      const id = await startProcess(disk).addRequest({ command: 'approve' });
      disk.planFault({ operation: disk.operations + operation, effect: 'off' });
      // The second batch drops the id of the first, the third is there to be interrupted.
      await runUntilOff(disk, nothing, [
        { facts: { put: new Map([['done', 1]]) }, doneRequests: [id] },
        { facts: { put: new Map([['more', 1]]) } },
        { facts: { put: new Map([['more', 2]]) } },
      ]);
      disk.turnOff();
      disk.restart(end);
      const { read, written } = await readBack(disk);
      // A read file may not be durable yet: effects that depend on it must still hold.
      disk.turnOff();
      disk.restart('power loss');
      const later = await startProcess(disk).load();
      for (const { requests, facts } of [read, written, later]) expect(requests.has(id)).toBe(!facts.has('done'));
    }
  });
});

describe('S1, L10: an interrupted repair', () => {
  const batch = (n: number): Batch => ({
    links: { put: new Map([[`c${n}`, { value: 'long '.repeat(150) }]]) },
    ledger: { put: new Map([[`e${n}`, { n }]]) },
  });

  test.each(['base.json', 'outbox.json', 'outbox.log'])(
    'a damaged %s loses nothing, wherever the process stops',
    async (name) => {
      for (const end of ends) {
        for (let operation = firstFor(end); operation <= 40; operation += step) {
          const disk = createMemoryDisk(operation);
          const { acknowledged } = await runUntilOff(
            disk,
            nothing,
            [1, 2, 3, 4, 5, 6, 7].map((n) => batch(n)),
          );
          disk.put(`/state/s/${name}`, Buffer.from('garbage'));
          disk.planFault({ operation: disk.operations + operation, effect: 'off' });
          await runUntilOff(disk, acknowledged, []);
          disk.turnOff();
          disk.restart(end);
          const { read, written, again } = await readBack(disk);
          for (const state of [read, written, again]) expect(contentOf(state)).toEqual(acknowledged);
          expect(read.notices.filter(({ kind }) => kind === 'behind')).toEqual([]);
        }
      }
    },
  );
});
