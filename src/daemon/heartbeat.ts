/**
 * The heartbeat: what the daemon tells other processes, and its next process about sent alerts, through the store. It is
 * written at once when a job's state changes, and at most once a minute otherwise (W9). Nothing depends on it: a missing,
 * old or damaged heartbeat counts as none.
 */
import * as z from 'zod';
import { steps } from '../engine/events.ts';
import { phases } from '../engine/standing.ts';
import type { Store } from '../state/port.ts';

const instant = z.iso.datetime();
const counts = z.object({
  linked: z.number(),
  waiting: z.number(),
  conflicts: z.number(),
  quarantined: z.number(),
  parked: z.number(),
  held: z.number(),
  ignored: z.number(),
  created: z.number(),
  updated: z.number(),
  appended: z.number(),
  set: z.number(),
  deleted: z.number(),
  removed: z.number(),
  enrolled: z.number(),
  cancelled: z.number(),
  // A heartbeat of an earlier version has none.
  sent: z.number().default(0),
});

const alertStates = ['succeeded', 'partial', 'held', 'failed', 'stopped'] as const;

const budget = z.object({ used: z.number(), per_minute: z.number() });
// Without hints nobody asks Drive.
const budgets = z.object({ crm: budget, sheet_reads: budget, sheet_writes: budget, drive: budget.exactOptional() });

/** Not strict: a later version may tell more, which this one leaves out. */
const heartbeat = z.object({
  version: z.literal(1),
  pid: z.number(),
  /** Its machine (lib/machine.ts). A heartbeat of an earlier version has none. */
  host: z.string().nullable().default(null),
  boot: z.string().nullable().default(null),
  started_at: instant,
  written_at: instant,
  /** `ended`: the daemon ended when asked to. A killed one says `running` for ever: `view.ts` finds out. */
  state: z.enum(['running', 'draining', 'ended']),
  syncs: z.array(
    z.object({
      name: z.string(),
      phase: z.enum(phases),
      /** The last run of this process or an earlier one. */
      last_run: z
        .object({
          run: z.string(),
          status: z.enum(['succeeded', 'partial', 'held', 'failed']),
          started_at: instant,
          ended_at: instant,
          full_scan: z.boolean(),
          counts,
          /** Open problems by kind. */
          problems: z.record(z.string(), z.number()),
          /** Why the run failed or was held. */
          reason: z.string().nullable(),
          /** The run that `approve` names. */
          approvable: z.string().nullable(),
          /** The side that refused the credentials of the account. A heartbeat of an earlier version has none. */
          refused: z.enum(['crm', 'sheet']).nullable().default(null),
        })
        .nullable(),
      /** The end of the last run with status succeeded or partial; lag counts from here. */
      last_success_at: instant.nullable(),
      next_run_at: instant.nullable(),
      next_full_scan_at: instant.nullable(),
      failures_in_a_row: z.number(),
      /** The run under way. A heartbeat of an earlier version has none. */
      running: z
        .object({
          run: z.string(),
          started_at: instant,
          full_scan: z.boolean(),
          progress: z
            .object({
              step: z.enum(steps),
              done: z.number(),
              total: z.number().nullable(),
              per_second: z.number().nullable(),
            })
            .nullable(),
        })
        .nullable()
        .default(null),
      /** The content of the last alert. */
      told: z
        .object({
          state: z.enum(alertStates),
          kinds: z.array(z.string()),
          is_refused: z.boolean().default(false),
          /** The side whose refusal of the account was told. A heartbeat of an earlier version has none. */
          refused: z.enum(['crm', 'sheet']).nullable().default(null),
          /** The account of that refusal. Null with one account, and in a heartbeat of an earlier version. */
          account: z.string().nullable().default(null),
        })
        .nullable(),
    }),
  ),
  /** Of the configuration. A heartbeat of an earlier version has none. */
  configuration: z
    .object({
      left_out: z.array(
        z.object({
          kind: z.enum(['account', 'file', 'job']),
          name: z.string(),
          reason: z.string(),
          jobs: z.array(z.string()),
        }),
      ),
      /** Those of which a message was still being delivered. Left out: none. */
      untold: z
        .array(z.object({ kind: z.enum(['account', 'file', 'job']), name: z.string(), reason: z.string() }))
        .exactOptional(),
      /** The file has changed since, and was not taken up. */
      refused: z.object({ at: instant, problems: z.array(z.string()) }).nullable(),
    })
    .default({ left_out: [], refused: null }),
  /** Calls of the last minute, and the limit of a minute. */
  budget: budgets,
  /**
   * The same of each account. Accounts with one credential show the same calls. None with one account, and in a heartbeat of an
   * earlier version.
   */
  account_budgets: z.array(z.object({ account: z.string(), budget: budgets })).default([]),
});

export type Heartbeat = z.output<typeof heartbeat>;
export type SyncHeartbeat = Heartbeat['syncs'][number];

/** The longest time between two heartbeats. */
export const heartbeatEveryMs = 60_000;

/** The last heartbeat in this state; undefined: none, or not readable. Never throws. */
export async function readHeartbeat(store: Pick<Store, 'readHeartbeat'>): Promise<Heartbeat | undefined> {
  return parseHeartbeat(await store.readHeartbeat());
}

/** The same of the part about one job. */
export function parseSyncHeartbeat(told: unknown): SyncHeartbeat | undefined {
  return heartbeat.shape.syncs.element.safeParse(told).data;
}

/** Undefined: it is none that this version can read. */
export function parseHeartbeat(told: unknown): Heartbeat | undefined {
  return heartbeat.safeParse(told).data;
}

export interface HeartbeatWriter extends Disposable {
  /** Something has changed: write now. */
  changed(): void;
  /** Writes the last heartbeat; resolves when it is written or cannot be. */
  end(): Promise<void>;
}

export interface HeartbeatOptions {
  readonly store: Pick<Store, 'writeHeartbeat'>;
  readonly take: () => Heartbeat;
  /** Called once, until writing works again. */
  readonly onFailure: (error: unknown) => void;
}

/** Replaces the heartbeat, one write at a time. A change during a write goes into the next one. */
export function createHeartbeat({ store, take, onFailure }: HeartbeatOptions): HeartbeatWriter {
  let writing: Promise<void> | undefined;
  let isStale = false;
  let hasFailed = false;
  const timer = setInterval(changed, heartbeatEveryMs);

  function changed(): void {
    isStale = true;
    writing ??= writeWhileStale().finally(() => (writing = undefined));
  }

  async function writeWhileStale(): Promise<void> {
    // The caller may still be changing its state.
    await Promise.resolve();
    while (isStale) {
      isStale = false;
      try {
        await store.writeHeartbeat(take());
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) onFailure(error);
        hasFailed = true;
      }
    }
  }

  return {
    changed,
    async end() {
      clearInterval(timer);
      changed();
      await writing;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
