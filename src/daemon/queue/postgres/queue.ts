// The queue over PostgreSQL: each worker takes the runs that are due, and all know how each job stands.
import delay from 'delay';
import type { Database } from '../../../postgres/pool.ts';
import type { Asked, Queue, Ran, Scheduler, SchedulerOptions } from '../port.ts';
import { type Attempt, AttemptLost, createBook, type Entry, makeQueueTables, type Page } from './book.ts';
import { openBoss, queueName, signOfLifeMs, touch } from './boss.ts';
import { orphaned, stillLeasedMs } from './orphans.ts';
import { createTroubles } from './troubles.ts';
import { createRequests } from './requests.ts';
import { createSlots } from './slots.ts';
import {
  askTurn,
  awaitTurnAnew,
  beginTurn,
  endTurn,
  firstTurn,
  meetTurn,
  orphanTurn,
  restTurn,
  triggerTurn,
  type Slots,
  type Turn,
  unknownTurn,
  withRequests,
} from './turn.ts';
import { type WorkerTold, writeWorker } from './workers.ts';

export interface PostgresQueueOptions {
  readonly database: Database;
  readonly worker: Pick<WorkerTold, 'id' | 'host' | 'pid' | 'version'>;
  /** The account of a job; undefined: not known here. Runs of accounts take turns, so that one with many jobs starves no other. */
  readonly accountOf: (job: string) => string | undefined;
  /** Differs where the configuration of the job does: a job that stopped under another one begins again. */
  readonly configOf: (job: string) => string;
  /** Whether this worker may begin runs. Asked every few seconds; it gives back what it fetched before a no. Left out: it may. */
  readonly mayTake?: () => Promise<boolean>;
  /** How long the lease of a run lasts whose worker is silent. Its job begins elsewhere after it, not before. */
  readonly leaseMs: number;
  /** Runs of this worker at once, and as many more for accounts of which nothing runs. */
  readonly runsAtOnce: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** [0, 1). */
  readonly random: () => number;
  /** A version 4 uuid. */
  readonly randomId: () => string;
  /** Of trouble that passes by itself. The same is told once, until it has passed. */
  readonly warn: (message: string) => void;
}

export interface PostgresQueue extends Queue, AsyncDisposable {
  drain(): void;
}

/** How long a run that is due waits for an idle worker at most. */
const pollMs = 500;
const lookMs = 1_000;
/** Entries are read again for so long, as a transaction may end after a later one. */
const overlapMs = 10_000;
/** A clock of the database that is set back by more is noticed. By less, runs come as much later. */
const setBackMs = 60_000;
const sweepEveryMs = 15_000;
const lastWordsMs = 1_000;
const fetchMax = 4;

interface Kept {
  readonly options: SchedulerOptions;
  readonly slots: Slots;
  /** As the book had it last. */
  turn: Turn | undefined;
  running: { readonly since: number; readonly done: Promise<void> } | undefined;
  taken: string | undefined;
  isStopped: boolean;
  /** The clock of the database was set back. */
  readonly awaitAnew: () => void;
}

interface Message {
  readonly id: string;
  readonly retryCount: number;
  readonly data: { readonly job: string };
}

