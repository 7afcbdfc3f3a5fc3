// The state of one sync in PostgreSQL: load, lease, commit, requests and rows.
import type { Database } from '../../postgres/pool.ts';
import { isOutcomeUnknown } from '../../postgres/errors.ts';
import { DatabaseUnavailableError, LeaseLostError } from '../errors.ts';
import type { JsonObject, Lease, LoadedState, Notice, SomeState, SyncState, Wanted } from '../port.ts';
import { writeOfBatch } from './commit.ts';
import type { PostgresDriverDep } from './dep.ts';
import { writeOfHistory } from './history.ts';
import { type HeldLease, takeLease } from './lease.ts';
import type { Tables as MadeTables } from './migrate.ts';
import { type Mirror, snapshot } from './mirror.ts';
import type { Partitions } from './partitions.ts';
import { isCountable, type Reading, readSome, readWhole } from './reading.ts';
import { createRuns, writeOfRun } from './runs.ts';
import { tablesIn } from './schema.ts';
import { emptyTables } from './tables.ts';
import { createKnownTerms } from './terms.ts';
import { escapeText, longKey, parseValue, storedKey } from './text.ts';
import { createWriter, type Write } from './writer.ts';

export interface SyncStateDep extends PostgresDriverDep {
  readonly database: Database;
  readonly made: MadeTables;
  readonly partitions: Partitions;
}

export interface PostgresSyncState extends SyncState {
  /** Like `loadSome`, from what `readSome` read of this job; undefined: it has no row. */
  someOf(reading: Reading | undefined, wanted: Wanted): Promise<SomeState>;
}

