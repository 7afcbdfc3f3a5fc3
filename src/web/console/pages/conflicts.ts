// Open conflicts: what both sides agreed on, what each holds, and the buttons that decide.
import { html } from 'hono/html';
import { readAddresses } from '../../../operator/addresses.ts';
import type { ConflictAnswer } from '../../../operator/answers/conflicts.ts';
import { readConflictsPage } from '../../../operator/conflicts.ts';
import { readDecided } from '../../../operator/decided.ts';
import { type Columns, csvFile } from '../download.ts';
import { filterForm } from '../filter.ts';
import { conflictsTable } from '../forms/conflicts.ts';
import { decidedList, hiddenHint } from '../forms/parts.ts';
import type { Page, PageContext } from '../page.ts';
import { empty, type Html } from '../html.ts';
import { addressWith, allPages, pageLinks, placeOf } from '../paging.ts';

export async function conflictsPage(context: PageContext): Promise<Page | Response> {
  const { operator, viewer, areDetailsShown, now, query, address, signal } = context;
  const [job, field, contact] = [query('job'), query('field'), query('contact')];
  const filter = { syncs: job === undefined ? [] : [job], field, contact };
  if (query('format') === 'csv') {
    const rows = allPages(signal, async () => {
      const { conflicts } = await readConflictsPage(operator, filter, { limit: Number.MAX_SAFE_INTEGER });
      return { items: conflicts, next: null };
    });
    return csvFile({ name: 'conflicts', columns: columnsOf(areDetailsShown), rows });
  }
  const decided = await readDecided(operator, { names: filter.syncs, kinds: ['resolve'], since: '1d' });
  // After the decisions: what was carried out is not listed as open.
  const list = await readConflictsPage(operator, filter, placeOf(context));
  const { conflicts } = list;
  const isFiltered = job !== undefined || field !== undefined || contact !== undefined;
  const none = html`${empty(
    isFiltered ? 'No conflict is open that this filter means.' : 'No conflict is open.',
    'A field that both sides changed to different values is listed here, unless a policy decides.',
  )}`;
  const addresses = await readAddresses(
    operator,
    conflicts.map(({ sync }) => sync),
  );
  const body = html`${conflicts.length === 0 && !isFiltered ? '' : form(context)}
  ${
    conflicts.length === 0
      ? none
      : html`<p class="quiet">The value that is kept stands on both sides afterwards.</p>
          ${hiddenHint(viewer)} ${conflictsTable(conflicts, { viewer, now, addresses, back: addressWith(address, {}) })}
          ${pageLinks(context, { ...list, words: ['conflict', 'conflicts'] })}`
  }
  ${decidedList(decided, now, areDetailsShown)}`;
  return { title: job === undefined ? 'Conflicts' : `Conflicts of ${job}`, body };
}

function form(context: PageContext): Html {
  return filterForm(context, [
    { name: 'contact', label: 'Contact', hint: 'uuid, e-mail, name or row:17', size: 24, isSearch: true },
    { name: 'job', label: 'Job', known: context.operator.config.syncs.map(({ name }) => name) },
    { name: 'field', label: 'Field' },
  ]);
}

function columnsOf(areDetailsShown: boolean): Columns<ConflictAnswer> {
  return {
    id: (each) => each.id,
    job: (each) => each.sync,
    contact: (each) => each.contact,
    row: (each) => each.row,
    field: (each) => each.field,
    since: (each) => each.since,
    ...(areDetailsShown && {
      person: (each: ConflictAnswer) => each.person,
      agreed: (each: ConflictAnswer) => each.base,
      agreed_is_known: (each: ConflictAnswer) => each.is_base_known,
      crm: (each: ConflictAnswer) => each.crm,
      sheet: (each: ConflictAnswer) => each.sheet,
      decided: (each: ConflictAnswer) => each.decision?.text ?? null,
    }),
  };
}
