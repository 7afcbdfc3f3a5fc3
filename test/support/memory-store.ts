// A store in memory whose leases run out, as those of a database do: for workers that are suspended, that lose their
// connection, and of which two believe to hold a job at once.
import delay from 'delay';
import { DiskError, LeaseLostError, LeaseTakenError } from '../../src/state/errors.ts';
import { applyBatch, effectiveBatch, emptyTables, type Tables } from '../../src/state/file/tables.ts';
import { countByTerms } from '../../src/state/file/wanted.ts';
import type {
  HistoryLine,
  Json,
  JsonObject,
  Lease,
  LoadedState,
  Notice,
  RunRecord,
  Store,
  SyncState,
  Terms,
} from '../../src/state/port.ts';
import { historyPageOf, matches, type PlacedLine, placeRuns, runsPageOf } from './memory-store-pages.ts';

export interface MemoryStoreOptions {
  /** Milliseconds on the clock of the database, which nothing sets back or stops. */
  readonly elapsed: () => number;
  /** How long a lease lasts after it was renewed last. */
  readonly leaseMs: number;
  /** From one renewal of a running holder to the next. */
  readonly renewMs: number;
  readonly terms: Terms;
  /** From one try to take a lease to the next. */
  readonly pollMs?: number;
}

/** Every statement has two instants. One that throws `connectionLost()` is a connection that broke there. */
export type StatementInstant = (
  when: 'before' | 'after',
  statement: 'acquire' | 'load' | 'commit' | 'history' | 'report' | 'rows' | 'release' | 'request',
) => Promise<void> | void;

export interface MemoryWorker {
  readonly store: Store;
  /** No renewal from now on, as of a process that is suspended or cut off. */
  pause(): void;
  resume(): void;
  /** Of its last lease of a job; 0: it had none. */
  epochOf(job: string): number;
}

export interface WorkerOptions {
  readonly host: string;
  readonly pid: number;
  /** Milliseconds on the clock of the worker's machine. Left out: that of the database. */
  readonly elapsed?: () => number;
  readonly instant?: StatementInstant;
}

interface MemoryJob {
  tables: Tables;
  isNew: boolean;
  epoch: number;
  holder: Holder | undefined;
  readonly requests: Map<string, JsonObject>;
  readonly runs: RunRecord[];
  rows: ReadonlyMap<number, string> | undefined;
}

interface Holder {
  readonly epoch: number;
  readonly named: { readonly host: string; readonly pid: number; readonly since: string };
  /** On the clock of the database: when it was renewed last. */
  renewedAt(): number;
  /** No renewal any more, whether or not the database was told. */
  leave(): void;
}

export function connectionLost(): DiskError {
  return new DiskError('the database', 'the connection broke', 'The next run tries again');
}

export interface MemoryDatabase {
  worker(options: WorkerOptions): MemoryWorker;
  /** All that is stored of a job but its leases and its rows, as text. */
  textOf(job: string): string;
  /** Of the last lease that was given of a job; 0: none was. */
  epochOf(job: string): number;
}

interface Renewal {
  /** When it was renewed last, asked at an instant. */
  at(now: number): number;
  beforePause(): number;
  pause(now: number): void;
  resume(now: number): void;
}

/** One renewal each `renewMs`, from `since` on; the first after a pause comes `renewMs` after its end. */
function createRenewal(since: number, renewMs: number): Renewal {
  let last = since;
  let runsSince: number | undefined = since;
  const at = (now: number) => {
    if (runsSince === undefined || now - runsSince < renewMs) return last;
    return now - ((now - runsSince) % renewMs);
  };
  return {
    at,
    beforePause: () => last,
    pause(now) {
      last = at(now);
      runsSince = undefined;
    },
    resume: (now) => void (runsSince = now),
  };
}

