// `npm run fleet [-- --minutes M] [--workers N] [--syncs N] [--accounts N] [--chaos] [--seed S]`: a PostgreSQL, workers as
// processes and syncs between both stand-ins, in real time. People edit all the time, and a worker is killed every minute.
// With `--chaos` workers are killed and stopped at random, and the database is restarted twice. It ends with a report.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import delay from 'delay';
import { createRandom } from '../../src/standin/service/random.ts';
import { buildProgram } from '../support/build.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { scriptOptions } from '../support/script-options.ts';
import { enrolments, highestWindow, overlaps, type RunSpan } from './judge.ts';
import { createFleetSides } from './sides.ts';

const values = scriptOptions('npm run fleet', {
  minutes: { type: 'string', default: '10' },
  workers: { type: 'string', default: '3' },
  syncs: { type: 'string', default: '100' },
  accounts: { type: 'string', default: '1' },
  budget: { type: 'string', default: '1200' },
  seed: { type: 'string', default: '1' },
  chaos: { type: 'boolean', default: false },
});
const minutes = Number(values.minutes);
const workerCount = Number(values.workers);
const accounts = Number(values.accounts);
const budget = Number(values.budget);
const random = createRandom(Number(values.seed));

const actEveryMs = 150;
const killEveryMs = 60_000;
/** With `--chaos`: between two acts against workers, and how long one is stopped. */
const chaosMs = { least: 5_000, most: 20_000 };
const stopMs = { least: 1_000, most: 90_000 };
/** A killed worker's lease lasts a minute. */
const settleMsMax = 180_000;

interface Worker {
  readonly name: string;
  readonly child: ChildProcess;
  isStopped: boolean;
}

const folder = mkdtempSync(join(tmpdir(), 'leadsheet-fleet-'));
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
const postgres = await startPostgres();
using program = buildProgram();
const sides = await createFleetSides({
  folder,
  stateUrl: await postgres.createDatabase(),
  syncs: Number(values.syncs),
  accounts,
  requestsPerMinute: budget,
});
const spans: RunSpan[] = [];
const under = new Map<string, RunSpan>();
const counts = { runs: 0, failed: 0, killed: 0, stopped: 0, restarts: 0 };
const workers: Worker[] = [];
let started = 0;

