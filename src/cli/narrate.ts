// Prints what a one-shot command does while it works: notices, progress, and each change if asked for.
import type { Config } from '../config/config.ts';
import type { EngineEvent } from '../engine/events.ts';
import { type GlobalOptions, type LogLevel, logLevels } from './globals.ts';
import { lineText } from '../log/printable.ts';
import { createProgress } from './print/progress.ts';
import type { CliWorld } from './world.ts';

/** `--log-level warn` and above show no progress. */
const silent = { write: () => true };

export interface Narrator extends Disposable {
  readonly emit: (event: EngineEvent) => void;
}

/** Writes lines to standard error, with ids and without contact details. */
export function createNarrator(
  { logLevel }: GlobalOptions,
  { log }: Pick<Config, 'log'>,
  { stderr, elapsed }: CliWorld,
): Narrator {
  const least = logLevels.indexOf(logLevel ?? log.level);
  const isShown = logLevels.indexOf('info') >= least;
  const progress = createProgress(isShown ? stderr : silent, elapsed);
  progress.begin('connecting');
  const say = (level: LogLevel, sync: string, text: string) => {
    if (logLevels.indexOf(level) < least) return;
    progress.clear();
    stderr.write(`leadsheet: ${sync === '' ? '' : `${sync}: `}${lineText(text)}\n`);
  };
  return {
    emit(event) {
      switch (event.type) {
        case 'notice':
          return say('warn', event.sync, event.message);
        case 'progress':
          return progress.show(event);
        case 'run-started':
          progress.begin(`${event.sync}: begins`);
          return say('debug', event.sync, `run ${event.run} begins${event.isFull ? ', a full scan' : ''}`);
        case 'change-done': {
          const { side, op, uuid, row } = event.change;
          const where = uuid ?? `row ${row}`;
          const why = 'message' in event.outcome ? `: ${event.outcome.message}` : '';
          return say('debug', event.sync, `${side} ${op} ${where}: ${event.outcome.kind}${why}`);
        }
        case 'run-ended':
          progress.clear();
          return say('debug', event.sync, `run ${event.report.run} ends: ${event.report.status}`);
      }
    },
    [Symbol.dispose]: () => progress[Symbol.dispose](),
  };
}
