// Tells how the budgets are used, how long runs take and how far jobs are behind, as the daemon measured it.
import { areSeveral } from '../config/accounts.ts';
import { jobsIn } from '../config/jobs.ts';
import { type DaemonView, lookAtDaemon } from '../daemon/view.ts';
import type { RunMeasured, TrendsTold } from '../daemon/trends.ts';
import type { BudgetsAnswer, JobTimesAnswer, SeriesAnswer } from './answers/budgets.ts';
import type { Operator } from './operator.ts';
import { selectAll } from './select.ts';

const budgetNames = {
  crm: 'Calls to the service',
  sheet_reads: 'Reads of Google Sheets',
  sheet_writes: 'Writes of Google Sheets',
  drive: 'Questions to Google Drive',
} as const;

type BudgetKey = keyof typeof budgetNames;
const budgetKeys = Object.keys(budgetNames) as readonly BudgetKey[];

/** The part of what is measured that is meant. Left out: all jobs. */
export interface Meant {
  readonly job?: string | undefined;
  /** One of the configuration. With one account it is all there is. */
  readonly account?: string | undefined;
}

/** Throws OperatorError. */
export async function readBudgets(operator: Operator, meant: Meant = {}): Promise<BudgetsAnswer> {
  const { store, now, lookout, trends } = operator;
  const names = namesOf(operator, meant);
  const { view } = await lookAtDaemon(store, now(), lookout);
  const { account } = meant;
  const accounts = several(view?.accountBudgets ?? []);
  const ofAccount = accounts.find((each) => each.account === account);
  const runs = trends?.read().runs ?? [];
  return {
    budgets: view ? budgetsIn(ofAccount?.budget ?? view.budget) : [],
    accounts: (account === undefined ? accounts : []).map((each) => ({
      name: each.account,
      budgets: budgetsIn(each.budget),
    })),
    series: readSeries(operator, meant, view),
    jobs: names.map((name) => {
      const lastSuccessAt = view?.jobs.get(name)?.lastSuccessAt;
      const lag = lastSuccessAt === undefined ? null : Math.max(0, Math.round((now() - lastSuccessAt) / 1_000));
      return timesOf(name, lag, runs);
    }),
  };
}

/**
 * What the daemon measured in the last hours, or one kind of it. None: this process is not the daemon. Only calls have limits, for
 * which the daemon is asked. Throws OperatorError.
 */
export async function readTrends(
  operator: Operator,
  meant: Meant = {},
  kind?: SeriesAnswer['measured'],
): Promise<SeriesAnswer[]> {
  if (!operator.trends) return [];
  const hasCalls = kind === undefined || kind === 'calls';
  const { view } = hasCalls ? await lookAtDaemon(operator.store, operator.now(), operator.lookout) : {};
  return readSeries(operator, meant, view).filter(({ measured }) => kind === undefined || measured === kind);
}

function namesOf({ config }: Operator, { job, account }: Meant): readonly string[] {
  const names = selectAll(config, job === undefined ? [] : [job]);
  if (account === undefined) return names;
  const ofAccount = new Set(jobsIn(config).flatMap((each) => (each.config.account === account ? [each.name] : [])));
  return names.filter((name) => ofAccount.has(name));
}

function readSeries(operator: Operator, meant: Meant, view: DaemonView | undefined): SeriesAnswer[] {
  const { config, trends } = operator;
  if (!trends) return [];
  const { account } = meant;
  const isOne = account !== undefined && areSeveral(config);
  const told = trends.read(isOne ? [account] : undefined);
  const used = isOne ? view?.accountBudgets.find((each) => each.account === account)?.budget : view?.budget;
  const limits = {
    crm: used?.crm.per_minute ?? null,
    sheet_reads: used?.sheet_reads.per_minute ?? null,
    sheet_writes: used?.sheet_writes.per_minute ?? null,
    drive: used?.drive?.per_minute ?? null,
  };
  const names = new Set(namesOf(operator, meant));
  return seriesOf({ ...told, runs: told.runs.filter(({ job }) => names.has(job)) }, limits, meant.job);
}

/** Without hints, Drive has none. */
function budgetsIn(told: DaemonView['budget']): BudgetsAnswer['budgets'] {
  return budgetKeys.flatMap((key) => {
    const used = told[key];
    return used ? [{ name: budgetNames[key], ...used }] : [];
  });
}

/** A person who sees one account has the sums alone: they are of this account. */
function several<Item>(items: readonly Item[]): readonly Item[] {
  return items.length > 1 ? items : [];
}

function seriesOf(
  { calls, lag, runs }: TrendsTold,
  limits: Readonly<Record<BudgetKey, number | null>>,
  job: string | undefined,
): SeriesAnswer[] {
  const points = (from: readonly (readonly [number, number])[]) =>
    from.map(([at, value]): [number, number] => [at, value]);
  // Calls of several accounts, but not of all, are not told: accounts with one credential show the same calls.
  const measured = budgetKeys.flatMap((key) => ({ key, values: calls[key] ?? [] }));
  return [
    ...measured
      .filter(({ values }) => values.length > 0)
      .map(({ key, values }) => ({
        measured: 'calls' as const,
        name: budgetNames[key],
        unit: 'calls a minute',
        limit: limits[key],
        points: points(values),
      })),
    {
      measured: 'runs',
      name: job === undefined ? 'Time of runs' : `Time of runs of ${job}`,
      unit: 'seconds',
      limit: null,
      points: runs.map(({ endedAt, seconds }): [number, number] => [endedAt, seconds]),
    },
    { measured: 'lag', name: 'Longest lag', unit: 'seconds', limit: null, points: points(lag) },
  ];
}

function timesOf(name: string, lag: number | null, runs: readonly RunMeasured[]): JobTimesAnswer {
  const own = runs.flatMap(({ job, seconds }) => (job === name ? [seconds] : []));
  const sorted = own.toSorted((a, b) => a - b);
  return {
    name,
    lag_secs: lag,
    runs: own.length,
    last_secs: own.at(-1) ?? null,
    median_secs: sorted[Math.floor((sorted.length - 1) / 2)] ?? null,
    longest_secs: sorted.at(-1) ?? null,
  };
}
