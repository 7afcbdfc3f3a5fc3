import { fileURLToPath } from 'node:url';
import { serve } from '../src/standin/serve.ts';
import { addDemoData } from '../src/standin/service/demo.ts';
import { createServiceStandin } from '../src/standin/service/standin.ts';

/*
 * How many search pages of 100 contacts the stand-in serves over HTTP with 100,000 contacts loaded: two callers, who
 * share its process and so its CPU. The stand-in must never be what another benchmark measures.
 */

const contacts = 100_000;
const pageRows = 100;
/** Pages within the result window; the callers go round in them. */
const pages = 90;
const measuredMs = 5_000;
const pagesPerMinuteMin = 1_500;

export const bench = {
  name: 'stand-in: search pages of 100 contacts a minute, 100,000 contacts loaded',
  run: async (): Promise<{ readonly value: number; readonly unit: string; readonly atLeast: number }> => {
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
    const minutes = (performance.now() - startMs) / 60_000;
    return { value: Math.round(served / minutes), unit: 'pages/min', atLeast: pagesPerMinuteMin };
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { value, unit, atLeast } = await bench.run();
  console.log(`${bench.name}: ${value} ${unit} (at least ${atLeast})`);
}
