// The ledger of enrolments: who was put into which automation, what waits and why, and how much of each cap is used.
import { html } from 'hono/html';
import { type Addresses, readAddresses } from '../../../operator/addresses.ts';
import { ledgerState } from '../../../operator/answers/history.ts';
import type { EnrolmentAnswer, EnrolmentsPageAnswer } from '../../../operator/answers/ledgers.ts';
import { readEnrolmentsPage } from '../../../operator/enrolments.ts';
import { type Columns, csvFile } from '../download.ts';
import { type CancelOf, openCancels } from '../forms/cancel.ts';
import { hiddenHint } from '../forms/parts.ts';
import { openRetries, type RetryOf } from '../forms/retry.ts';
import { filterForm, wordIn, wordsOf } from '../filter.ts';
import { empty, type Html, instant, personName, runLink, shortRecordLink, state } from '../html.ts';
import { rowLink, serviceLink } from '../links.ts';
import type { Page, PageContext } from '../page.ts';
import { allPages, pageLinks, placeOf } from '../paging.ts';
import { ledgerSummary } from '../tables/ledgers.ts';
import { scrollTable } from '../tables/scroll.ts';

const states = ledgerState.options;

export async function enrolmentsPage(context: PageContext): Promise<Page | Response> {
  const { operator, areDetailsShown, query, signal } = context;
  const filter = {
    sync: query('job'),
    state: wordIn(context, 'state', states),
    automation: query('automation'),
    contact: query('contact'),
  };
  if (query('format') === 'csv') {
    const rows = allPages(signal, async () => {
      const { enrolments } = await readEnrolmentsPage(operator, filter, { limit: Number.MAX_SAFE_INTEGER });
      return { items: enrolments, next: null };
    });
    return csvFile({ name: 'enrolments', columns: columnsOf(areDetailsShown), rows });
  }
  const answer = await readEnrolmentsPage(operator, filter, placeOf(context));
  const { jobs, enrolments, automations } = answer;
  const title = filter.sync === undefined ? 'Enrolments' : `Enrolments of ${filter.sync}`;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (jobs.length === 0 && enrolments.length === 0 && !isFiltered) {
    const advice = 'Give a sync the option automation, with the column in which people name an automation.';
    return { title, body: empty('No sync puts contacts into automations.', advice) };
  }
  const body = html`${summary(jobs)}
  ${filterForm(context, [
    { name: 'contact', label: 'Contact', hint: 'uuid, e-mail, name or row:17', size: 24, isSearch: true },
    { name: 'job', label: 'Job', known: operator.config.syncs.map(({ name }) => name) },
    { name: 'automation', label: 'Automation', hint: 'name or uuid', known: automations },
    { name: 'state', label: 'State', choices: wordsOf(states) },
  ])}
  ${
    enrolments.length > 0
      ? html`${hiddenHint(context.viewer)}
        ${table(
          enrolments,
          context,
          await readAddresses(operator, jobsOf(enrolments)),
          await openRetries(context, enrolments.filter((each) => isOpen(each)).map(toSubject)),
          await openCancels(context, enrolments.filter(({ state: standing }) => standing === 'waiting').map(toSubject)),
        )}
        ${pageLinks(context, { ...answer, words: ['enrolment', 'enrolments'] })}`
      : isFiltered
        ? empty('No enrolment is meant by this filter.', 'Leave out a filter to see more.')
        : empty('Nobody was put into an automation yet.', 'Type the name of an automation into its cell of a row.')
  }`;
  return { title, body };
}

function jobsOf(enrolments: readonly EnrolmentAnswer[]): readonly string[] {
  return enrolments.map(({ job }) => job);
}

function summary(jobs: EnrolmentsPageAnswer['jobs']): Html {
  const lines = jobs.map((job) => ({
    ...job,
    note:
      job.vetoes.length === 0
        ? 'no vetoes'
        : job.vetoes.map(({ header, values }) => `not if ${header} is ${values.join(' or ')}`).join('; '),
  }));
  return ledgerSummary(lines, { page: '/enrolments', open: ['waiting', 'unknown'], done: 'enrolled', note: 'Vetoes' });
}

/** A contact that was enrolled is enrolled again on the page of its record. */
function isOpen({ state: standing }: EnrolmentAnswer): boolean {
  return ['refused', 'unknown', 'intended', 'cancelled'].includes(standing);
}

function toSubject({ job, contact, automation, name, row: number }: EnrolmentAnswer) {
  return { job, id: `${contact}/${automation}`, name: name ?? automation, row: number };
}

function table(
  enrolments: readonly EnrolmentAnswer[],
  { areDetailsShown, now }: PageContext,
  addresses: Addresses,
  retryOf: RetryOf,
  cancelOf: CancelOf,
): Html {
  return scrollTable(
    'Enrolments',
    ['Contact', 'Automation', 'State', 'Since', 'Job', 'Run'],
    enrolments.map((each) => {
      const subject = toSubject(each);
      const buttons = html`${retryOf(subject)} ${cancelOf(subject)}`;
      return row(each, areDetailsShown, now, { addresses, buttons });
    }),
  );
}

function row(
  each: EnrolmentAnswer,
  areDetailsShown: boolean,
  now: number,
  { addresses, buttons }: { readonly addresses: Addresses; readonly buttons: Html },
): Html {
  const { job, contact, person, row: number, automation, name, state: standing, time, run, message, waits } = each;
  const why = message ?? waits;
  return html`<tr>
    <th scope="row">
      ${areDetailsShown && person !== null ? html`${personName(person)}<br />` : ''}<small
        >${shortRecordLink(contact)} ${rowLink(addresses, job, number)} ${serviceLink(addresses, job, contact)}</small
      >
    </th>
    <td>${name === null ? html`<code>${automation}</code>` : html`<bdi title="${automation}">${name}</bdi>`}</td>
    <td>${state(standing)}${why === null ? '' : html`<br /><small>${why}</small>`} ${buttons}</td>
    <td>${instant(time, now)}</td>
    <td>${job}</td>
    <td>${run === null ? '' : runLink(run)}</td>
  </tr>`;
}

function columnsOf(areDetailsShown: boolean): Columns<EnrolmentAnswer> {
  return {
    time: (each) => each.time,
    job: (each) => each.job,
    contact: (each) => each.contact,
    ...(areDetailsShown && { person: (each: EnrolmentAnswer) => each.person }),
    row: (each) => each.row,
    automation: (each) => each.automation,
    automation_name: (each) => each.name,
    state: (each) => each.state,
    run: (each) => each.run,
    message: (each) => each.message,
    waits: (each) => each.waits,
  };
}
