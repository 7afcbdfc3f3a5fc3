// Composition root: connects the service, the spreadsheet and the state from the configuration, and returns their jobs.
import delay from 'delay';
import { connectState, stateFolder } from './app-state.ts';
import type { Sheets } from './sheets/port.ts';
import type { Config } from './config/config.ts';
import { jobsIn } from './config/jobs.ts';
import type { ServiceSettings } from './config/service-settings.ts';
import { accountOf } from './crm/outreach/account.ts';
import { createBudget } from './crm/outreach/call/budget.ts';
import type { Transport } from './crm/outreach/call/exchange.ts';
import { createServiceClient } from './crm/outreach/client.ts';
import { createJob } from './engine/create-job.ts';
import { createOutreachCrm } from './crm/outreach/crm.ts';
import type { ObservedExchange, ServiceClient } from './crm/outreach/service-client.ts';
import type { Crm, CrmUsage } from './crm/port.ts';
import type { Emit } from './engine/events.ts';
import type { Job, JobDep } from './engine/job.ts';
import { budgetName, type SharedStarts } from './limits/meter.ts';
import { createSharedFile } from './limits/shared-file.ts';
import { createSharedPostgres, type SharedPostgresDep } from './limits/shared-postgres.ts';
import { type Database, sharedDatabase } from './postgres/pool.ts';
import type { Usage } from './limits/usage.ts';
import { readCredentials } from './sheets/google/credentials.ts';
import { createSheets } from './sheets/google/table.ts';
import type { ProcessDep } from './state/file/processes.ts';
import type { Machine } from './state/open.ts';
import type { Store } from './state/port.ts';
import { version } from './version.ts';

/** The parts of a program that come from outside; tests bring their own. */
export interface AppWorld {
  readonly transport: (url: string, init: RequestInit) => Response | Promise<Response>;
  /** For the service alone. Left out: the same transport. */
  readonly serviceTransport?: Transport;
  /** Another driver instead of the outreach service. */
  readonly connectCrm?: (settings: ServiceSettings) => CrmConnection;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds from any fixed instant; never set back. */
  readonly elapsed: () => number;
  /**
   * Milliseconds on a clock that is never set back and that all processes of the machine read alike. Left out: calls of
   * other processes are not counted.
   */
  readonly uptime?: () => number;
  /** The starts of calls that all processes of the machine share; see shareBudgets. */
  readonly sharedStarts?: SharedStarts;
  /** [0, 1). */
  readonly random: () => number;
  /** A version 4 uuid. */
  readonly randomId: () => string;
  /** The identity of this process among others on the machine. */
  readonly process: ProcessDep;
  /** Another driver of spreadsheets. Left out: Google Sheets. */
  readonly connectSheets?: (config: Pick<Config, 'google'>, world: AppWorld) => Promise<Sheets>;
  /** The machine that keeps the state. Left out: this machine. */
  readonly machine?: Machine;
  /** Left out: the store that the configuration names. */
  readonly store?: Store;
}

/**
 * The same world, in which calls of all processes with this state count together: those of one machine by a file, those of
 * all machines where the state is a database. `warn` is told once if they cannot. Touches nothing before the first call.
 */
export function shareBudgets<World extends AppWorld>(
  config: Config,
  world: World,
  warn: (message: string) => void,
): { readonly world: World } & Disposable {
  const { uptime, process } = world;
  if (!uptime) return { world, [Symbol.dispose]() {} };
  const sharedStarts =
    config.state.kind === 'postgres'
      ? createSharedPostgres({ ...budgetsOf(sharedDatabase(config.state)), ...world, worker: world.randomId(), warn })
      : createSharedFile({ folder: stateFolder(config), uptime, pid: process.pid, warn });
  return { world: { ...world, sharedStarts }, [Symbol.dispose]: () => sharedStarts[Symbol.dispose]() };
}

/** The schema of the state has the tables of the state alone. */
function budgetsOf({ query, schema, migrates }: Database): Pick<SharedPostgresDep, 'query' | 'schema' | 'migrates'> {
  return { query, schema: `${schema}_budgets`, migrates };
}

export interface ServiceConnection extends Disposable {
  readonly client: ServiceClient;
  readonly usage: () => CrmUsage;
}

