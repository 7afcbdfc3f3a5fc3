// The book of the queue: the turns of each job in a table, written in one transaction with the message of pg-boss that
// begins its next run.
import type { PgBoss } from 'pg-boss';
import * as z from 'zod';
import { makeSchemaSql } from '../../../lib/make-schema-sql.ts';
import type { Database, Query } from '../../../postgres/pool.ts';
import type { JsonObject } from '../../../state/port.ts';
import type { AskedRun } from '../port.ts';
import { queueName, toDb } from './boss.ts';
import { queueSchema } from './schema.ts';
import { orphanTurn, priorityOf, type Turn, turn } from './turn.ts';

/** A run that was handed out. pg-boss counts how often, so that a worker that was thought dead cannot end it any more. */
export interface Attempt {
  readonly id: string;
  readonly retryCount: number;
}

/** Another worker has the run by now: nothing of this one is written. */
export class AttemptLost extends Error {
  override readonly name = 'AttemptLost';
}

/** One job in the book. */
export interface Entry {
  readonly job: string;
  readonly turn: Turn;
  readonly carried: JsonObject | undefined;
}

/** The entry of one job, locked until the transaction ends, and what can be done to it. Undefined: there is none yet. */
export interface Page {
  /** Epoch milliseconds by the clock of the database. */
  readonly now: number;
  readonly entry: Entry | undefined;
  /** Requests of people that no run has answered. Those of a run that died are among them. */
  requests(): Promise<readonly { readonly id: string; readonly isFull: boolean }[]>;
  /** How long ago a worker was seen, and what it ran then. Undefined: it is not in the table any more. */
  worker(id: string): Promise<{ readonly seenMsAgo: number; readonly runs: readonly string[] } | undefined>;
  /** Whether pg-boss has a message of the job that is not over. */
  hasMessage(): Promise<boolean>;
  addRequest(id: string, isFull: boolean): Promise<void>;
  answer(ids: readonly string[], ended: AskedRun): Promise<void>;
  /** Ends the message of a run. Throws AttemptLost. */
  complete(attempt: Attempt): Promise<void>;
  /** Writes the entry; the message of the next run is sent or moved, where `dueAt` is set. */
  write(next: Turn, options?: { readonly carried?: JsonObject; readonly hasRequests?: boolean }): Promise<void>;
}

const row = z.object({ job: z.string(), turn: z.string(), carried: z.string().nullable() });
const request = z.object({ id: z.string(), isFull: z.boolean() });
const seenWorker = z.object({
  seenMsAgo: z.number(),
  runs: z.string().transform((text) =>
    z
      .array(z.object({ job: z.string() }))
      .parse(JSON.parse(text))
      .map(({ job }) => job),
  ),
});
const settled = z.object({ affected: z.number() });
const clock = z.object({ now: z.coerce.number() });
const answerRow = z.object({ id: z.string(), ended: z.string().nullable() });

/** A run takes a day at most (boss.ts), and who asked for it looks every second. */
const keepAnswerHours = 48;

const nowSql = `extract(epoch FROM clock_timestamp())::float8 * 1000`;

export type Book = ReturnType<typeof createBook>;

