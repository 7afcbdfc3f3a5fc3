// Opens pg-boss on the pool of this process: it hands out the runs that are due, and gives those of a dead worker to others.
import { type Db, PgBoss } from 'pg-boss';
import * as z from 'zod';
import { queueSchema } from './schema.ts';
import type { Database, Query } from '../../../postgres/pool.ts';
import { DatabaseRefusedError } from '../../../state/errors.ts';

export const queueName = 'jobs';

/** pg-boss allows no less than 10 s; a worker tells three times within them that it lives. */
const heartbeatSecs = 10;
export const signOfLifeMs = 3_000;
/** A dead worker's run begins elsewhere after the heartbeat and one of these: 10 to 15 s. */
const monitorSecs = 5;
/** pg-boss allows no more. A run that lasts longer would begin elsewhere, and find the lease taken. */
const runSecsMax = 24 * 3_600;
/** So often a run begins anew whose worker died. The sweeper looks after it then. */
const deathsMax = 1_000;
/** A yearly schedule is the longest that somebody writes. A message that was given up is sent anew by the sweeper. */
const dueSecsMax = 2 * 366 * 24 * 3_600;
/** Rows of runs that are over. Nothing reads them: reports are in the state. */
const keepSecs = 600;

export interface BossOptions {
  readonly database: Database;
  /** Called for each error that pg-boss reports. None of them ends the process. */
  readonly onError: (error: unknown) => void;
}

/** Makes the tables of pg-boss where they are not there. Throws StateErrors. */
export async function openBoss({ database, onError }: BossOptions): Promise<PgBoss> {
  const boss = new PgBoss({
    db: toDb(database.query),
    schema: queueSchema(database.schema),
    migrate: database.migrates,
    // Made by makeQueueTables: workers that begin at once would make it twice, which fails.
    createSchema: false,
    // Jobs have schedules of their own, with seconds.
    schedule: false,
    superviseIntervalSeconds: monitorSecs,
    monitorIntervalSeconds: monitorSecs,
    maintenanceIntervalSeconds: 300,
    // Its warnings are for those who run pg-boss by itself.
    monitorVacuum: false,
    reindex: false,
  });
  boss.on('error', (error: unknown) => onError(toError(error)));
  const start = async () => {
    try {
      await boss.start();
    } catch (error) {
      if (error instanceof Error && isUnmigrated.test(error.message)) throw notMigrated(database, error);
      throw error;
    }
  };
  // Workers that begin at once would make its tables twice, and the second one would fail.
  await database.transaction(async (query) => {
    await query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 3))`, [database.schema]);
    await start();
    await makeQueue(boss);
  });
  return boss;
}

/** Some of its errors are told as copies, with a message and without a class. */
function toError(told: unknown): unknown {
  const copy = z.object({ message: z.string() }).safeParse(told);
  return told instanceof Error || !copy.success ? told : new Error(copy.data.message);
}

/** Makes the tables of pg-boss, or brings them to this version, if this process may. Throws StateErrors. */
export async function migrateBoss(database: Database): Promise<void> {
  const boss = await openBoss({ database, onError() {} });
  await boss.stop({ graceful: false, close: false });
}

/** pg-boss says these in words alone, where it may not make its tables. */
const isUnmigrated = /is not installed|requires migrations/;

function notMigrated({ place }: Database, cause: unknown): DatabaseRefusedError {
  const what = 'the tables of the queue are of another version, or not made yet';
  return new DatabaseRefusedError(place, what, 'Run: leadsheet state migrate', { cause });
}

/** At most one message of a job that is not over. The end of a run completes it and sends the next, in one transaction. */
async function makeQueue(boss: PgBoss): Promise<void> {
  const options = {
    heartbeatSeconds: heartbeatSecs,
    expireInSeconds: runSecsMax,
    retryLimit: deathsMax,
    retryDelay: 0,
    deleteAfterSeconds: keepSecs,
    retentionSeconds: dueSecsMax,
  };
  if (await boss.getQueue(queueName)) await boss.updateQueue(queueName, options);
  else await boss.createQueue(queueName, { policy: 'exclusive', ...options });
  // Either has pg-boss forget what it knew of the queue. It would ask for it within the transaction of each job, through the pool: as
  // many jobs as there are connections would hold them all, and wait for one more.
  await boss.findJobs(queueName, { id: noJob });
}

const noJob = '00000000-0000-0000-0000-000000000000';

/** A sign of life of a run. It waits behind no other statement: a silent run would begin elsewhere. */
export async function touch(
  boss: PgBoss,
  { queryUrgent }: Pick<Database, 'queryUrgent'>,
  attempt: { readonly id: string; readonly retryCount: number },
): Promise<void> {
  await boss.touch(queueName, attempt, { db: toDb(queryUrgent) });
}

/** Of PostgreSQL: two workers took one job. pg-boss knows it by the code of the error, and takes it for nothing due. */
const uniqueViolation = '23505';

/** The interface that pg-boss wants of a database. */
export function toDb(query: Query): Db {
  return {
    async executeSql(text, values) {
      try {
        return { rows: [...((await query(text, values)) ?? [])] };
      } catch (error) {
        const cause = error instanceof Error ? error.cause : undefined;
        throw cause instanceof Error && 'code' in cause && cause.code === uniqueViolation ? cause : error;
      }
    },
  };
}