/** A client of the service with the budget of its token. Disposing it rejects calls that still wait. */
export function connectService(
  settings: ServiceSettings,
  world: AppWorld,
  { observe, retriesMax }: { observe?: (exchange: ObservedExchange) => void; retriesMax?: number } = {},
): ServiceConnection {
  let calls = 0;
  const { sharedStarts: starts } = world;
  const budget = createBudget({
    ...settings,
    ...world,
    shared: starts && { starts, budget: budgetName('crm', new URL(settings.baseUrl).href, settings.token.reveal()) },
  });
  const client = createServiceClient({
    ...settings,
    ...world,
    transport: world.serviceTransport ?? world.transport,
    budget,
    userAgent: `leadsheet/${version}`,
    observe(exchange) {
      calls += 1;
      observe?.(exchange);
    },
    ...(retriesMax !== undefined && { retriesMax }),
  });
  const usage = (): CrmUsage => {
    const { startedLastMinute: lastMinute, perMinute } = budget.usage();
    return { calls, lastMinute, perMinute };
  };
  return { client, usage, [Symbol.dispose]: () => budget[Symbol.dispose]() };
}

export type CrmConnection = Crm & Disposable;

/** The CRM of these settings, as the port has it. Disposing it rejects calls that still wait. */
export function connectCrm(
  settings: ServiceSettings,
  world: AppWorld,
  options: { readonly retriesMax?: number } = {},
): CrmConnection {
  if (world.connectCrm) return world.connectCrm(settings);
  const { client, usage, [Symbol.dispose]: dispose } = connectService(settings, world, options);
  const account = accountOf(settings.baseUrl, settings.token);
  return { ...createOutreachCrm({ client, account, usage, now: world.now }), [Symbol.dispose]: dispose };
}

export interface App extends Disposable {
  readonly config: Config;
  /** By name: syncs, feeds, outboxes, each in the order of the file. */
  readonly jobs: ReadonlyMap<string, Job>;
  readonly crm: Crm;
  readonly sheets: Sheets;
  readonly store: Store;
  readonly usage: () => Usage;
}

/** Google Sheets for the account of the credentials file, which is read here. Throws CredentialsUnreadableError. */
export async function connectSheets({ google }: Pick<Config, 'google'>, world: AppWorld): Promise<Sheets> {
  return createSheets({
    credentials: await readCredentials(google.credentialsFile),
    time: { elapsed: world.elapsed, sleep: (ms, signal) => delay(ms, signal && { signal }), random: world.random },
    fetch: async (url, init) => world.transport(url.href, init),
    readsPerMinute: google.readsPerMinute,
    writesPerMinute: google.writesPerMinute,
    ...(google.endpoint !== undefined && { endpoint: google.endpoint }),
    ...(world.sharedStarts && { sharedStarts: world.sharedStarts }),
  });
}

export async function createApp(config: Config, given: AppWorld, emit: Emit): Promise<App> {
  const notice = (message: string) => emit({ type: 'notice', sync: '', message });
  using resources = new DisposableStack();
  const { world } = resources.use(shareBudgets(config, given, notice));
  const sheets = await (world.connectSheets ?? connectSheets)(config, world);
  const crm = resources.use(connectCrm(config.crm, world));
  const store = world.store ?? connectState(config, world, notice);
  const startMeter = () => {
    const [{ calls }, used, at] = [crm.usage(), sheets.usage(), world.elapsed()];
    return () => ({
      crmCalls: crm.usage().calls - calls,
      sheetReads: sheets.usage().reads - used.reads,
      sheetWrites: sheets.usage().writes - used.writes,
      seconds: Math.round((world.elapsed() - at) / 100) / 10,
    });
  };
  const dep: JobDep = {
    crm,
    sheets,
    store,
    account: crm.account,
    budgets: {
      crmPerMinute: config.crm.requestsPerMinute,
      sheetReadsPerMinute: config.google.readsPerMinute,
      sheetWritesPerMinute: config.google.writesPerMinute,
    },
    startMeter,
    emit,
    now: world.now,
    newRunId: createRunIds(world),
    randomId: world.randomId,
  };
  const open = resources.move();
  return {
    config,
    crm,
    sheets,
    store,
    usage,
    jobs: new Map(jobsIn(config).map((job) => [job.name, createJob(job, dep)])),
    [Symbol.dispose]: () => open.dispose(),
  };

  function usage(): Usage {
    const { calls, lastMinute, perMinute } = crm.usage();
    const { reads, writes, readsLastMinute, writesLastMinute } = sheets.usage();
    return {
      crm: { total: calls, lastMinute, perMinute },
      sheet_reads: { total: reads, lastMinute: readsLastMinute, perMinute: config.google.readsPerMinute },
      sheet_writes: { total: writes, lastMinute: writesLastMinute, perMinute: config.google.writesPerMinute },
    };
  }
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
