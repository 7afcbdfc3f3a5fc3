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
import type { PostgresQueue } from './daemon/queue/postgres/queue.ts';
import { readWorkers } from './daemon/queue/postgres/workers.ts';
import { sharedDatabase } from './postgres/pool.ts';
import { version } from './version.ts';

/** Runs of one worker at once: most of a run waits for the other side. Two workers share what is due. */
const runsAtOnce = 16;

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
  /** Whether this worker may begin runs. Asked every few seconds. */
  readonly mayTake: () => Promise<boolean>;
}

/** `config`: the one in force, which a reload changes. Undefined: the state is on files, and this process is the only worker. Throws StateErrors. */
export async function joinFleet(config: () => Config, world: FleetWorld): Promise<Fleet | undefined> {
  const { state } = config();
  if (state.kind !== 'postgres') return undefined;
  // pg-boss is loaded where it is used alone.
  const { openPostgresQueue } = await import('./daemon/queue/postgres/queue.ts');
  const database = sharedDatabase(state);
  const { pid } = world.process;
  const id = `${hostname()}-${pid}-${world.randomId().slice(0, 4)}`;
  const known = remembered((inForce: Config) => ({
    accountByJob: new Map(jobsIn(inForce).map(({ name, config: { account } }) => [name, account])),
    // It contains secrets of high entropy, so that what else is in it cannot be looked up.
    digest: configDigest(inForce, 'stopped under'),
  }));
  const queue = await openPostgresQueue({
    ...world,
    database,
    worker: { id, host: hostname(), pid, version },
    accountOf: (job) => known(config()).accountByJob.get(job),
    configOf: () => known(config()).digest,
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

/** Works a value out once for each thing, and keeps that of the last one. */
function remembered<Thing, Value>(work: (thing: Thing) => Value): (thing: Thing) => Value {
  let last: { readonly thing: Thing; readonly value: Value } | undefined;
  return (thing) => {
    if (last?.thing !== thing) last = { thing, value: work(thing) };
    return last.value;
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
      // A reload may have removed the job while it ran.
      const status = daemon()
        .status()
        .find((job) => job.name === name);
      return status && statusToHeartbeat(status, alerts.told(name), undefined);
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
