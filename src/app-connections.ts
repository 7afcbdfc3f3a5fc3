// Connects accounts: the service and Google Sheets of each, with their budgets.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import delay from 'delay';
import type { AppWorld, CrmConnection } from './app-world.ts';
import type { AccountConfig } from './config/config.ts';
import type { ServiceSettings } from './config/service-settings.ts';
import { accountOf } from './crm/outreach/account.ts';
import { createBudget } from './crm/outreach/call/budget.ts';
import { createServiceClient } from './crm/outreach/client.ts';
import { createOutreachCrm } from './crm/outreach/crm.ts';
import type { ObservedExchange, ServiceClient } from './crm/outreach/service-client.ts';
import type { Crm, CrmUsage } from './crm/port.ts';
import { budgetName } from './limits/meter.ts';
import { Secret } from './lib/secret.ts';
import type { BudgetUsage, Usage } from './limits/usage.ts';
import { readCredentials } from './sheets/google/credentials.ts';
import { createSheets } from './sheets/google/table.ts';
import type { Sheets } from './sheets/port.ts';
import { version } from './version.ts';

export interface ServiceConnection extends Disposable {
  readonly client: ServiceClient;
  readonly usage: () => CrmUsage;
  /** The service has refused the token: every further call fails. */
  readonly isRefused: () => boolean;
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
  return { client, usage, isRefused: () => budget.isClosed(), [Symbol.dispose]: () => budget[Symbol.dispose]() };
}

/** The CRM of these settings, as the port has it. Disposing it rejects calls that still wait. */
export function connectCrm(
  settings: ServiceSettings,
  world: AppWorld,
  options: { readonly retriesMax?: number } = {},
): CrmConnection {
  if (world.connectCrm) return world.connectCrm(settings);
  const { client, usage, isRefused, [Symbol.dispose]: dispose } = connectService(settings, world, options);
  const account = accountOf(settings.baseUrl, settings.token);
  return { ...createOutreachCrm({ client, account, usage, now: world.now }), isRefused, [Symbol.dispose]: dispose };
}

/** Google Sheets for the account of the credentials file, which is read here. Throws CredentialsUnreadableError. */
export async function connectSheets({ google }: Pick<AccountConfig, 'google'>, world: AppWorld): Promise<Sheets> {
  return createSheets({
    credentials: await readCredentials(google.credentialsFile),
    time: { elapsed: world.elapsed, sleep: (ms, signal) => delay(ms, signal && { signal }), random: world.random },
    fetch: async (url, init) => (world.sheetsTransport ?? world.transport)(url.href, init),
    readsPerMinute: google.readsPerMinute,
    writesPerMinute: google.writesPerMinute,
    ...(google.endpoint !== undefined && { endpoint: google.endpoint }),
    ...(google.hints !== 'off' && { hints: google.hints }),
    ...(world.sharedStarts && { sharedStarts: world.sharedStarts }),
  });
}

/** Both sides of an account. */
export interface Connection {
  readonly account: AccountConfig;
  readonly crm: Crm;
  readonly sheets: Sheets;
}

export interface Connections extends Disposable {
  /**
   * Reads the credentials file; makes no call. Accounts with the same settings have one client; a credential that was refused,
   * and a credentials file with another content, get a new one. Throws SheetsError.
   */
  open(account: AccountConfig): Promise<Connection>;
  /** Closes clients that none of these use. */
  keep(connections: Iterable<Connection>): void;
}

export function createConnections(world: AppWorld): Connections {
  const crms = new Map<string, CrmConnection>();
  /** No longer in `crms`, and maybe still used by a run. */
  const replaced = new Set<CrmConnection>();
  const sheets = new Map<string, Sheets>();

  return {
    async open(account) {
      const key = `${settingsKey(account.google)} ${await digestOf(account.google.credentialsFile)}`;
      const opened = sheets.get(key) ?? (await (world.connectSheets ?? connectSheets)(account, world));
      sheets.set(key, opened);
      const crmKey = settingsKey(account.crm);
      const known = crms.get(crmKey);
      if (known?.isRefused?.()) replaced.add(known);
      const crm = known && !replaced.has(known) ? known : connectCrm(account.crm, world);
      crms.set(crmKey, crm);
      return { account, crm, sheets: opened };
    },
    keep(connections) {
      const all = [...connections];
      const used = new Set<Crm>(all.map(({ crm }) => crm));
      const usedSheets = new Set(all.map((each) => each.sheets));
      for (const [key, crm] of crms) {
        if (used.has(crm)) continue;
        crms.delete(key);
        replaced.add(crm);
      }
      for (const crm of replaced) if (!used.has(crm)) crm[Symbol.dispose]();
      for (const [key, each] of sheets) if (!usedSheets.has(each)) sheets.delete(key);
      replaced.clear();
    },
    [Symbol.dispose]() {
      for (const crm of [...crms.values(), ...replaced]) crm[Symbol.dispose]();
    },
  };
}

/** What was used of the budgets of an account. */
export function usageOf({ account: { google }, crm, sheets }: Connection): Usage {
  const { calls, lastMinute, perMinute } = crm.usage();
  const { reads, writes, readsLastMinute, writesLastMinute } = sheets.usage();
  const asked = sheets.hints?.usage();
  return {
    crm: { total: calls, lastMinute, perMinute },
    sheet_reads: { total: reads, lastMinute: readsLastMinute, perMinute: google.readsPerMinute },
    sheet_writes: { total: writes, lastMinute: writesLastMinute, perMinute: google.writesPerMinute },
    ...(asked && { drive: { total: asked.calls, lastMinute: asked.lastMinute, perMinute: asked.perMinute } }),
  };
}

/** Of all accounts together; what several of them share is counted once. */
export function usageOfAll(connections: Iterable<Connection>): Usage {
  const seen = new Set<unknown>();
  const total: { -readonly [Name in keyof Usage]: Sum } = {
    crm: nothingUsed(),
    sheet_reads: nothingUsed(),
    sheet_writes: nothingUsed(),
  };
  for (const connection of connections) {
    const usage = usageOf(connection);
    const { crm, sheets } = connection;
    if (!seen.has(crm)) addUsage(total.crm, usage.crm);
    if (!seen.has(sheets)) {
      addUsage(total.sheet_reads, usage.sheet_reads);
      addUsage(total.sheet_writes, usage.sheet_writes);
      if (usage.drive) addUsage((total.drive ??= nothingUsed()), usage.drive);
    }
    seen.add(crm).add(sheets);
  }
  return total;
}

type Sum = { -readonly [Key in keyof BudgetUsage]: BudgetUsage[Key] };

function nothingUsed(): Sum {
  return { total: 0, lastMinute: 0, perMinute: 0 };
}

function addUsage(sum: Sum, { total, lastMinute, perMinute }: BudgetUsage): void {
  sum.total += total;
  sum.lastMinute += lastMinute;
  sum.perMinute += perMinute;
}

/** Empty: the file cannot be read, and connecting says why. */
async function digestOf(file: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  } catch {
    return '';
  }
}

/** Settings with the same key are the same settings, secrets included. Kept in memory alone. */
function settingsKey(settings: object): string {
  return JSON.stringify(settings, function reveal(this: Record<string, unknown>, key, value: unknown) {
    const raw = this[key];
    return raw instanceof Secret ? raw.reveal() : value;
  });
}
