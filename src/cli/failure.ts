// Says a failure, and has the exit code of each.
import { ConfigError } from '../config/problems.ts';
import { SettingsError } from '../config/settings-error.ts';
import { InvalidInputError, ServiceError, StoppedError } from '../crm/errors.ts';
import { RunFailed } from '../engine/errors.ts';
import { InputError, OperatorError } from '../operator/errors.ts';
import { SheetsError } from '../sheets/errors.ts';
import { StateError } from '../state/errors.ts';
import { lineText } from '../log/printable.ts';
import { DaemonRunsError, ListenError } from '../web/errors.ts';
import { CommandFailed, GivenUp, UsageError } from './errors.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { CliWorld } from './world.ts';

/** Failures whose message says what to do, in one line. */
const expected = [
  SettingsError,
  ServiceError,
  SheetsError,
  StateError,
  RunFailed,
  ListenError,
  DaemonRunsError,
  OperatorError,
  CommandFailed,
];

/** Prints an expected failure and returns its exit code. Any other failure is thrown with its stack. */
export function reportFailure(error: unknown, { stderr, stop }: CliWorld): ExitCode {
  const say = (text: string) => void stderr.write(`leadsheet: ${lineText(text)}\n`);
  if (stop.aborted && (error === stop.reason || error instanceof StoppedError)) {
    say('stopped: nothing was changed');
    return exitCodes.failed;
  }
  const isMisasked = error instanceof OperatorError && !['nothing', 'paused', 'differs'].includes(error.code);
  if (isMisasked || error instanceof UsageError || error instanceof InvalidInputError) {
    say(error instanceof InputError ? `--${error.input} ${error.message}` : error.message);
    return exitCodes.usage;
  }
  if (error instanceof ConfigError) {
    // One line for each fault, as editors and terminals read them: file:line:column: ...
    stderr.write(`${error.message}\n`);
    const { length } = error.problems;
    say(`the configuration has ${length === 1 ? 'something' : `${length} things`} to correct; nothing was done`);
    return exitCodes.config;
  }
  if (error instanceof GivenUp) {
    say(error.message);
    return exitCodes.interrupted;
  }
  if (expected.some((kind) => error instanceof kind)) {
    say((error as Error).message);
    return exitCodes.failed;
  }
  throw error;
}
