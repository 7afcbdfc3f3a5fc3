// Keeps what the daemon measured in the last hours, in bounded memory: calls a minute, the longest lag, and how long runs took.
import type { EngineEvent } from '../engine/events.ts';
import type { BudgetName, Usage } from '../limits/usage.ts';

/** Epoch milliseconds, and the value at that instant. */
export type Point = readonly [number, number];

export interface RunMeasured {
  readonly job: string;
  /** Epoch milliseconds. */
  readonly endedAt: number;
  /** Seconds, waiting for the budgets included. */
  readonly seconds: number;
}

export interface TrendsTold {
  /** Calls that began in the 60 seconds before each instant. */
  readonly calls: Readonly<Record<BudgetName, readonly Point[]>> & { readonly drive?: readonly Point[] };
  /** Seconds: the longest lag of any job that is not paused. */
  readonly lag: readonly Point[];
  /** Oldest first. */
  readonly runs: readonly RunMeasured[];
}

export interface Trends extends Disposable {
  observe(event: EngineEvent): void;
  /** What was kept, and the values of this instant. */
  read(): TrendsTold;
}

interface TrendsDep {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly usage: () => Usage;
  /** Seconds; undefined: no job has a lag. */
  readonly lag: () => number | undefined;
}

const sampleEveryMs = 30_000;
/** Six hours. */
const samplesMax = 720;
/** Of one job each minute, 33 hours; of 500 jobs each minute, four minutes. */
const runsMax = 2_000;

interface Sample {
  readonly at: number;
  readonly usage: Usage;
  readonly lag: number | undefined;
}

export function createTrends({ now, usage, lag }: TrendsDep): Trends {
  const samples: Sample[] = [];
  const runs: RunMeasured[] = [];
  const take = (): Sample => ({ at: now(), usage: usage(), lag: lag() });
  const timer = setInterval(() => keep(samples, take(), samplesMax), sampleEveryMs);
  timer.unref();

  return {
    observe(event) {
      if (event.type !== 'run-ended') return;
      const { endedAt, cost } = event.report;
      keep(runs, { job: event.sync, endedAt: Date.parse(endedAt), seconds: cost.seconds }, runsMax);
    },
    read() {
      const all = [...samples, take()];
      const calls = (name: keyof Usage) =>
        all.flatMap(({ at, usage: { [name]: used } }): readonly Point[] => (used ? [[at, used.lastMinute]] : []));
      return {
        calls: {
          crm: calls('crm'),
          sheet_reads: calls('sheet_reads'),
          sheet_writes: calls('sheet_writes'),
          drive: calls('drive'),
        },
        lag: all.flatMap((each): readonly Point[] => (each.lag === undefined ? [] : [[each.at, each.lag]])),
        runs: [...runs],
      };
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Older ones make room. */
function keep<Kept>(kept: Kept[], next: Kept, max: number): void {
  kept.push(next);
  if (kept.length > max) kept.shift();
}
