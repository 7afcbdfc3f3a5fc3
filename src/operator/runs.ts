// What ran: the reports that the state keeps, and what one run changed.
import { findRun, readRuns as readStored } from '../engine/runs.ts';
import type { StoredRun } from '../engine/stored/run.ts';
import { withRule } from '../engine/rule-words.ts';
import type { ChangeLine, DecisionLine } from './answers/history.ts';
import type { RunLineAnswer, RunsAnswer, RunShownAnswer } from './answers/runs.ts';
import { OperatorError } from './errors.ts';
import { readLog } from './history.ts';
import type { Operator } from './operator.ts';
import { problemToAnswer } from './problems.ts';
import { costToAnswer } from './reports.ts';
import { selectAll } from './select.ts';

export interface RunsFilter {
  /** All jobs if none is named. */
  readonly names: readonly string[];
  /** At most so many, of all jobs together. */
  readonly limit: number;
}

/** The latest first. Throws OperatorError and StateError. */
export async function readRuns(operator: Operator, { names, limit }: RunsFilter): Promise<RunsAnswer> {
  const found: StoredRun[] = [];
  for (const name of selectAll(operator.config, names))
    found.push(...(await readStored(operator.store.sync(name), { limit })));
  const latest = found.toSorted((a, b) => b.endedAt.localeCompare(a.endedAt)).slice(0, limit);
  return { runs: latest.map(runToLine) };
}

/** One run with its problems, and with what the history has of it, oldest first. Throws OperatorError and StateError. */
export async function readRun(operator: Operator, run: string, signal: AbortSignal): Promise<RunShownAnswer> {
  for (const name of selectAll(operator.config, [])) {
    const found = await findRun(operator.store.sync(name), run);
    if (!found) continue;
    const changes: (ChangeLine | DecisionLine)[] = [];
    for await (const line of readLog(operator, { sync: name, run }, { follow: false, signal })) changes.push(line);
    const problems = found.problems.map((each) => problemToAnswer(each, { name, kind: found.kind }));
    return { ...runToLine(found), problems, changes };
  }
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
