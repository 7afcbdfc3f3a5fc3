// Disks that lie (S1, S10): a failed sync drops what it did not write, a sync does nothing, bytes go astray, a read is wrong
// once, an operation is done and fails all the same.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { StateError } from '../../src/state/errors.ts';
import type { Batch, LoadedState } from '../../src/state/port.ts';
import { createMemoryDisk, type MemoryDisk } from '../support/memory-disk.ts';
import { commitAll, contentOf, createMachine, openTrial } from '../support/state.ts';

const foldFloorBytes = 1_500;

const numbered = (n: number): Batch => ({
  links: { put: new Map([[`c${n}`, { agreed: 'x'.repeat(300) }]]), delete: [`c${n - 3}`] },
  ledger: n % 2 === 0 ? { put: new Map([[`e${n}`, { n }]]) } : {},
  facts: { put: new Map([['n', n]]) },
});
const batches = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => numbered(n));

type Content = ReturnType<typeof contentOf>;

/** The states after each batch, the empty one first. */
const states: Content[] = [];
{
  const store = openTrial('/other', { disk: createMemoryDisk(0) }).store;
  states.push(contentOf(await store.sync('s').load()));
  for (const batch of batches) states.push(contentOf(await commitAll(store, 's', [batch])));
}
/** The batches that a state has: 0 to 8; -1: it is none of these states. */
const placeOf = (content: Content) => states.findIndex((each) => isDeepStrictEqual(each, content));

/** A whole state; where the ledger is newer than the rest, that is told. The outbox has the ledger once more. */
function isWhole(state: LoadedState): boolean {
  const { links, facts, ledger } = contentOf(state);
  if (placeOf(contentOf(state)) !== -1) return true;
  const isKnown = states.some((known) => isDeepStrictEqual([known.links, known.facts], [links, facts]));
  return isTold(state) && isKnown && states.some((known) => isDeepStrictEqual(known.ledger, ledger));
}

function isTold({ notices }: LoadedState): boolean {
  return notices.some(({ kind }) => kind !== 'absent');
}

let pids = 0;

/** Each process has its own id, and those before it have ended. */
function startProcess(disk: MemoryDisk) {
  pids += 1;
  return openTrial('/state', { disk, machine: createMachine('here', pids), pid: pids, foldFloorBytes }).store.sync('s');
}

/** Commits what is left of the batches, trying a refused one again up to twice. Returns how many are acknowledged. */
async function commitRest(disk: MemoryDisk, tries = 3): Promise<{ readonly done: number; readonly failures: number }> {
  let [done, failures] = [0, 0];
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    try {
      await using lease = await startProcess(disk).acquireLease();
      done = Number((await lease.load()).facts.get('n') ?? 0);
      for (const batch of batches.slice(done)) {
        await lease.commit(batch);
        done += 1;
      }
      return { done, failures };
    } catch (error) {
      if (!disk.isOff && !(error instanceof StateError)) throw error;
      failures += 1;
    }
  }
  return { done, failures };
}

/** Operations of a process that commits all batches to a fresh disk. */
async function operationsOf(seed: number): Promise<number> {
  const disk = createMemoryDisk(seed);
  expect(await commitRest(disk)).toEqual({ done: batches.length, failures: 0 });
  return disk.operations;
}

const operations = await operationsOf(1);
const each = Array.from({ length: operations }, (_, index) => index + 1);

describe('S1: a disk that refuses, or says so', () => {
  test.each([
    { code: 'ENOSPC', isDone: false },
    { code: 'EIO', isDone: false },
    { code: 'EIO', isDone: true },
  ] as const)(
    '$code at every operation in turn (done all the same: $isDone) loses nothing',
    async ({ code, isDone }) => {
      for (const operation of each) {
        const disk = createMemoryDisk(operation);
        disk.planFault({ operation, effect: { code, ...(isDone && { isDone }) } });
        const { done } = await commitRest(disk);
        expect([operation, done]).toEqual([operation, batches.length]);
        disk.turnOff();
        disk.restart('power loss');
        expect([operation, placeOf(contentOf(await startProcess(disk).load()))]).toEqual([operation, batches.length]);
      }
    },
  );

  test('a disk that is full from any operation on keeps what was saved, and goes on when there is room', async () => {
    for (const operation of each) {
      const disk = createMemoryDisk(operation);
      disk.planFault({ operation, effect: { code: 'ENOSPC', lasting: true } });
      const { done } = await commitRest(disk, 2);
      disk.turnOff();
      disk.restart('power loss');
      const place = placeOf(contentOf(await startProcess(disk).load()));
      // The batch that failed last may be whole on the disk, where not even its removal was possible.
      expect([done, done + 1]).toContain(place);
      expect(await commitRest(disk)).toEqual({ done: batches.length, failures: 0 });
    }
  });
});

