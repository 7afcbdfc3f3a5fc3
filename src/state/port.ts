/**
 * The port of the store: everything that is kept between runs. It works by records and asynchronously, so that a driver
 * may be a folder of files or a database; one suite (test/contract/state.ts) checks these rules for every driver.
 *
 * The values are plain JSON, which the store does not interpret. Neither caller nor store changes a value that was
 * passed: values are shared, not copied.
 *
 * Failures are StateErrors (errors.ts) in words for an operator. After one the stored state is that before the call. If
 * the disk failed during a commit, it is that before or after the commit, never a mix (S1).
 */
export interface Store {
  /** The names of the jobs that have a state, a history, reports or requests. In no order. */
  jobs(): Promise<readonly string[]>;
  /** The state of one sync, by its name in the configuration. Reads and creates nothing. */
  sync(name: string): SyncState;
  /**
   * The history, oldest first, of one sync, of several or of all. Unreadable lines are left out and passed to `warn`. With `follow`
   * it continues with new lines until the signal aborts; then it ends without an error. Every line is read, however many
   * there are: what must not miss a line asks here.
   */
  history(query: HistoryQuery): AsyncIterable<HistoryLine>;
  /**
   * One page of the history, in the order of the recorded instants; lines of one instant in the order of writing. For
   * people who look: it may answer from an index that the driver derives from the history, and includes each line that
   * was written before the call.
   */
  historyPage(query: HistoryPageQuery): Promise<HistoryPage>;
  /**
   * One page of the reports of several jobs: those that ended last first; of one instant by the name of the job, then
   * the one stored last first. For people who look, as `historyPage`. Unreadable reports are left out and passed to `warn`.
   */
  runsPage(query: RunsPageQuery): Promise<RunsPage>;
  /**
   * The last `limit` runs of each of these jobs, the one that ended last first, in brief. A job without reports has none.
   */
  lastRuns(query: LastRunsQuery): Promise<ReadonlyMap<string, readonly RunBrief[]>>;
  /**
   * Those of the jobs that may have a record of these keys or terms. A driver that would have to read all of it to know
   * names every job.
   */
  mayHave(jobs: readonly string[], wanted: Pick<Wanted, 'keys' | 'terms'>): Promise<readonly string[]>;
  /**
   * `SyncState.loadSome` of each of these jobs, by name, in one question instead of one a job. What is true of one look
   * is true of each: it has every commit and every request that was durable before the call. Two jobs may be of
   * different moments. A job without a state is there, with the notice that says so. Throws what `loadSome` throws of
   * any of them. A name that stands twice is asked for once.
   */
  loadSomeOf(jobs: readonly string[], wanted: Wanted): Promise<ReadonlyMap<string, SomeState>>;
  /**
   * Brings up to date what the driver derives for pages, so that the next page is fast. Never throws, and no
   * commit waits for it. Calls that overlap share the work. `onProgress` gets the share that is done, 0 to 1, about once
   * a second. `jobs`: of these alone, for a caller that knows what was written; left out: of all. A driver that derives
   * nothing does nothing.
   */
  keepIndex(options?: {
    readonly jobs?: readonly string[];
    readonly signal?: AbortSignal;
    readonly onProgress?: (share: number) => void;
  }): Promise<void>;
  /**
   * The last heartbeat of the daemon on this state (src/daemon/heartbeat.ts has its fields); undefined: none is
   * readable. Any process may read it at any time. Never throws: nothing depends on it.
   */
  readHeartbeat(): Promise<JsonObject | undefined>;
  /**
   * Replaces it: a reader gets the old one or the new one, never a mix. Needs no lease, because one daemon runs on a
   * state. A power loss may restore an older one, which its age shows. Throws DiskError.
   */
  writeHeartbeat(heartbeat: JsonObject): Promise<void>;
  /**
   * What is remembered of logins to the console: sessions, and the last logins. Every worker reads and writes it. Undefined:
   * there is none, or it is not readable. Throws StateErrors.
   */
  readLogins(): Promise<JsonObject | undefined>;
  /**
   * Replaces it by what the change makes of it, durably and whole or not at all. Of several workers one changes it at a time; the
   * change may be called again. Needs no lease. Throws StateErrors.
   */
  changeLogins(change: (stored: JsonObject | undefined) => JsonObject): Promise<void>;
}

