// The history: changes and decisions, the latest first, page by page, with filters in the address.
import { html } from 'hono/html';
import { namesOf } from '../../../operator/persons.ts';
import { readAddresses } from '../../../operator/addresses.ts';
import type { ChangeLine, DecisionLine } from '../../../operator/answers/history.ts';
import { readLinesPage, readLogPage } from '../../../operator/history.ts';
import { outcomes } from '../../../operator/outcomes.ts';
import { jobsOf } from '../../../operator/select.ts';
import { csvFile } from '../download.ts';
import { filterForm, sinceHint, wordIn, wordsOf } from '../filter.ts';
import { empty } from '../html.ts';
import type { Page, PageContext } from '../page.ts';
import { allPages, pageLinks, placeOf } from '../paging.ts';
import { historyColumns, historyTable } from '../tables/history.ts';

export async function logPage(context: PageContext): Promise<Page | Response> {
  const { operator, areDetailsShown, now, query, signal } = context;
  const filter = {
    sync: query('job'),
    run: query('run'),
    contact: query('contact'),
    field: query('field'),
    outcome: wordIn(context, 'outcome', outcomes),
    side: wordIn(context, 'side', ['crm', 'sheet']),
    since: query('since'),
    until: query('until'),
  };
  if (query('format') === 'csv') {
    const rows = allPages<ChangeLine | DecisionLine>(signal, async (page) => {
      const { lines, next } = await readLinesPage(operator, filter, page, true);
      return { items: lines, next };
    });
    return csvFile({ name: 'log', columns: historyColumns(areDetailsShown), rows });
  }
  const { lines, ...cursors } = await readLogPage(operator, filter, placeOf(context));
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const addresses = await readAddresses(
    operator,
    lines.map(({ sync: job }) => job),
  );
  const nameOf = areDetailsShown
    ? await namesOf(
        operator,
        lines.map(({ sync: job, contact }) => ({ job, contact })),
      )
    : undefined;
  const body = html`${filterForm(context, [
    { name: 'contact', label: 'Contact', hint: 'uuid, e-mail, name or row:17', size: 24, isSearch: true },
    { name: 'job', label: 'Job', size: 9, known: jobsOf(operator.config).map(({ name }) => name) },
    { name: 'field', label: 'Field', hint: 'or header', size: 9 },
    {
      name: 'side',
      label: 'Side',
      choices: [
        ['crm', 'service'],
        ['sheet', 'sheet'],
      ],
      none: 'both',
    },
    { name: 'outcome', label: 'Outcome', choices: wordsOf(outcomes) },
    { name: 'run', label: 'Run', hint: 'id', size: 9 },
    { name: 'since', label: 'Since', hint: sinceHint },
    { name: 'until', label: 'Until', hint: 'today', size: 9 },
  ])}
  ${
    lines.length === 0 && cursors.next === null
      ? isFiltered
        ? empty('No change and no decision is meant by this filter.', 'Leave out a filter to see more.')
        : empty('Nothing was changed or decided yet.', 'The first run that changes something is listed here.')
      : html`${historyTable(lines, { areDetailsShown, addresses, nameOf, now })} ${pageLinks(context, cursors)}`
  }`;
  return { title: 'Log', body };
}
