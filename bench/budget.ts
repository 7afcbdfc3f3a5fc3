// Bench of the client's budget: calls a minute over HTTP, with some failures.
import { createServiceStandin } from '../src/standin/service/standin.ts';
import { serve } from '../src/standin/serve.ts';
import type { Bench } from './support/measure.ts';
import { benchToken, createBenchClient } from './support/service.ts';

const perMinute = 600;

/** Measures six hundred calls at six hundred a minute over HTTP, some of them answered with a 502 and repeated. */
export const bench: Bench = {
  name: 'budget',
  async run() {
    const standin = createServiceStandin({
      now: () => Date.now(),
      seed: 1,
      acceptedTokens: [benchToken],
      switches: { rateLimits: [] },
      receivedMax: 10_000,
    });
    await using server = await serve(standin.app, 0);
    const { client, budget } = createBenchClient(server.url, perMinute);
    using _ = budget;
    const start = performance.now();
    await Promise.all(Array.from({ length: perMinute }, () => client.lists.list({})));
    const tookS = (performance.now() - start) / 1_000;

    standin.faults.inject({ kind: 'html', times: 60 });
    await Promise.all(Array.from({ length: 200 }, () => client.lists.list({})));
    const times = standin.received.entries.map(({ time }) => time);
    let most = 0;
    for (const [first, from] of times.entries()) {
      let last = first;
      while ((times[last] ?? Infinity) < from + 60_000) last += 1;
      most = Math.max(most, last - first);
    }
    return [
      {
        name: '600 calls at 600 a minute take',
        value: `${tookS.toFixed(1)} s`,
        target: '<= 61.8 s',
        met: tookS <= 61.8,
      },
      {
        name: `most calls the service saw in any 60 s, of ${times.length} with 60 repeats`,
        value: String(most),
        target: `<= ${perMinute}`,
        met: most <= perMinute && times.length === perMinute + 260,
      },
    ];
  },
};
