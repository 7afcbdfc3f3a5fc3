// Runs that are over, page by page, by job, state and time.
import { html } from 'hono/html';
import type { RunLineAnswer } from '../../../operator/answers/runs.ts';
import { readRuns } from '../../../operator/runs.ts';
import { jobsOf } from '../../../operator/select.ts';
import { type Columns, csvFile } from '../download.ts';
import { filterForm, sinceHint, wordIn, wordsOf } from '../filter.ts';
import { empty } from '../html.ts';
import type { Page, PageContext } from '../page.ts';
import { allPages, pageLinks, placeOf } from '../paging.ts';
import { didText, runsTable } from '../tables/runs.ts';

const statuses = ['succeeded', 'partial', 'held', 'failed'] as const;

export async function runsPage(context: PageContext): Promise<Page | Response> {
  const { operator, now, query, signal } = context;
  const job = query('job');
  const filter = {
    names: job === undefined ? [] : [job],
    status: wordIn(context, 'status', statuses),
    since: query('since'),
    until: query('until'),
  };
  if (query('format') === 'csv') {
    const rows = allPages(signal, async (page) => {
      const { runs, next } = await readRuns(operator, { ...filter, ...page });
      return { items: runs, next };
    });
    return csvFile({ name: job === undefined ? 'runs' : `runs-${job}`, columns, rows });
  }
  const { runs, ...cursors } = await readRuns(operator, { ...filter, ...placeOf(context) });
  const isFiltered = filter.status !== undefined || filter.since !== undefined || filter.until !== undefined;
  const body = html`${filterForm(context, [
    { name: 'job', label: 'Job', known: jobsOf(operator.config).map(({ name }) => name), isSearch: true },
    { name: 'status', label: 'State', choices: wordsOf(statuses) },
    { name: 'since', label: 'Ended since', hint: sinceHint },
    { name: 'until', label: 'Until', hint: 'today' },
  ])}
  ${
    runs.length > 0
      ? html`${runsTable(runs, now)} ${pageLinks(context, cursors)}`
      : isFiltered
        ? empty('No kept run is meant by this filter.', 'Leave out the state or the time to see more.')
        : empty(
            'No run has left a report yet.',
            'The daemon begins one by its schedule; leadsheet sync begins one now.',
          )
  }`;
  return { title: job === undefined ? 'Runs' : `Runs of ${job}`, body };
}

const columns: Columns<RunLineAnswer> = {
  run: (each) => each.run,
  job: (each) => each.name,
  kind: (each) => each.kind,
  status: (each) => each.status,
  started_at: (each) => each.started_at,
  ended_at: (each) => each.ended_at,
  seconds: (each) => each.cost.seconds,
  is_full: (each) => each.is_full,
  did: (each) => didText(each),
  linked: (each) => each.counts.linked,
  conflicts: (each) => each.counts.conflicts,
  quarantined: (each) => each.counts.quarantined,
  held: (each) => each.counts.held,
  crm_calls: (each) => each.cost.crm_calls,
  sheet_reads: (each) => each.cost.sheet_reads,
  sheet_writes: (each) => each.cost.sheet_writes,
  holds: (each) => each.holds.join('; '),
  error: (each) => each.error,
};
