/*
 * Measures the search pages of 100 contacts that the stand-in serves over HTTP with 100,000 contacts loaded. Two
 * callers share its process and so its CPU. The stand-in must never be the slowest part of another benchmark.
 */
import { fileURLToPath } from 'node:url';
import { serve } from '../src/standin/serve.ts';
import { addDemoData } from '../src/standin/service/demo.ts';
import { createServiceStandin } from '../src/standin/service/standin.ts';
import type { Bench } from './support/measure.ts';

const contacts = 100_000;
const pageRows = 100;
/** Pages within the result window; the callers repeat them in turn. */
const pages = 90;
const measuredMs = 5_000;
const pagesPerMinuteMin = 1_500;

export const bench: Bench = {
  name: 'stand-in',
  async run() {
    const now = Date.now();
    const standin = createServiceStandin({ now: () => now, seed: 1, switches: { rateLimits: [] } });
    addDemoData(standin.model, standin.world, { contacts });
    const token = await standin.signToken();
    await using server = await serve(standin.app, 0);

    const page = async (offset: number) => {
      const response = await fetch(`${server.url}/leads/api/leads/search`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ limit: pageRows, offset, order_field: 'created_at', order_type: 'asc' }),
      });
      if (response.status !== 200) throw new Error(`the stand-in answered ${response.status}`);
      await response.text();
    };

    await page(0);
    const startMs = performance.now();
    let served = 0;
    const caller = async () => {
      while (performance.now() - startMs < measuredMs) {
        await page((served % pages) * pageRows);
        served += 1;
      }
    };
    await Promise.all([caller(), caller()]);
    const perMinute = Math.round((served / (performance.now() - startMs)) * 60_000);
    return [
      {
        name: `search pages of ${pageRows} contacts a minute, ${contacts} loaded`,
        value: String(perMinute),
        target: `>= ${pagesPerMinuteMin}`,
        met: perMinute >= pagesPerMinuteMin,
      },
    ];
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await bench.run());
