// Turns events of the engine into what every face shows of them.
import type { EngineEvent } from '../engine/events.ts';
import type { RunEvent } from './answers/live.ts';

/** undefined: no face shows it. */
export function eventToAnswer(event: EngineEvent): RunEvent | undefined {
  switch (event.type) {
    case 'lease-taken':
      return undefined;
    case 'run-started':
      return { type: event.type, sync: event.sync, run: event.run, is_full: event.isFull };
    case 'progress': {
      const { type, sync, step, done, total = null } = event;
      return { type, sync, step, done, total };
    }
    case 'change-done': {
      const { side, op, uuid, row } = event.change;
      const { kind: outcome } = event.outcome;
      const message = 'message' in event.outcome ? (event.outcome.message ?? null) : null;
      return { type: event.type, sync: event.sync, run: event.run, side, op, contact: uuid, row, outcome, message };
    }
    case 'notice':
      return event;
    case 'run-ended':
      return { type: event.type, sync: event.sync, run: event.report.run, status: event.report.status };
  }
}
