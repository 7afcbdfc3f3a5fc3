// A holder on a network drive is suspended at each of its operations in turn, is taken over, and goes on too late.
import { describe, expect, test } from 'vitest';
import { LeaseLostError } from '../../src/state/errors.ts';
import type { Batch, Lease, Store } from '../../src/state/port.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { noKernelLocks } from '../support/memory-kernel.ts';
import { repeats } from '../support/repeats.ts';
import { commitAll, contentOf, createMachine, openTrial } from '../support/state.ts';
import { createSuspendedDisk } from '../support/suspended-disk.ts';

const times = { pollMs: 1, renewMs: 1_000, silentMs: 2, settleMs: 1 };
const fact = (name: string, value: string): Batch => ({ facts: { put: new Map([[name, value]]) } });
const sent = (id: string): Batch => ({ ...fact('sent', id), ledger: { put: new Map([[id, { by: id }]]) } });
const long = 'x'.repeat(400);

/** What the first holder does; it may be suspended anywhere in it. */
const works: readonly { it: string; work: (lease: Lease) => Promise<void> }[] = [
  { it: 'a commit to the ledger', work: (lease) => lease.commit(sent('first')) },
  {
    it: 'a commit and its fold',
    async work(lease) {
      await lease.commit({ ...fact('first', long), ...sent(long) });
      // The next commit waits for the fold.
      await lease.commit(fact('second of first', 'late'));
    },
  },
];

const successors: readonly { it: string; before: readonly Batch[]; after: readonly Batch[] }[] = [
  { it: 'commits to the ledger at once', before: [sent('second'), fact('second', 'b')], after: [sent('third')] },
  { it: 'commits afterwards', before: [], after: [sent('second')] },
  { it: 'folds', before: [{ ...fact('second', long), ...sent(long.toUpperCase()) }], after: [fact('then', 'b')] },
];

const starts = ['no state', 'a state', 'a damaged state'] as const;

async function prepare(disk: ReturnType<typeof createMemoryDisk>, start: (typeof starts)[number]) {
  if (start === 'no state') return;
  const { store } = openTrial('/state', { disk, machine: createMachine('before'), foldFloorBytes: 300 });
  await commitAll(store, 's', [fact('old', long), sent('old'), fact('older', 'a')]);
  const cut = (name: string, end: number) => disk.put(name, Buffer.from(disk.files().get(name)!.subarray(0, end)));
  if (start === 'a damaged state') cut('/state/s/base.json', -5);
}

interface Trial {
  readonly start: (typeof starts)[number];
  readonly work: (lease: Lease) => Promise<void>;
  readonly before: readonly Batch[];
  readonly after: readonly Batch[];
}

/** Undefined: the first holder was done before this operation. */
async function suspendAndTakeOver({ start, work, before, after }: Trial, step: number) {
  const disk = createMemoryDisk(1);
  await prepare(disk, start);
  const suspending = createSuspendedDisk(disk);
  const open = (host: string, of = disk as Parameters<typeof createSuspendedDisk>[0]): Store =>
    openTrial('/state', {
      disk: of,
      machine: createMachine(host),
      kernelLocks: noKernelLocks,
      lockTimes: times,
      foldFloorBytes: 300,
    }).store;
  const first = await open('first', suspending.disk).sync('s').acquireLease();
  if (start !== 'a damaged state') await first.load();
  suspending.suspendAt(suspending.operations() + step);
  const done = (async () => {
    if (start === 'a damaged state') await first.load();
    await work(first);
    await first[Symbol.asyncDispose]();
  })().then(
    () => 'confirmed',
    (error: unknown) => error,
  );
  const ended = await Promise.race([suspending.suspended.then(() => 'suspended'), done]);
  if (ended !== 'suspended') return undefined;
  const second = await open('second').sync('s').acquireLease();
  let seen = contentOf(await second.load());
  for (const batch of before) {
    await second.commit(batch);
    seen = contentOf(await second.load());
  }
  suspending.resume();
  const said = await done;
  await first[Symbol.asyncDispose]();
  const loaded = await open('reader').sync('s').load();
  // Suspended between its last look at the lock and its removal, the first removes that of the second: docs/state.md.
  const hasLock = disk.files().has('/state/s/lock');
  const goesOn = await Promise.all((hasLock ? after : [fact('never', 'a')]).map((batch) => second.commit(batch))).then(
    () => 'goes on',
    (error: unknown) => (error instanceof LeaseLostError ? 'lease lost' : error),
  );
  const held = contentOf(await second.load());
  await second[Symbol.asyncDispose]();
  const last = await open('last').sync('s').load();
  return { said, hasLock, goesOn, seen, loaded: contentOf(loaded), held, last: contentOf(last), notices: last.notices };
}

describe('H1: a holder that is suspended at any operation and taken over changes nothing of its successor', () => {
  const trials = starts.flatMap((start) =>
    works.flatMap(({ it, work }) => successors.map((each, index) => ({ ...each, start, what: it, work, index }))),
  );
  test.each(trials)('$what in $start; the successor $it', async (trial) => {
    let lastStep = 0;
    // The successors share the operations between them; with REPEATS=all each takes all of them.
    for (let step = repeats(1 + trial.index, 1); ; step += repeats(successors.length, 1)) {
      const came = await suspendAndTakeOver(trial, step);
      if (came === undefined) break;
      lastStep = step;
      const isSaid = came.said === 'confirmed' || came.said instanceof LeaseLostError;
      const notices = trial.start === 'no state' ? [] : came.notices;
      const { loaded, last, goesOn } = came;
      expect({ step, isSaid: isSaid || came.said, loaded, last, notices, goesOn }).toEqual({
        step,
        isSaid: true,
        loaded: came.seen,
        last: came.held,
        notices: [],
        goesOn: came.hasLock ? 'goes on' : 'lease lost',
      });
    }
    expect(lastStep).toBeGreaterThan(3);
  });
});

describe('S1: a reader that is slow, while a writer folds', () => {
  test('it reads a whole state, at whichever operation it waits, and names no damage', async () => {
    const batches = [fact('a', long), sent('first'), fact('b', long), sent('second')];
    let steps = 0;
    for (let step = 1; ; step += 1) {
      const disk = createMemoryDisk(1);
      const { store } = openTrial('/state', { disk, foldFloorBytes: 300 });
      const before = await commitAll(store, 's', batches.slice(0, 1));
      const suspending = createSuspendedDisk(disk);
      const reader = openTrial('/state', {
        disk: suspending.disk,
        foldFloorBytes: 300,
        machine: createMachine('reader'),
      });
      suspending.suspendAt(step);
      const reading = reader.store.sync('s').load();
      const ended = await Promise.race([suspending.suspended.then(() => 'suspended'), reading.then(() => 'done')]);
      if (ended === 'done') break;
      steps += 1;
      const after = await commitAll(store, 's', batches.slice(1));
      suspending.resume();
      const read = await reading;
      expect([step, read.notices]).toEqual([step, []]);
      expect([contentOf(before), contentOf(after)]).toContainEqual(contentOf(read));
    }
    expect(steps).toBeGreaterThan(5);
  });
});
