// Forms that ask for the plan of an undo.
import { html } from 'hono/html';
import type { UndoPlanAnswer } from '../../../operator/answers/undo.ts';
import type { UndoGone } from '../../../operator/undo-desk.ts';
import type { Viewer } from '../access/viewer.ts';
import { actionForm } from '../actions/form.ts';
import type { Html } from '../html.ts';
import { mayDecideOnValues } from './parts.ts';

export interface UndoMeant {
  readonly run: string;
  readonly contact?: string;
  readonly field?: string;
  readonly deletesCreated?: boolean;
}

function undoHidden({ run, contact, field }: UndoMeant): Readonly<Record<string, string>> {
  return { run, ...(contact !== undefined && { contact }), ...(field !== undefined && { field }) };
}

/** The whole request, for a form that has no tick of its own. */
export function requestHidden(request: UndoMeant): Readonly<Record<'run', string>> & Readonly<Record<string, string>> {
  return {
    ...undoHidden(request),
    run: request.run,
    ...(request.deletesCreated === true && { 'deletes-created': 'yes' }),
  };
}

export const goneWords: Readonly<Record<UndoGone, string>> = {
  'earlier start': 'That plan is not kept any more: leadsheet was started anew since, and a plan is in memory alone.',
  'made room': 'That plan is not kept any more: newer plans took its place.',
};

/** `text`: of the button, which only begins to plan. */
export function askForUndo(viewer: Viewer, meant: UndoMeant, text = 'Plan the undo; nothing happens yet'): Html {
  if (!mayDecideOnValues(viewer)) return html``;
  const isWhole = meant.field === undefined;
  return actionForm(viewer, {
    action: 'plan-undo',
    hidden: undoHidden(meant),
    body: html`${
        isWhole
          ? html`<label
              ><input
                type="checkbox"
                name="deletes-created"
                value="yes"
                ${meant.deletesCreated === true ? html`checked` : ''}
              />
              Also delete contacts that the run created, unless they changed since</label
            >`
          : ''
      } <button type="submit">${text}</button>`,
  });
}

/** Contacts that the plan deletes in the service. */
export function deletedBy({ changes }: UndoPlanAnswer['plan']): readonly string[] {
  return [...new Set(changes.flatMap(({ op, contact }) => (op === 'delete' && contact !== null ? [contact] : [])))];
}