export interface SyncState {
  /**
   * The whole state of the last commit. Reading takes no lease, changes nothing, and may happen while another process
   * runs the sync: each commit of that process is seen whole or not at all.
   *
   * A damaged file is an expected outcome: `notices` name it and what was used in its place. Throws NewerSchemaError
   * and ForeignStateError, because neither may be worked on or around (S2), and DiskError.
   */
  load(): Promise<LoadedState>;
  /**
   * The same, for a look at a few records of a large state, in a fraction of the time: of `links` and `ledger` it has what
   * is wanted, and perhaps more. All other collections are whole. Two looks may be of different commits. For people who
   * look, as `Store.historyPage`: it may answer from an index that the driver derives.
   */
  loadSome(wanted: Wanted): Promise<SomeState>;
  /**
   * The right to write: one holder across processes (W7). Taken over only if the holder has provably ended. While
   * another holds it, it waits up to `waitMs` (10,000 by default) and throws LeaseTakenError, which names the holder;
   * an aborted wait throws the signal's reason. Disposing finishes work in progress and gives the lease back.
   */
  acquireLease(options?: LeaseOptions): Promise<Lease>;
  /**
   * Stores a person's decision for the next run; returns its id. Needs no lease. A run in progress does not lose it:
   * that run, or a later one, gets it from `load` until a commit completes it. Durable when resolved. It comes after each
   * request that was durable before, of any process and whatever the clock says; two that overlap come in any order.
   */
  addRequest(request: JsonObject): Promise<string>;
  /**
   * The reports of runs, the one stored last first, whatever the clock said. Needs no lease. Unreadable reports are
   * left out and passed to `warn`.
   */
  readRuns(query: RunQuery): Promise<readonly RunRecord[]>;
  /** Undefined: no report has that id. */
  readRun(run: string): Promise<RunRecord | undefined>;
  /**
   * The ID of each row of the tab by its number, as a run noted them last; undefined: none did, or it is not readable.
   * Needs no lease. People sort rows at any time, so that this says where a row was, and no more.
   */
  readRows(): Promise<ReadonlyMap<number, string> | undefined>;
}

export interface Lease extends AsyncDisposable {
  /**
   * Counts the leases of this sync from 1: greater than that of each lease before it, whatever became of its holder. Every
   * write of a lease carries it. After another lease was given, such a write changes nothing and throws LeaseLostError.
   */
  readonly epoch: number;
  /**
   * Milliseconds for which no other process can take this lease over, as its holder knows by a clock that is never set back.
   * Infinity: the lease ends with its process alone. 0: it is over. A living holder renews it, so that it grows again.
   */
  remainingMs(): number;
  /**
   * Like SyncState.load, and repairs: damaged files are moved aside, under the names in the notices, and written anew.
   */
  load(): Promise<LoadedState>;
  /**
   * Of the last commit: the links of these uuids, and all other collections but the ledger, of which anything may be missing.
   * It costs less than `load`, and does not count as the `load` that a commit must follow. Undefined: only `load` will do,
   * because there is no state yet, or something is to be repaired, reported or taken over. Throws what `load` throws.
   */
  glance(uuids: readonly string[]): Promise<LoadedState | undefined>;
  /**
   * Applies a batch, always whole or not at all, and resolves once it would survive a power loss. Commits follow each
   * other in the order of the calls. A batch that changes nothing touches no file (W9). Must follow a `load`. Throws
   * DiskError (nothing was committed; the same batch may be tried again) and LeaseLostError (it may not).
   */
  commit(batch: Batch): Promise<void>;
  /** Appends to the history, durably, in the order given. A repeat is safe, but the line then stands twice. */
  appendHistory(lines: readonly HistoryLine[]): Promise<void>;
  /**
   * Stores the report of a run, durably and whole or not at all. Safe to repeat. The oldest are deleted, by number and
   * by age (open.ts). Throws DiskError and LeaseLostError.
   */
  appendRun(record: RunRecord): Promise<void>;
  /**
   * Notes the ID of each row by its number, for `readRows`. Nothing depends on it: it is not durable, a failure is passed
   * to `warn` and never thrown, and the same rows again touch no file (W9).
   */
  noteRows(idByRow: ReadonlyMap<number, string>): Promise<void>;
}

