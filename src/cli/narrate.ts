// Prints what a one-shot command does while it works: notices, progress, and each change if asked for.
import type { Config } from '../config/config.ts';
import { type GlobalOptions, type LogLevel, logLevels } from './globals.ts';
import { lineText } from '../log/printable.ts';
import type { RunEvent } from '../operator/answers/live.ts';
import { createProgress } from './print/progress.ts';
import type { CliWorld } from './world.ts';

/** `--log-level warn` and above show no progress. */
const silent = { write: () => true };

export interface Narrator extends Disposable {
  readonly emit: (event: RunEvent) => void;
  /** Prints a line if this level is printed. `sync`: empty for all. */
  readonly say: (level: LogLevel, sync: string, text: string) => void;
  /** Whether lines of this level are printed. */
  readonly prints: (level: LogLevel) => boolean;
}

/** Writes lines to standard error, with ids and without contact details. */
export function createNarrator(
  { logLevel }: GlobalOptions,
  { log }: Pick<Config, 'log'>,
  { stderr, elapsed }: CliWorld,
): Narrator {
  const least = logLevels.indexOf(logLevel ?? log.level);
  const prints = (level: LogLevel) => logLevels.indexOf(level) >= least;
  const progress = createProgress(prints('info') ? stderr : silent, elapsed);
  progress.begin('connecting');
  const say = (level: LogLevel, sync: string, text: string) => {
    if (!prints(level)) return;
    progress.clear();
    stderr.write(`leadsheet: ${sync === '' ? '' : `${sync}: `}${lineText(text)}\n`);
  };
  return {
    say,
    prints,
    emit(event) {
      switch (event.type) {
        case 'notice':
          return say('warn', event.sync, event.message);
        case 'progress':
          return progress.show(event);
        case 'run-started':
          progress.begin(`${event.sync}: begins`);
          return say('debug', event.sync, `run ${event.run} begins${event.is_full ? ', a full scan' : ''}`);
        case 'change-done': {
          const { sync, side, op, contact, row, outcome, message } = event;
          const where = contact ?? `row ${row}`;
          return say('debug', sync, `${side} ${op} ${where}: ${outcome}${message === null ? '' : `: ${message}`}`);
        }
        case 'run-ended':
          progress.clear();
          return say('debug', event.sync, `run ${event.run} ends: ${event.status}`);
      }
    },
    [Symbol.dispose]: () => progress[Symbol.dispose](),
  };
}
