// Runs the commands of `state`: check, copy and migrate.
import { connectState, placeText, workersOf } from '../app-state.ts';
import type { Config, StateConfig } from '../config/config.ts';
import { parsePlace } from '../config/place.ts';
import { lineText } from '../log/printable.ts';
import type { StateCheckAnswer, StateCopyAnswer, StateMigrateAnswer } from '../operator/answers/state.ts';
import { checkState } from '../operator/state/check.ts';
import { OperatorError } from '../operator/errors.ts';
import { copyState } from '../operator/state/copy.ts';
import { countText } from '../operator/words.ts';
import { contactDaemon, lookMs } from './contact.ts';
import { UsageError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import type { GlobalOptions } from './globals.ts';
import { jsonText } from './print/lines.ts';
import { readConfig } from './read-config.ts';
import type { CliWorld, Finish } from './world.ts';

export async function runStateCheck(
  place: string,
  globals: GlobalOptions,
  world: CliWorld,
  finish: Finish,
): Promise<void> {
  const config = readConfig(globals, world);
  const state = placeOf('PLACE', place, config);
  const told: string[] = [];
  const store = connectState({ state }, world, (message) => told.push(message));
  const answer: StateCheckAnswer = { place: placeText(state), jobs: [] };
  for await (const job of checkState(store, told, world.stop)) {
    answer.jobs.push(job);
    if (globals.json) continue;
    world.stdout.write(`${lineText(job.job)}: ${countsText(job)}\n`);
    for (const damage of job.damage) world.stdout.write(`  damaged: ${lineText(damage)}\n`);
  }
  const damaged = answer.jobs.filter(({ damage }) => damage.length > 0);
  if (globals.json) world.stdout.write(jsonText(answer));
  else world.stdout.write(`${answer.place}: ${checkedText(answer.jobs.length, damaged.length)}\n`);
  if (damaged.length > 0 || answer.jobs.length === 0) finish(exitCodes.failed);
}

/** A place that was mistyped, or a volume that is not mounted, is not a state without damage. */
function checkedText(jobs: number, damaged: number): string {
  return jobs === 0
    ? 'there is no state, so that nothing was checked'
    : `${countText(jobs, 'job')}, ${damaged} damaged`;
}

export async function runStateCopy(
  fromText: string,
  toText: string,
  globals: GlobalOptions,
  world: CliWorld,
): Promise<void> {
  const config = readConfig(globals, world);
  const [from, to] = [placeOf('FROM', fromText, config), placeOf('TO', toText, config)];
  const answer: StateCopyAnswer = { from: placeText(from), to: placeText(to), jobs: [] };
  if (answer.from === answer.to) throw new UsageError(`FROM and TO are the same place: ${answer.from}`);
  await assertStopped(from, answer.from, world);
  const warn = (message: string) => void world.stderr.write(`leadsheet: ${lineText(message)}\n`);
  let clock: number | undefined;
  const target = connectState({ state: to }, { ...world, now: () => clock ?? world.now() }, warn);
  const jobs = copyState({
    from: connectState({ state: from }, world, warn),
    to: target,
    readBack: connectState({ state: to }, world, warn),
    fromText: answer.from,
    toText: answer.to,
    setClock: (at) => (clock = at),
    warn,
    now: world.now,
    signal: world.stop,
  });
  for await (const job of jobs) {
    answer.jobs.push(job);
    const outcome = job.outcome === 'copied' ? 'copied' : 'was there already';
    if (!globals.json)
      world.stdout.write(`${lineText(job.job)}: ${countsText(job)}: ${outcome}, read back, the same\n`);
  }
  if (globals.json) world.stdout.write(jsonText(answer));
  else world.stdout.write(copiedText(answer));
}

/** Between two runs no job is held, so that the lease of each job alone does not tell. */
async function assertStopped(state: StateConfig, place: string, world: CliWorld): Promise<void> {
  const { kind } = await contactDaemon({ state }, { silentMs: lookMs, signal: world.stop });
  const workers = (await workersOf({ state })?.()) ?? [];
  const isRunning = workers.some((worker) => worker.state !== 'ended' && !worker.isGone);
  if ((kind === 'absent' || kind === 'refused') && !isRunning) return;
  throw new OperatorError(
    'differs',
    `${place}: leadsheet runs on it. What it enrols or sends after the copy would be done again in the copy. Stop it, and copy again`,
  );
}

function copiedText({ from, to, jobs }: StateCopyAnswer): string {
  const counted = `${countText(jobs.length, 'job')} from ${from} to ${to}`;
  return `${counted}\nNow set state: to the new place, and never run leadsheet on both.\n`;
}

export async function runStateMigrate(place: string, globals: GlobalOptions, world: CliWorld): Promise<void> {
  const config = readConfig(globals, world);
  const state = placeOf('PLACE', place, config);
  const { migrateAll } = await import('../app-migrate.ts');
  const { before, after } = (await migrateAll(state, world.now)) ?? { before: null, after: null };
  const answer: StateMigrateAnswer = { place: placeText(state), before, after };
  world.stdout.write(globals.json ? jsonText(answer) : `${answer.place}: ${migratedText(answer)}\n`);
}

function migratedText({ before, after }: StateMigrateAnswer): string {
  if (before === null) return 'a state in files has no tables; a run brings its files to this version';
  if (before === 0) return `the tables are made, in version ${after}`;
  return before === after
    ? `the tables are of version ${after} already`
    : `the tables were of version ${before}, and are of version ${after}`;
}

function countsText({
  records,
  requests,
  lines,
  runs,
}: Omit<StateCheckAnswer['jobs'][number], 'job' | 'damage'>): string {
  const parts = [
    countText(records, 'record'),
    countText(lines, 'line of history', 'lines of history'),
    countText(runs, 'report'),
    countText(requests, 'open decision'),
  ];
  return parts.join(', ');
}

function placeOf(argument: string, text: string, config: Config): StateConfig {
  const state = parsePlace(text, config);
  if ('fault' in state) throw new UsageError(`${argument} is no place for a state; allowed: config, ${state.fault}`);
  return state;
}
