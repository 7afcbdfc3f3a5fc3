import { closest, distance } from 'fastest-levenshtein';
import { SettingsError } from '../config/service-settings.ts';
import { InvalidInputError, ServiceError } from '../crm/errors.ts';
import { PortTaken } from '../standin/serve.ts';
import { SnapshotDamaged } from '../standin/service/snapshot.ts';
import { exitCodes } from './exit-codes.ts';
import type { CliWorld } from './world.ts';

/** The command line says something the program does not know. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
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
  if (error instanceof SettingsError || error instanceof ServiceError || isStandinFailure(error)) {
    stderr.write(`leadsheet: ${error.message}\n`);
    return exitCodes.failed;
  }
  throw error;
}

/** A port that is taken, a snapshot that is none. */
function isStandinFailure(error: unknown): error is Error {
  return error instanceof PortTaken || error instanceof SnapshotDamaged;
}

/** ", did you mean X?" where a known word is near enough, else nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const nearest = closest(word, known);
  return distance(word, nearest) <= Math.max(3, word.length / 2) ? `, did you mean ${nearest}?` : '';
}
