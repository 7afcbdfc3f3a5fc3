// Buttons that try a record again, and the question before something is done twice.
import { html } from 'hono/html';
import { type Addresses, readAddresses } from '../../../operator/addresses.ts';
import type { DoubtAnswer } from '../../../operator/answers/doubt.ts';
import { textWords } from '../../../operator/doubt.ts';
import { readRetries, type RetrySubject, type RetryView } from '../../../operator/retry-seen.ts';
import type { Viewer } from '../access/viewer.ts';
import { actionForm } from '../actions/form.ts';
import type { Html } from '../html.ts';
import { rowLink } from '../links.ts';
import type { PageContext } from '../page.ts';
import { addressWith } from '../paging.ts';
import { decisionText, mayDecideOnValues, tickBox, toTicket } from './parts.ts';

export interface RetryShown {
  readonly viewer: Viewer;
  readonly now: number;
  /** The address that a decision leads back to. */
  readonly back: string;
  /** Left out: rows are no links. */
  readonly addresses?: Addresses | undefined;
}

const tickForm = 'ticked';

/** One record: a problem, an enrolment (`UUID/AUTOMATION`) or a row of an outbox. `name`: of the record, for the button. */
export function retryButton(
  subject: RetrySubject,
  name: string,
  view: RetryView,
  { viewer, now, back, addresses }: RetryShown,
): Html {
  const { canRetry, doubt, decision } = view;
  const decided = decision === null ? '' : decisionText(decision, now, viewer.areDetailsShown);
  if (!canRetry || !mayDecideOnValues(viewer)) return html`${decided}`;
  const hidden = { seen: ticketOf(subject, view), back };
  if (doubt !== null) return html`${decided} ${sendAgainForm(doubt, { viewer, hidden, addresses })}`;
  const body = html`<button type="submit">Try <bdi>${name}</bdi> again</button>`;
  return html`${decided} ${actionForm(viewer, { action: 'retry', hidden, body })}`;
}

/** A box for `retryTicked`; nothing for a record that is asked for alone. */
export function retryBox(subject: RetrySubject, name: string, view: RetryView, { viewer }: RetryShown): Html {
  if (!view.canRetry || view.doubt !== null || !mayDecideOnValues(viewer)) return html``;
  return tickBox(tickForm, ticketOf(subject, view), name);
}

/** The button of a record; nothing for one that was not asked for. */
export type RetryOf = (subject: RetrySubject) => Html;

/** The buttons of these records of a list. A decision leads back to the same page of it. */
export async function openRetries(
  { operator, viewer, now, address }: PageContext,
  subjects: readonly (RetrySubject & { readonly name: string })[],
): Promise<RetryOf> {
  const views = await readRetries(operator, subjects);
  const addresses = await readAddresses(
    operator,
    subjects.map(({ job }) => job),
  );
  const shown = { viewer, now, back: addressWith(address, {}), addresses };
  return ({ job, id }) => {
    const index = subjects.findIndex((subject) => subject.job === job && subject.id === id);
    return index < 0 ? html`` : retryButton(subjects[index]!, subjects[index]!.name, views[index]!, shown);
  };
}

/** Stands once on a page with boxes. */
export function retryTicked({ viewer, back }: RetryShown): Html {
  if (!mayDecideOnValues(viewer)) return html``;
  const body = html`<button type="submit">Try the <span data-ticked="${tickForm}">ticked</span> records again</button>`;
  return actionForm(viewer, { action: 'retry', id: tickForm, hidden: { back }, body });
}

/** It says what is sent to whom, and takes the name as a signature. */
export function sendAgainForm(
  { job, question, what, name, row, text, said }: DoubtAnswer,
  {
    viewer,
    hidden,
    addresses,
  }: Pick<RetryShown, 'viewer' | 'addresses'> & { readonly hidden: Readonly<Record<string, string>> },
): Html {
  return html`<details>
    <summary>Send it again</summary>
    <p>${question}. If you send it again: ${what}.</p>
    ${text === 'changed' ? html`<p class="needs-somebody">${textWords.changed}</p>` : ''}
    ${
      row === null
        ? ''
        : html`<p>
            Its text stands in ${rowLink(addresses, job, row)}: read it there first. leadsheet keeps no text of a
            message, only a digest of it. ${text === null || text === 'changed' ? '' : textWords[text]} If the row was
            edited since the last run,
            ${said === null ? 'its new text is sent' : 'nothing is sent, and you are asked again'}.
          </p>`
    }
    ${actionForm(viewer, {
      action: 'send-again',
      hidden,
      body: html`<label
          >I looked, and it is to be sent. Type the name <bdi>${name}</bdi>
          <input name="typed" autocomplete="off" required
        /></label>
        <button type="submit" class="danger">I looked, send again to <bdi>${name}</bdi></button>`,
    })}
  </details>`;
}

export function ticketOf({ job, id }: RetrySubject, { digest }: RetryView): string {
  return toTicket({ job, id, digest });
}
