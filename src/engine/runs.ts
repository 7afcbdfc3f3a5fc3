// The reports of runs (S6): each report with news is kept behind the Store port, without contact details.
import { StateError } from '../state/errors.ts';
import type { Lease, RunQuery, RunRecord, SyncState } from '../state/port.ts';
import type { JobContext } from './job.ts';
import type { RunReport } from './report.ts';
import { isStoredRun, type StoredRun } from './stored/run.ts';

type Job = Pick<JobContext, 'emit'> & {
  readonly config: { readonly name: string };
  readonly state: Pick<SyncState, 'readRuns'>;
};

/**
 * Keeps the report before the lease is released. The work of the run is saved already, so that a failure here is a notice.
 */
export async function keepReport(job: Job, lease: Lease, report: RunReport): Promise<void> {
  const stored = toStored(report);
  try {
    const [last] = await readRuns(job.state, { limit: 1 });
    if (isNews(stored, last)) await lease.appendRun({ ...stored } as RunRecord & StoredRun);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    const message = `the report of run ${report.run} could not be kept: ${error.message}`;
    job.emit({ type: 'notice', sync: job.config.name, message });
  }
}

/** The reports of the runs of a job, newest first. One that is no report is left out: nothing depends on it. */
export async function readRuns(state: Pick<SyncState, 'readRuns'>, query: RunQuery): Promise<readonly StoredRun[]> {
  return (await state.readRuns(query)).filter((record) => isStoredRun(record));
}

/** Undefined: no report of this run is kept, or it cannot be read. */
export async function findRun(state: Pick<SyncState, 'readRun'>, run: string): Promise<StoredRun | undefined> {
  const record = await state.readRun(run);
  return record && isStoredRun(record) ? record : undefined;
}

/** More than anybody reads; the counts have them all. */
const problemsKept = 1_000;

/** The links have the values of conflicts: a report has no contact details. */
function toStored({ problems, ...report }: RunReport): StoredRun {
  return { ...report, problems: problems.slice(0, problemsKept).map(({ values: _values, ...problem }) => problem) };
}

/** W9: a run that did nothing and found what the last run found leaves no report. */
function isNews(report: StoredRun, last: StoredRun | undefined): boolean {
  const { created, updated, appended, set, deleted, removed, enrolled, cancelled, sent } = report.counts;
  const done = created + updated + appended + set + deleted + removed + enrolled + cancelled + sent;
  return done > 0 || last === undefined || saidBy(report) !== saidBy(last);
}

/**
 * The report without what differs in every run: waiting records, and texts with a count or an instant. What a hold of G1 names gets less
 * while people put it right.
 */
function saidBy({ status, error, approvable, stopped, holds, problems }: StoredRun): string {
  const open = problems.flatMap(({ kind, id }) => (kind === 'waiting' ? [] : [[kind, id]]));
  return JSON.stringify([
    status,
    error,
    approvable,
    stopped,
    holds.map(({ rule, reason }) => (rule === 'G1' ? reason : rule)),
    open,
  ]);
}
