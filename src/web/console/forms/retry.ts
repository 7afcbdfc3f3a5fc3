// Buttons that try a record again, and the question before something is done twice.
import { html } from 'hono/html';
import type { DoubtAnswer } from '../../../operator/answers/doubt.ts';
import type { RetrySubject, RetryView } from '../../../operator/retry-seen.ts';
import type { Viewer } from '../access/viewer.ts';
import { actionForm } from '../actions/form.ts';
import type { Html } from '../html.ts';
import { decisionText, mayDecideOnValues, tickBox, toTicket } from './parts.ts';

export interface RetryShown {
  readonly viewer: Viewer;
  readonly now: number;
  /** The address that a decision leads back to. */
  readonly back: string;
}

const tickForm = 'ticked';

/** One record: a problem, an enrolment (`UUID/AUTOMATION`) or a row of an outbox. `name`: of the record, for the button. */
export function retryButton(
  subject: RetrySubject,
  name: string,
  view: RetryView,
  { viewer, now, back }: RetryShown,
): Html {
  const { canRetry, doubt, decision } = view;
  const decided = decision === null ? '' : decisionText(decision, now, viewer.areDetailsShown);
  if (!canRetry || !mayDecideOnValues(viewer)) return html`${decided}`;
  const hidden = { seen: ticketOf(subject, view), back };
  if (doubt !== null) return html`${decided} ${sendAgainForm(doubt, { viewer, hidden })}`;
  const body = html`<button type="submit">Try <bdi>${name}</bdi> again</button>`;
  return html`${decided} ${actionForm(viewer, { action: 'retry', hidden, body })}`;
}

/** A box for `retryTicked`; nothing for a record that is asked for alone. */
export function retryBox(subject: RetrySubject, name: string, view: RetryView, { viewer }: RetryShown): Html {
  if (!view.canRetry || view.doubt !== null || !mayDecideOnValues(viewer)) return html``;
  return tickBox(tickForm, ticketOf(subject, view), name);
}

/** Stands once on a page with boxes. */
export function retryTicked({ viewer, back }: RetryShown): Html {
  if (!mayDecideOnValues(viewer)) return html``;
  const body = html`<button type="submit">Try the <span data-ticked="${tickForm}">ticked</span> records again</button>`;
  return actionForm(viewer, { action: 'retry', id: tickForm, hidden: { back }, body });
}

/** It says what is sent to whom, and takes the name as a signature. */
export function sendAgainForm(
  { question, what, name }: DoubtAnswer,
  { viewer, hidden }: { readonly viewer: Viewer; readonly hidden: Readonly<Record<string, string>> },
): Html {
  return html`<details>
    <summary>Send it again</summary>
    <p>${question}. If you send it again: ${what}.</p>
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
