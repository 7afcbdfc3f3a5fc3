// The table of workers: who they are, when each was seen last, and what it runs.
import * as z from 'zod';
import type { Database } from '../../../postgres/pool.ts';
import { queueSchema } from './schema.ts';

export interface WorkerTold {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly state: 'running' | 'draining' | 'ended';
  /** ISO instants, by the clock of the database. */
  readonly since: string;
  readonly seenAt: string;
  /** Silent for longer than a worker that lives. */
  readonly isGone: boolean;
  /** Jobs, and since when each runs. */
  readonly runs: readonly { readonly job: string; readonly since: string }[];
}

/** A worker that was not seen for so long is gone: its runs began elsewhere meanwhile. */
const goneAfterSecs = 20;
/** Workers that are over are shown for so long. */
const keepHours = 24;

const runs = z.array(z.object({ job: z.string(), since: z.string() }));
const row = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.number(),
  version: z.string(),
  state: z.enum(['running', 'draining', 'ended']),
  since: z.date(),
  seenAt: z.date(),
  isGone: z.boolean(),
  runs: z.string(),
});

/** Those that live first, then those that are over, the one that was seen last first. Empty: the table is not there yet. */
export async function readWorkers({
  queryRepeatable,
  schema,
}: Pick<Database, 'queryRepeatable' | 'schema'>): Promise<readonly WorkerTold[]> {
  const [table] = await queryRepeatable(`SELECT to_regclass($1) AS name`, [`${queueSchema(schema)}.workers`]);
  if (table?.['name'] === null) return [];
  const rows = await queryRepeatable(
    `SELECT id, host, pid, version, state, since, seen_at AS "seenAt", runs,
       state <> 'ended' AND seen_at < clock_timestamp() - make_interval(secs => $1) AS "isGone"
     FROM ${queueSchema(schema)}.workers
     ORDER BY (state <> 'ended' AND seen_at >= clock_timestamp() - make_interval(secs => $1)) DESC, seen_at DESC, id`,
    [goneAfterSecs],
  );
  return rows.map((each) => {
    const { since, seenAt, ...told } = row.parse(each);
    return {
      ...told,
      since: since.toISOString(),
      seenAt: seenAt.toISOString(),
      runs: runs.parse(JSON.parse(told.runs)),
    };
  });
}

/** A sign of life. */
export async function writeWorker(
  { queryUrgent, schema }: Pick<Database, 'queryUrgent' | 'schema'>,
  { id, host, pid, version, state, runs: now }: Pick<WorkerTold, 'id' | 'host' | 'pid' | 'version' | 'state' | 'runs'>,
): Promise<void> {
  await queryUrgent(
    `WITH old AS (DELETE FROM ${queueSchema(schema)}.workers WHERE seen_at < clock_timestamp() - make_interval(hours => ${keepHours}))
     INSERT INTO ${queueSchema(schema)}.workers (id, host, pid, version, state, runs) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, runs = excluded.runs, seen_at = clock_timestamp()`,
    [id, host, pid, version, state, JSON.stringify(now)],
  );
}
