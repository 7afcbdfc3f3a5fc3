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

export interface App extends Disposable {
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
}

/**
 * An account that cannot be connected does not stop the others. Throws SheetsError if none can. `names`: jobs; only their
 * accounts are connected.
 */
export async function createApp(config: Config, given: AppWorld, emit: Emit, names?: readonly string[]): Promise<App> {
  const notice = (message: string) => emit({ type: 'notice', sync: '', message });
  using resources = new DisposableStack();
  const { world } = resources.use(shareBudgets(config, given, notice));
  const opened = resources.use(createConnections(world));
  const meant = jobsIn(config).filter(({ name }) => names?.includes(name) ?? true);
  const accounts = new Set(meant.map((job) => job.config.account));
  const connections = new Map<string, Connection>();
  const unconnected = new Map<string, SheetsError>();
  for (const [name, account] of config.accounts) {
    if (!accounts.has(name)) continue;
    try {
      connections.set(name, await opened.open(account));
    } catch (error) {
      if (!(error instanceof SheetsError)) throw error;
      unconnected.set(name, error);
    }
  }
  const [why] = unconnected.values();
  if (why && connections.size === 0) throw why;
  const store = world.store ?? connectState(config, world, notice);
  const newRunId = createRunIds(world);
  const toJob = (job: JobConfig): readonly (readonly [string, Job])[] => {
    const connection = connections.get(job.config.account);
    return connection ? [[job.name, createJob(job, { ...depOf(connection, world), store, emit, newRunId })]] : [];
  };
  const jobs = new Map(meant.flatMap(toJob));
  const connectionOf = (account: string): Connection => {
    const connection = connections.get(account);
    if (connection) return connection;
    throw unconnected.get(account) ?? new Error(`the account ${account} was not connected`);
  };
  const open = resources.move();
  return {
    config,
    connections,
    unconnected,
    store,
    usage: () => usageOfAll(connections.values()),
    jobs,
    connectionOf,
    jobOf(name) {
      const job = jobs.get(name);
      if (job) return job;
      const account = meant.find((each) => each.name === name)?.config.account;
      throw unconnected.get(account ?? '') ?? new Error(`the job ${name} was not opened`);
    },
    [Symbol.dispose]: () => open.dispose(),
  };
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
