// The tables of the state in PostgreSQL, by version, and the steps from each version to the next.
import type { Collection } from '../port.ts';

/** The tables by name, in their schema. */
export interface TableNames {
  readonly meta: string;
  readonly jobs: string;
  readonly records: string;
  readonly terms: string;
  readonly requests: string;
  readonly history: string;
  readonly runs: string;
  readonly rows: string;
  readonly documents: string;
}

/** `schema` is checked by the configuration: lower-case letters, digits and underscores. */
export function tablesIn(schema: string): TableNames {
  const named = (name: string) => `"${schema}".${name}`;
  return {
    meta: named('meta'),
    jobs: named('jobs'),
    records: named('records'),
    terms: named('terms'),
    requests: named('requests'),
    history: named('history'),
    runs: named('runs'),
    rows: named('rows'),
    documents: named('documents'),
  };
}

/** The numbers of the collections stand in the tables: a new one goes to the end. */
export const collections = ['facts', 'links', 'strays', 'ledger', 'outbox', 'setAside'] as const satisfies readonly (
  | 'facts'
  | Collection
)[];

export type TableName = (typeof collections)[number];

export const numberOf = new Map<TableName, number>(collections.map((name, index) => [name, index]));

/** In `meta`, so that the tables of another program are not taken for ours. */
export const programName = 'leadsheet state';

/**
 * Steps forward; the first one makes version 1. Each runs once, in one transaction with the note of its version.
 * A step that was released is never changed.
 */
export const migrations: readonly ((schema: string) => string)[] = [makeTables, leaveRoomInPages];

export const currentVersion = migrations.length;

/**
 * Of a job: `epoch` counts its leases. `write_id` names the last write under a lease, `commit_id` the last commit, so that a
 * writer whose answer was lost finds out whether it was carried out, and a reader whether it has all of it. `commits` and
 * `runs` count.
 *
 * Nothing refers to another table by a constraint: it would be checked for each row, and only one program writes.
 */
function makeTables(schema: string): string {
  const t = tablesIn(schema);
  return `
    CREATE TABLE ${t.meta} (name text PRIMARY KEY, value text NOT NULL);
    CREATE TABLE ${t.jobs} (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text COLLATE "C" NOT NULL UNIQUE,
      long_name text,
      epoch bigint NOT NULL DEFAULT 0,
      write_id text NOT NULL DEFAULT '',
      commit_id text NOT NULL DEFAULT '',
      commits bigint NOT NULL DEFAULT 0,
      runs bigint NOT NULL DEFAULT 0,
      terms_version text NOT NULL DEFAULT '',
      holder text,
      token text,
      lease_until timestamptz
    ) WITH (fillfactor = 50);
    CREATE TABLE ${t.records} (
      job bigint NOT NULL,
      collection smallint NOT NULL,
      key text COLLATE "C" NOT NULL,
      long_key text,
      value text NOT NULL,
      PRIMARY KEY (job, collection, key)
    );
    CREATE TABLE ${t.terms} (
      job bigint NOT NULL,
      collection smallint NOT NULL,
      term text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      PRIMARY KEY (job, collection, term, key)
    );
    CREATE TABLE ${t.requests} (
      job bigint NOT NULL,
      seq bigint GENERATED ALWAYS AS IDENTITY,
      id text COLLATE "C" NOT NULL,
      value text NOT NULL,
      PRIMARY KEY (job, id)
    );
    CREATE SEQUENCE "${schema}".history_ids;
    CREATE TABLE ${t.history} (
      at bigint NOT NULL,
      id bigint NOT NULL DEFAULT nextval('"${schema}".history_ids'),
      job bigint NOT NULL,
      run text COLLATE "C",
      contact text COLLATE "C",
      field text COLLATE "C",
      outcome text COLLATE "C",
      line text NOT NULL
    ) PARTITION BY RANGE (at);
    CREATE INDEX ON ${t.history} (at, id);
    CREATE INDEX ON ${t.history} (job, at);
    CREATE INDEX ON ${t.history} (job, id);
    CREATE INDEX ON ${t.history} (run, at);
    CREATE INDEX ON ${t.history} (contact, at) WHERE contact IS NOT NULL;
    CREATE INDEX ON ${t.history} (outcome, at) WHERE outcome IS NOT NULL;
    CREATE TABLE "${schema}".history_other PARTITION OF ${t.history} DEFAULT;
    CREATE TABLE ${t.runs} (
      ended_at bigint NOT NULL,
      job bigint NOT NULL,
      place bigint NOT NULL,
      run text COLLATE "C" NOT NULL,
      status text NOT NULL,
      report text NOT NULL
    ) PARTITION BY RANGE (ended_at);
    CREATE INDEX ON ${t.runs} (job, ended_at DESC, place DESC);
    CREATE INDEX ON ${t.runs} (ended_at);
    CREATE INDEX ON ${t.runs} (job, place);
    CREATE INDEX ON ${t.runs} (job, run);
    CREATE TABLE "${schema}".runs_other PARTITION OF ${t.runs} DEFAULT;
    CREATE TABLE ${t.rows} (job bigint PRIMARY KEY, ids text NOT NULL);
    CREATE TABLE ${t.documents} (name text PRIMARY KEY, value text NOT NULL);
  `;
}

/**
 * A new version of a record finds room in its page, so that no index has to name it: a commit writes half as much, and the
 * table does not grow. Pages that are there get the room as their records are replaced.
 */
function leaveRoomInPages(schema: string): string {
  return `ALTER TABLE ${tablesIn(schema).records} SET (fillfactor = 50)`;
}
