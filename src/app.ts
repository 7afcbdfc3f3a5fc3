import type { ServiceSettings } from './config/service-settings.ts';
import { createBudget } from './crm/call/budget.ts';
import { createServiceClient } from './crm/client.ts';
import type { Transport } from './crm/call/exchange.ts';
import type { ObservedExchange, ServiceClient } from './crm/port.ts';
import packageJson from '../package.json' with { type: 'json' };

/** The world a program is put together in; tests bring their own. */
export interface AppWorld {
  readonly transport: Transport;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds from any fixed instant, never set back. */
  readonly elapsed: () => number;
  /** [0, 1). */
  readonly random: () => number;
}

export interface ServiceConnection extends Disposable {
  readonly client: ServiceClient;
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
    budget,
    userAgent: `leadsheet/${packageJson.version}`,
    ...(observe && { observe }),
    ...(retriesMax !== undefined && { retriesMax }),
  });
  return { client, [Symbol.dispose]: () => budget[Symbol.dispose]() };
}
