// The commands `pause` and `resume`: whether a job is run by itself.
import type { Command } from 'commander';
import { pause, pausedText, readPaused, resume } from '../operator/pause.ts';
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

export function pauseCommand(program: Command, world: CliWorld): void {
  program
    .command('pause')
    .summary('have a job not run by itself')
    .description(
      'From now on the daemon does not run the job by its schedule or by a hook; a run under way is finished.\n' +
        'leadsheet sync runs it only with --even-if-paused. A restart does not end a pause.',
    )
    .argument('<name>', 'the sync, feed or outbox')
    .option('--for <time>', 'for so long: 30m, 2h, 3d, 1w')
    .option('--until <time>', 'until an instant or a day: 2026-11-21, 2026-11-21T09:00Z')
    .option('--reason <text>', 'why; leadsheet status and leadsheet log show it')
    .action(async (name: string, _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<PauseOptions>();
      const { operator, decider } = openOperator(globals, world);
      const { for: lasts, until, reason } = globals;
      const answer = await pause(operator, decider, { name, lasts, until, reason });
      printAnswer(answer, pauseText, globals, world);
    });
}

export function resumeCommand(program: Command, world: CliWorld): void {
  program
    .command('resume')
    .summary('have a paused job run by itself again')
    .description('Ends a pause. The daemon runs the job from the next slot of its schedule on, and by hooks at once.')
    .argument('<name>', 'the sync, feed or outbox')
    .action(async (name: string, _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<GlobalOptions>();
      const { operator, decider } = openOperator(globals, world);
      printAnswer(await resume(operator, decider, name), resumeText, globals, world);
    });
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
