// The statements by which workers draw calls from a budget that PostgreSQL keeps.
import { makeSchemaSql } from '../lib/make-schema-sql.ts';

/** The schema of the table, beside that of the state. */
export function budgetsSchema(schema: string): string {
  return `${schema}_budgets`;
}

/**
 * A row a budget. Instants are milliseconds since 1970 by the clock of the database.
 *
 * ends, counts: what was drawn, by the instant until which its calls may be made, rounded up to half a second.
 * tokens: what may be drawn now at an even pace. waiters: workers that got less than they wanted; the one that has waited
 * longest is first. granted and what follows: the answer to the last statement.
 */
export function createTableSql(schema: string): string {
  // Processes that begin at once would make it twice, which fails.
  return `
    SELECT pg_advisory_xact_lock(hashtext('leadsheet budgets'));
    ${makeSchemaSql(schema)};
    CREATE TABLE IF NOT EXISTS ${schema}.budgets (
      budget text PRIMARY KEY,
      ends float8[] NOT NULL DEFAULT '{}',
      counts integer[] NOT NULL DEFAULT '{}',
      tokens float8,
      filled_at float8,
      waiters jsonb NOT NULL DEFAULT '{}',
      paused_told float8 NOT NULL DEFAULT 0,
      paused_until float8 NOT NULL DEFAULT 0,
      granted integer NOT NULL DEFAULT 0,
      used integer NOT NULL DEFAULT 0,
      wait_ms float8 NOT NULL DEFAULT 0,
      paused_ms float8 NOT NULL DEFAULT 0
    );`;
}

/** The clock of the database was set back if something lies further ahead than this. */
const setBackMs = 15_000;
/** A worker that has not asked again by then has left its place among those that wait. */
const lateMs = 3_000;
/** Another worker is first: it asks within a second. */
const behindMs = 100;

/**
 * One statement, so that the lock of the row is held for as short as can be. ON CONFLICT locks the row before it reads it.
 * UPDATE with the same expression does not do: of two at once it let both have all, as PostgreSQL works the expression out
 * before it waits. The first statement makes the row, and draws nothing: its answer has waitMs 0.
 *
 * $1 budget, $2 worker, $3 wanted, $4 drawn ahead if there is plenty, $5 the most at once, $6 ms for which it is valid,
 * $7 calls in $8 ms, $9 tokens that come a ms, $10 the most tokens.
 */
