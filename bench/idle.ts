// Measures an idle sync at its default schedule, with and without hints: calls, bytes and processor time a minute.
// IDLE_ROWS: sizes of the tab, such as 2000,20000; 2000,100000 if left out. The stand-ins run in a process of their own and
// compress; bytes are counted unpacked. CPU is compared with a bare loop that asks for the same search and cells, and parses them.
import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { createApp } from '../src/app.ts';
import { readConfigFile } from '../src/app-config.ts';
import { overHttp } from '../src/crm/outreach/call/over-http.ts';
import { bareTickMs } from './support/bare-tick.ts';
import { type Bench, cpuMs } from './support/measure.ts';
import { startSync, type SyncBench, syncSpreadsheet } from './support/sync.ts';

const sizes = (process.env['IDLE_ROWS'] ?? '2000,100000').split(',').map(Number);
const modes = ['off', 'version', 'changes'] as const;
/** The default schedule, and two full looks of five minutes. */
const [tickMs, ticks] = [30_000, 20];
const minutes = (tickMs * ticks) / 60_000;

interface Idle {
  readonly crmCalls: number;
  readonly sheetReads: number;
  readonly driveCalls: number;
  readonly bytes: number;
  readonly cpuMs: number;
}

export const bench: Bench = {
  name: 'idle',
  async run() {
    const figures: { name: string; value: string; target?: string; met?: boolean }[] = [];
    for (const rows of sizes) {
      await using sync = await startSync(rows, 'full');
      const byMode = new Map<string, Idle>();
      for (const mode of modes) byMode.set(mode, await measure(sync, mode));
      const off = byMode.get('off')!;
      const bareMs = (await bareTickMs(sync.urls, [{ spreadsheet: syncSpreadsheet, tab: 'Bench' }], ticks)) * ticks;
      for (const [mode, idle] of byMode) {
        const each = (count: number) => (count / minutes).toFixed(1);
        const share = (idle.bytes / off.bytes) * 100;
        figures.push({
          name: `${rows.toLocaleString('en')} rows, hints ${mode}, a minute`,
          value:
            `${each(idle.crmCalls)} calls to the CRM, ${each(idle.sheetReads)} reads of the sheet, ${each(idle.driveCalls)} calls to Drive, ` +
            `${(idle.bytes / minutes / 1e6).toFixed(3)} MB (${share.toFixed(0)} %), ${(idle.cpuMs / minutes).toFixed(0)} ms of CPU, ` +
            `${(idle.cpuMs / bareMs).toFixed(2)}x of a bare loop that reads the tab each time`,
          // A full look every five minutes in place of ten reads.
          ...(mode !== 'off' && { target: '<= 15 % of the bytes without hints', met: share <= 15 }),
        });
      }
    }
    return figures;
  },
};

async function measure({ configFile }: SyncBench, hints: (typeof modes)[number]): Promise<Idle> {
  const counted = { bytes: 0, drive: 0, isOn: false };
  const transport = async (url: string, init: RequestInit) => {
    const response = await fetch(url, init);
    if (!counted.isOn) return response;
    const body = await response.arrayBuffer();
    counted.bytes += body.byteLength;
    if (new URL(url).pathname.startsWith('/drive/')) counted.drive += 1;
    return new Response(body.byteLength === 0 ? null : body, { status: response.status, headers: response.headers });
  };
  const file = parse(readFileSync(configFile, 'utf8')) as { google: object };
  const text = stringify({ ...file, google: { ...file.google, hints } });
  const readFile = (path: string) => (path === configFile ? text : readFileSync(path, 'utf8'));
  const config = readConfigFile(configFile, { env: {}, readFile });
  let aheadMs = 0;
  using app = await createApp(
    config,
    {
      transport,
      serviceTransport: async (url, init) => {
        const answer = await overHttp(url, init);
        if (counted.isOn) counted.bytes += answer.text.length;
        return answer;
      },
      now: () => Date.now() + aheadMs,
      elapsed: () => performance.now() + aheadMs,
      random: () => randomInt(2 ** 32) / 2 ** 32,
      randomId: randomUUID,
      process: { pid: process.pid, probe: (pid) => process.kill(pid, 0) },
    },
    () => {},
  );
  const job = app.jobs.get('bench')!;
  const { signal } = new AbortController();
  const tick = async () => {
    aheadMs += tickMs;
    const report = await job.run({ isFull: false, isAsked: false, signal });
    if (report.status !== 'succeeded') throw new Error(`a run was ${report.status}: ${report.error ?? ''}`);
    return report.cost;
  };
  for (let run = 0; run < 4; run += 1) await tick();
  const sum = { crmCalls: 0, sheetReads: 0 };
  counted.isOn = true;
  for (let run = 0; run < ticks; run += 1) {
    const cost = await tick();
    sum.crmCalls += cost.crmCalls;
    sum.sheetReads += cost.sheetReads;
  }
  counted.isOn = false;
  const cpu = await cpuMs(async () => {
    for (let run = 0; run < ticks; run += 1) await tick();
  });
  return { ...sum, driveCalls: counted.drive, bytes: counted.bytes, cpuMs: cpu };
}
