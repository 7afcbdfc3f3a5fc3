// Composition root: connects the accounts and the state from the configuration, and returns the jobs.
import { connectState } from './app-state.ts';
import { type AppWorld, shareBudgets } from './app-world.ts';
import type { Config } from './config/config.ts';
import { type JobConfig, jobsIn } from './config/jobs.ts';
import { type Connection, createConnections, usageOfAll } from './app-connections.ts';
import { createJob } from './engine/create-job.ts';
import type { Emit } from './engine/events.ts';
import type { Job, JobDep } from './engine/job.ts';
import type { Usage } from './limits/usage.ts';
import { SheetsError } from './sheets/errors.ts';
import type { Store } from './state/port.ts';
import { version } from './version.ts';

export interface App extends Disposable {
  /** The one in force. */
  readonly config: Config;
  /** By name: syncs, feeds, outboxes, each in the order of the file. Those of an account that could not be connected are left out. */
  readonly jobs: ReadonlyMap<string, Job>;
  /** By account. */
  readonly connections: ReadonlyMap<string, Connection>;
  /** By account: why it could not be connected. */
  readonly unconnected: ReadonlyMap<string, SheetsError>;
  /** The job of this name. Throws SheetsError if its account could not be connected. */
  readonly jobOf: (name: string) => Job;
  /** Both sides of an account. Throws SheetsError if it could not be connected. */
  readonly connectionOf: (account: string) => Connection;
  readonly store: Store;
  /** Of all accounts together. */
  readonly usage: () => Usage;
  /**
   * Opens what another configuration needs, beside what is open. Nothing of this app changes before `take`. `anew`: names of
   * jobs that are opened anew though nothing of them has changed.
   */
  readonly prepare: (next: Config, anew: ReadonlySet<string>) => Promise<Prepared>;
  /** Closes what the configuration in force does not use. Call it when no other run is under way any more. */
  readonly closeUnused: () => void;
}

export interface Prepared {
  /** By account: why it could not be connected. */
  readonly unconnected: ReadonlyMap<string, SheetsError>;
  /** By name: jobs that are new, or have other options or another connection than before. All others stay the same. */
  readonly changed: ReadonlyMap<string, Job>;
  readonly removed: readonly string[];
  /** The names of the jobs before. */
  readonly known: ReadonlySet<string>;
  /** From now on the app is that of the new configuration. */
  take(): void;
}

interface Opened {
  readonly job: Job;
  /** Its options and its account. */
  readonly key: string;
  readonly connection: Connection;
}

/** What belongs to one configuration. */
interface InForce {
  readonly config: Config;
  readonly opened: ReadonlyMap<string, Opened>;
  readonly jobs: ReadonlyMap<string, Job>;
  readonly connections: ReadonlyMap<string, Connection>;
  readonly unconnected: ReadonlyMap<string, SheetsError>;
}

/**
 * An account that cannot be connected does not stop the others. Throws SheetsError if none can. `names`: jobs; only their
 * accounts are connected.
 */
export async function createApp(config: Config, given: AppWorld, emit: Emit, names?: readonly string[]): Promise<App> {
  const notice = (message: string) => emit({ type: 'notice', sync: '', message });
  using resources = new DisposableStack();
  const { world } = resources.use(shareBudgets(config, given, notice));
  const connector = resources.use(createConnections(world));
  const store = world.store ?? connectState(config, world, notice);
  const newRunId = createRunIds(world);
  let now = await openAll(config);
  const [why] = now.unconnected.values();
  if (why && now.connections.size === 0) throw why;
  const open = resources.move();
  return {
    get config() {
      return now.config;
    },
    get jobs() {
      return now.jobs;
    },
    get connections() {
      return now.connections;
    },
    get unconnected() {
      return now.unconnected;
    },
    store,
    usage: () => usageOfAll(now.connections.values()),
    jobOf(name) {
      const job = now.jobs.get(name);
      if (job) return job;
      const account = jobsIn(now.config).find((each) => each.name === name)?.config.account;
      throw now.unconnected.get(account ?? '') ?? new Error(`the job ${name} was not opened`);
    },
    connectionOf(account) {
      const connection = now.connections.get(account);
      if (connection) return connection;
      throw now.unconnected.get(account) ?? new Error(`the account ${account} was not connected`);
    },
    async prepare(next, anew) {
      const before = [...now.opened].filter(([name]) => !anew.has(name));
      const then = await openAll(next, new Map(before));
      const changed = [...then.jobs].filter(([name, job]) => job !== now.jobs.get(name));
      return {
        unconnected: then.unconnected,
        changed: new Map(changed),
        known: new Set(now.jobs.keys()),
        removed: [...now.jobs.keys()].filter((name) => !then.jobs.has(name)),
        take: () => void (now = then),
      };
    },
    closeUnused: () => connector.keep(now.connections.values()),
    [Symbol.dispose]: () => open.dispose(),
  };

  /** `before`: jobs that stay as they are if nothing of them has changed. */
  async function openAll(next: Config, before: ReadonlyMap<string, Opened> = new Map()): Promise<InForce> {
    const meant = jobsIn(next).filter(({ name }) => names?.includes(name) ?? true);
    const accounts = new Set(meant.map((job) => job.config.account));
    const connections = new Map<string, Connection>();
    const unconnected = new Map<string, SheetsError>();
    for (const [name, account] of next.accounts) {
      if (!accounts.has(name)) continue;
      try {
        connections.set(name, await connector.open(account));
      } catch (error) {
        if (!(error instanceof SheetsError)) throw error;
        unconnected.set(name, error);
      }
    }
    const opened = new Map<string, Opened>();
    for (const job of meant) {
      const connection = connections.get(job.config.account);
      if (connection) opened.set(job.name, openJob(job, connection, before.get(job.name)));
    }
    const jobs = new Map([...opened].map(([name, { job }]) => [name, job]));
    return { config: next, opened, jobs, connections, unconnected };
  }

  function openJob(job: JobConfig, connection: Connection, before: Opened | undefined): Opened {
    const key = JSON.stringify(job);
    const { crm, sheets } = connection;
    const isSame = before?.key === key && before.connection.crm === crm && before.connection.sheets === sheets;
    if (isSame) return { ...before, connection };
    return { job: createJob(job, { ...depOf(connection, world), store, emit, newRunId }), key, connection };
  }
}

/** The part of what a job works with that comes from its account. */
function depOf(
  { account: { crm: service, google }, crm, sheets }: Connection,
  { now, elapsed, randomId }: AppWorld,
): Omit<JobDep, 'store' | 'emit' | 'newRunId'> {
  const startMeter = () => {
    const [{ calls }, used, at] = [crm.usage(), sheets.usage(), elapsed()];
    return () => ({
      crmCalls: crm.usage().calls - calls,
      sheetReads: sheets.usage().reads - used.reads,
      sheetWrites: sheets.usage().writes - used.writes,
      seconds: Math.round((elapsed() - at) / 100) / 10,
    });
  };
  return {
    crm,
    sheets,
    account: crm.account,
    version,
    budgets: {
      crmPerMinute: service.requestsPerMinute,
      sheetReadsPerMinute: google.readsPerMinute,
      sheetWritesPerMinute: google.writesPerMinute,
    },
    startMeter,
    now,
    randomId,
  };
}

/** Readable and sortable. A random part distinguishes processes that begin in the same second. */
function createRunIds({ now, random }: AppWorld): () => string {
  return () => {
    const second = new Date(now()).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
    return `${second}-${Math.floor(random() * 36 ** 4)
      .toString(36)
      .padStart(4, '0')}`;
  };
}