/**
 * Which records a look is for. Without any part: none. With a link, or with a key, come the entries of the ledger whose key
 * begins with that key and a blank.
 */
export interface Wanted {
  /** Links, and entries of the ledger, of these keys. */
  readonly keys?: readonly string[];
  /** Links, and entries of the ledger, that have any of these terms. */
  readonly terms?: readonly string[];
  /**
   * Each of the links that `terms` means contains these words, in NFC and lower case, made of letters and digits alone: a
   * driver may leave out the others before it looks at terms.
   */
  readonly words?: readonly string[];
  /** For each text: how many terms of links and of the ledger begin with it. */
  readonly counted?: readonly string[];
}

export interface SomeState extends LoadedState {
  /** By each text of `counted`. */
  readonly counts: ReadonlyMap<string, number>;
  /** No other record is wanted. False: a record whose text is stored in a very unusual way may be missing. */
  readonly isExact: boolean;
}

/**
 * The owner of the records says by which terms they are found. `of` is the same for the same record, as long as
 * `basis` gives the same text for the facts. Neither throws.
 */
export interface Terms {
  /** Of these rules, without a blank: other rules have another one. */
  readonly version: string;
  basis(facts: ReadonlyMap<string, Json>): string;
  of(collection: string, key: string, record: Json, facts: ReadonlyMap<string, Json>): readonly string[];
}

