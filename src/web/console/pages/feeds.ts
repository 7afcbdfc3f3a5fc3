// Feeds: the collection that each shows, its last run, its rows and what is open.
import { html } from 'hono/html';
import type { FeedAnswer } from '../../../operator/answers/ledgers.ts';
import type { StandingAnswer } from '../../../operator/answers/status.ts';
import { readFeedsPage } from '../../../operator/feeds.ts';
import { readRunStrips } from '../../../operator/runs.ts';
import { readStatus } from '../../../operator/standing.ts';
import { type Columns, csvFile } from '../download.ts';
import { empty, type Html } from '../html.ts';
import type { Page, PageContext } from '../page.ts';
import { allPages, pageLinks, placeOf } from '../paging.ts';
import { lastRunCell } from '../tables/runs.ts';
import { stateOf } from '../tables/state.ts';
import { scrollTable } from '../tables/scroll.ts';

export async function feedsPage(context: PageContext): Promise<Page | Response> {
  const { operator, now, query, signal } = context;
  if (query('format') === 'csv') {
    const rows = allPages(signal, async (page) => {
      const { feeds, next } = await readFeedsPage(operator, page);
      return { items: feeds, next };
    });
    return csvFile({ name: 'feeds', columns, rows });
  }
  const answer = await readFeedsPage(operator, placeOf(context));
  const { feeds } = answer;
  if (feeds.length === 0) {
    const advice = 'A tab that shows a collection of the service is configured below feeds (docs/feeds.md).';
    return { title: 'Feeds', body: empty('No feed is configured.', advice) };
  }
  const names = feeds.map(({ name }) => name);
  const { syncs } = await readStatus(operator, names);
  const { strips } = await readRunStrips(operator, { names, limit: 1 });
  const standings = new Map(syncs.map((job) => [job.name, job]));
  const kept = new Map(strips.map(({ name, runs }) => [name, runs]));
  const body = html`${scrollTable(
    'Feeds',
    ['Feed', 'Shows', 'State', 'Last run', { number: 'Rows' }, { number: 'Gone' }, { number: 'Open' }],
    feeds.map((feed) => row(feed, { job: standings.get(feed.name), kept: kept.get(feed.name) ?? [] }, now)),
  )}
  ${pageLinks(context, { ...answer, words: ['feed', 'feeds'] })}`;
  return { title: 'Feeds', body };
}

interface Standing {
  readonly job: StandingAnswer | undefined;
  readonly kept: Parameters<typeof lastRunCell>[1];
}

function row(feed: FeedAnswer, { job, kept }: Standing, now: number): Html {
  const { name, rows, gone } = feed;
  const of = encodeURIComponent(name);
  const open = job?.problems.length ?? 0;
  return html`<tr>
    <th scope="row"><a href="/jobs/${of}">${name}</a></th>
    <td>${showsText(feed)}<br /><small>${feed.columns.map(({ header }) => header).join(', ')}</small></td>
    <td>${job ? stateOf(job) : ''}</td>
    <td>${lastRunCell(job?.last_run ?? null, kept, now)}</td>
    <td class="number">${rows.toLocaleString('en-US')}</td>
    <td class="number">${gone.toLocaleString('en-US')}</td>
    <td class="number">
      ${open === 0 ? '0' : html`<a href="/problems?job=${of}">${open.toLocaleString('en-US')}</a>`}
    </td>
  </tr>`;
}

function showsText({ resource, tab, rows_max: max, controlled, on_gone: onGone }: FeedAnswer): Html {
  const which = max === null ? 'all' : `the newest ${max.toLocaleString('en-US')}`;
  const control = controlled === null ? '' : `; people set ${controlled}`;
  const gone =
    onGone === 'mark' ? 'a record that is gone keeps its row' : 'the row of a record that is gone is deleted';
  return html`${resource.replaceAll('_', ' ')}, ${which}, in the tab ${tab}<br /><small>${gone}${control}</small>`;
}

const columns: Columns<FeedAnswer> = {
  feed: (each) => each.name,
  resource: (each) => each.resource,
  tab: (each) => each.tab,
  columns: (each) => each.columns.map(({ header }) => header).join(', '),
  rows: (each) => each.rows,
  gone: (each) => each.gone,
};
