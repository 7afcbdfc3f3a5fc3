// Who did what: decisions, logins and sessions. For operators.
import { html } from 'hono/html';
import type { DecisionsPageAnswer } from '../../../operator/answers/audit.ts';
import type { DecisionLine } from '../../../operator/answers/history.ts';
import { readDecisionsPage } from '../../../operator/audit.ts';
import { whenCarriedOut } from '../../../operator/decide.ts';
import { problemText } from '../../../operator/words.ts';
import type { LoginShown, SessionShown } from '../access/desk.ts';
import { actionForm } from '../actions/form.ts';
import { type Columns, csvFile } from '../download.ts';
import { empty, type Html, instant, runLink } from '../html.ts';
import type { Page, PageContext } from '../page.ts';
import { sentence } from '../forms/parts.ts';
import { addressWith, allPages } from '../paging.ts';
import { scrollTable } from '../tables/scroll.ts';

const linesShown = 100;

const places = [
  ['/audit', 'Decisions'],
  ['/audit/logins', 'Logins'],
  ['/audit/sessions', 'Sessions'],
] as const;

export async function auditPage(context: PageContext): Promise<Page | Response> {
  const { operator, query, now, areDetailsShown, signal } = context;
  if (context.viewer.role !== 'operator') return forOperators;
  const by = query('by');
  if (query('format') === 'csv') {
    const rows = allPages(signal, async (page) => {
      const { waiting, decisions, next } = await readDecisionsPage(operator, { by }, page);
      return { items: [...waiting, ...decisions], next };
    });
    return csvFile({ name: 'decisions', columns: decisionColumns(areDetailsShown), rows });
  }
  const { waiting, decisions, next } = await readDecisionsPage(
    operator,
    { by },
    { limit: linesShown, after: query('after') },
  );
  const rows = [
    ...waiting.map((each) => waitingRow(each, now, areDetailsShown)),
    ...decisions.map((each) => decisionRow(each, now, areDetailsShown)),
  ];
  const table = scrollTable('Decisions', ['Decided', 'Person', 'Through', 'Job', 'Decision', 'Seen', 'Came to'], rows);
  const none = empty(
    'No decision is recorded.',
    'Approvals, resolved conflicts, retries, pauses and the like are listed here.',
  );
  return {
    title: 'Audit',
    body: html`${links('/audit')} ${personFilter('by', by)} ${rows.length === 0 && next === null ? none : table}
    ${next === null ? '' : nextLink('/audit', { by, after: next })} ${csvLink(context)}`,
  };
}

export async function loginsPage(context: PageContext): Promise<Page | Response> {
  const { desk, viewer, query, now } = context;
  if (viewer.role !== 'operator') return forOperators;
  if (viewer.accounts !== undefined) return forAllAccounts;
  const name = query('name');
  // The server keeps few of them.
  if (query('format') === 'csv') {
    const { logins: all } = desk?.logins({ limit: Number.MAX_SAFE_INTEGER, name }) ?? { logins: [] };
    return csvFile({
      name: 'logins',
      columns: loginColumns,
      rows: allPages(context.signal, async () => ({ items: all, next: null })),
    });
  }
  const before = Number(query('before') ?? NaN);
  const { logins, next } = desk?.logins({
    limit: linesShown,
    name,
    ...(Number.isSafeInteger(before) && { before }),
  }) ?? { logins: [] };
  const table = scrollTable(
    'Logins',
    ['When', 'Person', 'From', 'What', 'How'],
    logins.map((login) => loginRow(login, now)),
  );
  const none = desk?.hasForm
    ? empty('No login is recorded.')
    : empty(
        'This server asks for no password.',
        'leadsheet console logs you in; leadsheet user add NAME --role viewer adds a user.',
      );
  return {
    title: 'Logins',
    body: html`${links('/audit/logins')} ${desk ? personFilter('name', name) : ''} ${logins.length === 0 ? none : table}
    ${next === undefined ? '' : nextLink('/audit/logins', { name, before: String(next) })} ${csvLink(context)}`,
  };
}

export async function sessionsPage({ desk, viewer, now }: PageContext): Promise<Page> {
  if (viewer.role !== 'operator') return forOperators;
  if (viewer.accounts !== undefined) return forAllAccounts;
  const sessions = desk?.sessions() ?? [];
  const table = scrollTable(
    'Sessions',
    ['Person', 'From', 'Begun', 'Ends', 'End it'],
    sessions.map((session) => sessionRow(session, viewer, now)),
  );
  const body = sessions.length === 0 ? empty('No session is open.', 'A person who logs in has one.') : table;
  return { title: 'Sessions', body: html`${links('/audit/sessions')} ${body}` };
}

const forAllAccounts: Page = {
  title: 'Audit',
  body: html`${links('')} ${empty('Only operators of all accounts see logins and sessions.')}`,
};
const forOperators: Page = { title: 'Audit', body: empty('Only operators see who did what.') };

function links(here: string): Html {
  return html`<nav aria-label="Audit">
    <ul>
      ${places.map(([href, name]) => html`<li><a href="${href}" ${href === here ? html`aria-current="page"` : ''}>${name}</a></li>`)}
    </ul>
  </nav>`;
}