export interface LeaseOptions {
  /** The epoch of the lease is greater than this one, too: that of another store from which the state is copied. */
  readonly epochAbove?: number;
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

export interface LoadedState extends Readonly<Record<Collection, ReadonlyMap<string, JsonObject>>> {
  /** Single values by name: identity of both sides, order of the fields, watermark, last run... */
  readonly facts: ReadonlyMap<string, Json>;
  /** Requests of people that no commit has completed, by id, in the order of `addRequest`. */
  readonly requests: ReadonlyMap<string, JsonObject>;
  readonly notices: readonly Notice[];
}

/**
 * links: by the contact's uuid. strays: records set aside, ignored or remembered.
 * ledger: effects that must not happen twice (E1, P2): enrolments, or an outbox's messages. outbox: changes in flight
 * whose repetition would not be harmless (E3). These two are kept twice, so that one damaged file does not lose them.
 * setAside: records that a reader could not use, unchanged, by "collection/key" (S5).
 */
export type Collection = 'links' | 'strays' | 'ledger' | 'outbox' | 'setAside';

/** Within one table a key is put or deleted, not both; deleting a missing key is no error. */
export type Batch = {
  readonly [Name in Collection]?: Changes<JsonObject>;
} & {
  readonly facts?: Changes<Json>;
  /** Ids of requests that were carried out or refused: removed with this batch, or not at all. */
  readonly doneRequests?: Iterable<string>;
};

export interface Changes<Value> {
  readonly put?: ReadonlyMap<string, Value>;
  readonly delete?: Iterable<string>;
}

/** A message of a load. One of a loss (`behind`) comes again with each load until a commit, which may be without changes. */
export interface Notice {
  readonly kind: NoticeKind;
  /** For a person: the file, its damage, what was done, what may be missing. */
  readonly message: string;
  readonly file: string;
  /** The new name of the damaged file, if a lease's load moved it. */
  readonly setAside?: string;
}

/**
 * absent: there is no state yet (I9). torn: the last write was cut short, as by a crash, before it was confirmed; or
 * the file's end is damaged. damaged: a file could not be read and another was used. behind: some confirmed commits are
 * missing from the loaded state. unfinished: the store works, but could not tidy up.
 */
export type NoticeKind = 'absent' | 'torn' | 'damaged' | 'behind' | 'unfinished';

/** One change or one decision (L12). The named fields can be queried; the writer defines the rest. */
export interface HistoryLine extends JsonObject {
  /** ISO 8601 in UTC, with milliseconds. */
  readonly time: string;
  readonly sync: string;
  readonly run: string;
  readonly contact: string | null;
}

/** The report of one run. The named fields can be queried; the writer defines the rest, without contact details. */
export interface RunRecord extends JsonObject {
  /** Unique among the runs of a job. */
  readonly run: string;
  /** ISO 8601 in UTC, with milliseconds: its age counts from this. */
  readonly endedAt: string;
  /** How it ended, in a word of the writer. */
  readonly status: string;
}

/** What of a report can be listed without reading it. */
export type RunBrief = Pick<RunRecord, 'run' | 'endedAt' | 'status'>;

export interface RunQuery {
  /** Only those stored before the run of this id; none if that one is no longer kept. */
  readonly before?: string;
  readonly limit: number;
}

export interface RunsPageQuery {
  readonly jobs: readonly string[];
  /** At least 1. */
  readonly limit: number;
  readonly status?: string;
  /** Only the run of this id. */
  readonly run?: string;
  /** Only those after this place, or before it: then the nearest ones. Not both. */
  readonly after?: RunPlace;
  readonly before?: RunPlace;
}

/** A place in the order of `runsPage`, whether or not that report is still kept. */
export interface RunPlace {
  readonly endedAt: string;
  readonly job: string;
  /** Counts the reports of the job as they were stored. */
  readonly order: number;
}

export interface RunsPage {
  readonly runs: readonly { readonly place: RunPlace; readonly record: RunRecord }[];
  /** Whether there are more beyond this page, in the direction in which it was asked for. */
  readonly hasMore: boolean;
}

export interface LastRunsQuery {
  readonly jobs: readonly string[];
  /** At least 1. */
  readonly limit: number;
}

/** Lines that match all of it; of a list, any of its texts, so that of an empty one there is no line. */
export interface HistoryFilter {
  readonly sync?: string | readonly string[];
  readonly run?: string;
  readonly contact?: string | readonly string[];
  /** Name of a mapped field. */
  readonly field?: string | readonly string[];
  /** What became of it, in a word of the writer. */
  readonly outcome?: string | readonly string[];
  /** Epoch milliseconds; lines of that instant are included. */
  readonly since?: number;
  /** The same; the end. */
  readonly until?: number;
}

export interface HistoryQuery extends HistoryFilter {
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

export interface HistoryPageQuery extends HistoryFilter {
  /** At least 1. */
  readonly limit: number;
  /** Left out: oldest first. */
  readonly newestFirst?: boolean;
  /** `HistoryPage.next` of the page before, of the same query. Another text counts as none. */
  readonly after?: string;
}

export interface HistoryPage {
  readonly lines: readonly HistoryLine[];
  /** The place of the first line, as `after` of a query in the other direction; undefined: the page has no line. */
  readonly first?: string;
  /** For the page after this one; undefined: this is the last. */
  readonly next?: string;
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** A store from outside: sizes, versions and holders. No record is read for it. */
export interface StoreHealth {
  /** False: nothing was ever written there. */
  readonly isThere: boolean;
  /** The version of the server, if the store has one. */
  readonly server?: string;
  /** The version of the tables that all jobs share. Undefined: each job has its own, or there are none. */
  readonly schema?: number;
  /** The schema version that this program writes. */
  readonly schemaKnown: number;
  readonly bytes: number;
  /** What is derived for pages. Undefined: the store derives nothing, or has not yet. */
  readonly index?: { readonly bytes: number; readonly writtenAt: string };
  /** By name. */
  readonly jobs: readonly JobHealth[];
}

export interface JobHealth {
  readonly name: string;
  /** Undefined: nothing was written, it cannot be read, or all jobs share one. */
  readonly schema?: number;
  /** Undefined: the store does not know it by job. */
  readonly bytes?: number;
  /** ISO instant of the last fold. Undefined: there was none, or the store folds nothing. */
  readonly foldedAt?: string;
  /** The process that has the lease, in words. Undefined: none has. */
  readonly holder?: string;
  /** Whether that process runs. Undefined: it cannot be told from here. */
  readonly isHolderRunning?: boolean;
}
