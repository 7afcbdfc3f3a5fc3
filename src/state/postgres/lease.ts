// The lease of a sync in its row: one holder across machines, who renews it by the clock of the database.
import delay from 'delay';
import type { Database } from '../../postgres/pool.ts';
import { isOutcomeUnknown } from '../../postgres/errors.ts';
import { LeaseTakenError, type LeaseHolder } from '../errors.ts';
import type { LeaseOptions } from '../port.ts';
import type { PostgresDriverDep } from './dep.ts';
import { tablesIn } from './schema.ts';
import { escapeText, longKey, parseValue, storedKey } from './text.ts';

/** The holder counts on less than the database gives: their clocks may run at different speeds. */
const marginMs = 1_000;

/** The lease as its holder has it. */
export interface HeldLease {
  readonly epoch: number;
  /** The row of the job. */
  readonly job: string;
  /** The last write under any lease before. */
  readonly writeId: string;
  remainingMs(): number;
  /** Nothing more is written under it, and other processes need not wait. Never throws: while the database is away, it is tried on. */
  release(): Promise<void>;
}

/**
 * Waits as long as `LeaseOptions` say. A caller that names no time waits for a holder without a sign of life until the lease is over:
 * a process that was killed, or cut off from the database. Its run fails for nothing otherwise.
 */
export async function takeLease(
  database: Database,
  sync: string,
  dep: PostgresDriverDep,
  { waitMs, signal, epochAbove = 0 }: LeaseOptions,
): Promise<HeldLease> {
  const t = tablesIn(database.schema);
  const { pollMs, lastsMs } = dep.leaseTimes;
  const [name, token] = [storedKey(sync), dep.randomId()];
  const holder: LeaseHolder = { sync, host: dep.host, pid: dep.pid, since: new Date(dep.now()).toISOString() };
  const values = [name, longKey(sync), JSON.stringify(holder), token, lastsMs, epochAbove];

  /**
   * Takes the row if it is free. The token makes a repeat after a lost answer safe: that lease is ours already, and is
   * given anew under the next epoch.
   */
  async function tryOnce(): Promise<HeldLease | undefined> {
    const before = dep.elapsed();
    const [row] = await database.query(
      `INSERT INTO ${t.jobs} AS j (name, long_name, epoch, holder, token, lease_until)
       VALUES ($1, $2, $6::bigint + 1, $3, $4, clock_timestamp() + $5 * interval '1 millisecond')
       ON CONFLICT (name) DO UPDATE SET epoch = greatest(j.epoch, $6::bigint) + 1, holder = excluded.holder, token = excluded.token,
         lease_until = clock_timestamp() + $5 * interval '1 millisecond'
       WHERE j.lease_until IS NULL OR j.lease_until <= clock_timestamp() OR j.token = excluded.token
       RETURNING id, epoch, write_id`,
      values,
    );
    if (!row) return undefined;
    const { id, epoch, write_id: writeId } = row;
    return hold(database, dep, { job: String(id), epoch: Number(epoch), writeId: String(writeId), before });
  }

  let until = dep.elapsed() + (waitMs ?? dep.leaseTimes.waitMs);
  let firstSeen: Seen | undefined;
  let wasLost = false;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const lease = await tryOnce();
      if (lease) return lease;
    } catch (error) {
      // The second failure in a row is told.
      if (!isOutcomeUnknown(error) || wasLost) throw error;
      wasLost = true;
      continue;
    }
    if (dep.elapsed() >= until) {
      const seen = await look(database, sync);
      // W7: who names no time has time. Once: a holder that goes on meanwhile is named.
      if (waitMs !== undefined || !firstSeen || firstSeen.until !== seen.until) throw refusal(database, sync, seen);
      firstSeen = undefined;
      until = dep.elapsed() + seen.leftMs + pollMs;
    } else if (waitMs === undefined) firstSeen ??= await look(database, sync);
    await delay(pollMs, signal ? { signal } : {}).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  }
}

