// The command line: every command, the signals, and the exit code.
import { Command, CommanderError } from 'commander';
import { safePrinter } from '../log/printable.ts';
import { version } from '../version.ts';
import { apiCommand } from './api.ts';
import { applyCommand } from './apply.ts';
import { approveCommand } from './approve.ts';
import { checkCommand } from './check.ts';
import { configCommand } from './config.ts';
import { conflictsCommand } from './conflicts.ts';
import { reportFailure } from './errors.ts';
import { type ExitCode, exitCodes, StopRequest } from './exit-codes.ts';
import { addGlobalOptions } from './globals.ts';
import { logCommand } from './log.ts';
import { planCommand } from './plan.ts';
import { resolveCommand } from './resolve.ts';
import { retryCommand } from './retry.ts';
import { runsCommand } from './runs.ts';
import { runCommand } from './run.ts';
import { standinCommand } from './standin.ts';
import { statusCommand } from './status.ts';
import { syncCommand } from './sync.ts';
import { trialCommand } from './trial.ts';
import { undoCommand } from './undo.ts';
import type { CliWorld, Finish, ProcessWorld } from './world.ts';

/** Runs one command line (without the interpreter and the script) and returns its exit code. */
export async function runCli(args: readonly string[], processWorld: ProcessWorld): Promise<ExitCode> {
  const world: CliWorld = {
    ...processWorld,
    stdout: safePrinter(processWorld.stdout),
    stderr: safePrinter(processWorld.stderr),
    logOutput: processWorld.stdout,
  };
  let code: ExitCode = exitCodes.done;
  let endsByStop = false;
  const program = createProgram(world, { finish: (ended) => (code = ended), serve: () => (endsByStop = true) });
  const sayStopping = () => {
    if (!endsByStop && stoppedCode(world.stop) !== exitCodes.outputClosed) world.stderr.write(stopping);
  };
  if (world.stop.aborted) sayStopping();
  else world.stop.addEventListener('abort', sayStopping, { once: true });
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    code = reportFailure(error, world);
  } finally {
    world.stop.removeEventListener('abort', sayStopping);
  }
  return world.stop.aborted && !endsByStop ? stoppedCode(world.stop) : code;
}

/** W8. */
const stopping =
  'leadsheet: stopping: calls in flight are finished, none is begun, what was done is saved; once more ends it at once\n';

function stoppedCode({ reason }: AbortSignal): ExitCode {
  return reason instanceof StopRequest ? reason.exitCode : exitCodes.interrupted;
}

/** Fits our sentences and half a screen; docs/commands.md shows the help at this width. */
const helpWidth = 100;

interface Ending {
  readonly finish: Finish;
  /** Says that a signal is the normal end of this command, and not an interruption. */
  readonly serve: () => void;
}

export function createProgram(world: CliWorld, { finish, serve }: Ending): Command {
  const program = new Command('leadsheet')
    .description('Keeps the contacts of an outreach service and the rows of a Google Sheet equal, in both directions.')
    .version(version)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(text.replace(/^error: /, 'leadsheet: ')),
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    });
  addGlobalOptions(program);
  runCommand(program, world, serve);
  syncCommand(program, world, finish);
  planCommand(program, world, finish);
  applyCommand(program, world, finish);
  undoCommand(program, world, finish);
  checkCommand(program, world, finish);
  statusCommand(program, world);
  runsCommand(program, world);
  logCommand(program, world, serve);
  conflictsCommand(program, world);
  resolveCommand(program, world);
  retryCommand(program, world);
  approveCommand(program, world);
  configCommand(program, world);
  apiCommand(program, world);
  trialCommand(program, world, serve);
  standinCommand(program, world, serve);
  return program;
}
