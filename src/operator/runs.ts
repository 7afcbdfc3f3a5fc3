// What ran: the reports that the state keeps, and what one run changed.
import * as z from 'zod';
import { isStoredRun, type StoredRun } from '../engine/stored/run.ts';
import { withRule } from '../engine/rule-words.ts';
import type { RunPlace } from '../state/port.ts';
import type { ChangeLine, DecisionLine } from './answers/history.ts';
import type { RunLineAnswer, RunPageAnswer, RunShownAnswer, RunsPageAnswer, RunStripsAnswer } from './answers/runs.ts';
import { OperatorError } from './errors.ts';
import { readLinesPage, readLog } from './history.ts';
import { readInstant } from './instant.ts';
import type { Operator } from './operator.ts';
import { cursorOf, noCursor, type PageQuery, placeIn, refuseBoth } from './paging.ts';
import { problemToAnswer } from './problems.ts';
import { costToAnswer } from './reports.ts';
import { selectAll } from './select.ts';

export interface RunsFilter {
  /** All jobs if none is named. */
  readonly names: readonly string[];
  /** At most so many, of all jobs together; at least 1. */
  readonly limit: number;
  /** How they ended. */
  readonly status?: StoredRun['status'] | undefined;
  /** `next` of the page before this one. */
  readonly after?: string | undefined;
  /** `previous` of the page after this one. Not with `after`. */
  readonly before?: string | undefined;
  /** When it ended: a day, an instant, or how long ago (instant.ts). */
  readonly since?: string | undefined;
  /** The same; a day counts whole. */
  readonly until?: string | undefined;
}

/**
 * One page of runs. The run that ended last comes first; runs of one instant are sorted by job, then the one stored last. Throws OperatorError, also if a
 * cursor is not one of this list, and StateError.
 */
export async function readRuns(operator: Operator, filter: RunsFilter): Promise<RunsPageAnswer> {
  const { names, limit, status, after, before } = filter;
  refuseBoth(filter);
  const now = operator.now();
  const since = filter.since === undefined ? -Infinity : readInstant('since', filter.since, now, 'start');
  const until = filter.until === undefined ? Infinity : readInstant('until', filter.until, now, 'end');
  const beforePlace = runPlaceIn(before);
  const afterPlace = runPlaceIn(after) ?? (beforePlace ? undefined : placeOfInstant(until));
  const { runs, hasMore } = await operator.store.runsPage({
    jobs: selectAll(operator.config, names),
    limit,
    ...(status !== undefined && { status }),
    ...(afterPlace && { after: afterPlace }),
    ...(beforePlace && { before: beforePlace }),
  });
  const meant = runs.filter(({ place }) => isWithin(Date.parse(place.endedAt), since, until));
  const cursors = meant.map(({ place: { endedAt, job, order } }) => cursorOf('runs', [endedAt, job, order]));
  // Runs outside the time end the list at that end.
  const isNewest = runs[0] !== meant[0] || (before === undefined ? after === undefined : !hasMore);
  const isOldest = runs.at(-1) !== meant.at(-1) || (before === undefined && !hasMore);
  return {
    runs: meant.flatMap(({ record }) => (isStoredRun(record) ? [runToLine(record)] : [])),
    next: isOldest ? null : (cursors.at(-1) ?? null),
    previous: isNewest ? null : (cursors[0] ?? null),
  };
}

function isWithin(time: number, since: number, until: number): boolean {
  return time >= since && time <= until;
}

/** The place that stands before every run that ended then or earlier; undefined: there is no such instant. */
function placeOfInstant(until: number): RunPlace | undefined {
  if (until === Infinity) return undefined;
  return { endedAt: new Date(until + 1).toISOString(), job: '', order: Number.MAX_SAFE_INTEGER };
}

const placeParts = z.tuple([z.string(), z.string(), z.int()]);

function runPlaceIn(cursor: string | undefined): RunPlace | undefined {
  const place = placeIn('runs', cursor);
  if (!place) return undefined;
  const { success, data } = placeParts.safeParse(place);
  if (!success) throw noCursor('runs');
  const [endedAt, job, order] = data;
  return { endedAt, job, order };
}

/** The last `limit` runs of each job, in brief, by one query. Throws OperatorError and StateError. */
export async function readRunStrips(
  { config, store }: Operator,
  { names, limit }: { readonly names: readonly string[]; readonly limit: number },
): Promise<RunStripsAnswer> {
  const jobs = selectAll(config, names);
  const runsByJob = await store.lastRuns({ jobs, limit });
  const strips = jobs.map((name) => {
    const runs = runsByJob.get(name) ?? [];
    return { name, runs: runs.map(({ run, status, endedAt }) => ({ run, status, ended_at: endedAt })) };
  });
  return { strips };
}

/** One run with its problems, and with what the history has of it, oldest first. Throws OperatorError and StateError. */
export async function readRun(operator: Operator, run: string, signal: AbortSignal): Promise<RunShownAnswer> {
  const found = await findReport(operator, run);
  const changes: (ChangeLine | DecisionLine)[] = [];
  for await (const line of readLog(operator, { sync: found.sync, run }, { follow: false, signal })) changes.push(line);
  return { ...runToLine(found), problems: problemsOf(found), changes };
}

/** The same with one page of what it changed, oldest first. Throws OperatorError and StateError. */
export async function readRunPage(operator: Operator, run: string, page: PageQuery): Promise<RunPageAnswer> {
  const found = await findReport(operator, run);
  const { lines: changes, ...cursors } = await readLinesPage(operator, { sync: found.sync, run }, page, false);
  return { ...runToLine(found), problems: problemsOf(found), changes, ...cursors };
}

function problemsOf({ sync: name, kind, problems }: StoredRun) {
  return problems.map((each) => problemToAnswer(each, { name, kind }));
}

async function findReport({ config, store }: Operator, run: string): Promise<StoredRun> {
  const { runs } = await store.runsPage({ jobs: selectAll(config, []), run, limit: 1 });
  const record = runs[0]?.record;
  if (record && isStoredRun(record)) return record;
  throw new OperatorError(
    'unknown',
    `no report of a run ${run} is kept: leadsheet runs lists them; a run that finds nothing to do leaves none; of an older run, ` +
      `leadsheet log --run ${run} has what it changed`,
  );
}

function runToLine(run: StoredRun): RunLineAnswer {
  return {
    name: run.sync,
    kind: run.kind,
    run: run.run,
    status: run.status,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    is_full: run.isFull,
    counts: { ...run.counts },
    cost: costToAnswer(run.cost),
    holds: run.holds.map(({ reason, rule }) => withRule(reason, rule)),
    approvable: run.approvable ?? null,
    stopped: run.stopped ?? null,
    error: run.error ?? null,
  };
}
