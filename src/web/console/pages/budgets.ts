// The budgets against their limits, how long runs take, and how far jobs are behind.
import { html } from 'hono/html';
import type { BudgetsAnswer, JobTimesAnswer } from '../../../operator/answers/budgets.ts';
import { type Meant, readBudgets, readTrends } from '../../../operator/budgets.ts';
import { jsonFile } from '../download.ts';
import { wordIn } from '../filter.ts';
import { empty, type Html, spanText } from '../html.ts';
import type { Page, PageContext } from '../page.ts';
import { scrollTable } from '../tables/scroll.ts';
import { numberText, seriesWithCharts } from '../tables/series.ts';

export async function budgetsPage(context: PageContext): Promise<Page> {
  const { operator, now, address } = context;
  const meant = meantBy(context);
  const { budgets, accounts, series, jobs } = await readBudgets(operator, meant);
  const body = html`${budgetTable(budgets)} ${accounts.length === 0 ? '' : accountsTable(accounts, budgets)}
    <h2>The last hours</h2>
    ${
      series.length === 0
        ? empty('Nothing was measured.', 'The daemon measures while it runs: leadsheet run')
        : seriesWithCharts(series, now, `/budgets.json${address.search}`)
    }
    <h2>Jobs</h2>
    ${jobs.length === 0 ? empty('No job is configured.', 'leadsheet init adds one.') : jobsTable(jobs)}`;
  if (meant.job !== undefined) return { title: `Budgets and times of ${meant.job}`, body };
  return { title: meant.account === undefined ? 'Budgets' : `Budgets of ${meant.account}`, body };
}

/** `{ series: [{ measured, name, unit, limit, points: [[epoch milliseconds, value], ...] }] }`; `?measured=lag`: that alone. */
export async function budgetsFile(context: PageContext): Promise<Response> {
  const measured = wordIn(context, 'measured', ['calls', 'runs', 'lag'] as const);
  return jsonFile({ series: await readTrends(context.operator, meantBy(context), measured) });
}

function meantBy(context: PageContext): Meant {
  const accounts = [...context.operator.config.accounts.keys()];
  return { job: context.query('job'), account: wordIn(context, 'account', accounts) };
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
