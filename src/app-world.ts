// The parts of a program that come from outside, and the budgets that its processes share.
import { stateFolder } from './app-state.ts';
import type { AccountConfig, Config } from './config/config.ts';
import type { ServiceSettings } from './config/service-settings.ts';
import type { Transport } from './crm/outreach/call/exchange.ts';
import type { Crm } from './crm/port.ts';
import { budgetsSchema } from './limits/draw-sql.ts';
import type { SharedStarts } from './limits/meter.ts';
import { createSharedFile } from './limits/shared-file.ts';
import { createSharedPostgres, type SharedPostgresDep } from './limits/shared-postgres.ts';
import { type Database, sharedDatabase } from './postgres/pool.ts';
import type { Sheets } from './sheets/port.ts';
import type { ProcessDep } from './state/file/processes.ts';
import type { Machine } from './state/open.ts';
import type { Store } from './state/port.ts';

/** The parts of a program that come from outside; tests bring their own. */
export interface AppWorld {
  readonly transport: (url: string, init: RequestInit) => Response | Promise<Response>;
  /** For the service alone. Left out: the same transport. */
  readonly serviceTransport?: Transport;
  /** For Google alone. Left out: the same transport. */
  readonly sheetsTransport?: AppWorld['transport'];
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
  readonly connectSheets?: (account: Pick<AccountConfig, 'google'>, world: AppWorld) => Promise<Sheets>;
  /** The machine that keeps the state. Left out: this machine. */
  readonly machine?: Machine;
  /** Left out: the store that the configuration names. */
  readonly store?: Store;
}

export interface CrmConnection extends Crm, Disposable {
  /** The service has refused the credential, so every further call fails. Left out: not known. */
  readonly isRefused?: () => boolean;
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
  return { query, schema: budgetsSchema(schema), migrates };
}
