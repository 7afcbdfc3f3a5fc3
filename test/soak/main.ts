// `npm run soak [-- --minutes M] [--size N] [--seed S] [--plot FILE]`: the daemon as a process between both stand-ins over
// HTTP, in real time, with people who edit all the time. Its use of memory, files and disk must not grow, and in the end
// both sides must be equal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Dirent, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import delay from 'delay';
import { createRandom } from '../../src/standin/service/random.ts';
import { buildProgram } from '../support/build.ts';
import { createSides } from '../support/sides.ts';
import { columns, createPeople, headers } from './people.ts';
import { drawPlot } from './plot.ts';
import { scriptOptions } from '../support/script-options.ts';

const values = scriptOptions('npm run soak', {
  minutes: { type: 'string', default: '10' },
  size: { type: 'string', default: '1000' },
  seed: { type: 'string', default: '1' },
  plot: { type: 'string' },
});
const minutes = Number(values.minutes);
const size = Number(values.size);

/** The time between two acts of people, and between two measurements. */
const pauseMs = 100;
const sampleMs = 2_000;
/** To look into the state takes some milliseconds, so that it happens less often. */
const partsMs = 10_000;
/** Parts of the state that grow by less are not told. */
const partGrowthMin = 1_000;
/** One fault in so many requests: no answer, in turns before and after it was carried out. */
const requestsPerFault = 200;
/** Growth from the second third of the time to the last: more than this fails. */
const growthMax = 1.1;

/** Garbage between two collections says nothing: the lowest tenth counts for the heap, the median for the rest. */
const quantiles = { heap: 0.1, rest: 0.5 };

const measures = {
  memory: { name: 'process_resident_memory_bytes', label: 'memory', unit: 'MB', scale: 1e6 },
  heap: { name: 'nodejs_heap_size_used_bytes', label: 'heap', unit: 'MB', scale: 1e6 },
  handles: { name: 'process_open_fds', label: 'open files and sockets', unit: '', scale: 1 },
  state: { name: null, label: 'state, without history', unit: 'kB', scale: 1e3 },
} as const;
type Measure = keyof typeof measures;

let requests = 0;
const sides = await createSides({
  values: [headers],
  rowCount: size * 2,
  more: { server: { listen: '127.0.0.1:0' } },
  around: (served) => ({
    async fetch(request, bindings) {
      requests += 1;
      if (requests % requestsPerFault !== 0) return served.fetch(request, bindings);
      if ((requests / requestsPerFault) % 2 === 0) await served.fetch(request, bindings);
      bindings.dropConnection();
      return new Response(null);
    },
  }),
  sync: {
    schedule: '* * * * * *',
    full_scan: '*/10 * * * * *',
    match: ['email'],
    columns,
    conflict: 'crm',
    settle_secs: 1,
    on_row_deleted: 'delete_contact',
    on_contact_deleted: 'delete_row',
    limits: { deletes: '100%', changes: '100%', blanks: '100%', creates: size * 2 },
  },
});
const people = createPeople(sides, createRandom(Number(values.seed)), size);
for (let index = 0; index < size / 2; index += 1) people.enterInService();
for (let index = 0; index < size / 2; index += 1) people.enterInSheet();

using program = buildProgram();
const child = spawn(process.execPath, [program.main, 'run', '--config', sides.configFile], { cwd: sides.folder });
const ended = once(child, 'close');
let log = '';
const counts = { runs: 0, failed: 0, changes: 0 };
child.stdout.on('data', (data: Buffer) => {
  log = (log + data.toString()).slice(-20_000);
});
child.stderr.on('data', (data: Buffer) => process.stderr.write(data));

const samples: { readonly secs: number; readonly values: Readonly<Record<Measure, number>> }[] = [];
const partSamples: { readonly secs: number; readonly bytes: ReadonlyMap<string, number> }[] = [];
const started = performance.now();
const secsGone = () => (performance.now() - started) / 1000;
try {
  const url = await address();
  let sampled = 0;
  while (secsGone() < minutes * 60) {
    people.act();
    if (performance.now() - sampled > sampleMs) {
      sampled = performance.now();
      samples.push({ secs: secsGone(), values: await measure(url) });
    }
    if (secsGone() * 1000 > partSamples.length * partsMs) partSamples.push({ secs: secsGone(), bytes: stateParts() });
    await delay(pauseMs);
  }
  const acts = people.count();
  const restMs = await untilEqual();
  await readCounts(url);
  child.kill('SIGTERM');
  await ended;
  report(acts, restMs);
} finally {
  child.kill('SIGKILL');
  await sides.close();
}

async function address(): Promise<string> {
  for (;;) {
    const found = /"url":"([^"]+)"/.exec(log)?.[1];
    if (found !== undefined) return found;
    if (child.exitCode !== null) throw new Error(`the daemon ended at once:\n${log}`);
    await delay(50);
  }
}

async function metricsText(url: string): Promise<string> {
  const answer = await fetch(`${url}/metrics`);
  return answer.text();
}

