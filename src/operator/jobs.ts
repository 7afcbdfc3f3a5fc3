// Lists jobs page by page: by name, state and kind, in several orders.
import { areSeveral } from '../config/accounts.ts';
import type { JobKind } from '../engine/kind.ts';
import type { JobAnswer, JobsPageAnswer, JobState } from './answers/jobs.ts';
import type { StandingAnswer } from './answers/status.ts';
import type { Operator } from './operator.ts';
import { type PageQuery, pageOf } from './paging.ts';
import { refusalsOf } from './refusals.ts';
import { readStatus } from './standing.ts';

/** A filter that is left out selects everything. */
export interface JobsFilter {
  /** A part of the name, in any case. */
  readonly search?: string | undefined;
  /** `needs-somebody`: whatever their state. */
  readonly state?: JobState | 'needs-somebody' | undefined;
  readonly kind?: JobKind | undefined;
  readonly account?: string | undefined;
  /** `needs` by default: those that need a person first, then those that failed, then the others, each by name. */
  readonly order?: JobOrder | undefined;
}

/** `last-run`: the latest first. `lag`: the longest first. `open`: the most problems first. Each then by name. */
export const jobOrders = ['needs', 'name', 'last-run', 'lag', 'open'] as const;
export type JobOrder = (typeof jobOrders)[number];

/** Throws OperatorError if the cursor is not one of this list, and StateError. */
export async function readJobsPage(
  operator: Operator,
  { search = '', state, kind, account, order = 'needs' }: JobsFilter,
  page: PageQuery,
): Promise<JobsPageAnswer> {
  const { syncs, daemon, last_daemon, daemon_notice, left_out, refused_configuration } = await readStatus(operator, []);
  const refusals = refusalsOf(syncs);
  const refused = new Set(refusals.flatMap(({ side, jobs }) => (side === 'crm' ? jobs : [])));
  const all = syncs.map((job): JobAnswer => {
    const needs = needsSomebody(job);
    const isRefused = needs && refused.has(job.name) && !needsSomebody({ ...job, phase: null });
    return { ...job, state: stateOf(job), needs_somebody: needs, is_refused_alone: isRefused };
  });
  const wanted = search.toLowerCase();
  const meant = all.filter((job) => {
    if (kind !== undefined && job.kind !== kind) return false;
    if (account !== undefined && job.account !== account) return false;
    if (state === 'needs-somebody' ? !job.needs_somebody : state !== undefined && job.state !== state) return false;
    return job.name.toLowerCase().includes(wanted);
  });
  // With several accounts, the jobs of each stand together: the first accounts are those that need a person.
  const places = areSeveral(operator.config) ? accountPlaces(meant, placeBy[order]) : new Map<string, number>();
  const placeOf = (job: JobAnswer): (number | string)[] => [
    ...(places.size > 0 ? [places.get(job.account)!, job.account] : []),
    placeBy[order](job),
    job.name,
  ];
  const isOne = account !== undefined && areSeveral(operator.config);
  const { items, next, previous } = pageOf('jobs', meant, placeOf, page);
  return {
    daemon,
    last_daemon,
    daemon_notice,
    left_out,
    refused_configuration,
    jobs: [...items],
    budget: daemon && ((isOne && operator.budgetOf?.([account])) || daemon.budget),
    longest_lag: longestLag(isOne ? all.filter((job) => job.account === account) : all),
    refusals: refusals.map((each) => ({ ...each, jobs: [...each.jobs] })),
    total: meant.length,
    all: all.length,
    needs_somebody: all.filter((job) => job.needs_somebody && !job.is_refused_alone).length,
    next,
    previous,
  };
}

function longestLag(jobs: readonly JobAnswer[]): JobsPageAnswer['longest_lag'] {
  const lags = jobs.flatMap(({ name, paused, lag_secs: secs }) =>
    paused !== null || secs === null ? [] : [{ job: name, secs }],
  );
  return lags.toSorted((a, b) => b.secs - a.secs)[0] ?? null;
}

/** The place of each account is that of its first job. */
function accountPlaces(jobs: readonly JobAnswer[], place: (job: JobAnswer) => number): Map<string, number> {
  const places = new Map<string, number>();
  for (const job of jobs) places.set(job.account, Math.min(places.get(job.account) ?? Infinity, place(job)));
  return places;
}

const placeBy: Readonly<Record<JobOrder, (job: JobAnswer) => number>> = {
  // A refused account is told once, and its jobs do not stand before what else needs a person.
  needs: (job) => (job.needs_somebody ? (job.is_refused_alone ? 1 : 0) : job.health === 'failed' ? 2 : 3),
  name: () => 0,
  'last-run': ({ last_run: last }) => (last ? -Date.parse(last.ended_at) : 0),
  lag: ({ lag_secs: lag }) => (lag === null ? 1 : -lag),
  open: ({ problems }) => -problems.length,
};

/** The state of a job in one word. */
export function stateOf({ held_run: run, phase, paused, running, last_run: last }: StandingAnswer): JobState {
  if (running !== null) return 'running';
  if (paused !== null) return 'paused';
  if (phase === 'stopped' || phase === 'running' || phase === 'backing-off') return phase;
  if (run !== null || last?.status === 'held') return 'held';
  if (last === null) return 'not run yet';
  return last.status === 'failed' || last.status === 'partial' ? last.status : 'succeeded';
}

function needsSomebody({ held_run: run, held_refused: refused, phase, problems }: StandingAnswer): boolean {
  return (
    (run !== null && refused === null) || phase === 'stopped' || problems.some((problem) => problem.needs_somebody)
  );
}
