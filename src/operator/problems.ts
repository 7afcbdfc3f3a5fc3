// Open problems as answers, with the reason, the rule in words, and what to do; and pages of them.
import { ruleWords } from '../engine/rule-words.ts';
import { readBriefs } from '../engine/standing.ts';
import type { StoredProblem } from '../engine/stored/run.ts';
import { isHarmless } from '../sync/status.ts';
import { type AdvisedJob, adviceFor } from './advice.ts';
import type { ProblemsPageAnswer } from './answers/problems.ts';
import type { ProblemAnswer } from './answers/shared.ts';
import type { Operator } from './operator.ts';
import { type PageQuery, pageOf } from './paging.ts';
import { jobsOf, selectAll } from './select.ts';

export function problemToAnswer(problem: StoredProblem, job: AdvisedJob): ProblemAnswer {
  const { id, kind, uuid, row, field, rule, reason } = problem;
  const about = { id, kind, contact: uuid, row, field, rule, rule_words: ruleWords[rule], reason };
  return { ...about, needs_somebody: !isHarmless(kind), advice: adviceFor(problem, job) };
}

/** W11: what a column is called that is not in the tab, and is no record; undefined for every other problem. */
export function columnOf({ id, field }: Pick<ProblemAnswer, 'id' | 'field'>): string | undefined {
  return id.startsWith('row:?/') && field !== null ? `column ${field}` : undefined;
}

export interface ProblemFilter {
  /** All jobs if none is named. */
  readonly names?: readonly string[];
  readonly kind?: string | undefined;
  /** Only those that need a person. */
  readonly needsSomebody?: boolean;
}

/**
 * One page of what is open as of the last run of each job: those that need a person first, then by job, row and record.
 * Throws OperatorError, also if the cursor is not one of this list, and StateError.
 */
export async function readProblemsPage(
  { config, store }: Operator,
  { names = [], kind, needsSomebody = false }: ProblemFilter,
  page: PageQuery,
): Promise<ProblemsPageAnswer> {
  const selected = selectAll(config, names);
  const standings = await readBriefs(store, selected);
  const all: ProblemsPageAnswer['problems'] = [];
  for (const { name: job, kind: jobKind } of jobsOf(config)) {
    const lastRun = standings.get(job)?.lastRun;
    if (!lastRun) continue;
    const about = { name: job, kind: jobKind };
    all.push(
      ...lastRun.problems.map((problem) => ({
        job,
        job_kind: jobKind,
        ...problemToAnswer(problem, about),
        retry_at: problem.retryAt === undefined ? null : new Date(problem.retryAt).toISOString(),
      })),
    );
  }
  const kinds = Map.groupBy(all, (each) => each.kind);
  const meant = all.filter(
    (each) => (kind === undefined || each.kind === kind) && (each.needs_somebody || !needsSomebody),
  );
  const ordered = meant.map((problem, index) => ({ problem, index }));
  const { items, next, previous } = pageOf('problems', ordered, placeOf, page);
  return {
    problems: items.map(({ problem }) => problem),
    total: meant.length,
    kinds: [...kinds].map(([of, { length }]) => ({ kind: of, count: length })).toSorted(byKind),
    next,
    previous,
  };
}

/** Problems that are alike in all else are told apart by their place in the report of the run. */
function placeOf({
  problem,
  index,
}: {
  readonly problem: ProblemsPageAnswer['problems'][number];
  readonly index: number;
}) {
  const { needs_somebody: needs, job, row, id, kind, field } = problem;
  return [needs ? 0 : 1, job, row ?? Number.MAX_SAFE_INTEGER, id, kind, field ?? '', index];
}

function byKind(a: { readonly kind: string }, b: { readonly kind: string }): number {
  return a.kind < b.kind ? -1 : 1;
}
