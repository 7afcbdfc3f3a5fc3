// The form of an action, with the token that says it comes from a page of ours.
import { html } from 'hono/html';
import type { Html } from '../html.ts';
import type { Viewer } from '../access/viewer.ts';

export interface ActionForm {
  /** The name of the action. */
  readonly action: string;
  /** Sent as they are. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** For boxes that stand outside the form. */
  readonly id?: string;
  /** Labels, inputs and buttons. */
  readonly body: Html;
}

/** Nothing for a person who may not decide. */
export function actionForm({ mayDecide, formToken }: Viewer, { action, id, hidden = {}, body }: ActionForm): Html {
  if (!mayDecide) return html``;
  return html`<form method="post" action="/do/${action}" class="action" ${id === undefined ? '' : html`id="${id}"`}>
    <input type="hidden" name="token" value="${formToken}" />
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${body}
  </form>`;
}