/** The lease of another, as it stands. */
interface Seen {
  readonly holder: LeaseHolder | undefined;
  /** Changes with each sign of life. */
  readonly until: string;
  readonly leftMs: number;
}

async function look(database: Database, sync: string): Promise<Seen> {
  const t = tablesIn(database.schema);
  const [row] = await database.queryRepeatable(
    `SELECT holder, lease_until::text AS until,
       greatest(0, extract(epoch FROM lease_until - clock_timestamp()) * 1000)::float8 AS left
     FROM ${t.jobs} WHERE name = $1`,
    [storedKey(sync)],
  );
  return { holder: parseHolder(row?.['holder']), until: String(row?.['until']), leftMs: Number(row?.['left'] ?? 0) };
}

function refusal(database: Database, sync: string, { holder }: Seen): LeaseTakenError {
  const remedy = 'Wait for it, or stop it. A process that was killed is taken over within a minute';
  return new LeaseTakenError(`${database.place}: ${escapeText(sync)}`, holder, remedy);
}

function parseHolder(text: unknown): LeaseHolder | undefined {
  const value = typeof text === 'string' ? parseValue(text) : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { sync, host, pid, since } = value as Readonly<Record<string, unknown>>;
  return { sync: String(sync), host: String(host), pid: Number(pid), since: String(since) };
}

interface Taken {
  readonly job: string;
  readonly epoch: number;
  readonly writeId: string;
  /** By `elapsed`: before the statement was sent that took the lease. */
  readonly before: number;
}

function hold(database: Database, dep: PostgresDriverDep, { job, epoch, writeId, before }: Taken): HeldLease {
  const t = tablesIn(database.schema);
  const { renewMs, lastsMs } = dep.leaseTimes;
  let safeUntil = before + lastsMs - marginMs;
  let isHeld = true;
  let renewing: Promise<void> | undefined;

  async function renew(): Promise<void> {
    const sentAt = dep.elapsed();
    const [row] = await database.queryUrgent(
      `UPDATE ${t.jobs} SET lease_until = clock_timestamp() + $3 * interval '1 millisecond'
       WHERE id = $1 AND epoch = $2 AND lease_until IS NOT NULL RETURNING 1 AS one`,
      [job, epoch, lastsMs],
    );
    safeUntil = row ? sentAt + lastsMs - marginMs : -Infinity;
  }

  const stopRenewing = dep.every(renewMs, () => {
    // The database may be away for a moment. Each write looks at the epoch itself.
    renewing ??= renew()
      .catch(() => {})
      .finally(() => (renewing = undefined));
  });

  async function giveBack(): Promise<void> {
    await database.queryRepeatable(
      `UPDATE ${t.jobs} SET lease_until = NULL, holder = NULL, token = NULL WHERE id = $1 AND epoch = $2`,
      [job, epoch],
    );
  }

  /** A database that was away for a moment would have the next run wait for the end of a lease that nobody uses. */
  function giveBackLater(): void {
    const giveUpAt = dep.elapsed() + lastsMs;
    let giving: Promise<void> | undefined;
    const stop = dep.every(renewMs, () => {
      if (dep.elapsed() >= giveUpAt) stop();
      giving ??= giveBack()
        .then(stop, () => {})
        .finally(() => (giving = undefined));
    });
  }

  return {
    epoch,
    job,
    writeId,
    remainingMs: () => (isHeld ? Math.max(0, safeUntil - dep.elapsed()) : 0),
    async release() {
      isHeld = false;
      stopRenewing();
      await renewing;
      try {
        await giveBack();
      } catch (error) {
        giveBackLater();
        const why = error instanceof Error ? error.message : String(error);
        const message = `the lease could not be given back; it ends within a minute: ${why}`;
        dep.warn({ kind: 'unfinished', file: database.place, message });
      }
    },
  };
}
