// Starts the stand-in of the service for a bench, and a client for it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Secret } from '../../src/lib/secret.ts';
import { type BudgetOptions, createBudget } from '../../src/crm/outreach/call/budget.ts';
import { createServiceClient } from '../../src/crm/outreach/client.ts';

export interface BenchService extends AsyncDisposable {
  readonly url: string;
}

/** The stand-in in a process of its own, on a port of its own. */
export async function startService(contacts: number): Promise<BenchService> {
  const child = fork(new URL('service-server.ts', import.meta.url), [String(contacts)]);
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

export const benchToken = 'bench';

/** A client whose budget never slows the measurement, unless set. */
export function createBenchClient(baseUrl: string, requestsPerMinute = 6_000_000, shared?: BudgetOptions['shared']) {
  const budget = createBudget({
    requestsPerMinute,
    concurrency: 2,
    elapsed: () => performance.now(),
    random: () => 0.5,
    shared,
  });
  const client = createServiceClient({
    baseUrl,
    token: new Secret(benchToken),
    budget,
    transport: fetch,
    now: () => Date.now(),
    random: () => 0.5,
    timeoutMs: 30_000,
    userAgent: 'leadsheet/bench',
  });
  return { client, budget };
}
