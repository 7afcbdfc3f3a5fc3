// The ledger of outboxes: what is sent, waits or is unknown, and how much of each cap is used.
import { html } from 'hono/html';
import { type Addresses, readAddresses } from '../../../operator/addresses.ts';
import type { MessageAnswer } from '../../../operator/answers/ledgers.ts';
import { readMessagesPage } from '../../../operator/messages.ts';
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

const states = ['waiting', 'intended', 'sent', 'refused', 'unknown', 'cancelled'] as const;

export async function outboxPage(context: PageContext): Promise<Page | Response> {
  const { operator, areDetailsShown, query, signal } = context;
  const filter = { outbox: query('job'), state: wordIn(context, 'state', states) };
  if (query('format') === 'csv') {
    const rows = allPages(signal, async () => {
      const { messages } = await readMessagesPage(operator, filter, { limit: Number.MAX_SAFE_INTEGER });
      return { items: messages, next: null };
    });
    return csvFile({ name: 'outbox', columns: columnsOf(areDetailsShown), rows });
  }
  const answer = await readMessagesPage(operator, filter, placeOf(context));
  const { outboxes, messages } = answer;
  const title = filter.outbox === undefined ? 'Outbox' : `Outbox ${filter.outbox}`;
  if (operator.config.outboxes.length === 0) {
    const advice = 'A tab whose rows are messages to send is configured below outbox (docs/outbox.md).';
    return { title, body: empty('No outbox is configured: nothing is ever sent.', advice) };
  }
  const lines = outboxes.map((each) => ({ ...each, note: each.resource.replaceAll('_', ' ') }));
  const body = html`${ledgerSummary(lines, { page: '/outbox', open: ['waiting', 'unknown', 'refused'], done: 'sent', note: 'Sends' })}
  ${filterForm(context, [
    { name: 'job', label: 'Job', known: operator.config.outboxes.map(({ name }) => name), isSearch: true },
    { name: 'state', label: 'State', choices: wordsOf(states) },
  ])}
  ${
    messages.length > 0
      ? html`${hiddenHint(context.viewer)}
        ${table(
          messages,
          context,
          await readAddresses(
            operator,
            messages.map(({ job }) => job),
          ),
          await openRetries(
            context,
            messages.filter((each) => isOpen(each)).map((each) => ({ job: each.job, id: each.id, name: nameOf(each) })),
          ),
          await openCancels(
            context,
            messages.filter(({ state: standing }) => standing === 'waiting' || standing === 'refused'),
          ),
        )}
        ${pageLinks(context, { ...answer, words: ['message', 'messages'] })}`
      : filter.state === undefined
        ? empty('No row was to be sent yet.', 'A row is sent once a person types yes into its cell.')
        : empty(`No message is ${filter.state}.`, 'Leave out the state to see more.')
  }`;
  return { title, body };
}

/** A row whose contact is not known has a place and an id. */
function nameOf({ person, row: number, id }: MessageAnswer): string {
  return person ?? (number === null ? id : `row ${number}`);
}

/** What was sent is sent again on the page of its record. */
function isOpen({ state: standing }: MessageAnswer): boolean {
  return standing !== 'sent' && standing !== 'waiting';
}

function table(
  messages: readonly MessageAnswer[],
  { areDetailsShown, now }: PageContext,
  addresses: Addresses,
  retryOf: RetryOf,
  cancelOf: CancelOf,
): Html {
  return scrollTable(
    'Messages',
    ['Message', 'State', 'Delivery', 'Since', 'What to do', 'Run'],
    messages.map((message) => {
      const buttons = html`${retryOf(message)} ${cancelOf(message)}`;
      return row(message, areDetailsShown, now, { addresses, buttons });
    }),
  );
}

function row(
  each: MessageAnswer,
  areDetailsShown: boolean,
  now: number,
  { addresses, buttons }: { readonly addresses: Addresses; readonly buttons: Html },
): Html {
  const {
    job,
    id,
    row: number,
    contact,
    person,
    state: standing,
    delivery,
    time,
    run,
    message,
    waits,
    remedies,
  } = each;
  const why = message ?? waits;
  return html`<tr>
    <th scope="row">
      ${areDetailsShown && person !== null ? html`${personName(person)}<br />` : ''}<small
        >${job}, ${number === null ? html`<code>${id}</code>` : rowLink(addresses, job, number)}
        ${contact === null ? '' : shortRecordLink(contact)} ${serviceLink(addresses, job, contact)}</small
      >
    </th>
    <td>${state(standing)}${why === null ? '' : html`<br /><small>${why}</small>`}</td>
    <td>${delivery ?? html`<span class="blank">not known</span>`}</td>
    <td>${instant(time, now)}</td>
    <td>
      ${remedies.map(({ text, command }) => html`<p>${text}${command === null ? '' : html`: <code>${command}</code>`}</p>`)}
      ${buttons}
    </td>
    <td>${run === null ? '' : runLink(run)}</td>
  </tr>`;
}

function columnsOf(areDetailsShown: boolean): Columns<MessageAnswer> {
  return {
    time: (each) => each.time,
    job: (each) => each.job,
    id: (each) => each.id,
    row: (each) => each.row,
    contact: (each) => each.contact,
    ...(areDetailsShown && { person: (each: MessageAnswer) => each.person }),
    state: (each) => each.state,
    delivery: (each) => each.delivery,
    run: (each) => each.run,
    message: (each) => each.message,
    waits: (each) => each.waits,
  };
}
