// Composition root: wires the service, the spreadsheet and the state from the configuration, and returns the jobs on them.
import delay from 'delay';
import { decodeJwt } from 'jose';
import { connectState } from './app-state.ts';
import type { Sheets } from './sheets/port.ts';
import type { Config } from './config/config.ts';
import { jobsIn } from './config/jobs.ts';
import type { Secret } from './lib/secret.ts';
import type { ServiceSettings } from './config/service-settings.ts';
import { type Budget, createBudget } from './crm/outreach/call/budget.ts';
import type { Transport } from './crm/outreach/call/exchange.ts';
import { createServiceClient } from './crm/outreach/client.ts';
import { createTombstones } from './crm/outreach/deletion.ts';
import type { ObservedExchange, ServiceClient } from './crm/port.ts';
import { createCapabilities } from './crm/outreach/scan/capabilities.ts';
import { createJob } from './engine/create-job.ts';
import type { Emit } from './engine/events.ts';
import type { Job, JobDep } from './engine/job.ts';
import type { Usage } from './limits/usage.ts';
import { readCredentials } from './sheets/google/credentials.ts';
import { createSheets } from './sheets/google/table.ts';
import type { ProcessDep } from './state/file/processes.ts';
import type { Machine } from './state/open.ts';
import type { Store } from './state/port.ts';
import { version } from './version.ts';

/** The world a program is put together in; tests bring their own. */
export interface AppWorld {
  readonly transport: (url: string, init: RequestInit) => Response | Promise<Response>;
  /** For the service alone. Left out: the same. */
  readonly serviceTransport?: Transport;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds from any fixed instant, never set back. */
  readonly elapsed: () => number;
  /** [0, 1). */
  readonly random: () => number;
  /** A version 4 uuid. */
  readonly randomId: () => string;
  /** What tells this process from others on the machine. */
  readonly process: ProcessDep;
  /** Another driver of spreadsheets. Left out: Google Sheets. */
  readonly connectSheets?: (config: Config, world: AppWorld) => Promise<Sheets>;
  /** Where the state is kept. Left out: this machine. */
  readonly machine?: Machine;
  /** Left out: the one that the configuration names. */
  readonly store?: Store;
}

export interface ServiceConnection extends Disposable {
  readonly client: ServiceClient;
  readonly usage: Budget['usage'];
}

/** A client of the service with the budget of its token. Disposing it rejects what still waits. */
export function connectService(
  settings: ServiceSettings,
  world: AppWorld,
  { observe, retriesMax }: { observe?: (exchange: ObservedExchange) => void; retriesMax?: number } = {},
): ServiceConnection {
  const budget = createBudget({ ...settings, ...world });
  const client = createServiceClient({
    ...settings,
    ...world,
    transport: world.serviceTransport ?? world.transport,
    budget,
    userAgent: `leadsheet/${version}`,
    ...(observe && { observe }),
    ...(retriesMax !== undefined && { retriesMax }),
  });
  return { client, usage: () => budget.usage(), [Symbol.dispose]: () => budget[Symbol.dispose]() };
}

export interface App extends Disposable {
  readonly config: Config;
  /** By name: syncs, feeds, outboxes, each in the order of the file. */
  readonly jobs: ReadonlyMap<string, Job>;
  readonly client: ServiceClient;
  readonly sheets: Sheets;
  readonly store: Store;
  readonly usage: () => Usage;
}

/** Google Sheets as the account of the credentials file, which is read here. Throws CredentialsUnreadableError. */
export async function connectSheets({ google }: Config, world: AppWorld): Promise<Sheets> {
  return createSheets({
    credentials: await readCredentials(google.credentialsFile),
    time: { elapsed: world.elapsed, sleep: (ms, signal) => delay(ms, signal && { signal }), random: world.random },
    fetch: async (url, init) => world.transport(url.href, init),
    readsPerMinute: google.readsPerMinute,
    writesPerMinute: google.writesPerMinute,
    ...(google.endpoint !== undefined && { endpoint: google.endpoint }),
  });
}

export async function createApp(config: Config, world: AppWorld, emit: Emit): Promise<App> {
  let crmCalls = 0;
  const sheets = await (world.connectSheets ?? connectSheets)(config, world);
  const service = connectService(config.crm, world, { observe: () => (crmCalls += 1) });
  const store = world.store ?? connectState(config, world, (message) => emit({ type: 'notice', sync: '', message }));
  const startMeter = () => {
    const [calls, used, at] = [crmCalls, sheets.usage(), world.elapsed()];
    return () => ({
      crmCalls: crmCalls - calls,
      sheetReads: sheets.usage().reads - used.reads,
      sheetWrites: sheets.usage().writes - used.writes,
      seconds: Math.round((world.elapsed() - at) / 100) / 10,
    });
  };
  const dep: JobDep = {
    client: service.client,
    sheets,
    store,
    capabilities: createCapabilities(world.now),
    createTombstones: () => createTombstones(world.now),
    account: `${config.crm.baseUrl}${teamOf(config.crm.token)}`,
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
  return {
    config,
    client: service.client,
    sheets,
    store,
    usage,
    jobs: new Map(jobsIn(config).map((job) => [job.name, createJob(job, dep)])),
    [Symbol.dispose]: () => service[Symbol.dispose](),
  };

  function usage(): Usage {
    const { startedLastMinute, perMinute } = service.usage();
    const { reads, writes, readsLastMinute, writesLastMinute } = sheets.usage();
    return {
      crm: { total: crmCalls, lastMinute: startedLastMinute, perMinute },
      sheet_reads: { total: reads, lastMinute: readsLastMinute, perMinute: config.google.readsPerMinute },
      sheet_writes: { total: writes, lastMinute: writesLastMinute, perMinute: config.google.writesPerMinute },
    };
  }
}

/** Readable, sortable, and told apart by chance where two processes begin in one second. */
function createRunIds({ now, random }: AppWorld): () => string {
  return () => {
    const second = new Date(now()).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
    return `${second}-${Math.floor(random() * 36 ** 4)
      .toString(36)
      .padStart(4, '0')}`;
  };
}

/** Whom the token speaks for, if it is one that tells: two teams of one service have nothing in common (G1). */
function teamOf(token: Secret): string {
  try {
    const { specific_team_id: team } = decodeJwt<{ specific_team_id?: number | string }>(token.reveal());
    return team === undefined ? '' : ` team ${team}`;
  } catch {
    return '';
  }
}
