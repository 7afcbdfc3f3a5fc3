// Bench of a full scan: processor time and memory against a bare loop.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { contact } from '../src/crm/outreach/operations/records.ts';
import type { ContactField } from '../src/crm/outreach/operations/records.ts';
import { createCapabilities } from '../src/crm/outreach/scan/capabilities.ts';
import type { ContactRow } from '../src/crm/outreach/scan/contact-row.ts';
import { scanContacts } from '../src/crm/outreach/scan/scan.ts';
import { cpuMs, median } from './support/measure.ts';
import type { Bench } from './support/measure.ts';
import { benchToken, createBenchClient, startService } from './support/service.ts';

const contacts = 100_000;
const rounds = 5;
const fields: readonly ContactField[] = [
  'first_name',
  'last_name',
  'company_name',
  'position',
  'headline',
  'network',
  'work_email',
  'personal_email',
  'raw_address',
  'status',
  'list_uuid',
  'updated_at',
];

/** Measures a scan of all contacts against the smallest possible loop, in turns in one process. */
export const bench: Bench = {
  name: 'client-scan',
  async run() {
    await using service = await startService(contacts);
    await bareLoop(service.url, 9_000);
    await scan(service.url);
    const ratios: number[] = [];
    const scans: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const bare = await cpuMs(() => bareLoop(service.url, contacts));
      const scanned = await cpuMs(() => scan(service.url));
      scans.push(scanned);
      ratios.push(scanned / bare);
    }
    const memoryMb = await measureMemory(service.url);
    return [
      { name: 'scan of 100,000 contacts x 12 fields, CPU', value: `${(median(scans) / 1_000).toFixed(2)} s` },
      {
        name: 'against fetch + JSON.parse of the same pages',
        value: `${median(ratios).toFixed(2)}x (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`,
        target: '<= 1.3x',
        met: median(ratios) <= 1.3,
      },
      {
        name: 'memory of 100,000 contacts x 12 fields, held',
        value: `${memoryMb.held.toFixed(0)} MB held, ${memoryMb.resident.toFixed(0)} MB more resident at the peak`,
        target: '< 150 MB held',
        met: memoryMb.held < 150,
      },
    ];
  },
};

/** The least cost of every scan: fetch each page of the same windows and parse it. */
async function bareLoop(url: string, upTo: number): Promise<number> {
  let rows = 0;
  let from: string | undefined;
  while (rows < upTo) {
    for (let offset = 0; offset < 9_000 && rows < upTo; offset += 100) {
      const response = await fetch(`${url}/leads/api/leads/search`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${benchToken}`,
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body: JSON.stringify({
          filter: from === undefined ? {} : { created_at: { '>=': from } },
          limit: 100,
          offset,
          order_field: 'created_at',
          order_type: 'asc',
          disable_aggregation: true,
        }),
      });
      const { data } = JSON.parse(await response.text()) as { data: { created_at: string }[] };
      rows += data.length;
      if (offset === 8_900) from = data.at(-1)?.created_at;
    }
  }
  return rows;
}

interface Held {
  readonly uuid: string;
  readonly values: readonly unknown[];
}

async function scan(url: string): Promise<readonly Held[]> {
  const { client, budget } = createBenchClient(url);
  using _ = budget;
  const capabilities = createCapabilities(() => Date.now());
  const reads = fields.map((name) => [name, contact.fields[name].read] as const);
  const keep = (row: ContactRow): Held => ({ uuid: row.uuid, values: reads.map(([name, read]) => read(row[name])) });
  const scanning = scanContacts({ client, capabilities, scope: {}, keep });
  const held: Held[] = [];
  for await (const page of scanning) held.push(...page);
  const { whole, reasons } = scanning.report();
  if (!whole || held.length !== contacts) throw new Error(`the scan was not whole: ${held.length}, ${reasons.join()}`);
  return held;
}

interface Memory {
  readonly held: number;
  readonly resident: number;
}

/** In a fresh process, so that its heap is otherwise empty. */
async function measureMemory(url: string): Promise<Memory> {
  const child = fork(import.meta.filename, ['memory', url], { execArgv: ['--expose-gc'] });
  const [memory] = (await once(child, 'message')) as [Memory];
  return memory;
}

if (process.argv[2] === 'memory') {
  const url = process.argv[3] ?? '';
  const collect = () => {
    globalThis.gc?.();
    return process.memoryUsage();
  };
  const before = collect();
  const peak = { rss: 0 };
  const timer = setInterval(() => (peak.rss = Math.max(peak.rss, process.memoryUsage.rss())), 20);
  const held = await scan(url);
  clearInterval(timer);
  const after = collect();
  const mb = (bytes: number) => bytes / 1024 / 1024;
  process.send?.({
    held: mb(after.heapUsed - before.heapUsed),
    resident: mb(peak.rss - before.rss),
    contacts: held.length,
  });
  process.disconnect();
}
