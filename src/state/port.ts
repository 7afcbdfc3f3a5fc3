/**
 * What outlives a run, as the rest of the program sees it. Record-wise and asynchronous throughout, so that a driver may be
 * a folder of files or a database; one suite (test/contract/state.ts) holds every driver to what is written here.
 *
 * The values are plain JSON to the store and mean nothing to it. Whoever hands one over, or is handed one, leaves it as it
 * is from then on: they are shared, not copied.
 *
 * Failures are StateErrors (errors.ts) in words for an operator. After one the stored state is what it was before the call,
 * or, where the disk itself gave out during a commit, what it was or what it was to become; never a mix (S1).
 */
export interface Store {
  /** The state of one sync, by its name in the configuration. Nothing is read or made by this call. */
  sync(name: string): SyncState;
  /**
   * The history, oldest first, of one sync or of all. Lines that cannot be read are left out and named to `warn`. With
   * `follow` it goes on with lines as they are written, until the signal aborts; then it ends without an error.
   */
  history(query: HistoryQuery): AsyncIterable<HistoryLine>;
  /**
   * What the daemon on this state last told of itself (src/daemon/heartbeat.ts says what); undefined where there is nothing
   * that can be read. Any process may ask at any time. Never throws: nothing depends on it.
   */
  readHeartbeat(): Promise<JsonObject | undefined>;
  /**
   * Replaces it: a reader is given the one before or this one, never a mix. Needs no lease, because one daemon runs on a
   * state. A power loss may bring an older one back, whose age tells. Throws DiskError.
   */
  writeHeartbeat(heartbeat: JsonObject): Promise<void>;
}

export interface SyncState {
  /**
   * Everything there is, as of the last commit. Reading takes no lease, changes nothing, and may be done while another
   * process runs the sync: it sees each of that one's commits whole or not at all.
   *
   * A damaged file is an expected outcome: told in `notices`, with what was used in its place. Throws NewerSchemaError and
   * ForeignStateError, since neither may be worked on or around (S2), and DiskError.
   */
  load(): Promise<LoadedState>;
  /**
   * The right to write: one holder across processes (W7). Taken over only from the provably dead. Found taken, it waits up
   * to `waitMs` (10,000 by default) and throws LeaseTakenError, which names the holder; an aborted wait throws the signal's
   * reason. Disposing finishes what is under way and gives the lease back.
   */
  acquireLease(options?: LeaseOptions): Promise<Lease>;
  /**
   * Records a person's decision for the next run; returns its id. Needs no lease and is never lost to a run that goes on
   * meanwhile: that run, or a later one, is given it by `load` until a commit says it is done. Durable when resolved.
   */
  addRequest(request: JsonObject): Promise<string>;
  /** What runs reported, the one that was kept last first, whatever the clock said. Needs no lease. Reports that cannot be read are left out and named to `warn`. */
  readRuns(query: RunQuery): Promise<readonly RunRecord[]>;
  /** Undefined: none of that id is kept. */
  readRun(run: string): Promise<RunRecord | undefined>;
}

export interface Lease extends AsyncDisposable {
  /** As SyncState.load, and mends: damaged files are moved aside, under the names the notices give, and written anew. */
  load(): Promise<LoadedState>;
  /**
   * Applies a batch, whole or not at all whatever happens, and resolves once it would survive a power loss. Commits follow
   * each other in the order of the calls. A batch that changes nothing touches no file (W9). Must follow a `load`.
   * Throws DiskError (nothing was committed; the same batch may be tried again) and LeaseLostError (it may not).
   */
  commit(batch: Batch): Promise<void>;
  /** Appends to the history, durably, in the order given. Safe to repeat only in that a line then stands twice. */
  appendHistory(lines: readonly HistoryLine[]): Promise<void>;
  /**
   * Keeps the report of a run, durably and whole or not at all. Safe to repeat. The oldest are dropped, by number and by age
   * (open.ts). Throws DiskError and LeaseLostError.
   */
  appendRun(record: RunRecord): Promise<void>;
}

export interface LeaseOptions {
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

export interface LoadedState extends Readonly<Record<Collection, ReadonlyMap<string, JsonObject>>> {
  /** Single values by name: identity of both sides, order of the fields, watermark, last run... */
  readonly facts: ReadonlyMap<string, Json>;
  /** What people asked for and no commit has declared done, by id, oldest first. */
  readonly requests: ReadonlyMap<string, JsonObject>;
  readonly notices: readonly Notice[];
}

/**
 * links: by the contact's uuid. strays: records set aside, ignored or remembered.
 * ledger: what must not be done twice (E1, P2): enrolments, or an outbox's messages. outbox: changes in flight whose
 * repetition would not be harmless (E3). These two are kept twice, so that no one damaged file loses them.
 * setAside: records that a reader could not use, as they were, by "collection/key" (S5).
 */
export type Collection = 'links' | 'strays' | 'ledger' | 'outbox' | 'setAside';

/** Within one table a key is put or deleted, not both; deleting what is not there is no error. */
export type Batch = {
  readonly [Name in Collection]?: Changes<JsonObject>;
} & {
  readonly facts?: Changes<Json>;
  /** Ids of requests that were carried out or refused: gone with this batch, or not at all. */
  readonly doneRequests?: Iterable<string>;
};

export interface Changes<Value> {
  readonly put?: ReadonlyMap<string, Value>;
  readonly delete?: Iterable<string>;
}

/** What a load has to tell. */
export interface Notice {
  readonly kind: NoticeKind;
  /** For a person: which file, what about it, what was done, what may be missing. */
  readonly message: string;
  readonly file: string;
  /** Where a lease's load moved the damaged file. */
  readonly setAside?: string;
}

/**
 * absent: there is no state yet (I9). torn: the last write was cut short, as a crash does; it was never acknowledged, or the
 * file's end is damaged. damaged: a file could not be read and something else stood in. behind: some acknowledged commits
 * are missing from what was loaded. unfinished: the store goes on, but could not tidy up.
 */
export type NoticeKind = 'absent' | 'torn' | 'damaged' | 'behind' | 'unfinished';

/** One change or one decision (L12). The named fields are those one can ask for; the rest is the writer's. */
export interface HistoryLine extends JsonObject {
  /** ISO 8601 in UTC, with milliseconds. */
  readonly time: string;
  readonly sync: string;
  readonly run: string;
  readonly contact: string | null;
}

/** What one run reported. The named fields are those one can ask for; the rest is the writer's, and free of contact details. */
export interface RunRecord extends JsonObject {
  /** Unique among the runs of a job. */
  readonly run: string;
  /** ISO 8601 in UTC, with milliseconds: its age counts from then. */
  readonly endedAt: string;
}

export interface RunQuery {
  /** Only those that were kept before the run of this id; none where it is not kept any more. */
  readonly before?: string;
  readonly limit: number;
}

export interface HistoryQuery {
  readonly sync?: string;
  readonly run?: string;
  readonly contact?: string;
  /** Epoch milliseconds; lines of that instant are included. */
  readonly since?: number;
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}
