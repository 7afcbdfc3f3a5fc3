/*
 * The errors of the state, one class for each kind (docs/errors.md lists them all). A message is one line: the file,
 * what happened, what to do.
 */

export abstract class StateError extends Error {
  abstract readonly code: string;
  /** Whether the same call may succeed later by itself. */
  readonly retryable: boolean = false;
  /** The file, folder or database concerned. */
  readonly file: string;

  constructor(file: string, what: string, remedy: string, options?: ErrorOptions) {
    super(`${file}: ${what}. ${remedy}`, options);
    this.name = new.target.name;
    this.file = file;
  }
}

/** `state:` in the configuration names an unknown kind of store. */
export class UnknownStoreError extends StateError {
  override readonly code = 'unknown_store';

  constructor(url: string) {
    super(
      describePlace(url),
      'not a place for the state',
      'Set `state:` to a folder, as in file:./state, or to a database, as in postgres://USER@HOST/DATABASE',
    );
  }
}

/** Never the address of a database: it contains a password. */
function describePlace(url: string): string {
  const scheme = /^([a-z][a-z\d+.-]{0,20}):\/\//i.exec(url)?.[1];
  if (scheme !== undefined) return `a ${scheme} address`;
  return url.includes('@') ? 'a place that is not shown' : url;
}

/** The disk refused. Earlier commits are untouched. */
export class DiskError extends StateError {
  override readonly code = 'disk';
  override readonly retryable = true;
}

/** The database cannot be reached, or cannot work now. Earlier commits are untouched. */
export class DatabaseUnavailableError extends StateError {
  override readonly code = 'database_unavailable';
  override readonly retryable = true;
  /** A statement was sent, and its answer is lost: it may have been carried out. */
  readonly isOutcomeUnknown: boolean;

  constructor(
    place: string,
    what: string,
    remedy: string,
    { isOutcomeUnknown = false, ...options }: ErrorOptions & { readonly isOutcomeUnknown?: boolean } = {},
  ) {
    super(place, what, remedy, options);
    this.isOutcomeUnknown = isOutcomeUnknown;
  }
}

/** The database refused, and will until a person has corrected something. Nothing was changed. */
export class DatabaseRefusedError extends StateError {
  override readonly code = 'database_refused';
}

/** The schema holds tables of another program. Nothing was changed. */
export class ForeignDatabaseError extends StateError {
  override readonly code = 'foreign_database';

  constructor(place: string, schema: string) {
    super(
      place,
      `the schema "${schema}" holds tables that leadsheet did not make`,
      'Set `postgres.schema` to a name that nothing else uses, or `state:` to a database of its own',
    );
  }
}

/** Written by a later version of this program (S2). Nothing was changed. */
export class NewerSchemaError extends StateError {
  override readonly code = 'newer_schema';

  constructor(file: string, found: number, known: number) {
    super(
      file,
      `its schema version is ${found}, and this program knows versions up to ${known}`,
      'Run the newer leadsheet again, or restore a backup that this one wrote',
    );
  }
}

/** The state of one sync lies in the folder of another (S2). Nothing was changed. */
export class ForeignStateError extends StateError {
  override readonly code = 'foreign_state';

  constructor(file: string, found: string, expected: string) {
    super(
      file,
      `this is the state of sync "${found}", in the folder of sync "${expected}"`,
      'Move it back; a renamed sync starts with a folder of its own',
    );
  }
}

/** Another process, or another run of this one, is writing this sync's state (W7). */
export class LeaseTakenError extends StateError {
  override readonly code = 'lease_taken';
  override readonly retryable = true;
  /** undefined: it has the lock, and its name cannot be read. */
  readonly holder: LeaseHolder | undefined;

  constructor(file: string, holder: LeaseHolder | undefined, remedy: string) {
    super(file, holder === undefined ? unnamedHolder : nameHolder(holder), remedy);
    this.holder = holder;
  }
}

const unnamedHolder = 'another process has the lock, and there is no file that names it';

function nameHolder({ sync, host, pid, since }: LeaseHolder): string {
  return `sync "${sync}" is being run by process ${pid} on ${host}, since ${since}`;
}

export interface LeaseHolder {
  readonly sync: string;
  readonly host: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
}

/**
 * The lease ended before the next call of the run could surely have ended, so that the call was not sent (H3). All that was
 * sent before is saved, unless LeaseLostError followed.
 */
export class LeaseOverError extends StateError {
  override readonly code = 'lease_over';
  override readonly retryable = true;

  constructor(job: string) {
    super(job, 'the lease ran out, so that nothing more was sent', 'Another worker goes on, or the next run');
  }
}

const lostWords = {
  lock: {
    what: 'the lock of this run is gone, so another may be writing',
    remedy:
      'Delete no lock of a living process, and suspend none that shares a network drive; the next run takes it from here',
  },
  epoch: {
    what: 'the lease of this run is over, and another process may have the job',
    remedy:
      'Nothing was saved. It happens when a process or its machine was stopped for a minute; the next run goes on from here',
  },
} as const;

/**
 * Another process removed or replaced the lock while this process held it, or took it over after this process showed no
 * sign of life. Nothing was committed.
 */
export class LeaseLostError extends StateError {
  override readonly code = 'lease_lost';

  /** `how`: by a lock among files, or by the epoch of a job in a database. */
  constructor(place: string, how: 'lock' | 'epoch' = 'lock') {
    const { what, remedy } = lostWords[how];
    super(place, what, remedy);
  }
}
