import { nearestWord } from '../config/nearest.ts';
import { ConfigError } from '../config/problems.ts';
import { SettingsError } from '../config/settings-error.ts';
import { InvalidInputError, ServiceError } from '../crm/errors.ts';
import { exitCodes } from './exit-codes.ts';
import type { CliWorld } from './world.ts';

/** The command line says something the program does not know. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What a command was asked to do cannot be done; the message says why and what to do. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** Says an expected failure in one line and answers the exit code for it; any other is thrown on, stack and all. */
export function reportFailure(error: unknown, { stderr, stop }: CliWorld): number {
  if (stop.aborted && error === stop.reason) {
    stderr.write('leadsheet: stopped\n');
    return exitCodes.failed;
  }
  if (error instanceof UsageError || error instanceof InvalidInputError) {
    stderr.write(`leadsheet: ${error.message}\n`);
    return exitCodes.usage;
  }
  if (error instanceof ConfigError) {
    stderr.write(`leadsheet: ${error.message}\n`);
    return exitCodes.config;
  }
  if (error instanceof SettingsError || error instanceof ServiceError || error instanceof CommandFailed) {
    stderr.write(`leadsheet: ${error.message}\n`);
    return exitCodes.failed;
  }
  throw error;
}

/** ", did you mean X?" where a known word is near enough, else nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known);
  return nearest === undefined ? '' : `, did you mean ${nearest}?`;
}