/** Makes the tables where they are not there. Throws StateErrors. */
export async function openPostgresQueue(options: PostgresQueueOptions): Promise<PostgresQueue> {
  const { database, worker, accountOf, configOf, leaseMs, runsAtOnce, now, random, randomId, warn } = options;
  const jobs = new Map<string, Kept>();
  const under = new Set<Promise<void>>();
  const ending = new AbortController();
  const { every, passed, persist, tell } = createTroubles({ signal: ending.signal, randomId, warn });
  /** A process opens its jobs before it can run one. */
  let hasStarted = false;
  let mayTake = true;
  let isDraining = false;
  let wake = new AbortController();
  /** Of the clock of the database ahead of ours. */
  let aheadMs = 0;
  let lookedAt: number | undefined;

  await makeQueueTables(database);
  const boss = await openBoss({ database, onError: (error) => tell('pg-boss', error) });
  const book = createBook(database, boss, accountOf);
  const ours = createRequests({ book, hasLeft });
  const loops = Promise.all([
    takeRunsOnAndOn(),
    every(lookMs, 'look', look),
    every(signOfLifeMs, 'sign of life', signOfLife),
    every(sweepEveryMs, 'sweep', sweep),
  ]);

  async function takeRunsOnAndOn(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        const gotSome = await takeRuns();
        passed('take');
        if (gotSome) continue;
      } catch (error) {
        tell('take', error);
      }
      await delay(pollMs, { signal: AbortSignal.any([ending.signal, wake.signal]) }).catch(() => undefined);
      if (wake.signal.aborted) wake = new AbortController();
    }
  }

  function mayBegin(): boolean {
    return mayTake && !isDraining;
  }

  async function takeRuns(): Promise<boolean> {
    if (!hasStarted || !mayBegin()) return false;
    const take = async (batchSize: number, only: { groupConcurrency?: number }) =>
      batchSize > 0 ? boss.fetch<{ job: string }>(queueName, { batchSize, ...only }) : [];
    // Accounts of which nothing runs come first. As many runs more are theirs alone: those of an account that hang leave them free.
    // One at a time: of several messages of an account pg-boss would take any, whatever their priority.
    const fair = await take(Math.min(2 * runsAtOnce - under.size, 1), { groupConcurrency: 1 });
    const got = fair.length > 0 ? fair : await take(Math.min(runsAtOnce - under.size, fetchMax), {});
    for (const message of got) {
      const handled = handle(message).catch((error: unknown) => tell('take', error));
      under.add(handled);
      void handled.then(() => under.delete(handled)).then(() => wake.abort());
    }
    return got.length > 0;
  }

  async function handle({ id, retryCount, data: { job } }: Message): Promise<void> {
    const attempt: Attempt = { id, retryCount };
    const kept = jobs.get(job);
    if (!kept || kept.isStopped || !mayBegin()) {
      await book.open(job, (page) => giveBack(page, attempt));
      return;
    }
    const timer = setInterval(
      () => void touch(boss, database, attempt).catch((error: unknown) => tell('sign of life', error)),
      signOfLifeMs,
    );
    ending.signal.addEventListener('abort', () => clearInterval(timer), { once: true });
    const { promise: done, resolve } = Promise.withResolvers<void>();
    kept.running = { since: now(), done };
    try {
      await runOne(kept, attempt);
    } catch (error) {
      // The worker that has the run writes what comes of it.
      if (!(error instanceof AttemptLost)) throw error;
    } finally {
      clearInterval(timer);
      kept.running = undefined;
      resolve();
    }
  }

  async function runOne(kept: Kept, attempt: Attempt): Promise<void> {
    const { options: of, slots } = kept;
    const isPaused = (await of.isPaused?.()) ?? false;
    const begun = await persist(() =>
      book.open(of.name, async (page) => {
        // The pause of a job is asked for between the two looks.
        if (!mayBegin()) return { turn: await giveBack(page, attempt) };
        const last = orphaned(page.entry, page.now, slots);
        const leasedMs = await stillLeasedMs(page, worker.id, leaseMs);
        if (leasedMs > 0) {
          await page.complete(attempt);
          // It stays `running` on the worker that was seen last, so that the next one to take it waits as well.
          await page.write({ ...page.entry!.turn, dueAt: page.now + leasedMs });
          return { turn: page.entry!.turn };
        }
        const requests = await page.requests();
        const ids = requests.map(({ id }) => id);
        const before = withRequests(last, ids);
        const unlessPaused = ids.every((id) => before.unlessPaused.includes(id));
        if (isPaused && unlessPaused) {
          await page.answer(ids, { kind: 'paused' });
          const rested = restTurn(before, page.now, slots);
          await page.complete(attempt);
          await page.write(rested);
          return { turn: rested };
        }
        const asked = requests.length > 0 ? { isFull: requests.some(({ isFull }) => isFull) } : undefined;
        const { turn, isFull, isTold } = beginTurn(before, page.now, slots, worker.id, asked);
        await page.write(turn);
        return { turn, run: { isFull, isTold, unlessPaused, requests: ids }, entry: page.entry };
      }),
    );
    kept.turn = begun.turn;
    if (!begun.run) return;
    if (begun.entry) takeCarried(kept, begun.entry);
    const { isFull, isTold, unlessPaused, requests } = begun.run;
    const ran = await of.run(isFull, requests.length > 0, isTold, unlessPaused);
    const turn = await persist(() => end(kept, attempt, ran, requests));
    tellEnd(kept, turn, ran);
    kept.turn = turn;
  }

  /** The end of a run, what it was asked for, and the message of the next one: all in one transaction, or nothing of it. */
  async function end(
    { options: of, slots }: Kept,
    attempt: Attempt,
    ran: Ran,
    requests: readonly string[],
  ): Promise<Turn> {
    return book.open(of.name, async (page) => {
      await page.complete(attempt);
      // A run that was cut short is done anew elsewhere, and answers there.
      if (!ran.isCutShort) await page.answer(requests, ran.ended);
      const hasRequests = (await page.requests()).length > 0;
      const { settleMs, name, carry } = of;
      // A reload during the run met a job that runs: the job as it is now has its schedules, and no reason to have stopped.
      const inForce = jobs.get(name);
      const asNow = (turn: Turn) =>
        inForce && inForce.options !== of ? meetTurn(turn, page.now, inForce.slots, undefined) : turn;
      if (ran.isRested) {
        const rested = asNow(restTurn(orphaned(page.entry, page.now, slots), page.now, slots));
        const turn = hasRequests ? { ...rested, dueAt: page.now } : rested;
        await page.write(turn, { hasRequests });
        return turn;
      }
      const next = asNow(
        endTurn(
          page.entry?.turn ?? firstTurn(page.now, slots, false),
          page.now,
          slots,
          { ...ran, settleMs, hasRequests, config: configOf(name) },
          random,
        ),
      );
      const carried = carry?.give();
      await page.write(next, { hasRequests, ...(carried && { carried }) });
      return next;
    });
  }

  function tellEnd({ options: of, turn: before }: Kept, turn: Turn, { verdict, isCutShort }: Ran): void {
    if (isCutShort) return;
    if (verdict === 'failed') of.onPause((turn.dueAt ?? 0) - aheadMs - now(), turn.failures);
    if (verdict === 'final' && before?.phase !== 'stopped') of.onStop();
  }

  /** A run that this worker took and does not begin: it ends, takes no more runs, or its configuration does not have the job. */
  async function giveBack(page: Page, attempt: Attempt): Promise<Turn | undefined> {
    await page.complete(attempt);
    if (!page.entry) return undefined;
    const turn = orphanTurn(page.entry.turn, page.now);
    const given = mayBegin() ? unknownTurn(turn, page.now) : { ...turn, dueAt: page.now };
    await page.write(given, { hasRequests: (await page.requests()).length > 0 });
    return given;
  }

  /** How all jobs stand, and the answers to requests of this worker. */
  async function look(): Promise<void> {
    const sentAt = now();
    const { now: at, entries } = await book.changed(lookedAt === undefined ? undefined : lookedAt - overlapMs);
    // However long the answer took, the database had this time after the question was sent. A clock of this machine that was set forward
    // looks the same, and does no harm.
    const isSetBack = lookedAt !== undefined && at - sentAt < aheadMs - setBackMs;
    lookedAt = at;
    aheadMs = at - now();
    if (isSetBack) for (const { isStopped, awaitAnew } of jobs.values()) if (!isStopped) awaitAnew();
    for (const entry of entries) {
      const kept = jobs.get(entry.job);
      if (!kept || kept.running) continue;
      kept.turn = entry.turn;
      takeCarried(kept, entry);
    }
    await ours.look();
  }

  function hasLeft(job: string): boolean {
    const kept = jobs.get(job);
    return kept?.isStopped === true && !kept.running;
  }

  function takeCarried(kept: Kept, { carried }: Entry): void {
    if (!carried || !kept.options.carry) return;
    const text = JSON.stringify(carried);
    if (kept.taken === text) return;
    kept.taken = text;
    kept.options.carry.take(carried);
  }

  async function signOfLife(): Promise<void> {
    mayTake = (await options.mayTake?.()) ?? true;
    const runs = [...jobs].flatMap(([job, { running }]) => {
      return running ? [{ job, since: new Date(running.since).toISOString() }] : [];
    });
    await writeWorker(database, { ...worker, state: isDraining ? 'draining' : 'running', runs });
  }

  async function sweep(): Promise<void> {
    await book.sweep();
  }

  function open(of: SchedulerOptions): Scheduler {
    const slots = createSlots(of.schedule, of.fullScan, { now, random });
    const kept: Kept = {
      options: of,
      slots,
      turn: undefined,
      running: undefined,
      taken: undefined,
      isStopped: false,
      awaitAnew: () => write((turn, at) => awaitTurnAnew(turn, at, slots, of.settleMs, random)),
    };
    jobs.set(of.name, kept);
    const known = (): Turn => kept.turn ?? firstTurn(now() + aheadMs, slots, of.isFullScanDue);
    const toOurs = (at: number | null) => (at === null ? undefined : at - aheadMs);

    /** In the background: the caller does not wait for the database. */
    function write(
      change: (turn: Turn, at: number) => Turn,
      request?: { readonly id: string; readonly isFull: boolean; readonly onWritten: () => void },
    ): void {
      void persist(() =>
        book.open(of.name, async (page) => {
          if (request) await page.addRequest(request.id, request.isFull);
          const before = page.entry?.turn ?? firstTurn(page.now, slots, of.isFullScanDue);
          const turn = change(before, page.now);
          await page.write(turn, { hasRequests: request !== undefined || (await page.requests()).length > 0 });
          if (!kept.running) kept.turn = turn;
        }),
      ).then(
        () => {
          request?.onWritten();
          return wake.abort();
        },
        () => undefined,
      );
    }

    return {
      start() {
        hasStarted = true;
        write((turn, at) => meetTurn(turn, at, slots, of.isAnew ? undefined : configOf(of.name)));
      },
      trigger() {
        const { answer: said, turn } = triggerTurn(known(), now() + aheadMs);
        if (said === 'backing-off' || said === 'stopped') return said;
        if (!kept.running) kept.turn = turn;
        write((before, at) => triggerTurn(before, at).turn);
        return said;
      },
      ask(isFull, unlessPaused = false): Asked {
        if (isDraining || kept.isStopped) return { answer: 'ending', ended: Promise.resolve({ kind: 'not-run' }) };
        const { answer } = askTurn(known(), now() + aheadMs);
        const id = randomId();
        const ended = ours.add({
          id,
          job: of.name,
          write: (onWritten) =>
            write((before, at) => askTurn(before, at, unlessPaused ? id : undefined).turn, { id, isFull, onWritten }),
        });
        return { answer, ended };
      },
      phase: () => (kept.isStopped ? 'stopped' : known().phase),
      failuresInARow: () => known().failures,
      nextRunAt() {
        const { dueAt, phase } = known();
        if (kept.isStopped) return undefined;
        return phase === 'running' ? now() + slots.nextInMs() : toOurs(dueAt);
      },
      nextFullScanAt: () => (kept.isStopped || known().phase === 'stopped' ? undefined : toOurs(known().fullScanAt)),
      // Runs begin by the clock of the database, which `look` watches.
      clockWasSet() {},
      async stop() {
        kept.isStopped = true;
        if (isDraining) drain();
        await kept.running?.done;
      },
    };
  }

  function drain(): void {
    isDraining = true;
    ours.end();
  }

  return {
    open,
    drain,
    async [Symbol.asyncDispose]() {
      drain();
      await Promise.race([Promise.all(under), delay(lastWordsMs)]);
      ending.abort(new Error('the queue is closed'));
      await loops;
      const last = writeWorker(database, { ...worker, state: 'ended', runs: [] }).catch(() => undefined);
      await Promise.race([last, delay(lastWordsMs)]);
      await boss.stop({ graceful: false, close: false }).catch(() => undefined);
    },
  };
}