export function drawSql(schema: string): string {
  return `
    INSERT INTO ${schema}.budgets AS b (budget) VALUES ($1)
    ON CONFLICT (budget) DO UPDATE SET (ends, counts, tokens, filled_at, waiters, paused_told, paused_until, granted, used, wait_ms, paused_ms) = (
      WITH
      clock AS MATERIALIZED (
        SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 + 0 * length(b.budget) AS now
      ),
      drawn AS MATERIALIZED (
        SELECT CASE WHEN ends > now + ${setBackMs} THEN now + ${setBackMs} ELSE ends END AS ends, count
        FROM clock, unnest(b.ends, b.counts) AS each(ends, count)
        WHERE ends + $8::float8 > now
      ),
      others AS MATERIALIZED (
        SELECT key, value, (value->>'since')::float8 AS since, (value->>'unmet')::int AS unmet
        FROM clock, jsonb_each(b.waiters)
        WHERE key <> $2::text AND (value->>'at')::float8 BETWEEN now - ${lateMs} AND now + ${setBackMs}
      ),
      known AS MATERIALIZED (
        SELECT
          now,
          coalesce((SELECT sum(count) FROM drawn), 0)::int AS used,
          least($10::float8, coalesce(b.tokens, $10::float8) + greatest(0, now - coalesce(b.filled_at, now)) * $9::float8)
            AS tokens,
          greatest(0, b.paused_until - CASE WHEN b.paused_told > now + ${setBackMs} THEN b.paused_told ELSE now END)
            AS paused_ms,
          coalesce(
            CASE WHEN (b.waiters->$2::text->>'at')::float8 BETWEEN now - ${lateMs} AND now + ${setBackMs}
              THEN (b.waiters->$2::text->>'since')::float8 END,
            now
          ) AS since
        FROM clock
      ),
      free AS MATERIALIZED (
        SELECT
          known.*,
          floor(least($7::int - used, tokens))::int AS all_free,
          coalesce((SELECT sum(unmet) FROM others WHERE others.since < known.since), 0)::int AS before
        FROM known
      ),
      answer AS MATERIALIZED (
        SELECT
          free.*,
          CASE WHEN paused_ms > 0 THEN 0 ELSE greatest(0, least(
            all_free - before,
            CASE WHEN used * 2 < $7::int AND NOT EXISTS (SELECT FROM others)
              THEN least($5::int, $3::int + $4::int) ELSE $3::int END
          )) END AS granted
        FROM free
      ),
      -- Rounded up: it counts a little longer than it is valid.
      counted AS MATERIALIZED (
        SELECT ends, sum(count)::int AS count
        FROM (
          SELECT ends, count FROM drawn
          UNION ALL
          SELECT ceil((now + $6::float8) / 500) * 500, granted FROM answer WHERE granted > 0
        ) AS each
        GROUP BY ends
      )
      SELECT
        coalesce((SELECT array_agg(ends ORDER BY ends) FROM counted), '{}'),
        coalesce((SELECT array_agg(count ORDER BY ends) FROM counted), '{}'),
        tokens - granted,
        now,
        coalesce((SELECT jsonb_object_agg(key, value) FROM others), '{}') || CASE
          WHEN granted >= $3::int THEN '{}'
          ELSE jsonb_build_object($2::text, jsonb_build_object(
            'since', CASE WHEN granted > 0 THEN now ELSE since END, 'at', now, 'unmet', $3::int - granted))
        END,
        now,
        now + paused_ms,
        granted,
        used + granted,
        CASE
          WHEN granted > 0 THEN 0
          WHEN paused_ms > 0 THEN paused_ms
          WHEN all_free > 0 THEN ${behindMs}
          ELSE greatest(
            1,
            (1 - tokens) / $9::float8,
            CASE WHEN used >= $7::int THEN (SELECT min(ends) FROM drawn) + $8::float8 - now END
          )
        END,
        paused_ms
      FROM answer
    )
    RETURNING granted, used, wait_ms AS "waitMs", paused_ms AS "pausedMs"`;
}

/** $1 budget, $2 ms from now. Of overlapping pauses the longest counts. */
export function pauseSql(schema: string): string {
  const now = `extract(epoch FROM clock_timestamp())::float8 * 1000`;
  return `
    INSERT INTO ${schema}.budgets AS b (budget, paused_told, paused_until) VALUES ($1, ${now}, ${now} + $2::float8)
    ON CONFLICT (budget) DO UPDATE SET
      paused_until = greatest(
        excluded.paused_until,
        CASE WHEN b.paused_told > excluded.paused_told + ${setBackMs}
          THEN excluded.paused_told + b.paused_until - b.paused_told ELSE b.paused_until END
      ),
      paused_told = excluded.paused_told`;
}

/** The answer to a draw. */
export interface Drawn {
  readonly granted: number;
  /** In the time of the limit, with these. */
  readonly used: number;
  /** Nothing was granted: when it is worth asking again. */
  readonly waitMs: number;
  readonly pausedMs: number;
}

/** Throws if it is none. */
export function drawnOf(row: unknown): Drawn {
  if (typeof row === 'object' && row !== null && 'granted' in row && 'used' in row) {
    const { granted, used } = row;
    const { waitMs, pausedMs } = { waitMs: undefined, pausedMs: undefined, ...row };
    const drawn = { granted: Number(granted), used: Number(used), waitMs: Number(waitMs), pausedMs: Number(pausedMs) };
    if (Object.values(drawn).every(Number.isFinite)) return drawn;
  }
  throw new Error('the table of budgets has another form than this version of leadsheet reads');
}