/** `accountOf`: of a job, undefined if this worker does not know it; runs of accounts take turns. */
export function createBook(database: Database, boss: PgBoss, accountOf: (job: string) => string | undefined) {
  const schema = queueSchema(database.schema);

  /** Does work on one job, one worker at a time, in one transaction. */
  function open<Value>(job: string, work: (page: Page) => Promise<Value>): Promise<Value> {
    return database.transaction(async (query) => work(await readPage(query, job)));
  }

  async function readPage(query: Query, job: string): Promise<Page> {
    // Two workers that start at once: the second one waits here, also where there is no row to lock.
    await query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 1))`, [`${schema} ${job}`]);
    const found = await query(`SELECT job, turn, carried FROM ${schema}.turns WHERE job = $1 FOR UPDATE`, [job]);
    const { now } = clock.parse((await query(`SELECT ${nowSql} AS now`))[0]);
    const db = toDb(query);
    return {
      now,
      entry: found.map(toEntry)[0],
      async requests() {
        const rows = await query(
          `SELECT id, is_full AS "isFull" FROM ${schema}.requests WHERE job = $1 AND ended IS NULL`,
          [job],
        );
        return rows.map((each) => request.parse(each));
      },
      async worker(id) {
        const [seen] = await query(
          `SELECT extract(epoch FROM clock_timestamp() - seen_at)::float8 * 1000 AS "seenMsAgo", runs
           FROM ${schema}.workers WHERE id = $1`,
          [id],
        );
        return seen && seenWorker.parse(seen);
      },
      async hasMessage() {
        const rows = await query(
          `SELECT FROM ${schema}.job WHERE name = $1 AND singleton_key = $2 AND state < 'completed'`,
          [queueName, job],
        );
        return rows.length > 0;
      },
      async addRequest(id, isFull) {
        await query(`INSERT INTO ${schema}.requests (id, job, is_full) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, [
          id,
          job,
          isFull,
        ]);
      },
      async answer(ids, ended) {
        if (ids.length === 0) return;
        await query(`UPDATE ${schema}.requests SET ended = $2 WHERE id = ANY($1)`, [ids, JSON.stringify(ended)]);
      },
      async complete(attempt) {
        const { affected } = settled.parse(await boss.complete(queueName, attempt, null, { db }));
        if (affected !== 1) throw new AttemptLost(`another worker has the run of ${job} by now`);
      },
      async write(next, { carried, hasRequests = false } = {}) {
        await query(
          `INSERT INTO ${schema}.turns AS j (job, turn, carried) VALUES ($1, $2, $3)
           ON CONFLICT (job) DO UPDATE SET
             turn = excluded.turn, carried = coalesce(excluded.carried, j.carried), changed_at = clock_timestamp()`,
          [job, JSON.stringify(next), carried ? JSON.stringify(carried) : null],
        );
        if (next.dueAt === null) return;
        const account = accountOf(job);
        await boss.upsert(
          queueName,
          { job },
          {
            db,
            singletonKey: job,
            startAfter: Math.max(0, next.dueAt - now) / 1_000,
            priority: priorityOf(next, hasRequests),
            // pg-boss refuses a group without a name. The worker that knows the job puts it back into its group.
            ...(account !== undefined && { group: { id: account } }),
          },
        );
      },
    };
  }

  return {
    open,

    /** Entries that changed since the instant, by the clock of the database; all of them if it is left out. */
    async changed(since: number | undefined): Promise<{ readonly now: number; readonly entries: readonly Entry[] }> {
      const rows = await database.queryRepeatable(
        `SELECT ${nowSql} AS now, job, turn, carried FROM (SELECT) AS one
         LEFT JOIN ${schema}.turns ON changed_at >= to_timestamp($1::float8 / 1000)`,
        [since ?? 0],
      );
      return {
        now: clock.parse(rows[0]).now,
        entries: rows.filter(({ job }) => job !== null).map(toEntry),
      };
    },

    /** How the runs of these requests ended; undefined: not yet. A request that is not in the table is left out. */
    async answers(ids: readonly string[]): Promise<ReadonlyMap<string, AskedRun | undefined>> {
      const rows = await database.queryRepeatable(`SELECT id, ended FROM ${schema}.requests WHERE id = ANY($1)`, [ids]);
      return new Map(
        rows
          .map((each) => answerRow.parse(each))
          .map(({ id, ended }) => [id, ended === null ? undefined : toAskedRun(ended)]),
      );
    },

    /** Requests whose answers were taken. */
    async forget(ids: readonly string[]): Promise<void> {
      await database.queryRepeatable(`DELETE FROM ${schema}.requests WHERE id = ANY($1)`, [ids]);
    },

    /**
     * Gives each job a message that has none, and is not stopped: a message was deleted by hand, or its run died too often.
     * One worker at a time. It cannot give one two: the queue takes one message of a job that is not over.
     */
    async sweep(): Promise<readonly string[]> {
      const found = await database.transaction(async (query) => {
        const [lock] = await query(`SELECT pg_try_advisory_xact_lock(hashtextextended($1, 2)) AS got`, [schema]);
        if (lock?.['got'] !== true) return [];
        await query(
          `DELETE FROM ${schema}.requests
           WHERE ended IS NOT NULL AND asked_at < clock_timestamp() - make_interval(hours => ${keepAnswerHours})`,
        );
        const rows = await query(
          `SELECT job, turn, carried FROM ${schema}.turns AS j WHERE NOT EXISTS (
             SELECT FROM ${schema}.job AS m
             WHERE m.name = $1 AND m.singleton_key = j.job AND m.state < 'completed')`,
          [queueName],
        );
        return rows
          .map(toEntry)
          .filter(({ turn: { phase } }) => phase !== 'stopped')
          .map(({ job }) => job);
      });
      const swept: string[] = [];
      for (const job of found) {
        await open(job, async (page) => {
          // Since it was found, it may have got one.
          if (!page.entry || page.entry.turn.phase === 'stopped' || (await page.hasMessage())) return;
          const hasRequests = (await page.requests()).length > 0;
          await page.write(orphanTurn(page.entry.turn, page.now), { hasRequests });
          swept.push(job);
        });
      }
      return swept;
    },
  };
}

/** Makes the tables that are not there. */
export async function makeQueueTables({ query, schema: state, migrates }: Database): Promise<void> {
  if (!migrates) return;
  const schema = queueSchema(state);
  await query(`
    SELECT pg_advisory_xact_lock(hashtext('leadsheet queue'));
    ${makeSchemaSql(schema)};
    CREATE TABLE IF NOT EXISTS ${schema}.turns (
      job text PRIMARY KEY,
      turn text NOT NULL,
      carried text,
      changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    CREATE TABLE IF NOT EXISTS ${schema}.requests (
      id uuid PRIMARY KEY,
      job text NOT NULL,
      is_full boolean NOT NULL,
      asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      ended text
    );
    CREATE TABLE IF NOT EXISTS ${schema}.workers (
      id text PRIMARY KEY,
      host text NOT NULL,
      pid integer NOT NULL,
      version text NOT NULL,
      state text NOT NULL,
      since timestamptz NOT NULL DEFAULT clock_timestamp(),
      seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      runs text NOT NULL
    );`);
}

function toEntry(found: Readonly<Record<string, unknown>>): Entry {
  const { job, turn: text, carried } = row.parse(found);
  return {
    job,
    turn: turn.parse(JSON.parse(text)),
    carried: carried === null ? undefined : z.record(z.string(), z.json()).parse(JSON.parse(carried)),
  };
}

/** As a worker of this version wrote it; its form is that of `RunReport`. */
function toAskedRun(text: string): AskedRun {
  const ended: AskedRun = JSON.parse(text);
  return ended;
}
