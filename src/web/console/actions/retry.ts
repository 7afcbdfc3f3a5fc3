// Actions that try records again: those that were ticked, or one that may be done twice, with the name typed.
import { html } from 'hono/html';
import * as z from 'zod';
import { readAddresses } from '../../../operator/addresses.ts';
import { readRetries, type RetriedSeen, retrySeen, type SeenProblem } from '../../../operator/retry-seen.ts';
import { retryButton, sendAgainForm, ticketOf } from '../forms/retry.ts';
import { count } from '../html.ts';
import type { Page } from '../page.ts';
import type { Action, ActionContext, ActionResult } from './action.ts';
import { backLink } from './conflicts.ts';
import { assertMayDecideOnValues, backTo, readTickets } from './tickets.ts';

const ticket = z.strictObject({ job: z.string(), id: z.string(), digest: z.string() });

/** The pages whose forms lead here. */
const pages = ['/problems', '/records', '/enrolments', '/outbox', '/jobs/', '/runs/'];

export const retryRecords: Action = (context) => retryWith(context, undefined);

export const retryAgain: Action = (context) => retryWith(context, context.field('typed') ?? '');

async function retryWith(context: ActionContext, typed: string | undefined): Promise<ActionResult> {
  assertMayDecideOnValues(context);
  const seen = readTickets(context, ticket);
  const back = backTo(context, pages);
  const result = await retrySeen(context.operator, context.decider, { seen, typed });
  if (result.outcome !== 'recorded') return { kind: 'ask', page: await askPage(context, result, seen, back) };
  const { requests } = result.answer;
  const what =
    seen.length === 1 ? `${seen[0]!.id} is tried again` : `${count(requests.length, 'record')} are tried again`;
  return { kind: 'done', to: back, said: `${what}. The next run carries it out.` };
}

async function askPage(
  context: ActionContext,
  result: Exclude<RetriedSeen, { outcome: 'recorded' }>,
  seen: readonly SeenProblem[],
  back: string,
): Promise<Page> {
  const { viewer, now, operator } = context;
  const views = await readRetries(operator, seen);
  const addresses = await readAddresses(
    operator,
    seen.map(({ job }) => job),
  );
  if (result.outcome === 'changed') {
    const ids = new Set(result.changed.map(({ id }) => id));
    const items = seen.map((each, index) => {
      const note = ids.has(each.id) ? html` <span class="state needs">changed meanwhile</span>` : '';
      return html`<li>
        <code>${each.id}</code>${note} ${retryButton(each, each.id, views[index]!, { viewer, now, back, addresses })}
      </li>`;
    });
    const body = html`<p class="needs-somebody">
        Nothing was decided: ${count(ids.size, 'record is', 'records are')} not as you saw
        ${ids.size === 1 ? 'it' : 'them'}, or another person decided. Look, and decide again.
      </p>
      <ul>
        ${items}
      </ul>
      ${backLink(back)}`;
    return { title: 'Changed meanwhile', body };
  }
  const isTyped = result.outcome === 'another name';
  const doubts = isTyped ? [result.doubt] : result.doubts;
  const body = html`<p class="needs-somebody">
      ${
        isTyped
          ? html`Nothing was decided: the name that was typed is not <bdi>${result.doubt.name}</bdi>.`
          : 'Nothing was decided: a person may get this twice. Look in the service first, then ask for each alone.'
      }
    </p>
    ${doubts.map((doubt) => {
      const index = seen.findIndex(({ job, id }) => job === doubt.job && id === doubt.id);
      return sendAgainForm(doubt, { viewer, addresses, hidden: { seen: ticketOf(doubt, views[index]!), back } });
    })}
    ${backLink(back)}`;
  return { title: isTyped ? 'Another name' : 'Look first', body };
}
