// Passes data to later runs: a short report in the state, and in the process whether anything is to be done.
import type { Problem } from '../sync/change.ts';
import type { StoredLastRun } from './stored/facts.ts';
import type { JobContext, JobRun, RunRequest } from './job.ts';
import type { Ending } from './report.ts';

/** More than a person reads; the counts include them all. */
export const problemsKept = 1000;

/**
 * The last run for the state. Problems are stored without values: the links have those. `contentsOf`: as in `StoredProblem`, by the
 * number of the row.
 */
export function lastRunOf(
  { run, now }: Pick<JobRun, 'run'> & Pick<JobContext, 'now'>,
  { status, counts, problems, stopped }: Ending,
  contentsOf: (row: number) => string | undefined = () => undefined,
): StoredLastRun {
  const told = problems.slice(0, problemsKept).map(({ values: _values, ...problem }) => {
    const contents = problem.uuid === null && problem.row !== null ? contentsOf(problem.row) : undefined;
    return contents === undefined ? problem : { ...problem, contents };
  });
  return { run, status, endedAt: new Date(now()).toISOString(), counts, ...(stopped && { stopped }), problems: told };
}

/** Kinds of problems that time alone may solve. */
const passing: ReadonlySet<Problem['kind']> = new Set(['waiting', 'refused', 'failed', 'unknown', 'incomplete']);

/** The run did nothing, was not stopped, and left nothing open that time alone changes. */
export function isRepeatable({ signal }: RunRequest, { counts, problems, holds }: Ending): boolean {
  const { created, updated, appended, set, deleted, removed, enrolled, cancelled, sent } = counts;
  const written = created + updated + appended + set + deleted + removed + enrolled + cancelled + sent;
  return !signal.aborted && holds.length === 0 && written === 0 && problems.every(({ kind }) => !passing.has(kind));
}
