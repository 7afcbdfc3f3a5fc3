// The state of one sync in files: load, lease, commit.
import type { JsonObject, Lease, LeaseOptions, LoadedState, Notice, SomeState, SyncState, Wanted } from '../port.ts';
import { makeFolder, onDisk } from './disk.ts';
import type { FileDriverDep } from './dep.ts';
import { type Glanced, toGlanced } from './glanced.ts';
import { createHistoryWriter } from './history.ts';
import { createJournal } from './journal.ts';
import { createLocks } from './lock.ts';
import type { Lock } from './lock.ts';
import {
  asideNames,
  createPlaces,
  isSound,
  lossIn,
  type Places,
  readFiles,
  type Reading,
  readStamps,
  withAsides,
} from './reading.ts';
import type { KeptRecords } from './kept-records.ts';
import { forgetRequests, type Mirror, nothingYet, snapshot, ungiven } from './mirror.ts';
import { createRequests } from './requests.ts';
import { createRows } from './rows.ts';
import { createRuns } from './runs.ts';
import type { IndexedTables, StateIndex } from './state-index.ts';
import { asksForFacts, countByTerms, recordFilter } from './wanted.ts';
import { applyBatch, effectiveBatch, lossKey, touchesLedger } from './tables.ts';

/** A state with what the driver needs to ask for many at once. */
export interface FileSyncState extends SyncState {
  readonly places: Places;
  /** What the index found at the last commit, with the requests that wait. */
  loadIndexed(found: IndexedTables): Promise<SomeState>;
}

/** So many records are read in some ten milliseconds: a run that needed none lets them go. */
const readAgainMax = 10_000;

