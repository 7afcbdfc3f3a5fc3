// Reads the runs of a fleet from the log lines of its workers: a run counts from its lease to its end.

/** A run that had the lease of its job. */
export interface LeasedRun {
  readonly worker: string;
  readonly job: string;
  readonly run: string;
  /** Of its lease: greater than the one of each run of the job before it. */
  readonly epoch: number;
  /** Epoch milliseconds of the line that names the lease. A worker that is stopped in between writes it late. */
  readonly from: number;
  /** Infinity: no line tells its end, since it goes on or its worker was killed. */
  to: number;
  isFailed: boolean;
}

/** The fields of lines that the judge goes by. */
export interface Line {
  readonly msg?: string;
  /** ISO 8601. */
  readonly time?: string;
  readonly sync?: string;
  readonly run?: string;
  readonly epoch?: number;
  readonly status?: string;
}

/** The last line of a run: what it came to, in the words of the log. */
const ends = new Set(['run ended', 'nothing new', 'run stopped before its end']);

export function createRunLog() {
  const runs: LeasedRun[] = [];
  const under = new Map<string, LeasedRun>();
  const counts = { runs: 0, failed: 0 };

  function observe(worker: string, { msg, time, sync, run, epoch, status }: Line): void {
    if (msg === undefined || time === undefined || sync === undefined || run === undefined) return;
    const key = `${worker} ${sync} ${run}`;
    const at = Date.parse(time);
    if (msg === 'run has its lease' && epoch !== undefined) {
      const leased: LeasedRun = { worker, job: sync, run, epoch, from: at, to: Infinity, isFailed: false };
      runs.push(leased);
      under.set(key, leased);
    }
    if (!ends.has(msg)) return;
    counts.runs += 1;
    if (status === 'failed') counts.failed += 1;
    const leased = under.get(key);
    under.delete(key);
    if (leased) Object.assign(leased, { to: at, isFailed: status === 'failed' });
  }

  return { runs: runs as readonly LeasedRun[], counts: counts as Readonly<typeof counts>, observe };
}
