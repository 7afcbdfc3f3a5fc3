// The history of the last days: changes and decisions, the latest first, with filters in the address.
import { html } from 'hono/html';
import type { ChangeLine, DecisionLine } from '../../../operator/answers/history.ts';
import { readLog } from '../../../operator/history.ts';
import type { Page, PageContext } from '../page.ts';
import { empty } from '../html.ts';
import { historyTable } from '../tables/history.ts';

const linesShown = 200;
const sinceDefault = '1d';

export async function logPage({ operator, areDetailsShown, now, query, signal }: PageContext): Promise<Page> {
  const [sync, contact, since = sinceDefault] = [query('job'), query('contact'), query('since')];
  const latest: (ChangeLine | DecisionLine)[] = [];
  for await (const line of readLog(operator, { sync, contact, since }, { follow: false, signal })) {
    latest.push(line);
    if (latest.length > linesShown) latest.shift();
  }
  const body = html`<form method="get" class="filter">
      <label
        >Contact <input name="contact" value="${contact ?? ''}" placeholder="uuid, e-mail, name or row:17" data-search
      /></label>
      <label>Job <input name="job" value="${sync ?? ''}" /></label>
      <label>Since <input name="since" value="${since}" placeholder="1d, 12h or 2026-01-31" /></label>
      <button type="submit">Show</button>
    </form>
    ${
      latest.length === 0
        ? empty('No change and no decision in this time.', 'A longer time shows more: 7d is a week.')
        : html`${historyTable(latest.toReversed(), areDetailsShown, now)}
          ${latest.length >= linesShown ? html`<p class="quiet">The last ${linesShown}. leadsheet log has all.</p>` : ''}`
    }`;
  return { title: 'Log', body };
}