export function createPostgresSyncState(sync: string, dep: SyncStateDep): PostgresSyncState {
  const { database, made, partitions, terms } = dep;
  const t = tablesIn(database.schema);
  const file = `${database.place}: ${escapeText(sync)}`;
  const runs = createRuns(sync, dep);
  let mirror: Mirror | undefined;
  /** The lease under which the mirror was last loaded. */
  let loadedUnder: HeldLease | undefined;
  /** Serialises loads, and all that changes something. */
  let tail: Promise<unknown> = Promise.resolve();

  function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = tail.then(work);
    tail = turn.catch(() => {});
    return turn;
  }

  const nothingYet = (): Notice => {
    const message = 'there is no state yet: rows and contacts are matched anew, and nothing is deleted';
    return { kind: 'absent', file, message };
  };

  const nothingRead = (): Reading => ({
    commitId: '',
    commits: 0,
    termsVersion: '',
    tables: emptyTables(),
    requests: new Map(),
    notices: [],
    counts: new Map(),
  });

  async function loadNow(): Promise<LoadedState> {
    const isThere = await made.areThere();
    const reading = (isThere && (await readWhole(database, sync, mirror?.commitId))) || nothingRead();
    const { commitId, commits, termsVersion, tables } = reading;
    if (!mirror || tables !== undefined) {
      mirror = {
        commitId,
        commits,
        termsVersion,
        tables: tables ?? emptyTables(),
        given: new Set(),
        notices: reading.notices,
        knownTerms: createKnownTerms(),
      };
    }
    const absent = commits === 0 ? [nothingYet()] : [];
    const ofRecords = tables === undefined ? [...mirror.notices, ...reading.notices] : reading.notices;
    return snapshot(mirror, reading.requests, [...absent, ...ofRecords]);
  }

  async function loadSomeNow(wanted: Wanted): Promise<SomeState> {
    if (!(await made.areThere())) return someOf(undefined, wanted);
    return isCountable(wanted) ? someOf((await readSome(database, [sync], wanted)).get(sync), wanted) : wholeOf(wanted);
  }

  async function someOf(reading: Reading = nothingRead(), wanted: Wanted): Promise<SomeState> {
    // The terms are those of another version until the next commit.
    if (reading.termsVersion !== terms.version && reading.commits > 0) return wholeOf(wanted);
    const notices = [...(reading.commits === 0 ? [nothingYet()] : []), ...reading.notices];
    const some = snapshot({ tables: reading.tables ?? emptyTables(), given: new Set() }, reading.requests, notices);
    const counts = new Map((wanted.counted ?? []).map((text) => [text, reading.counts.get(text) ?? 0]));
    return { ...some, counts, isExact: true };
  }

  async function wholeOf(wanted: Wanted): Promise<SomeState> {
    const whole = await inTurn(loadNow);
    return { ...whole, counts: countIn(whole, wanted), isExact: true };
  }

  function countIn(loaded: LoadedState, { counted = [] }: Wanted): ReadonlyMap<string, number> {
    const counts = new Map(counted.map((text) => [text, 0]));
    if (counted.length === 0) return counts;
    for (const name of ['links', 'ledger'] as const) {
      for (const [key, record] of loaded[name]) {
        for (const term of new Set(terms.of(name, key, record, loaded.facts))) {
          for (const text of counted) if (term.startsWith(text)) counts.set(text, counts.get(text)! + 1);
        }
      }
    }
    return counts;
  }

  function createLease(held: HeldLease): Lease {
    const writer = createWriter(database, held, { sync: escapeText(sync), randomId: dep.randomId });
    let isReleased = false;
    const write = (make: () => Write | undefined) =>
      inTurn(async () => {
        if (isReleased) throw new LeaseLostError(file, 'epoch');
        await writer.settle();
        const found = make();
        if (found) await writer.write(found);
      });
    return {
      epoch: held.epoch,
      remainingMs: () => held.remainingMs(),
      load: () =>
        inTurn(async () => {
          if (!isReleased) await writer.settle();
          const loaded = await loadNow();
          loadedUnder = held;
          return loaded;
        }),
      glance: (uuids) =>
        inTurn(async () => {
          if (isReleased) throw new LeaseLostError(file);
          await writer.settle();
          const reading = (await readSome(database, [sync], { keys: uuids })).get(sync);
          if (!reading?.tables || reading.commits === 0 || reading.notices.length > 0) return undefined;
          return snapshot({ tables: reading.tables, given: new Set() }, reading.requests, []);
        }),
      commit: (batch) =>
        write(() => {
          if (!mirror || loadedUnder !== held) throw new Error(`${file}: a commit must follow a load`);
          return writeOfBatch(mirror, batch, terms);
        }),
      async appendHistory(lines) {
        if (lines.length === 0) return;
        await partitions.keepDaily();
        await write(() => writeOfHistory(lines, dep.now()));
      },
      async appendRun(record) {
        await partitions.keepDaily();
        await write(() => writeOfRun(record, dep));
      },
      noteRows: (idByRow) => noteRows(held, idByRow),
      async [Symbol.asyncDispose]() {
        if (isReleased) return;
        isReleased = true;
        await tail;
        await held.release();
      },
    };
  }

  /** The lease is checked in the same statement. The same rows again change nothing. */
  async function noteRows({ job, epoch }: HeldLease, idByRow: ReadonlyMap<number, string>): Promise<void> {
    try {
      await database.query(
        `INSERT INTO ${t.rows} AS r (job, ids)
         SELECT id, $3 FROM (SELECT id FROM ${t.jobs} WHERE id = $1 AND epoch = $2 FOR UPDATE) AS held
         ON CONFLICT (job) DO UPDATE SET ids = excluded.ids WHERE r.ids <> excluded.ids`,
        [job, epoch, JSON.stringify([...idByRow])],
      );
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      dep.warn({ kind: 'unfinished', file, message: `the rows of the tab could not be noted: ${why}` });
    }
  }

  async function lastCommit(): Promise<string> {
    const [row] = await database.queryRepeatable(`SELECT commit_id FROM ${t.jobs} WHERE name = $1`, [storedKey(sync)]);
    return row ? String(row['commit_id']) : '';
  }

  /**
   * Adds a request unless the job has another last commit than `commit`: a commit is what takes requests away. So a repeat after a lost
   * answer, and a statement that arrives late, do not bring back one that was carried out. `last`: the last commit as it is.
   */
  async function addUnless(commit: string, id: string, request: JsonObject): Promise<Added> {
    const add = async (): Promise<Added> => {
      // The row of the job is made, and left as it is.
      const [row] = await database.query(
        `WITH made AS (
           INSERT INTO ${t.jobs} (name, long_name) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id, commit_id
         ), added AS (
           INSERT INTO ${t.requests} (job, id, value) SELECT id, $3, $4 FROM made WHERE commit_id = $5 ON CONFLICT DO NOTHING
         ) SELECT commit_id AS last,
             commit_id = $5 OR EXISTS (SELECT FROM ${t.requests} r WHERE r.job = made.id AND r.id = $3) AS there
           FROM made`,
        [storedKey(sync), longKey(sync), id, JSON.stringify(request), commit],
      );
      return { isThere: row?.['there'] === true, last: String(row?.['last']) };
    };
    try {
      return await add();
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error;
    }
    // Why the repeat failed says nothing of the first one.
    const again = await add().catch((error: unknown) => {
      throw perhapsRecorded(file, 'it could not be asked again', { cause: error });
    });
    if (!again.isThere) throw perhapsRecorded(file, 'a run saved before it was there again');
    return again;
  }

  return {
    load: () => inTurn(loadNow),
    loadSome: loadSomeNow,
    someOf,
    async acquireLease(options = {}) {
      options.signal?.throwIfAborted();
      await made.ensure();
      return createLease(await takeLease(database, sync, dep, options));
    },
    async addRequest(request) {
      await made.ensure();
      const id = dep.randomId();
      let commit = await lastCommit();
      for (let attempt = 0; attempt < addAttempts; attempt += 1) {
        const { isThere, last } = await addUnless(commit, id, request);
        if (isThere) return id;
        commit = last;
      }
      throw notRecorded(file);
    },
    readRuns: async (query) => ((await made.areThere()) ? runs.read(query) : []),
    readRun: async (run) => ((await made.areThere()) ? runs.find(run) : undefined),
    async readRows() {
      if (!(await made.areThere())) return undefined;
      const [row] = await database.queryRepeatable(
        `SELECT r.ids FROM ${t.rows} r JOIN ${t.jobs} j ON j.id = r.job WHERE j.name = $1`,
        [storedKey(sync)],
      );
      return row && rowsOf(String(row['ids']));
    },
  };
}

interface Added {
  readonly isThere: boolean;
  readonly last: string;
}

/** Each but the first means that a run has saved within the time of one statement. On a busy machine twenty in a row were not enough. */
const addAttempts = 200;

function notRecorded(place: string): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    place,
    'a run saves so often that the decision could not be recorded',
    'Nothing was recorded. Decide again',
  );
}

function perhapsRecorded(place: string, why: string, options?: ErrorOptions): DatabaseUnavailableError {
  const what = `the connection broke, and ${why}: it is not known whether the decision was recorded`;
  const remedy = 'Look whether a run has carried it out before you decide again: leadsheet log';
  return new DatabaseUnavailableError(place, what, remedy, { ...options, isOutcomeUnknown: true });
}

function rowsOf(text: string): ReadonlyMap<number, string> | undefined {
  const pairs = parseValue(text);
  if (!Array.isArray(pairs)) return undefined;
  const idByRow = new Map<number, string>();
  for (const pair of pairs as readonly unknown[]) {
    if (!Array.isArray(pair)) return undefined;
    const [row, id] = pair as readonly unknown[];
    if (typeof row !== 'number' || typeof id !== 'string') return undefined;
    idByRow.set(row, id);
  }
  return idByRow;
}
