// The stream of what happens in runs: hands each event of the engine to every reader, in bounded memory.
import type { EngineEvent } from '../engine/events.ts';
import type { RunEvent } from '../operator/answers/live.ts';
import { eventToAnswer } from '../operator/events.ts';

export interface EventStream {
  observe(event: EngineEvent): void;
  /** Reads the events that `wants` names, from now on. The caller disposes it. */
  open(wants: (event: RunEvent) => boolean): EventReader;
}

export interface EventReader extends Disposable {
  /** Once. Ends after `end`, when everything before was read. `alive`: nothing has happened for a while. */
  readonly events: AsyncIterable<RunEvent | 'alive'>;
  end(): void;
}

/** Events that wait for a slow reader. The oldest are left out then: the next progress and the result say more. */
const waitingMax = 1_000;
/** A reader that gets nothing for longer than a few of these knows that the process hangs. */
const aliveEveryMs = 5_000;

export function createEventStream(): EventStream {
  const readers = new Set<(event: RunEvent) => void>();
  return {
    observe(event) {
      if (readers.size === 0) return;
      const line = eventToAnswer(event);
      if (line) for (const read of readers) read(line);
    },
    open(wants) {
      const reader = createReader();
      const read = (event: RunEvent) => {
        if (wants(event)) reader.push(event);
      };
      readers.add(read);
      return {
        events: reader.events(),
        end: () => reader.end(),
        [Symbol.dispose]() {
          readers.delete(read);
          reader.end();
        },
      };
    },
  };
}

function createReader() {
  const waiting: (RunEvent | 'alive')[] = [];
  let isEnded = false;
  let wake = () => {};
  const timer = setInterval(() => waiting.length === 0 && push('alive'), aliveEveryMs);

  function push(event: RunEvent | 'alive'): void {
    if (waiting.length >= waitingMax) waiting.shift();
    waiting.push(event);
    wake();
  }

  return {
    push,
    end() {
      isEnded = true;
      clearInterval(timer);
      wake();
    },
    async *events() {
      for (;;) {
        while (waiting.length > 0) yield* waiting.splice(0);
        if (isEnded) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
