// The client of the service over real connections, as the program has it, without repeats and waits.
import { createBudget } from '../../src/crm/outreach/call/budget.ts';
import { overHttp } from '../../src/crm/outreach/call/over-http.ts';
import { createServiceClient } from '../../src/crm/outreach/client.ts';
import type { ServiceClient } from '../../src/crm/outreach/service-client.ts';
import { Secret } from '../../src/lib/secret.ts';

export function connectOverHttp(baseUrl: string, token: string): ServiceClient {
  return createServiceClient({
    baseUrl,
    token: new Secret(token),
    budget: createBudget({
      requestsPerMinute: 60_000,
      concurrency: 2,
      elapsed: () => performance.now(),
      random: () => 0,
    }),
    transport: overHttp,
    now: () => Date.now(),
    random: () => 0,
    timeoutMs: 5_000,
    userAgent: 'leadsheet/test',
    retriesMax: 0,
  });
}