export function createMemoryDatabase(options: MemoryStoreOptions): MemoryDatabase {
  const { elapsed, leaseMs, renewMs, terms, pollMs = 2 } = options;
  const jobs = new Map<string, MemoryJob>();
  const history: PlacedLine[] = [];
  const readers = new Set<() => void>();
  let heartbeat: JsonObject | undefined;
  let logins: JsonObject | undefined;
  let requests = 0;

  const jobOf = (name: string): MemoryJob => {
    const known = jobs.get(name);
    if (known) return known;
    const made: MemoryJob = {
      tables: emptyTables(),
      isNew: true,
      epoch: 0,
      holder: undefined,
      requests: new Map(),
      runs: [],
      rows: undefined,
    };
    jobs.set(name, made);
    return made;
  };

  function loadOf(job: MemoryJob, name: string): LoadedState {
    const { facts, links, strays, ledger, outbox, setAside } = job.tables;
    const copy = <Value extends Json>(table: ReadonlyMap<string, Json>): ReadonlyMap<string, Value> =>
      new Map<string, Json>(table) as ReadonlyMap<string, Json> as ReadonlyMap<string, Value>;
    const notices: Notice[] = job.isNew
      ? [{ kind: 'absent', file: name, message: `${name}: there is no state yet` }]
      : [];
    return {
      facts: copy(facts),
      links: copy<JsonObject>(links),
      strays: copy<JsonObject>(strays),
      ledger: copy<JsonObject>(ledger),
      outbox: copy<JsonObject>(outbox),
      setAside: copy<JsonObject>(setAside),
      requests: new Map(job.requests),
      notices,
    };
  }

  function worker({ host, pid, instant = () => {}, ...own }: WorkerOptions): MemoryWorker {
    const clock = own.elapsed ?? elapsed;
    let isPaused = false;
    const epochs = new Map<string, number>();
    const renewals = new Set<Record<'stored' | 'own', Renewal>>();

    async function statement<Result>(what: Parameters<StatementInstant>[1], work: () => Result): Promise<Result> {
      await instant('before', what);
      const result = work();
      await instant('after', what);
      return result;
    }

    function createLease(name: string, job: MemoryJob, sentAt: number): Lease {
      job.epoch += 1;
      const { epoch } = job;
      epochs.set(name, epoch);
      /** As the database knows it, and as the holder does: it counts from the instant at which it asked. */
      const renewal = { stored: createRenewal(elapsed(), renewMs), own: createRenewal(sentAt, renewMs) };
      renewals.add(renewal);
      const holder: Holder = {
        epoch,
        named: { host, pid, since: new Date(0).toISOString() },
        renewedAt: () => renewal.stored.at(elapsed()),
        leave() {
          renewals.delete(renewal);
          renewal.stored.pause(elapsed());
        },
      };
      job.holder = holder;
      let isLoaded = false;
      let isGiven = true;
      const write = <Result>(what: Parameters<StatementInstant>[1], work: () => Result) =>
        statement(what, () => {
          // In the same statement as the write: nothing comes between.
          if (job.epoch !== epoch) throw new LeaseLostError(name);
          return work();
        });
      return {
        epoch,
        remainingMs() {
          if (!isGiven) return 0;
          // A holder that was taken over renewed it last before that.
          const renewedAt = job.epoch === epoch ? renewal.own.at(clock()) : renewal.own.beforePause();
          return Math.max(0, renewedAt + leaseMs - clock());
        },
        load: () =>
          write('load', () => {
            isLoaded = true;
            return loadOf(job, name);
          }),
        glance: (uuids) =>
          write('load', () => {
            if (job.isNew) return undefined;
            const loaded = loadOf(job, name);
            const links = new Map([...loaded.links].filter(([uuid]) => uuids.includes(uuid)));
            return { ...loaded, links, ledger: new Map() };
          }),
        commit: (batch) =>
          write('commit', () => {
            if (!isLoaded) throw new Error(`${name}: a commit must follow a load`);
            const effective = effectiveBatch(job.tables, batch);
            for (const id of batch.doneRequests ?? []) job.requests.delete(id);
            if (effective === undefined) return;
            applyBatch(job.tables, effective);
            job.isNew = false;
          }),
        appendHistory: (lines) => write('history', () => appendHistory(lines)),
        appendRun: (record) =>
          write('report', () => {
            const known = job.runs.findIndex(({ run }) => run === record.run);
            if (known === -1) job.runs.push(record);
            else job.runs[known] = record;
          }),
        noteRows: async (idByRow) => {
          if (job.epoch === epoch) job.rows = new Map(idByRow);
        },
        async [Symbol.asyncDispose]() {
          if (!isGiven) return;
          isGiven = false;
          holder.leave();
          try {
            await statement('release', () => {
              if (job.holder === holder) job.holder = undefined;
            });
          } catch (error) {
            // Then it runs out.
            if (!(error instanceof DiskError)) throw error;
          }
        },
      };
    }

    function stateOf(name: string): SyncState {
      const job = () => jobOf(name);
      return {
        load: () => statement('load', () => loadOf(job(), name)),
        loadSome: async (wanted) => ({
          ...loadOf(job(), name),
          counts: countByTerms(job().tables, wanted, terms),
          isExact: true,
        }),
        async acquireLease({ waitMs = 10_000, signal } = {}) {
          for (let waitedMs = 0; ; waitedMs += pollMs) {
            signal?.throwIfAborted();
            const sentAt = clock();
            let lease: Lease | undefined;
            try {
              await statement('acquire', () => {
                const { holder } = job();
                const isTaken = holder !== undefined && elapsed() < holder.renewedAt() + leaseMs;
                if (!isTaken) lease = createLease(name, job(), sentAt);
              });
            } catch (error) {
              // It may have got it without knowing.
              if (lease) job().holder?.leave();
              throw error;
            }
            if (lease) return lease;
            const { holder } = job();
            if (waitedMs >= waitMs) {
              throw new LeaseTakenError(name, holder && { sync: name, ...holder.named }, 'Wait until it is done');
            }
            await delay(pollMs, signal ? { signal } : {});
          }
        },
        addRequest: (request) =>
          statement('request', () => {
            requests += 1;
            const id = `request ${requests}`;
            job().requests.set(id, request);
            return id;
          }),
        async readRuns({ before, limit }) {
          const runs = job().runs.toReversed();
          const from = before === undefined ? 0 : runs.findIndex(({ run }) => run === before) + 1;
          return before !== undefined && from === 0 ? [] : runs.slice(from, from + limit);
        },
        readRun: async (id) => job().runs.find(({ run }) => run === id),
        readRows: async () => job().rows,
      };
    }

    return {
      store: {
        jobs: async () => [...jobs.keys()],
        sync: stateOf,
        history: (query) => follow(query),
        historyPage: async (query) => historyPageOf(history, query),
        runsPage: async (query) =>
          runsPageOf(
            query.jobs.flatMap((job) => placeRuns(job, jobOf(job).runs)),
            query,
          ),
        lastRuns: async ({ jobs: names, limit }) =>
          new Map(
            names.flatMap((job) => {
              const { runs } = runsPageOf(placeRuns(job, jobOf(job).runs), { jobs: [job], limit });
              const briefs = runs.map(({ record: { run, endedAt, status } }) => ({ run, endedAt, status }));
              return briefs.length === 0 ? [] : [[job, briefs] as const];
            }),
          ),
        mayHave: async (names) => names,
        loadSomeOf: async (names, wanted) =>
          new Map(await Promise.all(names.map(async (name) => [name, await stateOf(name).loadSome(wanted)] as const))),
        keepIndex: async () => {},
        readHeartbeat: async () => heartbeat,
        writeHeartbeat: async (told) => void (heartbeat = told),
        readLogins: async () => logins,
        changeLogins: async (change) => void (logins = change(logins)),
      },
      epochOf: (name) => epochs.get(name) ?? 0,
      pause() {
        if (isPaused) return;
        isPaused = true;
        for (const { stored, own: known } of renewals) {
          stored.pause(elapsed());
          known.pause(clock());
        }
      },
      resume() {
        if (!isPaused) return;
        isPaused = false;
        for (const { stored, own: known } of renewals) {
          stored.resume(elapsed());
          known.resume(clock());
        }
      },
    };
  }

  function appendHistory(lines: readonly HistoryLine[]): void {
    for (const line of lines) history.push({ line, number: history.length });
    for (const wake of readers) wake();
  }

  async function* follow(query: Parameters<Store['history']>[0]): AsyncGenerator<HistoryLine> {
    let next = 0;
    const early = history.filter(({ line }) => matches(line, query)).length;
    const ordered = history.toSorted(
      (a, b) => Date.parse(a.line.time) - Date.parse(b.line.time) || a.number - b.number,
    );
    for (const { line } of ordered.filter((each) => matches(each.line, query)).slice(0, early)) yield line;
    next = ordered.length;
    while (query.follow && !query.signal?.aborted) {
      for (; next < history.length; next += 1) if (matches(history[next]!.line, query)) yield history[next]!.line;
      const { promise, resolve } = Promise.withResolvers<void>();
      readers.add(resolve);
      query.signal?.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      readers.delete(resolve);
    }
  }

  return {
    worker,
    epochOf: (name) => jobOf(name).epoch,
    textOf(name) {
      const { tables, runs, requests: open } = jobOf(name);
      const lists = Object.entries(tables).map(([table, records]) => [table, [...records]]);
      return JSON.stringify([...lists, runs, [...open]]);
    },
  };
}
