// Copies a state from one store to another, job by job, and reads each back to compare.
import { isDeepStrictEqual } from 'node:util';
import type { Changes, HistoryLine, Json, Lease, LoadedState, RunRecord, Store } from '../../state/port.ts';
import type { StateCopyAnswer } from '../answers/state.ts';
import { OperatorError } from '../errors.ts';
import { collections, countRecords, firstDifference, isDamage, readAllRuns, readLines, tableOf } from './content.ts';

export type CopiedJob = StateCopyAnswer['jobs'][number];

export interface CopyDep {
  readonly from: Store;
  readonly to: Store;
  /** The place `to` as another process has it: a store that remembers nothing of what `to` wrote. */
  readonly readBack: Store;
  /** In words, for messages. */
  readonly fromText: string;
  readonly toText: string;
  /** The clock of the store `to`: it keeps lines and reports by the day on which they are written. Undefined: now. */
  readonly setClock: (at: number | undefined) => void;
  /** What a person should know, although the job is copied. */
  readonly warn: (message: string) => void;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/**
 * A fact of a job while it is being copied. A copy that was interrupted goes on where it stands, and only there is
 * something replaced. Runs do not know it.
 */
const copyingFact = 'copying';

const dayMs = 86_400_000;

/** A run deletes older lines and reports. One hour is taken off, so that no line becomes too old during the copy. */
const keptMs = 90 * dayMs - 3_600_000;

/** Records, and lines, that are written at once. */
const recordsAtOnce = 5_000;
const linesAtOnce = 1_000;

/**
 * Copies all jobs. Throws OperatorError if there are none, and for a job that is damaged or has other content in `to`, and
 * LeaseTakenError for one that runs: the jobs before it are whole, and a repeat goes on from there.
 */
export async function* copyState(dep: CopyDep): AsyncGenerator<CopiedJob> {
  const { from, to, signal } = dep;
  const jobs = (await from.jobs()).toSorted();
  if (jobs.length === 0)
    throw new OperatorError('nothing', `${dep.fromText}: there is no state to copy. Is it the place?`);
  for (const job of jobs) {
    signal.throwIfAborted();
    try {
      yield await copyJob(job, dep);
    } finally {
      dep.setClock(undefined);
    }
  }
  const logins = (await to.readLogins()) === undefined ? await from.readLogins() : undefined;
  if (logins) await to.changeLogins(() => logins);
  const heartbeat = (await to.readHeartbeat()) === undefined ? await from.readHeartbeat() : undefined;
  if (heartbeat) await to.writeHeartbeat(heartbeat);
}

async function copyJob(job: string, given: CopyDep): Promise<CopiedJob> {
  const { from, to, signal } = given;
  const dep = { ...given, since: given.now() - keptMs };
  await using source = await from.sync(job).acquireLease({ waitMs: 0, signal });
  await assertSound(job, dep);
  const state = await source.load();
  if (state.facts.has(copyingFact)) {
    throw new OperatorError(
      'invalid',
      `job "${job}" is itself an unfinished copy: finish it with the same command as before`,
    );
  }
  const lastEpoch = await epochOf(to, job, signal);
  await using target = await to.sync(job).acquireLease({ waitMs: 0, signal, epochAbove: source.epoch });
  const there = await target.load();
  const isOurs = there.facts.get(copyingFact) === lastEpoch - 1;
  const isEmpty = countRecords(there) + there.requests.size === 0 && (await isWithoutHistory(to, job));
  const copied = async (outcome: CopiedJob['outcome']): Promise<CopiedJob> => {
    const runs = await runsSince(from, job, dep.since);
    const lines = await readLines(from, job, dep.since);
    const counts = { records: countRecords(state), requests: state.requests.size };
    return { job, ...counts, lines: lines.count, runs: runs.length, outcome };
  };
  if (!isOurs && !isEmpty) {
    const difference = await findDifference(job, state, dep);
    if (difference !== undefined) throw otherContent(job, dep, difference);
    return copied('there');
  }
  await writeRecords(target, state, there);
  await addRequests(job, state, there, dep);
  await addLines(job, target, dep);
  await addRuns(job, target, dep);
  const idByRow = await from.sync(job).readRows();
  if (idByRow) await target.noteRows(idByRow);
  await target.commit({ facts: { delete: [copyingFact] } });
  dep.setClock(undefined);
  const difference = await findDifference(job, state, dep);
  if (difference !== undefined) {
    const remedy = 'Empty that place, and copy again';
    throw new OperatorError(
      'differs',
      `${dep.toText}: job "${job}" is not the same when it is read back: ${difference}. ${remedy}`,
    );
  }
  return copied('copied');
}

/**
 * The run that repairs a damaged state tells what may be missing, and waits for an approval where enrolments may be. A copy would
 * repair it as well, and its next run would know of nothing. The rest of a write that was cut off stays until a run saves something,
 * which may be never; what was saved before is used, in the copy as here.
 */
async function assertSound(job: string, { from, warn }: Pick<CopyDep, 'from' | 'warn'>): Promise<void> {
  const found = (await from.sync(job).load()).notices.filter(isDamage);
  const damage = found.find(({ kind }) => kind !== 'torn');
  if (!damage) {
    for (const { message } of found) warn(`job "${job}": ${message}`);
    return;
  }
  const remedy =
    `Let a run repair it and say what is missing: leadsheet sync ${job}. ` +
    'A job that the configuration has no more: move its folder away. Then copy again';
  throw new OperatorError('differs', `job "${job}" is damaged: ${damage.message}. ${remedy}`);
}

/** The epoch that a lease of the job gets now. */
async function epochOf(store: Store, job: string, signal: AbortSignal): Promise<number> {
  await using lease = await store.sync(job).acquireLease({ waitMs: 0, signal });
  return lease.epoch;
}

async function isWithoutHistory(store: Store, job: string): Promise<boolean> {
  const { lines } = await store.historyPage({ sync: job, limit: 1 });
  return lines.length === 0 && (await store.sync(job).readRuns({ limit: 1 })).length === 0;
}

async function runsSince(store: Store, job: string, since: number): Promise<readonly RunRecord[]> {
  return (await readAllRuns(store, job)).filter(({ endedAt }) => !(Date.parse(endedAt) < since));
}

function otherContent(job: string, { toText }: Pick<CopyDep, 'toText'>, why: string): OperatorError {
  return new OperatorError(
    'differs',
    `${toText}: job "${job}" has other content there (${why}): nothing of it was changed. Copy to an empty place`,
  );
}

/**
 * Records that must not be repeated come first, in the batch that says that the copy is unfinished. It says so by the epoch of the
 * copy: a run that began there meanwhile has a greater one, and nothing of it is replaced.
 */
async function writeRecords(target: Lease, state: LoadedState, there: LoadedState): Promise<void> {
  const first: Record<string, Changes<Json>> = {};
  for (const name of ['ledger', 'outbox', 'facts'] as const) {
    const put = new Map(tableOf(state, name));
    if (name === 'facts') put.set(copyingFact, target.epoch);
    first[name] = { put, delete: keysBeyond(tableOf(there, name), put) };
  }
  await target.commit(first);
  for (const name of collections) {
    if (name in first) continue;
    const records = tableOf(state, name);
    await target.commit({ [name]: { delete: keysBeyond(tableOf(there, name), records) } });
    const all = [...records];
    for (let from = 0; from < all.length; from += recordsAtOnce) {
      await target.commit({ [name]: { put: new Map(all.slice(from, from + recordsAtOnce)) } });
    }
  }
}

function keysBeyond(there: ReadonlyMap<string, Json>, wanted: ReadonlyMap<string, Json>): readonly string[] {
  return [...there.keys()].filter((key) => !wanted.has(key));
}

/** The copied requests get new ids, and keep their order. */
async function addRequests(job: string, state: LoadedState, there: LoadedState, { to }: CopyDep): Promise<void> {
  for (const request of [...state.requests.values()].slice(there.requests.size)) await to.sync(job).addRequest(request);
}

interface Since extends CopyDep {
  readonly since: number;
}

/** Lines that an earlier attempt has added stay. */
async function addLines(job: string, target: Lease, { from, to, since, setClock, signal }: Since): Promise<void> {
  const there = await readLines(to, job, since);
  let chunk: HistoryLine[] = [];
  const dayOf = ({ time }: HistoryLine) => time.slice(0, 'YYYY-MM-DD'.length);
  const flush = async () => {
    const [first] = chunk;
    if (!first) return;
    setClock(instantOf(first.time));
    await target.appendHistory(chunk);
    chunk = [];
  };
  for await (const line of from.history({ sync: job, since })) {
    signal.throwIfAborted();
    if (there.take(line)) continue;
    if (chunk.length >= linesAtOnce || (chunk[0] && dayOf(chunk[0]) !== dayOf(line))) await flush();
    chunk.push(line);
  }
  await flush();
}

function instantOf(time: string): number | undefined {
  const at = Date.parse(time);
  return Number.isNaN(at) ? undefined : at;
}

async function addRuns(job: string, target: Lease, { from, to, since, setClock }: Since): Promise<void> {
  const known = new Set((await readAllRuns(to, job)).map(({ run }) => run));
  for (const record of await runsSince(from, job, since)) {
    if (known.has(record.run)) continue;
    setClock(instantOf(record.endedAt));
    await target.appendRun(record);
  }
}

/** Reads the job back as another process would. Undefined: all of it is the same. */
async function findDifference(
  job: string,
  state: LoadedState,
  { from, readBack, since }: Since,
): Promise<string | undefined> {
  const found = await readBack.sync(job).load();
  const damage = found.notices.find(isDamage);
  if (damage) return damage.message;
  const record = firstDifference(found, state);
  if (record !== undefined) return `the record ${record} differs`;
  const lines = await readLines(readBack, job, since);
  for await (const line of from.history({ sync: job, since })) {
    if (!lines.take(line)) return `a line of the history, of ${line.time}, is missing`;
  }
  if (lines.left()) return 'there are other lines of the history';
  const [wanted, there] = await Promise.all([runsSince(from, job, since), runsSince(readBack, job, since)]);
  return isDeepStrictEqual(wanted, there) ? undefined : 'the reports of runs differ';
}
