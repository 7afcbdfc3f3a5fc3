// The commands `pause` and `resume`: whether a job is run by itself.
import { pause, pausedText, pauseWords, readPaused, resume } from '../operator/pause.ts';
import type { Operator } from '../operator/operator.ts';
import { OperatorError } from '../operator/errors.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { pauseText, resumeText } from './print/decisions.ts';
import { printAnswer } from './print/lines.ts';
import { lineText } from '../log/printable.ts';
import type { CliWorld } from './world.ts';

interface PauseOptions extends GlobalOptions {
  readonly for?: string;
  readonly until?: string;
  readonly reason?: string;
}

export async function runPause(name: string, globals: PauseOptions, world: CliWorld): Promise<void> {
  const { operator, decider } = openOperator(globals, world);
  const { for: lasts, until, reason } = globals;
  const before = await readPaused(operator, name);
  const answer = await pause(operator, decider, { name, lasts, until, reason });
  if (before)
    world.stderr.write(`leadsheet: ${lineText(`${name} was ${pauseWords(before)}: this one replaces that`)}\n`);
  printAnswer(answer, pauseText, globals, world);
}

export async function runResume(name: string, globals: GlobalOptions, world: CliWorld): Promise<void> {
  const { operator, decider } = openOperator(globals, world);
  printAnswer(await resume(operator, decider, name), resumeText, globals, world);
}

/** The next run, which carries a decision out, does not come by itself while the job is paused: says so on standard error. */
export async function tellPaused(
  operator: Operator,
  decisions: readonly { readonly sync: string }[],
  { stderr }: Pick<CliWorld, 'stderr'>,
): Promise<void> {
  for (const name of new Set(decisions.map(({ sync }) => sync))) {
    const paused = await readPaused(operator, name);
    if (paused) stderr.write(`leadsheet: ${lineText(pausedText(name, paused))}\n`);
  }
}

/**
 * The jobs that a command may run. `named`: the person named the jobs, so that a paused one is an error; else it is left out
 * with a line on standard error. Throws OperatorError and StateError.
 */
export async function withoutPaused(
  operator: Operator,
  jobs: readonly string[],
  { areNamed, isForced }: { readonly areNamed: boolean; readonly isForced: boolean },
  { stderr }: Pick<CliWorld, 'stderr'>,
): Promise<readonly string[]> {
  if (isForced) return jobs;
  const free: string[] = [];
  for (const name of jobs) {
    const paused = await readPaused(operator, name);
    if (!paused) {
      free.push(name);
      continue;
    }
    const text = `${pausedText(name, paused)}; to run it once all the same: --even-if-paused`;
    if (areNamed) throw new OperatorError('paused', text);
    stderr.write(`leadsheet: ${lineText(text)}\n`);
  }
  return free;
}
