// Looks at a state in PostgreSQL from outside: versions, sizes and leases. It reads no record, makes no table, and waits for no lock.
import type { Database } from '../../postgres/pool.ts';
import type { StoreHealth } from '../port.ts';
import { nameOf } from './runs.ts';
import { currentVersion, programName, tablesIn } from './schema.ts';

/** Also of tables that a newer version made. Throws StateErrors. */
export async function lookAtDatabase({ schema, queryRepeatable }: Database): Promise<StoreHealth> {
  const t = tablesIn(schema);
  const [found] = await queryRepeatable(
    `SELECT current_setting('server_version') AS server, to_regclass($1) IS NOT NULL AS used,
       (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::text FROM pg_class c
         JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $2 AND c.relkind IN ('r', 'S')) AS bytes`,
    [t.meta, schema],
  );
  const about = { server: String(found?.['server']), schemaKnown: currentVersion, bytes: Number(found?.['bytes']) };
  if (found?.['used'] !== true) return { ...about, isThere: false, jobs: [] };
  const rows = await queryRepeatable(`SELECT name, value FROM ${t.meta} WHERE name IN ('program', 'schema_version')`);
  const values = new Map(rows.map(({ name, value }) => [String(name), String(value)]));
  const version = Number(values.get('schema_version'));
  // The tables of another program, or of a version whose columns are not known, are not asked further.
  if (values.get('program') !== programName || !(version <= currentVersion)) {
    return { ...about, isThere: true, ...(Number.isFinite(version) && { schema: version }), jobs: [] };
  }
  const jobs = await queryRepeatable(
    `SELECT name, long_name, holder, lease_until > clock_timestamp() AS alive FROM ${t.jobs} ORDER BY name`,
  );
  return {
    ...about,
    isThere: true,
    schema: version,
    jobs: jobs.map((job) => ({
      name: nameOf(job),
      ...(typeof job['holder'] === 'string' && {
        holder: holderText(job['holder']),
        isHolderRunning: job['alive'] === true,
      }),
    })),
  };
}

/** The lease keeps its holder as JSON (lease.ts). */
function holderText(holder: string): string {
  try {
    const { host, pid, since } = JSON.parse(holder) as Partial<Record<string, unknown>>;
    return `process ${String(pid)} on ${String(host)}, since ${String(since)}`;
  } catch {
    return 'a process whose name cannot be read';
  }
}
