// Opens the stand-in of the service and a client on it, for tests.
import { onTestFinished } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { createBudget } from '../../src/crm/outreach/call/budget.ts';
import { createServiceClient } from '../../src/crm/outreach/client.ts';
import type { ServiceClientOptions } from '../../src/crm/outreach/service-client.ts';
import { createCapabilities } from '../../src/crm/outreach/scan/capabilities.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import type { Switches } from '../../src/standin/service/switches.ts';
import { useJumpingClock } from './jumping-clock.ts';

export { useJumpingClock };

export const token = 'the-token-of-the-tests';

/**
 * The stand-in and a client in one process, on a clock that jumps to the next timer when everything waits. Pauses of a
 * minute cost nothing, and every instant is the same in each run.
 */
export function createService(
  switches: Partial<Switches> = {},
  { requestsPerMinute = 60_000, ...options }: Partial<ServiceClientOptions> & { requestsPerMinute?: number } = {},
) {
  useJumpingClock();
  const standin = createServiceStandin({
    now: () => Date.now(),
    seed: 1,
    acceptedTokens: [token],
    switches: { rateLimits: [], ...switches },
    receivedMax: 100_000,
  });
  const budget = createBudget({
    requestsPerMinute,
    concurrency: 2,
    elapsed: () => performance.now(),
    random: () => 0.5,
  });
  onTestFinished(() => budget[Symbol.dispose]());
  const client = createServiceClient({
    baseUrl: 'http://service.test',
    token: new Secret(token),
    budget,
    transport: standin.fetch,
    now: () => Date.now(),
    random: () => 0.5,
    timeoutMs: 30_000,
    userAgent: 'leadsheet/test',
    ...options,
  });
  const capabilities = createCapabilities(() => Date.now());
  const calls = (operation?: string) =>
    standin.received.entries.filter((entry) => operation === undefined || entry.operation === operation);
  return { standin, client, budget, capabilities, calls };
}

type Service = ReturnType<typeof createService>;

/** A list with so many contacts. Each is created `secondsApart` after the one before, and the last one a minute ago. */
export function seedContacts({ standin }: Service, count: number, { secondsApart = 1, list = 'Prospects EMEA' } = {}) {
  const { uuid: list_uuid } = standin.model.lists.add({ name: list });
  const first = Date.now() - 60_000 - count * secondsApart * 1_000;
  const uuids = Array.from({ length: count }, (_, index) => {
    const fields = {
      list_uuid,
      first_name: `First${index}`,
      last_name: `Last${index}`,
      name: `First${index} Last${index}`,
      company_name: `Firm ${index % 7}`,
      work_email: `person${index}@firm.test`,
      network: `person-${index}`,
      position: 'Buyer',
    };
    return standin.model.contacts.add({ fields }, first + index * secondsApart * 1_000).record.uuid;
  });
  return { list_uuid, uuids };
}
