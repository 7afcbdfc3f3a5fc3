// Composes what a daemon is among others on one database: the queue that all share, and what they know of each other's jobs.
import { hostname } from 'node:os';
import type { Config } from './config/config.ts';
import { configDigest } from './config/digest.ts';
import { jobsIn } from './config/jobs.ts';
import type { Alerts } from './daemon/alerts.ts';
import type { Daemon, Known } from './daemon/daemon.ts';
import { parseSyncHeartbeat } from './daemon/heartbeat.ts';
import {
  heartbeatToRemembered,
  heartbeatToStatus,
  heartbeatToTold,
  statusToHeartbeat,
} from './daemon/heartbeat-content.ts';
import type { Carry } from './daemon/queue/port.ts';
import { openPostgresQueue, type PostgresQueue } from './daemon/queue/postgres/queue.ts';
import { readWorkers } from './daemon/queue/postgres/workers.ts';
import { sharedDatabase } from './postgres/pool.ts';
import { version } from './version.ts';

/** Runs of one worker at once: most of a run waits for the other side. Two workers share what is due. */
const runsAtOnce = 16;

/** Without accounts, all jobs are of one. */
const oneAccount = 'default';

/** The lease of a silent holder lasts 60 s by the clock of the database (src/state/postgres/dep.ts), and a little. */
const leaseMs = 65_000;

export interface Fleet extends AsyncDisposable {
  readonly queue: PostgresQueue;
  readonly id: string;
  /** Whether another worker lives. Never rejects. */
  hasOthers(): Promise<boolean>;
}

export interface FleetWorld {
  readonly now: () => number;
  readonly random: () => number;
  readonly randomId: () => string;
  readonly process: { readonly pid: number };
  readonly warn: (message: string) => void;
}

/** Undefined: the state is on files, and this process is the only worker. Throws StateErrors. */
export async function joinFleet(config: Config, world: FleetWorld): Promise<Fleet | undefined> {
  if (config.state.kind !== 'postgres') return undefined;
  const database = sharedDatabase(config.state);
  const { pid } = world.process;
  const id = `${hostname()}-${pid}-${world.randomId().slice(0, 4)}`;
  const accountByJob = new Map(
    jobsIn(config).map((job) => [job.name, 'account' in job.config ? String(job.config.account) : oneAccount]),
  );
  // It contains secrets of high entropy, so that what else is in it cannot be looked up.
  const digest = configDigest(config, 'stopped under');
  const queue = await openPostgresQueue({
    ...world,
    database,
    worker: { id, host: hostname(), pid, version },
    accountOf: (job) => accountByJob.get(job) ?? oneAccount,
    configOf: () => digest,
    leaseMs,
    runsAtOnce,
  });
  return {
    queue,
    id,
    async hasOthers() {
      const workers = await readWorkers(database).catch(() => []);
      return workers.some((worker) => worker.id !== id && worker.state === 'running' && !worker.isGone);
    },
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
}

/** What a worker tells the others of a job: how it stands, its last run, and what the last alert said. */
export function carryOf(
  name: string,
  learn: (known: Known) => void,
  { daemon, alerts }: { readonly daemon: () => Daemon; readonly alerts: Alerts },
): Carry {
  return {
    give() {
      const status = daemon()
        .status()
        .find((job) => job.name === name)!;
      return statusToHeartbeat(status, alerts.told(name), undefined);
    },
    take(told) {
      const known = parseSyncHeartbeat(told);
      if (!known) return;
      const { lastRun, lastSuccessAt } = heartbeatToRemembered(known);
      learn({
        hasRun: heartbeatToStatus(known).hasRun,
        ...(lastRun && { lastRun }),
        ...(lastSuccessAt !== undefined && { lastSuccessAt }),
      });
      alerts.learn(name, heartbeatToTold(known));
    },
  };
}
