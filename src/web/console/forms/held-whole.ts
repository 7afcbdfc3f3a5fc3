// A held plan that is approved whole: what each choice does, in words, and what it is about as far as the state knows.
import { html } from 'hono/html';
import type { Config } from '../../../config/config.ts';
import type { Addresses } from '../../../operator/addresses.ts';
import type { HeldAnswer } from '../../../operator/answers/held.ts';
import type { Viewer } from '../access/viewer.ts';
import { rowLink, serviceLink } from '../links.ts';
import { count, type Html } from '../html.ts';
import { type HeldPage, heldPages, nameOf } from './held-parts.ts';
import { scrollTable } from '../tables/scroll.ts';

export interface WholeShown extends HeldPage {
  readonly viewer: Viewer;
  readonly config: Config;
  readonly addresses: Addresses;
}

export function wholeView(held: HeldAnswer, shown: WholeShown): Html {
  const { listed, name } = held;
  const words = choices(held, shown.config);
  const list = words.map(
    ([choice, text]) =>
      html`<dt>${choice}</dt>
        <dd>${text}</dd>`,
  );
  return html`${
    words.length === 0
      ? ''
      : html`<h2>What each choice does</h2>
          <dl class="choices">${list}</dl>`
  }
  ${
    listed === null
      ? html`<p class="quiet">
          The records are not stored one by one. <code>leadsheet plan ${name}</code> reads both sides and shows them.
        </p>`
      : listedTable(held, listed, shown)
  }`;
}

type Listed = NonNullable<HeldAnswer['listed']>;

const heads: Readonly<Record<Listed['what'], string>> = {
  'missing rows': 'Rows that are missing',
  'missing records': 'Rows whose record the service does not list any more',
  enrolments: 'Contacts that wait for an automation',
  messages: 'Rows that wait to be sent',
};

function listedTable(held: HeldAnswer, { what, total, records }: Listed, shown: WholeShown): Html {
  const { viewer, addresses, from } = shown;
  const { areDetailsShown } = viewer;
  const page = heldPages(held.run, records, from);
  const untold = total - records.length;
  // The id of a row of an outbox is no contact.
  const hasContacts = what === 'missing rows' || what === 'enrolments';
  return html`<h2>${heads[what]}</h2>
    ${scrollTable(
      heads[what],
      ['Record', 'Row', 'Service'],
      page.shown.map(
        (record) =>
          html`<tr>
            <th scope="row">
              <a href="/records?of=${encodeURIComponent(record.id)}&amp;job=${encodeURIComponent(held.name)}"
                >${nameOf(record, areDetailsShown)}</a
              >
            </th>
            <td>${rowLink(addresses, held.name, record.row)}</td>
            <td>${hasContacts ? serviceLink(addresses, held.name, record.id) : ''}</td>
          </tr>`,
      ),
    )}
    ${page.links}
    ${untold > 0 ? html`<p class="quiet">${count(untold, 'more is', 'more are')} not noted: <code>leadsheet plan ${held.name}</code> shows all.</p>` : ''}`;
}

const rowDeletedWords = {
  ignore: 'its contact is left alone',
  restore: 'it is written into the sheet again',
  cancel_automations: 'its contact is taken out of its automations',
  delete_contact: 'its contact is deleted in the service, unless it changed since',
} as const;

const contactDeletedWords = {
  mark: 'its row says so and is left alone',
  delete_row: 'its row is deleted, unless it was edited since',
  ignore: 'its row is left alone',
} as const;

const refused = ['Refuse', 'It stays held, nothing of it is written, and no alert tells of it.'] as const;

function choices(
  { name, counts, undoes, refused: no, listed }: HeldAnswer,
  config: Config,
): readonly (readonly [string, string])[] {
  // An undo is done only when a person asks for it again.
  if (undoes !== null) return [];
  const { creates, changes, blanks, deletes, enrolments, missing, messages = 0 } = counts;
  const refuse = no === null ? [refused] : [];
  const outbox = config.outboxes.find((each) => each.name === name);
  if (messages > 0) {
    const perHour = outbox ? `, at most ${outbox.sendsPerHour.toLocaleString('en-US')} an hour` : '';
    return [
      [
        'Approve',
        `These rows are sent, the oldest first${perHour}, each as its row says it then. For more rows than now it is held again.`,
      ],
      ...refuse,
      [
        'Or first',
        'The state is new or old, and does not know whether such a row was sent before. Look in the service, and type no into the cell of a row that is not to be sent.',
      ],
    ];
  }
  const sync = config.syncs.find((each) => each.name === name);
  if (enrolments > 0) {
    const perHour = sync ? `, at most ${sync.limits.enrolmentsPerHour.toLocaleString('en-US')} an hour` : '';
    return [
      [
        'Approve',
        `These contacts are put into the automation of their cell${perHour}.${creates + changes + blanks + deletes > 0 ? ' The rest of the plan is carried out as well.' : ''} For more contacts than now it is held again.`,
      ],
      ...refuse,
      [
        'Or first',
        // G1: of wishes that moved no record is listed.
        listed === null
          ? 'If these cells were moved by mistake, undo that in the spreadsheet: the next run goes on by itself.'
          : 'Nobody knows whether such a contact was enrolled before: the state or the column is new, or the state is an old one. Look in the service, and empty the cell of a row that is not meant.',
      ],
    ];
  }
  if (missing === 0) return refuse;
  const feed = config.feeds.find((each) => each.name === name);
  const effects = [
    ...(sync
      ? [
          `For a missing row: ${rowDeletedWords[sync.onRowDeleted]}.`,
          `For a missing contact: ${contactDeletedWords[sync.onContactDeleted]}.`,
        ]
      : []),
    ...(feed
      ? [feed.onGone === 'mark' ? 'Each row says that its record is gone.' : 'Each of the rows is deleted.']
      : []),
  ];
  return [
    [
      'Approve',
      `It says that both sides are the right ones, and that what is missing was deleted on purpose. ${effects.join(' ')} If more is missing then, it is held again.`,
    ],
    ...refuse,
    [
      'Or first',
      'If a tab was emptied or replaced by mistake, restore it (in Google Sheets: File, Version history). If a setting names the wrong tab, list or account, put it back. The next run then goes on by itself.',
    ],
  ];
}
