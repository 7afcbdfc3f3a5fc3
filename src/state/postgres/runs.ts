// The reports of runs in PostgreSQL.
import type { Database, Row } from '../../postgres/pool.ts';
import type { LastRunsQuery, Notice, RunBrief, RunQuery, RunRecord, RunsPage, RunsPageQuery } from '../port.ts';
import type { PostgresDriverDep } from './dep.ts';
import { tablesIn } from './schema.ts';
import { keyOf, parseValue, storedKey } from './text.ts';
import type { Write } from './writer.ts';

const dayMs = 86_400_000;

/** A repeat replaces the report in its place. The oldest are deleted. */
export function writeOfRun(
  record: RunRecord,
  { now, runsMax, runDays }: Pick<PostgresDriverDep, 'now' | 'runsMax' | 'runDays'>,
): Write {
  const endedAt = Date.parse(record.endedAt);
  return {
    set: ', runs = runs + 1',
    rest: (t) => `, again AS (
        UPDATE ${t.runs} r SET ended_at = $5, status = $7, report = $8 FROM held
        WHERE r.job = held.id AND r.run = $6 RETURNING 1
      ), added AS (
        INSERT INTO ${t.runs} (ended_at, job, place, run, status, report)
        SELECT $5, held.id, held.runs, $6, $7, $8 FROM held WHERE NOT EXISTS (SELECT 1 FROM again)
      ), pruned AS (
        DELETE FROM ${t.runs} r USING held
        WHERE r.job = held.id AND r.run <> $6 AND (r.ended_at < $10 OR r.place <= coalesce((
          SELECT x.place FROM ${t.runs} x WHERE x.job = held.id AND x.run <> $6 ORDER BY x.place DESC OFFSET $9 - 1 LIMIT 1
        ), -1))
      )`,
    values: [
      Number.isNaN(endedAt) ? now() : endedAt,
      storedKey(record.run),
      record.status,
      JSON.stringify(record),
      runsMax,
      now() - runDays * dayMs,
    ],
  };
}

export interface Runs {
  read(query: RunQuery): Promise<readonly RunRecord[]>;
  find(run: string): Promise<RunRecord | undefined>;
}

interface RunsDep extends Pick<PostgresDriverDep, 'warn'> {
  readonly database: Database;
}

export function createRuns(sync: string, { database, warn }: RunsDep): Runs {
  const t = tablesIn(database.schema);
  const ofJob = `FROM ${t.runs} r JOIN ${t.jobs} j ON j.id = r.job WHERE j.name = $1`;
  return {
    async read({ before, limit }) {
      const rows = await database.queryRepeatable(
        `SELECT r.report, r.run ${ofJob}
         AND ($2::text IS NULL OR r.place < (SELECT x.place FROM ${t.runs} x WHERE x.job = j.id AND x.run = $2))
         ORDER BY r.place DESC LIMIT $3`,
        [storedKey(sync), before === undefined ? null : storedKey(before), limit],
      );
      return rows.flatMap((row) => reportOf(row, database, warn) ?? []);
    },
    async find(run) {
      const [row] = await database.queryRepeatable(`SELECT r.report, r.run ${ofJob} AND r.run = $2`, [
        storedKey(sync),
        storedKey(run),
      ]);
      return row && reportOf(row, database, warn);
    },
  };
}

function reportOf({ report, run }: Row, { place }: Database, warn: (notice: Notice) => void): RunRecord | undefined {
  const value = parseValue(String(report));
  if (typeof value === 'object' && value !== null && 'run' in value) return value as RunRecord;
  const message = `${place}: the report of run ${String(run)} was changed by hand and is left out`;
  warn({ kind: 'damaged', file: place, message });
  return undefined;
}

/** Like Store.runsPage. */
export async function readRunsPage(
  database: Database,
  { jobs, limit, status, run, after, before }: RunsPageQuery,
  warn: (notice: Notice) => void,
): Promise<RunsPage> {
  const t = tablesIn(database.schema);
  const values: unknown[] = [jobs.map(storedKey)];
  const next = (value: unknown) => `$${values.push(value)}`;
  const conditions = ['j.name = ANY($1::text[])'];
  if (status !== undefined) conditions.push(`r.status = ${next(status)}`);
  if (run !== undefined) conditions.push(`r.run = ${next(storedKey(run))}`);
  const from = after ?? before;
  if (from) {
    const [at, job, place] = [next(Date.parse(from.endedAt)), next(storedKey(from.job)), next(from.order)];
    const [later, greater, less] = after ? ['<', '>', '<'] : ['>', '<', '>'];
    conditions.push(
      `r.ended_at ${later}= ${at}::bigint AND (r.ended_at ${later} ${at}::bigint OR j.name ${greater} ${job}::text
        OR (j.name = ${job}::text AND r.place ${less} ${place}::bigint))`,
    );
  }
  const [newest, byName] = before ? ['ASC', 'DESC'] : ['DESC', 'ASC'];
  const rows = await database.queryRepeatable(
    `SELECT r.ended_at, r.place, r.run, r.report, j.name, j.long_name FROM ${t.runs} r JOIN ${t.jobs} j ON j.id = r.job
     WHERE ${conditions.join(' AND ')} ORDER BY r.ended_at ${newest}, j.name ${byName}, r.place ${newest}
     LIMIT ${limit + 1}`,
    values,
  );
  const found = rows.slice(0, limit).flatMap((row) => {
    const record = reportOf(row, database, warn);
    if (!record) return [];
    const endedAt = new Date(Number(row['ended_at'])).toISOString();
    return [{ place: { endedAt, job: nameOf(row), order: Number(row['place']) }, record }];
  });
  return { runs: before ? found.toReversed() : found, hasMore: rows.length > limit };
}

/** Like Store.lastRuns. */
export async function readLastRuns(
  database: Database,
  { jobs, limit }: LastRunsQuery,
): Promise<ReadonlyMap<string, readonly RunBrief[]>> {
  const t = tablesIn(database.schema);
  const rows = await database.queryRepeatable(
    `SELECT j.name, j.long_name, r.run, r.ended_at, r.status, r.report FROM ${t.jobs} j CROSS JOIN LATERAL (
       SELECT * FROM ${t.runs} x WHERE x.job = j.id ORDER BY x.ended_at DESC, x.place DESC LIMIT $2
     ) AS r WHERE j.name = ANY($1::text[]) ORDER BY j.id, r.ended_at DESC, r.place DESC`,
    [jobs.map(storedKey), limit],
  );
  const runsByJob = new Map<string, RunBrief[]>();
  for (const row of rows) {
    const name = nameOf(row);
    const value = parseValue(String(row['report']));
    const told = typeof value === 'object' && value !== null && 'run' in value ? value.run : undefined;
    const run = typeof told === 'string' ? told : String(row['run']);
    const brief = { run, endedAt: new Date(Number(row['ended_at'])).toISOString(), status: String(row['status']) };
    runsByJob.set(name, [...(runsByJob.get(name) ?? []), brief]);
  }
  return runsByJob;
}

/** Of the job. */
export function nameOf({ name, long_name: long }: Row): string {
  return keyOf(String(name), typeof long === 'string' ? long : null);
}
