// What runs could not do, with what to do about it; those that need a person come first.
import { html } from 'hono/html';
import { readDecided } from '../../../operator/decided.ts';
import type { ProblemsPageAnswer } from '../../../operator/answers/problems.ts';
import { readProblemsPage } from '../../../operator/problems.ts';
import { readLeftOut } from '../../../operator/standing.ts';
import { jobsOf } from '../../../operator/select.ts';
import { type Columns, csvFile } from '../download.ts';
import { filterForm } from '../filter.ts';
import { decidedList, hiddenHint } from '../forms/parts.ts';
import { problemsTable } from '../forms/problems.ts';
import { leftOutBox } from '../left-out.ts';
import type { Page, PageContext } from '../page.ts';
import { empty } from '../html.ts';
import { addressWith, allPages, pageLinks, placeOf } from '../paging.ts';

export async function problemsPage(context: PageContext): Promise<Page | Response> {
  const { operator, viewer, now, areDetailsShown, query, address, signal } = context;
  const [job, kind] = [query('job'), query('kind')];
  const filter = { names: job === undefined ? [] : [job], kind };
  if (query('format') === 'csv') {
    const rows = allPages(signal, async () => {
      const { problems } = await readProblemsPage(operator, filter, { limit: Number.MAX_SAFE_INTEGER });
      return { items: problems, next: null };
    });
    return csvFile({ name: 'problems', columns, rows });
  }
  const decided = await readDecided(operator, { names: filter.names, kinds: ['retry'], since: '1d' });
  // After the decisions: what was carried out is not listed as open.
  const list = await readProblemsPage(operator, filter, placeOf(context));
  const { problems, kinds } = list;
  const decisions = decidedList(decided, now, areDetailsShown);
  const nothing = html`${empty(
    'Nothing is open.',
    'A record that a run cannot write, or does not understand, is listed here with what to do.',
  )}`;
  // A part of the file that does not run has no problem of a record, and is more than one.
  const isAll = job === undefined && kind === undefined;
  const leftOut = isAll ? leftOutBox(await readLeftOut(operator), now) : html``;
  const body =
    kinds.length === 0 && job === undefined
      ? html`${leftOut} ${nothing} ${decisions}`
      : html`${leftOut}
        ${filterForm(context, [
          { name: 'job', label: 'Job', known: jobsOf(operator.config).map(({ name }) => name), isSearch: true },
          {
            name: 'kind',
            label: 'Kind',
            choices: kinds.map(({ kind: each, count: number }) => [
              each,
              `${each} (${number.toLocaleString('en-US')})`,
            ]),
          },
        ])}
        ${hiddenHint(viewer)}
        ${
          problems.length === 0
            ? nothing
            : await problemsTable(operator, problems, { viewer, now, back: addressWith(address, {}) })
        }
        ${pageLinks(context, { ...list, words: ['problem', 'problems'] })} ${decisions}`;
  return { title: job === undefined ? 'Problems' : `Problems of ${job}`, body };
}

const columns: Columns<ProblemsPageAnswer['problems'][number]> = {
  job: (each) => each.job,
  id: (each) => each.id,
  kind: (each) => each.kind,
  contact: (each) => each.contact,
  row: (each) => each.row,
  field: (each) => each.field,
  needs_somebody: (each) => each.needs_somebody,
  reason: (each) => each.reason,
  rule: (each) => each.rule,
  rule_in_words: (each) => each.rule_words,
  advice: (each) => each.advice,
};
