// The command line: every command, the signals, and the exit code.
import { Command, CommanderError } from 'commander';
import { safePrinter } from '../log/printable.ts';
import { version } from '../version.ts';
import { type ColourMode, hasColour } from './colour.ts';
import { apiCommand } from './commands/api.ts';
import { applyCommand } from './commands/apply.ts';
import { approveCommand } from './commands/approve.ts';
import { cancelCommand } from './commands/cancel.ts';
import { checkCommand } from './commands/check.ts';
import { completionCommand } from './commands/completion.ts';
import { configCommand } from './commands/config.ts';
import { consoleCommand } from './commands/console.ts';
import { conflictsCommand } from './commands/conflicts.ts';
import { workersCommand } from './commands/workers.ts';
import { doctorCommand } from './commands/doctor.ts';
import { explainCommand } from './commands/explain.ts';
import { initCommand } from './commands/init.ts';
import { budgetsCommand, enrolmentsCommand, feedsCommand, outboxCommand } from './commands/ledgers.ts';
import { logCommand } from './commands/log.ts';
import { pauseCommand, resumeCommand } from './commands/pause.ts';
import { planCommand } from './commands/plan.ts';
import { reloadCommand } from './commands/reload.ts';
import { refuseCommand } from './commands/refuse.ts';
import { resolveCommand } from './commands/resolve.ts';
import { retryCommand } from './commands/retry.ts';
import { runCommand } from './commands/run.ts';
import { runsCommand } from './commands/runs.ts';
import { standinCommand } from './commands/standin.ts';
import { stateCommand } from './commands/state.ts';
import { statusCommand } from './commands/status.ts';
import { syncCommand } from './commands/sync.ts';
import { trialCommand } from './commands/trial.ts';
import { undoCommand } from './commands/undo.ts';
import { userCommand } from './commands/user.ts';
import { type ExitCode, exitCodes, StopRequest } from './exit-codes.ts';
import { addGlobalOptions, type GlobalOptions } from './globals.ts';
import { createPagedOutput, type Paging } from './pager.ts';
import type { CliWorld, Finish, ProcessWorld } from './world.ts';

/** Runs one command line (without the interpreter and the script) and returns its exit code. */
export async function runCli(args: readonly string[], processWorld: ProcessWorld): Promise<ExitCode> {
  let colour: ColourMode = 'auto';
  const { stdout, stderr } = processWorld;
  const paged = createPagedOutput(processWorld);
  const world: CliWorld = {
    ...processWorld,
    stdout: safePrinter(paged, () => hasColour(colour, stdout, processWorld)),
    stderr: safePrinter(stderr, () => hasColour(colour, stderr, processWorld)),
    logOutput: processWorld.stdout,
    outputClosed: paged.closed,
  };
  let code: ExitCode = exitCodes.done;
  let endsByStop = false;
  let isFollowing = false;
  const program = createProgram(world, {
    finish: (ended) => (code = ended),
    serve: () => (endsByStop = true),
    follow: () => (isFollowing = true),
  });
  program.hook('preAction', (_, command) => {
    const globals = command.optsWithGlobals<GlobalOptions & { readonly follow?: true }>();
    colour = globals.color;
    const paging = pagedCommands.get(pathOf(command));
    if (paging && globals.pager && !globals.json && !globals.follow) paged.begin(paging);
  });
  const sayStopping = () => {
    if (!endsByStop && !isFollowing && stoppedCode(world.stop) !== exitCodes.outputClosed) world.stderr.write(stopping);
  };
  if (world.stop.aborted) sayStopping();
  else world.stop.addEventListener('abort', sayStopping, { once: true });
  try {
    // The pager ends before a failure is told: the screen is the pager's until then.
    try {
      await program.parseAsync([...args], { from: 'user' });
    } finally {
      await paged.end();
    }
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const { reportFailure } = await import('./failure.ts');
    code = reportFailure(error, world);
  } finally {
    world.stop.removeEventListener('abort', sayStopping);
  }
  return world.stop.aborted && !endsByStop ? stoppedCode(world.stop) : code;
}

/** The commands whose output can be longer than a screen. */
const pagedCommands: ReadonlyMap<string, Paging> = new Map([
  ['conflicts', 'at once'],
  ['doctor', 'at once'],
  ['enrolments', 'at once'],
  ['explain', 'at once'],
  ['log', 'at once'],
  ['outbox', 'at once'],
  // Both sides are asked for minutes, with progress on the terminal.
  ['plan', 'at the end'],
  ['runs show', 'at once'],
  ['status', 'at once'],
]);

/** `runs show`. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

/** W8. */
const stopping =
  'leadsheet: stopping: calls in flight are finished, none is begun, what was done is saved; once more ends it at once\n';

function stoppedCode({ reason }: AbortSignal): ExitCode {
  return reason instanceof StopRequest ? reason.exitCode : exitCodes.interrupted;
}

/** Fits our sentences and half a screen; docs/commands.md shows the help at this width. */
const helpWidth = 100;

/** Errors of the command line begin as every other message does, and are one line. */
function inOurVoice(text: string): string {
  return text.replace(/^error: /, 'leadsheet: ').replace(/\n\(Did you mean (.+)\?\)/, ', did you mean $1?');
}

interface Ending {
  readonly finish: Finish;
  /** Says that a signal is the normal end of this command, and not an interruption. */
  readonly serve: () => void;
  /** Says that a signal ends the following of another process, which goes on. */
  readonly follow: () => void;
}

export function createProgram(world: CliWorld, { finish, serve, follow }: Ending): Command {
  const program = new Command('leadsheet')
    .description('Keeps the contacts of an outreach service and the rows of a Google Sheet equal, in both directions.')
    .version(version)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(inOurVoice(text)),
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    });
  addGlobalOptions(program);
  initCommand(program, world, finish);
  runCommand(program, world, serve);
  reloadCommand(program, world, finish);
  syncCommand(program, world, finish, follow);
  planCommand(program, world, finish);
  applyCommand(program, world, finish);
  undoCommand(program, world, finish);
  checkCommand(program, world, finish);
  doctorCommand(program, world);
  statusCommand(program, world, finish);
  stateCommand(program, world, finish);
  runsCommand(program, world);
  logCommand(program, world, serve);
  explainCommand(program, world);
  enrolmentsCommand(program, world);
  outboxCommand(program, world);
  feedsCommand(program, world);
  budgetsCommand(program, world);
  conflictsCommand(program, world);
  workersCommand(program, world);
  resolveCommand(program, world, finish);
  retryCommand(program, world);
  cancelCommand(program, world, finish);
  approveCommand(program, world);
  refuseCommand(program, world);
  pauseCommand(program, world);
  resumeCommand(program, world);
  configCommand(program, world);
  userCommand(program, world);
  consoleCommand(program, world);
  apiCommand(program, world);
  completionCommand(program, world);
  trialCommand(program, world, serve);
  standinCommand(program, world, serve);
  return program;
}