async function measure(url: string): Promise<Readonly<Record<Measure, number>>> {
  const text = await metricsText(url);
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)![1]);
  return {
    memory: metric(measures.memory.name),
    heap: metric(measures.heap.name),
    handles: metric(measures.handles.name),
    state: stateBytes(),
  };
}

/** Without the history by default: it is a log and grows with the changes. */
function stateBytes(isHistory = false): number {
  const folder = join(sides.folder, 'state', 'prospects');
  const inside = isHistory ? join(folder, 'history') : folder;
  return filesIn(inside).reduce(
    (sum, { name }) => sum + (statSync(join(inside, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

/** Bytes of each file of the state and, of the snapshot, of each table and fact. The two generations of a file are one part. */
function stateParts(): ReadonlyMap<string, number> {
  const folder = join(sides.folder, 'state', 'prospects');
  const bytes = new Map<string, number>();
  const add = (part: string, count: number) => bytes.set(part, (bytes.get(part) ?? 0) + count);
  for (const { name } of filesIn(folder)) {
    const bytesNow = statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
    if (name !== 'base.json') add(name.replace('.previous', ''), bytesNow);
  }
  const base = readBase(join(folder, 'base.json'));
  for (const [table, content] of Object.entries({ ...base, ...(base['facts'] as object), facts: undefined }))
    if (content !== undefined) add(`base.json, ${table}`, JSON.stringify(content).length);
  return bytes;
}

/** None before the first run: the daemon has no folder for the job then. */
function filesIn(folder: string): readonly Dirent[] {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()) : [];
}

/** Empty before the first save, and in the instant in which the store replaces the file. */
function readBase(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}

async function readCounts(url: string): Promise<void> {
  const text = await metricsText(url);
  const total = (name: string, labels = '') =>
    [...text.matchAll(new RegExp(`^${name}\\{[^}]*${labels}[^}]*\\} (\\S+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  counts.runs = total('leadsheet_runs_total');
  counts.failed = total('leadsheet_runs_total', 'status="failed"');
  counts.changes = total('leadsheet_changes_total');
}

/** Milliseconds until both sides were equal. After a minute, throws with the people that differ. */
async function untilEqual(): Promise<number> {
  const from = performance.now();
  for (;;) {
    const differences = people.differences();
    if (differences.length === 0) return performance.now() - from;
    if (performance.now() - from > 60_000)
      throw new Error(
        `not equal after a minute of rest:\n${differences.slice(0, 10).join('\n')}\n${log.slice(-3_000)}`,
      );
    await delay(100);
  }
}

function report(acts: number, restMs: number): void {
  const third = Math.floor(samples.length / 3);
  console.log(`${minutes} minutes, ${size} people on each side, seed ${values.seed}`);
  console.log(
    `people did ${acts} things; ${counts.runs} runs, ${counts.failed} of them failed; ${counts.changes} changes; ` +
      `${Math.floor(requests / requestsPerFault)} of ${requests} requests had no answer`,
  );
  console.log(
    `both sides equal ${(restMs / 1000).toFixed(1)} s after people rested; history ${stateBytes(true)} bytes`,
  );
  for (const [name, { label, unit, scale }] of Object.entries(measures)) {
    const series = samples.map((sample) => sample.values[name as Measure] / scale);
    const at = name === 'heap' ? quantiles.heap : quantiles.rest;
    const [before, after] = [quantile(series.slice(third, 2 * third), at), quantile(series.slice(2 * third), at)];
    const growth = after / before;
    const isFlat = growth <= growthMax;
    if (!isFlat) process.exitCode = 1;
    const text = (value: number) => `${value.toFixed(1)} ${unit}`.trim();
    console.log(
      `${label}: ${text(before)} in the second third, ${text(after)} in the last, x${growth.toFixed(2)}: ${isFlat ? 'flat' : 'NOT FLAT'}`,
    );
  }
  reportParts();
  if (values.plot !== undefined) {
    const panels = Object.entries(measures).map(([name, { label, unit, scale }]) => ({
      title: unit === '' ? label : `${label}, ${unit}`,
      points: samples.map(({ secs, values: at }) => ({ x: secs / 60, y: at[name as Measure] / scale })),
    }));
    writeFileSync(values.plot, drawPlot(panels, 'minutes'));
    console.log(`drawn in ${values.plot}`);
  }
}

function quantile(numbers: readonly number[], at: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * at)] ?? Number.NaN;
}

/** The parts of the state that grew from the second third of the time to the last, by their means. */
function reportParts(): void {
  const third = Math.floor(partSamples.length / 3);
  const names = new Set(partSamples.flatMap(({ bytes }) => [...bytes.keys()]));
  for (const name of names) {
    const series = partSamples.map(({ bytes }) => bytes.get(name) ?? 0);
    const [before, after] = [mean(series.slice(third, 2 * third)), mean(series.slice(2 * third))];
    if (after - before < partGrowthMin) continue;
    console.log(`  of the state, ${name}: ${(before / 1e3).toFixed(1)} kB, then ${(after / 1e3).toFixed(1)} kB`);
  }
}

function mean(series: readonly number[]): number {
  return series.reduce((sum, value) => sum + value, 0) / series.length;
}