describe('S10: a failed sync drops what it did not write, and later syncs succeed without it', () => {
  test.each(['power loss', 'kill'] as const)(
    'at every operation: what was acknowledged afterwards outlives a %s',
    async (end) => {
      for (const operation of each) {
        const disk = createMemoryDisk(operation);
        disk.planFault({ operation, effect: { code: 'EIO', dropsWrites: true } });
        const { done } = await commitRest(disk);
        expect([operation, done]).toEqual([operation, batches.length]);
        disk.turnOff();
        disk.restart(end);
        const { done: again } = await commitRest(disk);
        expect([operation, again, placeOf(contentOf(await startProcess(disk).load()))]).toEqual([
          operation,
          batches.length,
          batches.length,
        ]);
      }
    },
  );

  test.each(['base.log', 'outbox.log'])(
    'of a batch of a killed process in %s: the next run does not go on with what is not on the disk',
    async (name) => {
      let reliedOnMore = 0;
      for (const operation of each) {
        const disk = createMemoryDisk(operation);
        disk.planFault({ operation, effect: 'off' });
        const { done } = await commitRest(disk, 1);
        disk.restart('kill');
        disk.failNextSync(name);
        await loadUnderLease(disk).catch(() => {});
        const relied = await loadUnderLease(disk);
        disk.turnOff();
        disk.restart('power loss');
        expect([operation, contentOf(await startProcess(disk).load())]).toEqual([operation, relied]);
        if (placeOf(relied) > done) reliedOnMore += 1;
      }
      // There were batches that nobody had confirmed to the killed process.
      expect(reliedOnMore).toBeGreaterThan(2);
    },
  );
});

describe('S10: a sync answers and does nothing', () => {
  test('a power loss leaves an earlier whole state, and the next run goes on', async () => {
    const places = new Set<number>();
    for (const operation of each) {
      const disk = createMemoryDisk(operation);
      disk.planFault({ operation, effect: { isUnsynced: true, lasting: true } });
      expect(await commitRest(disk)).toEqual({ done: batches.length, failures: 0 });
      disk.turnOff();
      disk.restart('power loss');
      const state = await startProcess(disk).load();
      expect([operation, isWhole(state)]).toEqual([operation, true]);
      places.add(placeOf(contentOf(state)));
      const { done } = await commitRest(disk);
      expect([operation, done]).toEqual([operation, batches.length]);
    }
    // No program can keep what the disk only says that it has: some of it was lost.
    expect(Math.min(...places)).toBeLessThan(batches.length);
  });
});

describe('S10: bytes of a write go into another place', () => {
  test('the state is a whole one, what is missing is told, and the next run goes on', async () => {
    for (const operation of each) {
      const disk = createMemoryDisk(operation);
      disk.planFault({ operation, effect: 'astray' });
      await commitRest(disk);
      disk.turnOff();
      disk.restart('kill');
      const state = await startProcess(disk).load();
      const isMissing = placeOf(contentOf(state)) !== batches.length;
      expect([operation, isWhole(state), !isMissing || isTold(state)]).toEqual([operation, true, true]);
      expect([operation, (await commitRest(disk)).done]).toEqual([operation, batches.length]);
      expect([operation, placeOf(contentOf(await startProcess(disk).load()))]).toEqual([operation, batches.length]);
    }
  });

  test('a log that lost its end is noticed by the next commit of the run, and nothing is missing', async () => {
    for (const name of ['base.log', 'outbox.log']) {
      const disk = createMemoryDisk(1);
      await using lease = await startProcess(disk).acquireLease();
      await lease.load();
      for (const batch of batches.slice(0, 6)) await lease.commit(batch);
      await lease.load();
      const log = disk.files().get(`/state/s/${name}`)!;
      disk.put(`/state/s/${name}`, log.subarray(0, log.length - 40));
      for (const batch of batches.slice(6)) await lease.commit(batch);
      const { notices, ...state } = await startProcess(disk).load();
      expect([placeOf(contentOf({ ...state, notices })), notices]).toEqual([batches.length, []]);
    }
  });
});

describe('S10: a read is wrong once', () => {
  test('what the disk holds counts: nothing is set aside, and nothing is said to be missing', async () => {
    const disk = createMemoryDisk(1);
    await commitRest(disk);
    const request = await startProcess(disk).addRequest({ command: 'retry' });
    const before = disk.reads;
    await loadUnderLease(disk);
    const ofLoad = disk.reads - before;
    for (let read = 1; read <= ofLoad; read += 1) {
      for (const repetition of [1, 2, 3]) {
        disk.planWrongRead(disk.reads + read);
        await using lease = await startProcess(disk).acquireLease();
        const { notices, ...state } = await lease.load();
        disk.planWrongRead(-1);
        const { requests, ...rest } = contentOf({ ...state, notices });
        expect([read, repetition, notices, Object.keys(requests)]).toEqual([read, repetition, [], [request]]);
        expect(placeOf({ ...rest, requests: {} })).toBe(batches.length);
      }
    }
    expect([...disk.files().keys()].filter((name) => name.includes('damaged'))).toEqual([]);
  });
});

async function loadUnderLease(disk: MemoryDisk): Promise<Content> {
  await using lease = await startProcess(disk).acquireLease();
  return contentOf(await lease.load());
}
