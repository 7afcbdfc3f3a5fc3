// Bench of the budget that processes share: two at full speed and commands beside them, and the cost of one start.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSharedFile } from '../src/limits/shared-file.ts';
import { createServiceStandin } from '../src/standin/service/standin.ts';
import { serve } from '../src/standin/serve.ts';
import { type Bench, cpuMs, median } from './support/measure.ts';
import { benchToken } from './support/service.ts';

const perMinute = 240;
/** More than a minute, so that the first calls of it leave the window. */
const forMs = 90_000;

/** Measures for 90 s, at 240 calls a minute: two processes that call without a break, and one that calls every second. */
export const bench: Bench = {
  name: 'shared-budget',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'leadsheet-bench-'));
    try {
      return [...(await measureCalls(folder)), ...(await measureCost(folder))];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function measureCalls(folder: string) {
  const standin = createServiceStandin({
    now: () => Date.now(),
    seed: 1,
    acceptedTokens: [benchToken],
    switches: { rateLimits: [] },
    receivedMax: 10_000,
  });
  await using server = await serve(standin.app, 0);
  const call = async (pauseMs: number) => {
    const given = [server.url, folder, perMinute, forMs, pauseMs].map(String);
    const child = fork(new URL('support/budget-caller.ts', import.meta.url), given);
    const [[waits]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
    return waits as number[];
  };
  const [, , waits] = await Promise.all([call(0), call(0), call(1_000)]);
  const times = standin.received.entries.map(({ time }) => time);
  const inMinute = times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length);
  const most = Math.max(...inMinute);
  return [
    {
      name: `most calls the service saw in any 60 s, of ${times.length} by three processes in ${forMs / 1_000} s`,
      value: String(most),
      target: `<= ${perMinute}`,
      met: most <= perMinute,
    },
    {
      name: `wait of a call beside two processes at full speed, of ${waits.length}`,
      value: `${Math.round(median(waits))} ms, at most ${Math.round(Math.max(...waits))} ms`,
    },
  ];
}

const startsCounted = 1_000;

async function measureCost(folder: string) {
  const clock = { uptime: 0 };
  using file = createSharedFile({ folder, uptime: () => clock.uptime, pid: 1, warn: (text) => console.log(text) });
  const rounds: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    rounds.push(
      await cpuMs(async () => {
        for (let n = 0; n < startsCounted; n += 1) {
          clock.uptime += 253;
          file.take('bench', { startsMax: 4, lengthMs: 1_010 });
        }
      }),
    );
  }
  return [
    { name: 'one start, counted together, CPU', value: `${((median(rounds) * 1_000) / startsCounted).toFixed(0)} µs` },
  ];
}
