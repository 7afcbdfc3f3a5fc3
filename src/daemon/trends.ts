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
  /**
   * What was kept, and the values of this instant. `accounts`: of these alone. Calls of several accounts are none then, because
   * accounts with one credential show the same calls. Runs are those of all jobs.
   */
  read(accounts?: readonly string[]): TrendsTold;
}

export interface AccountMeasured {
  readonly account: string;
  readonly usage: Usage;
  /** As in `TrendsDep`. */
  readonly lag: number | undefined;
}

interface TrendsDep {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly usage: () => Usage;
  /** Seconds; undefined: no job has a lag. */
  readonly lag: () => number | undefined;
  /** None: there is one account, and its values are those of all. */
  readonly accounts: () => readonly AccountMeasured[];
}

const sampleEveryMs = 30_000;
/** Six hours. */
const samplesMax = 720;
/** Of one job each minute, 33 hours; of 500 jobs each minute, four minutes. */
const runsMax = 2_000;
/** Values of accounts: 4 MB. Six hours of 277 accounts; of more accounts a shorter time is kept. */
const accountValuesMax = 1_000_000;

interface Sample {
  readonly at: number;
  readonly usage: Usage;
  readonly lag: number | undefined;
  accounts: AccountValues | undefined;
}

/** The values of each account, packed: in the order of `columns`. NaN: there is none. */
interface AccountValues {
  readonly places: ReadonlyMap<string, number>;
  readonly values: Float32Array;
}

const columns = ['crm', 'sheet_reads', 'sheet_writes', 'drive', 'lag'] as const;

export function createTrends({ now, usage, lag, accounts }: TrendsDep): Trends {
  const samples: Sample[] = [];
  const runs: RunMeasured[] = [];
  let valuesHeld = 0;
  let places: ReadonlyMap<string, number> = new Map();

  function take(): Sample {
    const measured = accounts();
    // The same names share one map.
    if (!isSameNames(places, measured)) places = new Map(measured.map(({ account }, place) => [account, place]));
    return {
      at: now(),
      usage: usage(),
      lag: lag(),
      accounts: measured.length === 0 ? undefined : pack(places, measured),
    };
  }

  function keepSample(): void {
    const sample = take();
    valuesHeld += (sample.accounts?.values.length ?? 0) - (samples.length < samplesMax ? 0 : sizeOf(samples[0]));
    keep(samples, sample, samplesMax);
    for (const oldest of samples) {
      if (valuesHeld <= accountValuesMax || oldest === sample) return;
      valuesHeld -= sizeOf(oldest);
      oldest.accounts = undefined;
    }
  }

  const timer = setInterval(keepSample, sampleEveryMs);
  timer.unref();

  return {
    observe(event) {
      if (event.type !== 'run-ended') return;
      const { endedAt, cost } = event.report;
      keep(runs, { job: event.sync, endedAt: Date.parse(endedAt), seconds: cost.seconds }, runsMax);
    },
    read(meant) {
      const all = [...samples, take()];
      const told = meant === undefined ? ofAll(all) : ofAccounts(all, meant);
      return { ...told, runs: [...runs] };
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

type Told = Omit<TrendsTold, 'runs'>;

function ofAll(samples: readonly Sample[]): Told {
  const calls = (name: keyof Usage) =>
    samples.flatMap(({ at, usage: { [name]: used } }): readonly Point[] => (used ? [[at, used.lastMinute]] : []));
  return {
    calls: callsBy(calls),
    lag: samples.flatMap((each): readonly Point[] => (each.lag === undefined ? [] : [[each.at, each.lag]])),
  };
}

function ofAccounts(samples: readonly Sample[], meant: readonly string[]): Told {
  /** The largest one of these accounts. */
  const points = (column: (typeof columns)[number]) =>
    samples.flatMap(({ at, accounts }): readonly Point[] => {
      const values = meant.map((account) => valueOf(accounts, account, column)).filter((value) => !Number.isNaN(value));
      return values.length === 0 ? [] : [[at, Math.max(...values)]];
    });
  const calls = (column: keyof Usage) => (meant.length === 1 ? points(column) : []);
  return { calls: callsBy(calls), lag: points('lag') };
}

function callsBy(pointsOf: (name: keyof Usage) => readonly Point[]): Told['calls'] {
  return {
    crm: pointsOf('crm'),
    sheet_reads: pointsOf('sheet_reads'),
    sheet_writes: pointsOf('sheet_writes'),
    drive: pointsOf('drive'),
  };
}

function isSameNames(places: ReadonlyMap<string, number>, measured: readonly AccountMeasured[]): boolean {
  return places.size === measured.length && measured.every(({ account }, place) => places.get(account) === place);
}

function pack(places: ReadonlyMap<string, number>, measured: readonly AccountMeasured[]): AccountValues {
  const values = new Float32Array(measured.length * columns.length);
  let place = 0;
  for (const { usage, lag } of measured)
    for (const column of columns) values[place++] = (column === 'lag' ? lag : usage[column]?.lastMinute) ?? Number.NaN;
  return { places, values };
}

function valueOf(accounts: AccountValues | undefined, account: string, column: (typeof columns)[number]): number {
  const place = accounts?.places.get(account);
  if (!accounts || place === undefined) return Number.NaN;
  return accounts.values[place * columns.length + columns.indexOf(column)] ?? Number.NaN;
}

function sizeOf(sample: Sample | undefined): number {
  return sample?.accounts?.values.length ?? 0;
}

/** Older ones make room. */
function keep<Kept>(kept: Kept[], next: Kept, max: number): void {
  kept.push(next);
  if (kept.length > max) kept.shift();
}
