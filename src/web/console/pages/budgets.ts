// The budgets against their limits, how long runs take, and how far jobs are behind.
import { html } from 'hono/html';
import type { BudgetsAnswer, JobTimesAnswer, SeriesAnswer } from '../../../operator/answers/budgets.ts';
import { readBudgets } from '../../../operator/budgets.ts';
import { jsonFile } from '../download.ts';
import { empty, type Html, instant, spanText } from '../html.ts';
import type { Page, PageContext } from '../page.ts';
import { scrollTable } from '../tables/scroll.ts';

export async function budgetsPage({ operator, now, query, address }: PageContext): Promise<Page> {
  const job = query('job');
  const { budgets, accounts, series, jobs } = await readBudgets(operator, job);
  const body = html`${budgetTable(budgets)} ${accounts.length === 0 ? '' : accountsTable(accounts, budgets)}
    <h2>The last hours</h2>
    ${series.length === 0 ? empty('Nothing was measured.', 'The daemon measures while it runs: leadsheet run') : seriesTable(series, now)}
    <div data-charts="/budgets.json${address.search}"></div>
    <h2>Jobs</h2>
    ${jobs.length === 0 ? empty('No job is configured.', 'leadsheet init adds one.') : jobsTable(jobs)}`;
  return { title: job === undefined ? 'Budgets' : `Budgets and times of ${job}`, body };
}

/** `{ series: [{ name, unit, limit, points: [[epoch milliseconds, value], ...] }] }`. */
export async function budgetsFile({ operator, query }: PageContext): Promise<Response> {
  const { series } = await readBudgets(operator, query('job'));
  return jsonFile({ series });
}

function budgetTable(budgets: BudgetsAnswer['budgets']): Html {
  if (budgets.length === 0) return empty('No daemon is known to run on this state.', 'leadsheet run starts it.');
  return scrollTable(
    'Budgets',
    ['Budget', { number: 'Last minute' }, { number: 'Limit' }, { number: 'Left' }, 'Used'],
    budgets.map(({ name, used, per_minute: limit }) => {
      const percent = limit === 0 ? 0 : Math.round((used * 100) / limit);
      return html`<tr>
        <th scope="row">${name}</th>
        <td class="number">${numberText(used)}</td>
        <td class="number">${numberText(limit)}</td>
        <td class="number">${numberText(Math.max(0, limit - used))}</td>
        <td><meter min="0" max="${limit}" value="${used}" aria-label="${name}">${percent} %</meter> ${percent} %</td>
      </tr>`;
    }),
  );
}

/** An account without hints has no budget of Drive. */
function accountsTable(accounts: BudgetsAnswer['accounts'], all: BudgetsAnswer['budgets']): Html {
  return html`<h2>Accounts</h2>
    ${scrollTable(
      'Accounts',
      ['Account', ...all.map(({ name }) => ({ number: name }))],
      accounts.map(({ name, budgets }) => {
        const own = new Map(budgets.map((each) => [each.name, each]));
        return html`<tr>
          <th scope="row"><a href="/?account=${encodeURIComponent(name)}">${name}</a></th>
          ${all.map((each) => {
            const budget = own.get(each.name);
            const text = budget ? `${numberText(budget.used)} of ${numberText(budget.per_minute)}` : '–';
            return html`<td class="number">${text}</td>`;
          })}
        </tr>`;
      }),
    )}`;
}

/** The same numbers as the chart, for a person without script. */
function seriesTable(series: readonly SeriesAnswer[], now: number): Html {
  const rows = series.map(({ name, unit, limit, points }) => {
    const values = points.map(([, value]) => value);
    const sum = values.reduce((all, value) => all + value, 0);
    const [since] = points[0] ?? [];
    const cell = (value: number | undefined) => (value === undefined ? '–' : numberText(value));
    return html`<tr>
      <th scope="row">${name} <small>${unit}</small></th>
      <td class="number">${cell(values.at(-1))}</td>
      <td class="number">${cell(values.length === 0 ? undefined : sum / values.length)}</td>
      <td class="number">${cell(values.length === 0 ? undefined : Math.max(...values))}</td>
      <td class="number">${limit === null ? 'none' : numberText(limit)}</td>
      <td>${since === undefined ? '' : instant(new Date(since).toISOString(), now)}</td>
    </tr>`;
  });
  return scrollTable(
    'The last hours',
    ['Measured', { number: 'Last' }, { number: 'Average' }, { number: 'Most' }, { number: 'Limit' }, 'Since'],
    rows,
  );
}

function jobsTable(jobs: readonly JobTimesAnswer[]): Html {
  const secs = (value: number | null) => (value === null ? '–' : `${numberText(value)} s`);
  return scrollTable(
    'Jobs',
    [
      'Job',
      { number: 'In sync' },
      { number: 'Runs measured' },
      { number: 'Last' },
      { number: 'Median' },
      { number: 'Longest' },
    ],
    jobs.map(
      ({ name, lag_secs: lag, runs, last_secs: last, median_secs: median, longest_secs: longest }) =>
        html`<tr>
          <th scope="row"><a href="/budgets?job=${encodeURIComponent(name)}">${name}</a></th>
          <td class="number">${lag === null ? 'not yet' : `${spanText(lag * 1_000)} ago`}</td>
          <td class="number">${numberText(runs)}</td>
          <td class="number">${secs(last)}</td>
          <td class="number">${secs(median)}</td>
          <td class="number">${secs(longest)}</td>
        </tr>`,
    ),
  );
}

/** At most one digit behind the point. */
function numberText(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}
