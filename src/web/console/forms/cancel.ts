// Buttons that cancel an enrolment or a message, and the question that names it.
import { html } from 'hono/html';
import { type CancelView, readCancels, type SeenCancel } from '../../../operator/cancel-seen.ts';
import type { CancelSubject } from '../../../operator/cancellable.ts';
import type { Viewer } from '../access/viewer.ts';
import { actionForm } from '../actions/form.ts';
import type { Html } from '../html.ts';
import type { PageContext } from '../page.ts';
import { addressWith } from '../paging.ts';
import { decisionText, mayDecideOnValues, toTicket } from './parts.ts';

/** The button of a record; nothing for one that cannot be cancelled. */
export type CancelOf = (subject: Pick<CancelSubject, 'job' | 'id'>) => Html;

/** The buttons of these records of a list. A decision leads back to the same page of it. */
export async function openCancels(
  { operator, viewer, now, address }: PageContext,
  subjects: readonly CancelSubject[],
): Promise<CancelOf> {
  const views = await readCancels(operator, subjects);
  const back = addressWith(address, {});
  return ({ job, id }) => {
    const index = subjects.findIndex((subject) => subject.job === job && subject.id === id);
    return index < 0 ? html`` : cancelButton(subjects[index]!, views[index]!, { viewer, now, back });
  };
}

function cancelButton(
  { job, id, row }: CancelSubject,
  { canCancel, what, decision, digest }: CancelView,
  { viewer, now, back }: { readonly viewer: Viewer; readonly now: number; readonly back: string },
): Html {
  const decided = decision === null ? '' : decisionText(decision, now, viewer.areDetailsShown);
  if (!canCancel || !mayDecideOnValues(viewer)) return html`${decided}`;
  const hidden = { seen: toTicket({ job, id, row, digest } satisfies SeenCancel), back };
  // Many buttons of a page have the same text.
  const body = html`<button type="submit" aria-label="Cancel ${what}">Cancel</button>`;
  return html`${decided} ${actionForm(viewer, { action: 'cancel', hidden, body })}`;
}

/** Says what is taken back before it is. */
export function cancelQuestion(
  viewer: Viewer,
  seen: readonly (SeenCancel & { readonly what: string })[],
  back: string,
): Html {
  return html`<p>Nothing has happened yet. From then on no run makes the call for:</p>
    <ul>
      ${seen.map(({ what }) => html`<li><bdi>${what}</bdi></li>`)}
    </ul>
    ${actionForm(viewer, {
      action: 'cancel',
      hidden: { back, sure: 'yes' },
      body: html`${seen.map(
          ({ job, id, row, digest }) =>
            html`<input type="hidden" name="seen" value="${toTicket({ job, id, row, digest })}" />`,
        )}
        <button type="submit" class="danger">
          Cancel ${seen.length === 1 ? html`<bdi>${seen[0]!.what}</bdi>` : `all ${seen.length}`}
        </button>`,
    })}`;
}
