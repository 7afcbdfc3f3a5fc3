// Composition root: wires the service, the spreadsheet and the state from the configuration, and returns the syncs, feeds
// and outboxes that run on them.
import delay from 'delay';
import { connectState } from './app-state.ts';
import type { Config, FeedConfig, OutboxConfig, SyncConfig } from './config/config.ts';
import type { ServiceSettings } from './config/service-settings.ts';
import { accountOf } from './crm/outreach/account.ts';
import { createBudget } from './crm/outreach/call/budget.ts';
import type { Transport } from './crm/outreach/call/exchange.ts';
import { createServiceClient } from './crm/outreach/client.ts';
import { createOutreachCrm } from './crm/outreach/crm.ts';
import type { ObservedExchange, ServiceClient } from './crm/outreach/service-client.ts';
import type { Crm, CrmUsage } from './crm/port.ts';
import type { SyncContext } from './engine/context.ts';
import type { Emit } from './engine/events.ts';
import type { FeedContext } from './engine/feed/context.ts';
import { createFeedShape } from './engine/feed/shape.ts';
import { scheduleIntervalMs } from './daemon/interval.ts';
import type { OutboxContext } from './engine/outbox/context.ts';
import { createOutboxShape } from './engine/outbox/shape.ts';
import { createShape } from './engine/sync/shape.ts';
import type { Usage } from './limits/usage.ts';
import { readCredentials } from './sheets/google/credentials.ts';
import type { Table } from './sheets/port.ts';
import { createSheets, type Sheets } from './sheets/google/table.ts';
import type { ProcessDep } from './state/file/processes.ts';
import type { Machine } from './state/open.ts';
import type { Store } from './state/port.ts';
import { version } from './version.ts';

/** The world a program is put together in; tests bring their own. */
export interface AppWorld {
  readonly transport: (url: string, init: RequestInit) => Response | Promise<Response>;
  /** For the service alone. Left out: the same. */
  readonly serviceTransport?: Transport;
  /** Another driver in the place of the outreach service. */
  readonly connectCrm?: (settings: ServiceSettings) => CrmConnection;
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
  /** Where the state is kept. Left out: this machine. */
  readonly machine?: Machine;
}

export interface ServiceConnection extends Disposable {
  readonly client: ServiceClient;
  readonly usage: () => CrmUsage;
}

/** A client of the service with the budget of its token. Disposing it rejects what still waits. */
export function connectService(
  settings: ServiceSettings,
  world: AppWorld,
  { observe, retriesMax }: { observe?: (exchange: ObservedExchange) => void; retriesMax?: number } = {},
): ServiceConnection {
  let calls = 0;
  const budget = createBudget({ ...settings, ...world });
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

/** The CRM of these settings, as the engine knows it. Disposing it rejects what still waits. */
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
  /** In the order of the file. */
  readonly syncs: ReadonlyMap<string, SyncContext>;
  readonly feeds: ReadonlyMap<string, FeedContext>;
  readonly outboxes: ReadonlyMap<string, OutboxContext>;
  readonly crm: Crm;
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
  const sheets = await connectSheets(config, world);
  const crm = connectCrm(config.crm, world);
  const store = connectState(config, world, (message) => emit({ type: 'notice', sync: '', message }));
  const startMeter = () => {
    const [{ calls }, used, at] = [crm.usage(), sheets.usage(), world.elapsed()];
    return () => ({
      crmCalls: crm.usage().calls - calls,
      sheetReads: sheets.usage().reads - used.reads,
      sheetWrites: sheets.usage().writes - used.writes,
      seconds: Math.round((world.elapsed() - at) / 100) / 10,
    });
  };
  const budgets = {
    crmPerMinute: config.crm.requestsPerMinute,
    sheetReadsPerMinute: config.google.readsPerMinute,
    sheetWritesPerMinute: config.google.writesPerMinute,
  };
  return {
    config,
    crm,
    sheets,
    store,
    usage,
    syncs: new Map(config.syncs.map((sync) => [sync.name, createSync(sync)])),
    feeds: new Map(config.feeds.map((feed) => [feed.name, createFeed(feed)])),
    outboxes: new Map(config.outboxes.map((outbox) => [outbox.name, createOutbox(outbox)])),
    [Symbol.dispose]: () => crm[Symbol.dispose](),
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

  /** What every sync and feed is run with, whatever it carries over. */
  function shared(name: string) {
    return {
      crm,
      state: store.sync(name),
      account: crm.account,
      budgets,
      startMeter,
      session: {},
      emit,
      now: world.now,
      newRunId: createRunIds(world),
    };
  }

  function createSync(sync: SyncConfig): SyncContext {
    const shape = createShape(sync, scheduleIntervalMs(sync.schedule));
    let table: Table | undefined;
    return {
      config: sync,
      shape,
      contacts: crm.openContacts({
        fields: sync.columns,
        ...(sync.contacts.filter && { filter: sync.contacts.filter }),
      }),
      // One table for the life of the process: it knows the header it saw last.
      openTable: (memory) => (table ??= sheets.openTable(shape.table, memory)),
      ...shared(sync.name),
    };
  }

  function createOutbox(outbox: OutboxConfig): OutboxContext {
    const shape = createOutboxShape(outbox);
    let table: Table | undefined;
    return {
      kind: 'outbox',
      config: outbox,
      shape,
      randomId: world.randomId,
      openTable: (memory) => (table ??= sheets.openTable(shape.table, memory)),
      inspect: (signal) => sheets.inspect(shape.table, { signal }),
      ...shared(outbox.name),
    };
  }

  function createFeed(feed: FeedConfig): FeedContext {
    const shape = createFeedShape(feed);
    let table: Table | undefined;
    return {
      kind: 'feed',
      config: feed,
      shape,
      openTable: (memory) => (table ??= sheets.openTable(shape.table, memory)),
      inspect: (signal) => sheets.inspect(shape.table, { signal }),
      ...shared(feed.name),
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
