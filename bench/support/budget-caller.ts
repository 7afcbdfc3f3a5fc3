// A process that calls the service within the shared budget, and tells how long each call waited for its start.
import { createSharedFile } from '../../src/limits/shared-file.ts';
import { createBenchClient } from './service.ts';

const [url = '', folder = '', perMinute = '', forMs = '', pauseMs = ''] = process.argv.slice(2);
const starts = createSharedFile({
  folder,
  uptime: () => Number(process.hrtime.bigint()) / 1e6,
  pid: process.pid,
  warn: (text) => console.log(text),
});
const { client, budget } = createBenchClient(url, Number(perMinute), { starts, budget: 'bench' });
const waits: number[] = [];
const end = performance.now() + Number(forMs);

/** Two at once, as the program makes them. */
async function callOn(): Promise<void> {
  while (performance.now() < end) {
    const asked = performance.now();
    await client.lists.list({});
    waits.push(performance.now() - asked);
    if (Number(pauseMs) > 0) await new Promise((resolve) => setTimeout(resolve, Number(pauseMs)));
  }
}

await Promise.all(Number(pauseMs) > 0 ? [callOn()] : [callOn(), callOn()]);
budget[Symbol.dispose]();
starts[Symbol.dispose]();
process.send?.(waits);
process.disconnect?.();
