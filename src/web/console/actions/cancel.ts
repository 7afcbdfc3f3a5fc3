// The action that cancels an enrolment or a message: asked once with what it is, then recorded as it was seen.
import { html } from 'hono/html';
import * as z from 'zod';
import { cancelSeen, readCancels } from '../../../operator/cancel-seen.ts';
import { cancelQuestion } from '../forms/cancel.ts';
import { count } from '../html.ts';
import type { Page } from '../page.ts';
import type { Action } from './action.ts';
import { backLink } from './conflicts.ts';
import { assertMayDecideOnValues, backTo, readTickets } from './tickets.ts';

const ticket = z.strictObject({
  job: z.string(),
  id: z.string(),
  row: z.number().int().nullable(),
  digest: z.string(),
});

/** The pages whose forms lead here. */
const pages = ['/enrolments', '/outbox', '/records'];

export const cancelRecords: Action = async (context) => {
  assertMayDecideOnValues(context);
  const { operator, decider, viewer, field } = context;
  const seen = readTickets(context, ticket);
  const back = backTo(context, pages);
  if (field('sure') !== 'yes' && seen.length > 0) {
    const views = await readCancels(operator, seen);
    const isSame = seen.every(({ digest }, index) => views[index]!.canCancel && views[index]!.digest === digest);
    if (isSame) {
      const shown = seen.map((each, index) => ({ ...each, what: views[index]!.what }));
      const body = html`${cancelQuestion(viewer, shown, back)} ${backLink(back)}`;
      return { kind: 'ask', page: { title: 'Cancel this?', body } };
    }
  }
  const result = await cancelSeen(operator, decider, seen);
  if (result.outcome === 'changed') return { kind: 'ask', page: changedPage(result.changed, back) };
  return { kind: 'done', to: back, said: result.answer.cancels.map(({ said }) => `${said}.`).join(' ') };
};

function changedPage(changed: readonly { readonly id: string; readonly why: string }[], back: string): Page {
  const body = html`<p class="needs-somebody">
      Nothing was cancelled: ${count(changed.length, 'record is', 'records are')} not as you saw
      ${changed.length === 1 ? 'it' : 'them'}, or another person decided.
    </p>
    <ul>
      ${changed.map(({ id, why }) => html`<li><code>${id}</code>: ${why}</li>`)}
    </ul>
    ${backLink(back)}`;
  return { title: 'Changed meanwhile', body };
}
