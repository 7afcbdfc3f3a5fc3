// Goes on while the database is away: work is tried again, and the same trouble is told once, until all who met it are over it.
import delay from 'delay';
import { AttemptLost } from './book.ts';

export interface Troubles {
  /** Repeats work until the end. Its failures are told, and the next time it is tried again. */
  readonly every: (ms: number, who: string, work: () => Promise<void>) => Promise<void>;
  /** Runs and requests are written as soon as the database is there again. Rejects with AttemptLost, and at the end. */
  readonly persist: <Value>(work: () => Promise<Value>) => Promise<Value>;
  readonly tell: (who: string, error: unknown) => void;
  /** The trouble of this one is over. */
  readonly passed: (who: string) => void;
}

interface TroublesDep {
  /** The end: nothing is tried again, and nothing is told. */
  readonly signal: AbortSignal;
  readonly randomId: () => string;
  readonly warn: (message: string) => void;
}

const retryMs = 1_000;

export function createTroubles({ signal, randomId, warn }: TroublesDep): Troubles {
  /** Troubles that last, each with those who met it. */
  const told = new Map<string, Set<string>>();

  function passed(who: string): void {
    for (const [message, met] of told) if (met.delete(who) && met.size === 0) told.delete(message);
  }

  function tell(who: string, error: unknown): void {
    if (signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    if (!told.has(message)) warn(message);
    told.set(message, (told.get(message) ?? new Set()).add(who));
  }

  return {
    passed,
    tell,
    async every(ms, who, work) {
      while (!signal.aborted) {
        await work().then(
          () => passed(who),
          (error: unknown) => tell(who, error),
        );
        await delay(ms, { signal }).catch(() => undefined);
      }
    },
    async persist(work) {
      const who = randomId();
      for (;;) {
        try {
          const value = await work();
          passed(who);
          return value;
        } catch (error) {
          if (error instanceof AttemptLost || signal.aborted) throw error;
          tell(who, error);
          await delay(retryMs, { signal });
        }
      }
    },
  };
}