/** `index`: undefined where there is none. */
export function createFileSyncState(
  folder: string,
  sync: string,
  dep: FileDriverDep & { readonly keptRecords: KeptRecords },
  index: () => Promise<Pick<StateIndex, 'look'> | undefined>,
): FileSyncState {
  const { disk } = dep;
  const surroundings = { disk, folder, sync, schema: dep.schema };
  const places = createPlaces(surroundings);
  const base = createJournal(places.base, dep.foldFloorBytes);
  const outbox = createJournal(places.outbox, dep.foldFloorBytes);
  const requests = createRequests(dep, folder);
  const history = createHistoryWriter(folder, dep);
  const runs = createRuns(folder, dep);
  const rows = createRows(folder, dep);
  const locks = createLocks(folder, sync, dep);
  let mirror: Mirror | undefined;
  /** Instead of a mirror. */
  let glanced: Glanced | undefined;
  let held: Lock | undefined;
  /** The lock under which the mirror was last loaded and repaired. */
  let loadedUnder: Lock | undefined;
  /** Ids under `consumed` whose files are gone, and `lossKey`, to be dropped with the next batch. */
  let removedRequests: readonly string[] = [];
  /** Serialises all work on the journals. */
  let tail: Promise<unknown> = Promise.resolve();

  function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = tail.then(() => onDisk(folder, work));
    tail = turn.catch(() => {});
    return turn;
  }

  /** A commit in progress may still request a fold, which then runs. */
  async function settled(): Promise<void> {
    for (let last: unknown; last !== tail;) {
      last = tail;
      await tail;
    }
  }

  /** Between the lease's first load and its end no other process writes, and only the lease may replace its mirror. */
  async function isFresh({ stamps, isRepaired }: Mirror, repairs: boolean): Promise<boolean> {
    if (repairs && !isRepaired) return false;
    if (!repairs && held !== undefined && loadedUnder === held) return true;
    return stamps === (await readStamps(places));
  }

  async function noteStamps(state: Mirror): Promise<void> {
    try {
      state.stamps = await readStamps(places);
    } catch {
      // Then the files are read again, which is always right.
      state.stamps = '';
    }
  }

  /** After a reading or a lease, which needed the records or not. A lease goes on with what it loaded. */
  function forgetIfMany(isNeeded: boolean): void {
    if (mirror === undefined || held !== undefined) return;
    const records = mirror.tables.links.size + mirror.tables.ledger.size;
    const rest = mirror.isRepaired && mirror.seq > 0 ? toGlanced(mirror) : undefined;
    const isReadSoon = rest !== undefined && records <= readAgainMax;
    if ((isNeeded || !isReadSoon) && dep.keptRecords.mayStay(folder, records, forgetWhenIdle)) return;
    dep.keptRecords.dropped(folder);
    glanced = rest;
    mirror = undefined;
  }

  function forgetWhenIdle(): void {
    void inTurn(async () => {
      if (held === undefined) mirror = undefined;
    });
  }

  async function readOnce<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } finally {
      forgetIfMany(true);
    }
  }

  async function loadNow(lock?: Lock): Promise<LoadedState> {
    glanced = undefined;
    const repairs = lock !== undefined;
    let notices: readonly Notice[] = mirror?.isRepaired ? lossIn(mirror.tables, places) : (mirror?.notices ?? []);
    if (mirror === undefined || !(await isFresh(mirror, repairs))) {
      const reading = await readFiles(places);
      const { tables, seq, ledgerSeq, stamps } = reading;
      const asides = repairs ? asidesOf(reading) : new Map<string, string>();
      notices = withAsides(reading.notices, asides);
      // A repaired state has no notices the next time, but for a loss.
      mirror = {
        tables,
        given: new Set(),
        seq,
        ledgerSeq,
        stamps,
        isRepaired: repairs,
        notices: repairs ? [] : notices,
      };
      if (lock) await repairFiles(lock, mirror, reading, asides);
    }
    if (lock?.isTakenOver && loadedUnder !== lock) await takeLogs(lock, mirror);
    if (lock) loadedUnder = lock;
    const read = await requests.read();
    if (repairs) await tidyRequests(read.requests);
    const requestAsides = new Map<string, string>();
    for (const file of repairs ? read.unusable : []) {
      const name = `${file}.damaged`;
      if (await requests.setAside(file, name)) requestAsides.set(file, name);
    }
    const absent = mirror.seq === 0 ? [nothingYet(folder)] : [];
    return snapshot(mirror, read.requests, [...absent, ...notices, ...withAsides(read.notices, requestAsides)]);
  }

  /** Of a state that has to be repaired, nothing: `loadNow` repairs it. No record that is read here is kept. */
  async function glanceNow(lock: Lock, uuids: readonly string[]): Promise<LoadedState | undefined> {
    if (lock.isTakenOver && loadedUnder !== lock) return undefined;
    const read = await requests.read();
    if (read.notices.length > 0) return undefined;
    if (mirror !== undefined && (await isFresh(mirror, true))) {
      const isSilent = mirror.seq > 0 && !mirror.tables.consumed.has(lossKey);
      return isSilent ? snapshot(mirror, read.requests, []) : undefined;
    }
    // Another process has written since: what is read now takes its place.
    if (loadedUnder !== lock) mirror = undefined;
    const known = uuids.length === 0 ? await freshGlanced() : undefined;
    if (known) return snapshot({ ...known, given: new Set() }, read.requests, []);
    const wantsLink = recordFilter({ keys: uuids })!;
    const found = await readFiles(createPlaces({ ...surroundings, wantsLink }));
    if (!isSound(found)) return undefined;
    keepGlanced(found);
    return snapshot({ tables: found.tables, given: new Set() }, read.requests, []);
  }

  async function freshGlanced(): Promise<Glanced | undefined> {
    const known = glanced;
    return known?.stamps === (await readStamps(places)) ? known : undefined;
  }

  function keepGlanced(found: Reading): void {
    if (mirror === undefined && isSound(found)) glanced = toGlanced(found);
  }

  /** From the index, as far as it is up to date. It knows no damage: then the files are read. */
  async function lookNow(wanted: Wanted): Promise<SomeState | undefined> {
    const known = asksForFacts(wanted) ? await freshGlanced() : undefined;
    if (known) return loadIndexed({ tables: known.tables, counts: new Map() });
    const found = await (await index())?.look(places, wanted);
    return found && loadIndexed(found);
  }

  async function loadIndexed(found: IndexedTables): Promise<SomeState> {
    const { requests: read, notices } = await requests.readIfAny();
    return { ...snapshot({ ...found, given: new Set() }, read, notices), counts: found.counts, isExact: true };
  }

  /** What is in memory already costs nothing; else the files are read, and nothing of them is kept. */
  async function loadSomeNow(wanted: Wanted): Promise<SomeState> {
    const isInMemory = mirror !== undefined && (await isFresh(mirror, false));
    const filter = recordFilter(wanted);
    if (isInMemory || !filter) {
      const loaded = await loadNow();
      return { ...loaded, counts: countByTerms(mirror!.tables, wanted, dep.terms), isExact: true };
    }
    const found = await readFiles(createPlaces({ ...surroundings, wantsLink: filter }));
    const { tables, seq, notices } = found;
    keepGlanced(found);
    const read = await requests.read();
    const absent = seq === 0 ? [nothingYet(folder)] : [];
    const some = snapshot({ tables, given: new Set() }, read.requests, [...absent, ...notices, ...read.notices]);
    return { ...some, counts: new Map(), isExact: wanted.words === undefined };
  }

  function asidesOf({ base: fromBase, outbox: fromOutbox }: Awaited<ReturnType<typeof readFiles>>) {
    const now = dep.now();
    return new Map([...asideNames(fromBase, now), ...asideNames(fromOutbox, now)]);
  }

  /** From here on the holder before changes nothing that this one has read. */
  async function takeLogs(lock: Lock, state: Mirror): Promise<void> {
    await outbox.takeLog(lock);
    await base.takeLog(lock);
    await noteStamps(state);
  }

  async function repairFiles(
    lock: Lock,
    state: Mirror,
    reading: Awaited<ReturnType<typeof readFiles>>,
    asides: ReadonlyMap<string, string>,
  ): Promise<void> {
    mirror = undefined;
    await base.adopt(reading.base);
    await outbox.adopt(reading.outbox);
    const isBase = (file: string) => reading.base.unusable.includes(file);
    // The base first: a batch that only the outbox has must be whole in one of them at every moment.
    if (reading.baseNeedsRepair) {
      const losses = reading.notices.filter(({ kind }) => kind === 'behind').map(({ message }) => message);
      if (losses.length > 0) state.tables.consumed.set(lossKey, losses.join('; '));
      await base.fold(state, lock, new Map([...asides].filter(([file]) => isBase(file))));
    } else {
      if (reading.missing.length > 0) await base.takeLog(lock);
      if (base.needsDocument) await base.fold(state, lock);
      else for (const { batch, after, seq } of reading.missing) await base.append(batch, after, seq, lock);
    }
    if (reading.outboxNeedsRepair || outbox.needsDocument) {
      const ofOutbox = new Map([...asides].filter(([file]) => !isBase(file)));
      await outbox.fold({ ...state, seq: state.ledgerSeq }, lock, ofOutbox);
    }
    await noteStamps(state);
    mirror = state;
  }

  /** The rest of a crash between the commit and the removal of a file. */
  async function tidyRequests(found: ReadonlyMap<string, JsonObject>): Promise<void> {
    const done = [...(mirror?.tables.consumed.keys() ?? [])];
    await requests.remove(done.filter((id) => found.has(id)));
    removedRequests = done;
  }

  async function commitNow(lock: Lock, batch: Parameters<Lease['commit']>[0]): Promise<void> {
    if (mirror === undefined || loadedUnder !== lock) throw new Error(`${folder}: a commit must follow a load`);
    const state = mirror;
    const effective = effectiveBatch(state.tables, batch);
    // A batch without changes says that the caller took a loss up.
    if (effective === undefined && !state.tables.consumed.has(lossKey)) return;
    await lock.confirm();
    const stored = forgetRequests(effective ?? { put: {}, delete: {} }, removedRequests);
    if (!lock.isSole) await takeLogs(lock, state);
    await Promise.all([base.verify(), outbox.verify()]);
    if (outbox.needsDocument) await outbox.fold({ ...state, seq: state.ledgerSeq }, lock);
    if (base.needsDocument) await base.fold(state, lock);
    const seq = state.seq + 1;
    const forLedger = touchesLedger(stored);
    if (forLedger) await outbox.append(stored, state.ledgerSeq, seq, lock);
    try {
      await base.append(stored, state.seq, seq, lock);
    } catch (error) {
      if (forLedger) await outbox.retract(lock);
      throw error;
    }
    if (!lock.isSole) await confirmWritten(lock);
    state.tables = ungiven(state, stored);
    applyBatch(state.tables, stored);
    state.seq = seq;
    if (forLedger) state.ledgerSeq = seq;
    removedRequests = [];
    if (stored.put.consumed) await removeRequests(Object.keys(stored.put.consumed));
    await noteStamps(state);
    foldLater(lock, state);
  }

  /** A successor reads the logs after it has the lock: what is written while the lock is still ours reaches it. */
  async function confirmWritten(lock: Lock): Promise<void> {
    try {
      await lock.look();
    } catch (error) {
      mirror = undefined;
      throw error;
    }
  }

  /** The batch is committed, so a later load removes a file that cannot be removed now. */
  async function removeRequests(ids: readonly string[]): Promise<void> {
    try {
      await requests.remove(ids);
      removedRequests = [...removedRequests, ...ids];
    } catch (error) {
      warn(`a request that was carried out could not be removed yet: ${String(error)}`);
    }
  }

  /** Only the next batch and the end of the lease wait for it. A failed fold is tried again after the next batch. */
  function foldLater(lock: Lock, state: Mirror): void {
    for (const { journal, seq } of [
      { journal: base, seq: () => state.seq },
      { journal: outbox, seq: () => state.ledgerSeq },
    ]) {
      if (!journal.isLong) continue;
      inTurn(async () => {
        if (!journal.isLong) return;
        await lock.confirm();
        await journal.fold({ ...state, seq: seq() }, lock);
        await noteStamps(state);
      }).catch((error: unknown) => warn(`the log could not be folded into its document: ${String(error)}`));
    }
  }

  function warn(message: string): void {
    dep.warn({ kind: 'unfinished', file: folder, message });
  }

  function createLease(lock: Lock): Lease {
    held = lock;
    /** Reports and lines of the history that are being written. */
    const writes = new Set<Promise<void>>();
    const write = (work: () => Promise<void>) => {
      const writing = onDisk(folder, work);
      writes.add(writing);
      return writing.finally(() => writes.delete(writing));
    };
    return {
      epoch: lock.epoch,
      remainingMs: () => lock.remainingMs(),
      load: () => inTurn(() => loadNow(lock)),
      glance: (uuids) => inTurn(() => glanceNow(lock, uuids)),
      commit: (batch) => inTurn(() => commitNow(lock, batch)),
      appendHistory: (lines) => write(() => history.append(lines, lock)),
      appendRun: (record) =>
        write(async () => {
          await lock.confirm();
          await runs.append(record, lock);
        }),
      noteRows: (idByRow) => rows.note(idByRow, lock),
      async [Symbol.asyncDispose]() {
        if (held !== lock) return;
        await Promise.allSettled(writes);
        await settled();
        held = undefined;
        const isNeeded = loadedUnder === lock;
        void inTurn(async () => forgetIfMany(isNeeded));
        try {
          await onDisk(folder, () => lock.release());
        } catch (error) {
          warn(`the lock could not be removed; the next run of this process takes it over: ${String(error)}`);
        }
      },
    };
  }

  return {
    places,
    loadIndexed: (found) => onDisk(folder, () => loadIndexed(found)),
    load: () => inTurn(() => readOnce(() => loadNow())),
    loadSome: async (wanted) =>
      (await onDisk(folder, () => lookNow(wanted))) ?? inTurn(() => readOnce(() => loadSomeNow(wanted))),
    addRequest: (request) => onDisk(folder, () => requests.add(request)),
    readRuns: (query) => runs.read(query),
    readRun: (run) => runs.find(run),
    readRows: () => rows.read(),
    async acquireLease(options: LeaseOptions = {}) {
      await onDisk(folder, () => makeFolder(disk, folder));
      return createLease(await onDisk(folder, () => locks.acquire(options)));
    },
  };
}
