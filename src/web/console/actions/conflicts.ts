// The action that decides conflicts: one, or all that were ticked, with the values that were seen.
import { html } from 'hono/html';
import * as z from 'zod';
import { OperatorError } from '../../../operator/errors.ts';
import { resolveSeen, type ResolvedSeen, type SeenChoice, type SeenConflict } from '../../../operator/resolve-seen.ts';
import { conflictsTable } from '../forms/conflicts.ts';
import { count, type Html } from '../html.ts';
import type { Page } from '../page.ts';
import type { Action, ActionContext } from './action.ts';
import { actionForm } from './form.ts';
import { assertMayDecideOnValues, backTo, readTickets } from './tickets.ts';

const ticket = z.strictObject({ sync: z.string(), id: z.string(), digest: z.string() });

export const resolveConflicts: Action = async (context) => {
  assertMayDecideOnValues(context);
  const { operator, decider, field } = context;
  const seen = readTickets(context, ticket);
  const back = backTo(context, ['/conflicts', '/records']);
  const choice = choiceOf(context);
  try {
    const result = await resolveSeen(operator, decider, { seen, choice });
    if (result.outcome === 'changed') return { kind: 'ask', page: changedPage(context, result, back) };
    const texts = result.answer.requests.map(({ text }) => text ?? '');
    const what = texts.length === 1 ? texts[0]! : `${count(texts.length, 'conflict')} decided`;
    return { kind: 'done', to: back, said: `${what}. The next run carries it out.` };
  } catch (error) {
    if (!(error instanceof OperatorError) || error.code !== 'doubt') throw error;
    return { kind: 'ask', page: blankPage(context, seen, { choice: field('choice') ?? '', back }) };
  }
};

function choiceOf({ field }: ActionContext): SeenChoice {
  const choice = field('choice');
  if (choice === 'crm' || choice === 'sheet' || choice === 'agreed') return { use: choice };
  if (choice !== 'text') throw new OperatorError('invalid', 'the form does not say which value is kept');
  return { text: field('text') ?? '', ...(field('sure') === 'yes' && { isSure: true }) };
}

function changedPage(
  { viewer, now }: ActionContext,
  { changed, closed, same }: Extract<ResolvedSeen, { outcome: 'changed' }>,
  back: string,
): Page {
  const others =
    same.length > 0
      ? ` ${count(same.length, 'other')} that you ticked ${same.length === 1 ? 'is' : 'are'} as before.`
      : '';
  const body = html`<p class="needs-somebody">
      Nothing was decided: ${count(changed.length + closed.length, 'conflict is', 'conflicts are')} not as you saw
      ${changed.length + closed.length === 1 ? 'it' : 'them'}.${others} Look, and decide again.
    </p>
    ${closed.length === 0 ? '' : html`<p>Not open any more: ${closed.map(({ id }) => html`<code>${id}</code> `)}</p>`}
    ${
      changed.length + same.length === 0
        ? ''
        : conflictsTable([...changed, ...same], { viewer, now, back, changed: new Set(changed.map(({ id }) => id)) })
    }
    ${backLink(back)}`;
  return { title: 'Changed meanwhile', body };
}

function blankPage(
  { viewer }: ActionContext,
  seen: readonly SeenConflict[],
  { choice, back }: { readonly choice: string; readonly back: string },
): Page {
  const body = html`<p class="needs-somebody">
      No value was typed. This empties the field on both sides, of ${count(seen.length, 'record')}. Nothing has
      happened.
    </p>
    ${actionForm(viewer, {
      action: 'resolve',
      hidden: { choice, back, sure: 'yes' },
      body: html`${seen.map((each) => html`<input type="hidden" name="seen" value="${JSON.stringify(each)}" />`)}
        <button type="submit" class="danger">Empty it on both sides</button>`,
    })}
    ${backLink(back)}`;
  return { title: 'Empty the field?', body };
}

export function backLink(back: string): Html {
  return html`<p><a href="${back}">Back, and change nothing</a></p>`;
}
