// Tells how the budgets are used, how long runs take and how far jobs are behind, as the daemon measured it.
import type { AccountConfig } from '../config/config.ts';
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

/** `job`: run times are of this one. Left out: of all. Throws OperatorError. */
export async function readBudgets(operator: Operator, job?: string): Promise<BudgetsAnswer> {
  const { config, store, now, lookout, trends } = operator;
  const names = selectAll(config, job === undefined ? [] : [job]);
  const { view } = await lookAtDaemon(store, now(), lookout);
  const told = trends?.read();
  const accounts = [...config.accounts.values()];
  const sum = (limitOf: (account: AccountConfig) => number) =>
    accounts.reduce((total, account) => total + limitOf(account), 0);
  const limits = {
    crm: sum(({ crm }) => crm.requestsPerMinute),
    sheet_reads: sum(({ google }) => google.readsPerMinute),
    sheet_writes: sum(({ google }) => google.writesPerMinute),
    drive: view?.budget.drive?.per_minute ?? null,
  };
  return {
    budgets: view ? budgetsIn(view.budget) : [],
    accounts: several(view?.accountBudgets ?? []).map(({ account, budget }) => ({
      name: account,
      budgets: budgetsIn(budget),
    })),
    series: told ? seriesOf(told, limits, job) : [],
    jobs: names.map((name) => {
      const lastSuccessAt = view?.jobs.get(name)?.lastSuccessAt;
      const lag = lastSuccessAt === undefined ? null : Math.max(0, Math.round((now() - lastSuccessAt) / 1_000));
      return timesOf(name, lag, told?.runs ?? []);
    }),
  };
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
  const meant = runs.filter((run) => job === undefined || run.job === job);
  const points = (from: readonly (readonly [number, number])[]) =>
    from.map(([at, value]): [number, number] => [at, value]);
  // A person who sees some accounts gets no series of all of them.
  const measured = budgetKeys.flatMap((key) => ({ key, values: calls[key] ?? [] }));
  return [
    ...measured
      .filter(({ values }) => values.length > 0)
      .map(({ key, values }) => ({
        name: budgetNames[key],
        unit: 'calls a minute',
        limit: limits[key],
        points: points(values),
      })),
    {
      name: job === undefined ? 'Time of runs' : `Time of runs of ${job}`,
      unit: 'seconds',
      limit: null,
      points: meant.map(({ endedAt, seconds }): [number, number] => [endedAt, seconds]),
    },
    { name: 'Longest lag', unit: 'seconds', limit: null, points: points(lag) },
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