try {
  for (let n = 0; n < workerCount; n += 1) workers.push(startWorker());
  // A value that is edited before contact and row are linked is a conflict, for a person.
  while (!ending.signal.aborted && !isLinked()) await pause(500);
  const until = performance.now() + minutes * 60_000;
  const disturbing = values.chaos ? disturb(until) : killEveryMinute(until);
  while (performance.now() < until && !ending.signal.aborted) {
    sides.act(random);
    await pause(actEveryMs);
  }
  await disturbing;
  const settledMs = await untilSettled();
  await endAll();
  process.exitCode = report(settledMs) ? 0 : 1;
} finally {
  for (const { child } of workers) child.kill('SIGKILL');
  await sides.close();
  await postgres[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}

/** Each sync has run twice: the first run makes the contacts, and the second one has nothing more to link. */
function isLinked(): boolean {
  const ended = Map.groupBy(
    spans.filter(({ to }) => to < Infinity),
    ({ job }) => job,
  );
  return ended.size === Number(values.syncs) && [...ended.values()].every((runs) => runs.length >= 2);
}

function startWorker(): Worker {
  started += 1;
  const name = `worker ${started}`;
  const child = spawn(process.execPath, [program.main, 'run', '--config', sides.configFile], { cwd: folder });
  const worker: Worker = { name, child, isStopped: false };
  let rest = '';
  child.stdout.on('data', (data: Buffer) => {
    const lines = (rest + data.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') observe(worker, line);
  });
  child.stderr.on('data', (data: Buffer) => process.stderr.write(data));
  return worker;
}

/** A line of the log of a worker. */
function observe({ name, isStopped }: Worker, line: string): void {
  const { msg, sync, run, time, url, status } = JSON.parse(line) as Readonly<Record<string, string>>;
  if (msg === 'leadsheet started') say(`${name}: ${url}`);
  const key = `${name} ${sync} ${run}`;
  const at = Date.parse(time ?? '');
  if (msg === 'run started') {
    const span: RunSpan = { worker: name, job: sync!, from: at, to: Infinity, isBroken: isStopped };
    spans.push(span);
    under.set(key, span);
  }
  if (msg === 'run ended') {
    counts.runs += 1;
    if (status === 'failed') counts.failed += 1;
    const span = under.get(key);
    if (span) span.to = at;
    under.delete(key);
  }
}

/** What it had under way is not its own any more. */
function breakRuns({ name }: Worker): void {
  for (const [key, span] of under) {
    if (span.worker !== name) continue;
    span.isBroken = true;
    under.delete(key);
  }
}

async function kill(worker: Worker): Promise<void> {
  breakRuns(worker);
  counts.killed += 1;
  worker.child.kill('SIGKILL');
  if (worker.child.exitCode === null && worker.child.signalCode === null) await once(worker.child, 'close');
  breakRuns(worker);
  workers.splice(workers.indexOf(worker), 1, startWorker());
}

async function killEveryMinute(until: number): Promise<void> {
  for (;;) {
    await pause(Math.min(killEveryMs, until - performance.now()));
    if (ending.signal.aborted || performance.now() >= until) return;
    const worker = random.pick(workers);
    say(`${worker.name} is killed`);
    await kill(worker);
  }
}

async function disturb(until: number): Promise<void> {
  const restartAt = [0.35, 0.7].map((share) => until - minutes * 60_000 * (1 - share));
  const stopped: Promise<void>[] = [];
  while (performance.now() < until && !ending.signal.aborted) {
    await pause(random.integer(chaosMs.least, chaosMs.most));
    if (restartAt[0] !== undefined && performance.now() > restartAt[0]) {
      restartAt.shift();
      say('PostgreSQL is restarted');
      counts.restarts += 1;
      await postgres.stop();
      await pause(random.integer(100, 8_000));
      await postgres.start();
      continue;
    }
    const worker = random.pick(workers);
    if (worker.isStopped) continue;
    if (random.integer(0, 1) === 0) {
      say(`${worker.name} is killed`);
      await kill(worker);
    } else {
      stopped.push(stopFor(worker, random.integer(stopMs.least, stopMs.most)));
    }
  }
  ending.signal.throwIfAborted();
  await Promise.all(stopped);
}

async function stopFor(worker: Worker, ms: number): Promise<void> {
  say(`${worker.name} is stopped for ${Math.round(ms / 1_000)} s`);
  counts.stopped += 1;
  worker.isStopped = true;
  breakRuns(worker);
  worker.child.kill('SIGSTOP');
  await pause(ms);
  worker.child.kill('SIGCONT');
  // Lines that it had written before come now.
  await pause(1_000);
  breakRuns(worker);
  worker.isStopped = false;
}

/** Milliseconds until both sides hold what people typed last; undefined: they do not. */
async function untilSettled(): Promise<number | undefined> {
  const began = performance.now();
  while (performance.now() - began < settleMsMax) {
    if (sides.missing().length === 0) return Math.round(performance.now() - began);
    await delay(500);
  }
  return undefined;
}

async function endAll(): Promise<void> {
  const ended = workers.map(({ child }) => once(child, 'close'));
  for (const { child } of workers) child.kill('SIGTERM');
  await Promise.all(ended);
}

/** Whether all is as promised. */
function report(settledMs: number | undefined): boolean {
  const received = sides.service.received.entries;
  const byToken = highestWindow(
    received.map(({ time }) => time),
    60_000,
  );
  const enrolled = enrolments(received, sides.emails());
  const twice = [...enrolled].filter(([, times]) => times > 1).map(([email]) => email);
  const atOnce = overlaps(spans);
  const lost = sides.missing();
  const most = budget * accounts;
  const lines = [
    `${minutes} minutes, ${workerCount} workers, ${values.syncs} syncs, ${accounts} accounts, seed ${values.seed}`,
    `runs: ${counts.runs}, failed: ${counts.failed}, acts of people: ${sides.acts()}`,
    `workers killed: ${counts.killed}, stopped: ${counts.stopped}; PostgreSQL restarted: ${counts.restarts}`,
    `runs of one job at once: ${atOnce.length === 0 ? 'none' : atOnce.join('; ')}`,
    `contacts enrolled: ${enrolled.size}, twice: ${twice.length === 0 ? 'none' : twice.join('; ')}`,
    `edits lost: ${lost.length === 0 ? 'none' : lost.join('; ')}${settledMs === undefined ? '' : ` (equal after ${settledMs} ms)`}`,
    `calls to the service in the highest 60 s: ${byToken} of ${most}`,
  ];
  process.stdout.write(`\n${lines.join('\n')}\n`);
  return (
    atOnce.length === 0 &&
    twice.length === 0 &&
    lost.length === 0 &&
    byToken <= most &&
    counts.runs > 0 &&
    enrolled.size > 0
  );
}

function say(what: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${what}\n`);
}

async function pause(ms: number): Promise<void> {
  await delay(Math.max(0, ms), { signal: ending.signal }).catch(() => undefined);
}
