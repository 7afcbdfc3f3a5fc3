// Measures the pages of the console: one job with 100,000 contacts and 1,000,000 lines of history, 499 small ones, and
// 10,000 runs. The daemon answers over HTTP; its jobs are paused, so that it has nothing else to do.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { gzipSync } from 'node:zlib';
import { contactCount, type LargeState, makeLargeState } from './support/large-state.ts';
import { type Bench, cpuMsOf, median, percentile } from './support/measure.ts';

const port = 4_817;
const address = `http://127.0.0.1:${port}`;
const password = 'the password of the bench';
const headers = { authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}` };
const rounds = 60;
const medianMax = 100;
const p99Max = 250;
const searchMax = 20;
const firstLoadMax = 80 * 1_024;

export const bench: Bench = {
  name: 'console',
  async run() {
    await using state = await makeLargeState({
      smallJobs: 499,
      runs: 10_000,
      conflicts: 300,
      problems: 200,
      config: { server: { listen: `127.0.0.1:${port}`, console: 'read', password } },
    });
    // A daemon makes it behind its runs, in half a minute; that is measured by `explain`.
    await state.open().keepIndex();
    const daemon = startDaemon(state);
    try {
      await ready(daemon);
      return await measure(state, daemon);
    } finally {
      const ended = daemon.exitCode === null ? once(daemon, 'exit') : undefined;
      daemon.kill();
      await ended;
    }
  },
};

function startDaemon({ configFile }: LargeState): ChildProcess {
  const main = new URL('../src/main.ts', import.meta.url).pathname;
  return spawn(process.execPath, [main, 'run', '--config', configFile], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Until it answers. */
async function ready(daemon: ChildProcess): Promise<void> {
  for (;;) {
    if (daemon.exitCode !== null) throw new Error(`the daemon ended with ${daemon.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    try {
      await fetch(`${address}/healthz`);
      return;
    } catch {
      // It does not listen yet.
    }
  }
}

async function measure({ uuids, runs }: LargeState, daemon: ChildProcess) {
  const index = (round: number) => (round * 7_919 + 413) % contactCount;
  const of = (text: string) => `/records?of=${encodeURIComponent(text)}`;
  const pages: Readonly<Record<string, (round: number) => string>> = {
    '/': () => '/',
    '/jobs/NAME, the large one': () => '/jobs/bench',
    '/jobs/NAME, a small one': (round) => `/jobs/job-${(round % 499) + 1}`,
    '/runs': () => '/runs',
    '/runs of a job': (round) => `/runs?job=job-${(round % 499) + 1}`,
    '/runs/ID with 5 changes': () => `/runs/${runs.small}`,
    '/runs/ID with 5,000 changes': () => `/runs/${runs.large}`,
    '/records by uuid': (round) => of(uuids[index(round)]!),
    '/records by e-mail address': (round) => of(`person.${index(round)}@company.test`),
    '/records by name': (round) => of(`First${index(round)} Last`),
    '/records by row': (round) => `${of(`row:${index(round) + 2}`)}&job=bench`,
    '/records by cell': (round) => of(`Bench!C${index(round) + 2}`),
    '/conflicts': () => '/conflicts',
    '/conflicts of a job and a field': () => '/conflicts?job=bench&field=position',
    '/problems': () => '/problems',
    '/log of the last day': () => '/log',
    '/log of all days': () => '/log?since=90d',
    '/log of a job': () => '/log?job=bench&since=90d',
    '/log of a contact': (round) => `/log?contact=${uuids[index(round)]!}&since=90d`,
    '/log by e-mail address': (round) => `/log?contact=person.${index(round)}%40company.test&since=90d`,
    '/log of a run that is misspelt': () => '/log?run=20261121-000000-none',
    '/log of a field and an outcome': () => '/log?field=position&outcome=failed&since=90d',
  };
  const figures = [];
  for (const [name, page] of Object.entries(pages)) {
    const isSearch = name === '/records by e-mail address';
    const [most, mostOfAll] = isSearch ? [searchMax, searchMax * 2.5] : [medianMax, p99Max];
    const before = cpuMsOf(daemon);
    const { all, bytes } = await visit(page);
    const cpu = (cpuMsOf(daemon) - before) / all.length;
    const [half, p99] = [median(all), percentile(all, 0.99)];
    const value = `${half.toFixed(1)} ms (p99 ${p99.toFixed(0)} ms, first ${all[0]!.toFixed(0)} ms), ${cpu.toFixed(1)} ms of CPU, ${(bytes / 1_024).toFixed(0)} KB`;
    const target = `median < ${most} ms, p99 < ${mostOfAll} ms`;
    figures.push({ name, value, target, met: half < most && p99 < mostOfAll });
  }
  const first = await firstLoad();
  const kilobytes = `${(first / 1_024).toFixed(1)} KB`;
  figures.push({ name: 'first load, gzipped', value: kilobytes, target: '< 80 KB', met: first < firstLoadMax });
  figures.push({ name: 'memory of the daemon', value: `${await residentMb(daemon)} MB` });
  figures.push({ name: 'load of the machine', value: loadavg()[0]!.toFixed(1) });
  return figures;
}

/** The first answer counts, too. A page slower than ten seconds is asked for three times only. */
async function visit(page: (round: number) => string) {
  const all: number[] = [];
  let bytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const begin = performance.now();
    const response = await fetch(address + page(round), { headers });
    const text = await response.text();
    all.push(performance.now() - begin);
    bytes = Math.max(bytes, text.length);
    if (response.status !== 200 && response.status !== 404)
      throw new Error(`${page(round)} answers ${response.status}: ${text}`);
    if (round >= 2 && median(all) > 1_000) break;
  }
  return { all, bytes };
}

/** The first page and the files that it names, as a browser with an empty cache loads them. */
async function firstLoad(): Promise<number> {
  const page = await (await fetch(`${address}/`, { headers })).text();
  const files = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, file]) => file!);
  let bytes = gzipSync(page).length;
  for (const file of new Set(files)) {
    const content = await (await fetch(address + file, { headers })).arrayBuffer();
    bytes += gzipSync(Buffer.from(content)).length;
  }
  return bytes;
}

async function residentMb({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024);
}
