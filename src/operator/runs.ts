// What ran: the reports that the state keeps, and what one run changed.
import * as z from 'zod';
import { isStoredRun, type StoredRun } from '../engine/stored/run.ts';
import { withRule } from '../engine/rule-words.ts';
import type { RunPlace } from '../state/port.ts';
import type { ChangeLine, DecisionLine } from './answers/history.ts';
import type { RunLineAnswer, RunPageAnswer, RunShownAnswer, RunsPageAnswer, RunStripsAnswer } from './answers/runs.ts';
import { OperatorError } from './errors.ts';
import { readLinesPage, readLog } from './history.ts';
import type { Operator } from './operator.ts';
import { cursorOf, noCursor, type PageQuery, placeIn } from './paging.ts';
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
}

/**
 * The one that ended last first; of one instant by the name of the job, then the one stored last. Throws OperatorError, also if a
 * cursor is not one of this list, and StateError.
 */
export async function readRuns(operator: Operator, filter: RunsFilter): Promise<RunsPageAnswer> {
  const { names, limit, status, after, before } = filter;
  if (after !== undefined && before !== undefined) {
    throw new OperatorError('invalid', 'a page comes after one place or before one, not both');
  }
  const [afterPlace, beforePlace] = [runPlaceIn(after), runPlaceIn(before)];
  const { runs, hasMore } = await operator.store.runsPage({
    jobs: selectAll(operator.config, names),
    limit,
    ...(status !== undefined && { status }),
    ...(afterPlace && { after: afterPlace }),
    ...(beforePlace && { before: beforePlace }),
  });
  const cursors = runs.map(({ place: { endedAt, job, order } }) => cursorOf('runs', [endedAt, job, order]));
  const isFirst = before === undefined ? after === undefined : !hasMore;
  return {
    runs: runs.flatMap(({ record }) => (isStoredRun(record) ? [runToLine(record)] : [])),
    next: hasMore || before !== undefined ? (cursors.at(-1) ?? null) : null,
    previous: isFirst ? null : (cursors[0] ?? null),
  };
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

/** The last `limit` runs of each job, in brief: all of it comes from one look. Throws OperatorError and StateError. */
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
  return { ...runToLine(found), problems: found.problems.map(problemToAnswer), changes };
}

/** The same with one page of what it changed, oldest first. Throws OperatorError and StateError. */
export async function readRunPage(operator: Operator, run: string, page: PageQuery): Promise<RunPageAnswer> {
  const found = await findReport(operator, run);
  const { lines: changes, next } = await readLinesPage(operator, { sync: found.sync, run }, page, false);
  return { ...runToLine(found), problems: found.problems.map(problemToAnswer), changes, next };
}

async function findReport({ config, store }: Operator, run: string): Promise<StoredRun> {
  const { runs } = await store.runsPage({ jobs: selectAll(config, []), run, limit: 1 });
  const record = runs[0]?.record;
  if (record && isStoredRun(record)) return record;
  throw new OperatorError(
    'unknown',
    `no report of a run ${run} is kept: leadsheet runs lists them; of an older run, leadsheet log --run ${run} has what it changed`,
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
