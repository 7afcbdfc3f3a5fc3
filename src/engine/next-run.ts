// What a run leaves to the runs after it: in the state its report in short, in the process that nothing is to be done.
import type { Problem } from '../sync/change.ts';
import type { StoredLastRun } from './stored/facts.ts';
import type { JobContext, JobRun, RunRequest } from './job.ts';
import type { Ending } from './report.ts';

/** More than anybody reads; the counts have them all. */
const problemsKept = 1000;

/** Its problems go along without values: those stand in the links. */
export function lastRunOf(
  { run, now }: Pick<JobRun, 'run'> & Pick<JobContext, 'now'>,
  { status, counts, problems, stopped }: Ending,
): StoredLastRun {
  const told = problems.slice(0, problemsKept).map(({ values: _values, ...problem }) => problem);
  return { run, status, endedAt: new Date(now()).toISOString(), counts, ...(stopped && { stopped }), problems: told };
}

/** Kinds of problems that time alone may solve. */
const passing: ReadonlySet<Problem['kind']> = new Set(['waiting', 'refused', 'failed', 'unknown', 'incomplete']);

/** It did nothing and was not stopped, and time alone changes nothing about what it left open. */
export function isRepeatable({ signal }: RunRequest, { counts, problems, holds }: Ending): boolean {
  const { created, updated, appended, set, deleted, removed, enrolled, cancelled, sent } = counts;
  const written = created + updated + appended + set + deleted + removed + enrolled + cancelled + sent;
  return !signal.aborted && holds.length === 0 && written === 0 && problems.every(({ kind }) => !passing.has(kind));
}