function personFilter(field: string, value: string | undefined): Html {
  return html`<form method="get" class="filter">
    <label>Person <input name="${field}" value="${value ?? ''}" data-search /></label>
    <button type="submit">Show</button>
  </form>`;
}

function nextLink(path: string, query: Readonly<Record<string, string | undefined>>): Html {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return html`<p>
    <a href="${path}?${new URLSearchParams(Object.fromEntries(given)).toString()}" rel="next">Earlier ones</a>
  </p>`;
}

function csvLink({ address }: Pick<PageContext, 'address'>): Html {
  const to = addressWith(address, { after: undefined, before: undefined, format: 'csv' });
  return html`<nav class="pages" aria-label="The list as a file"><a href="${to}" download>Download CSV</a></nav>`;
}

type Audited = DecisionsPageAnswer['waiting'][number] | DecisionLine;

/** Without contact details there is no value in it. */
function decisionColumns(areDetailsShown: boolean): Columns<Audited> {
  return {
    decided_at: (line) => ('decided_at' in line ? line.decided_at : line.at),
    by: (line) => line.by,
    through: (line) => line.through,
    job: (line) => line.sync,
    decision: (line) => line.decision,
    id: (line) => line.id,
    ...(areDetailsShown && {
      text: (line: Audited) => line.text,
      seen: (line: Audited) => ('seen' in line ? seenText(line.seen) : null),
    }),
    outcome: (line) => ('outcome' in line ? line.outcome : 'waiting'),
    run: (line) => ('run' in line ? line.run : null),
    time: (line) => ('time' in line ? line.time : null),
  };
}

const loginColumns: Columns<LoginShown> = {
  time: ({ time }) => time,
  name: ({ name }) => name,
  address: ({ address }) => address,
  what: ({ kind }) => loginWords[kind],
  times: ({ times }) => times,
  how: ({ how }) => how,
};

function waitingRow(
  { sync, decision, text, by, at, through }: DecisionsPageAnswer['waiting'][number],
  now: number,
  areDetailsShown: boolean,
): Html {
  return html`<tr>
    <td>${at === null ? '' : instant(at, now)}</td>
    <th scope="row">${by ?? ''}</th>
    <td>${through ?? ''}</td>
    <td><a href="/jobs/${encodeURIComponent(sync)}">${sync}</a></td>
    <td>${areDetailsShown ? (text ?? decision) : decision}</td>
    <td></td>
    <td>${sentence(whenCarriedOut({ decision, text }))}</td>
  </tr>`;
}

function decisionRow(line: DecisionLine, now: number, areDetailsShown: boolean): Html {
  const { sync, run, decision, text, by, decided_at: at, time, through, outcome, seen } = line;
  return html`<tr>
    <td>${instant(at ?? time, now)}</td>
    <th scope="row">${by ?? ''}</th>
    <td>${through ?? ''}</td>
    <td><a href="/jobs/${encodeURIComponent(sync)}">${sync}</a></td>
    <td>${areDetailsShown ? (text ?? decision) : decision}</td>
    <td>${areDetailsShown ? seenText(seen) : ''}</td>
    <td>
      ${outcome === 'taken' ? 'taken up' : 'nothing'}${run === '' ? '' : html` in ${runLink(run)}`},
      ${instant(time, now)}
    </td>
  </tr>`;
}

/** In words, all that the person was shown, without blank and unknown values. */
function seenText(seen: DecisionLine['seen']): string {
  if (seen === null) return '';
  const { counts, reasons, base, crm, sheet, problems, status } = seen;
  const named = (name: string, value: typeof base) =>
    value === undefined || value === null ? [] : [`${name} “${value}”`];
  return [
    ...(counts ? Object.entries(counts).flatMap(([name, number]) => (number ? [`${number} ${name}`] : [])) : []),
    ...(reasons ?? []),
    ...named('agreed', base),
    ...named('service', crm),
    ...named('sheet', sheet),
    ...(problems ?? []).map(problemText),
    ...(status === undefined || status === null ? [] : [`last run ${status}`]),
  ].join('; ');
}

const loginWords = { begun: 'logged in', failed: 'failed', ended: 'session ended' } as const;

function loginRow({ time, kind, name, address, how, times }: LoginShown, now: number): Html {
  return html`<tr>
    <td>${instant(time, now)}</td>
    <th scope="row">${name ?? html`<span class="blank">unknown name</span>`}</th>
    <td>${address}</td>
    <td>${loginWords[kind]}${times > 1 ? `, ${times} times` : ''}</td>
    <td>${how}</td>
  </tr>`;
}

function sessionRow(
  { id, name, address, begun, ends }: SessionShown,
  viewer: PageContext['viewer'],
  now: number,
): Html {
  const body = html`<button type="submit">End the session of ${name}</button>`;
  return html`<tr>
    <th scope="row">${name}${id === viewer.session ? ' (this one)' : ''}</th>
    <td>${address}</td>
    <td>${instant(begun, now)}</td>
    <td>${instant(ends, now)}</td>
    <td>${actionForm(viewer, { action: 'end-session', hidden: { session: id }, body })}</td>
  </tr>`;
}
