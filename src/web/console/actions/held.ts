// Actions on a held plan: approve it whole, approve the ticked records, refuse it. Each is for the plan that was seen.
import { html } from 'hono/html';
import * as z from 'zod';
import type { HeldAnswer } from '../../../operator/answers/held.ts';
import { approve, refuse } from '../../../operator/approve.ts';
import { OperatorError } from '../../../operator/errors.ts';
import { readHeld } from '../../../operator/held.ts';
import { opWords, plannedWords } from '../forms/held.ts';
import { nameOf } from '../forms/held-parts.ts';
import { count, type Html } from '../html.ts';
import { heldBody } from '../pages/held.ts';
import type { Page } from '../page.ts';
import type { Action, ActionContext, ActionResult } from './action.ts';
import { backLink } from './conflicts.ts';
import { actionForm } from './form.ts';
import { assertMayDecideOnValues, readTickets } from './tickets.ts';

interface Seen {
  readonly name: string;
  readonly run: string;
  readonly digest: string;
}

const ticket = z.strictObject({ id: z.string() });

export const approveAll: Action = (context) =>
  decideOn(context, async (seen, held) => {
    const lasting = whatLasts(held, held.records ?? []);
    if (lasting.length > 0 && !isSure(context)) {
      return askAgain(context, seen, {
        action: 'approve-all',
        button: `Approve all of it: ${plannedWords(held)}`,
        lasting,
      });
    }
    await approve(context.operator, context.decider, seen);
    return done(seen, `approved: ${plannedWords(held)}`, held);
  });

export const approveTicked: Action = (context) => {
  assertMayDecideOnValues(context);
  return decideOn(context, async (seen, held) => {
    const only = [...new Set(readTickets(context, ticket).map(({ id }) => id))];
    if (only.length === 0) throw new OperatorError('invalid', 'no record is ticked: nothing was approved');
    const ticked = held.records?.filter(({ id }) => only.includes(id)) ?? [];
    const lasting = whatLasts(held, ticked);
    if (lasting.length > 0 && !isSure(context)) {
      const button = `Approve ${count(only.length, 'record')}`;
      return askAgain(context, seen, { action: 'approve-ticked', button, lasting, only });
    }
    await approve(context.operator, context.decider, { ...seen, only });
    return done(seen, `approved for ${count(only.length, 'record')}; the rest stays held`, held);
  });
};

export const refuseHeld: Action = (context) =>
  decideOn(context, async (seen) => {
    await refuse(context.operator, context.decider, seen);
    return {
      kind: 'done',
      to: heldPath(seen),
      said: `${seen.name}: refused. It stays held, and no alert tells of it.`,
    };
  });

/** Has the person look anew if it is another plan by now, or another person decided meanwhile. */
async function decideOn(
  context: ActionContext,
  decide: (seen: Seen, held: HeldAnswer) => Promise<ActionResult>,
): Promise<ActionResult> {
  const [name, run, digest] = [context.field('job'), context.field('run'), context.field('digest')];
  if (name === undefined || run === undefined || digest === undefined) {
    throw new OperatorError('invalid', 'the form does not say which held plan was seen: load the page again');
  }
  try {
    const held = await readHeld(context.operator, name, run);
    if (held.digest !== digest) return { kind: 'ask', page: await changedPage(context, name) };
    return await decide({ name, run, digest }, held);
  } catch (error) {
    if (!(error instanceof OperatorError) || !['nothing', 'ambiguous'].includes(error.code)) throw error;
    return { kind: 'ask', page: await changedPage(context, name) };
  }
}

async function changedPage(context: ActionContext, name: string): Promise<Page> {
  const body = html`<p class="needs-somebody">
      Nothing was decided: what is held of ${name} is not as you saw it, or another person decided on it. Look, and
      decide again.
    </p>
    ${await heldBody(context, { name, from: 0 })}`;
  return { title: 'Changed meanwhile', body };
}

/** Changes that no later run can take back, or that are seen outside, as lines for a person. */
const lastingOps = new Set(['delete', 'remove', 'send', 'enrol', 'cancel']);

function whatLasts(
  { counts, records: all, listed }: HeldAnswer,
  records: NonNullable<HeldAnswer['records']>,
): readonly string[] {
  if (all === null) {
    const { deletes, enrolments, messages = 0, missing } = counts;
    return [
      ...(deletes > 0 ? [count(deletes, 'record is deleted', 'records are deleted')] : []),
      ...(missing > 0
        ? [count(missing, 'record is missing, and counts as deleted', 'records are missing, and count as deleted')]
        : []),
      ...(enrolments > 0
        ? [`${count(enrolments, 'contact is', 'contacts are')} put into automations, which send messages`]
        : []),
      ...(messages > 0 ? [count(messages, 'message is sent', 'messages are sent')] : []),
      ...(listed?.records.map((record) => nameOf(record, true)) ?? []),
    ];
  }
  return records.flatMap((record) => {
    const lasting = record.ops.filter((op) => lastingOps.has(op));
    const name = nameOf(record, true);
    return lasting.map((op) => `${name}: ${opWords({ side: null, op })}`);
  });
}

/** More lines than this are told by their number. */
const linesMax = 50;

interface AskedAgain {
  readonly action: string;
  readonly button: string;
  readonly lasting: readonly string[];
  readonly only?: readonly string[];
}

function askAgain(
  { viewer }: ActionContext,
  seen: Seen,
  { action, button, lasting, only = [] }: AskedAgain,
): ActionResult {
  const rest = lasting.length - linesMax;
  const shown = viewer.areDetailsShown ? lasting : [];
  const body: Html = html`<p class="needs-somebody">
      This deletes, sends or enrols, and no run takes that back by itself. Nothing has happened yet.
    </p>
    <ul>
      ${shown.slice(0, linesMax).map((line) => html`<li>${line}</li>`)}
      ${rest > 0 || shown.length === 0 ? html`<li>${shown.length === 0 ? count(lasting.length, 'such change') : `and ${count(rest, 'more')}`}</li>` : ''}
    </ul>
    ${actionForm(viewer, {
      action,
      hidden: { job: seen.name, run: seen.run, digest: seen.digest, sure: 'yes' },
      body: html`${only.map((id) => html`<input type="hidden" name="seen" value="${JSON.stringify({ id })}" />`)}
        <button type="submit" class="danger">${button}</button>`,
    })}
    ${backLink(heldPath(seen))}`;
  return { kind: 'ask', page: { title: `Approve this of ${seen.name}?`, body } };
}

function isSure({ field }: ActionContext): boolean {
  return field('sure') === 'yes';
}

/** S8: no run carries an approved undo out by itself. */
function done(seen: Seen, what: string, { undoes }: Pick<HeldAnswer, 'undoes'>): ActionResult {
  const then = undoes === null ? 'The next run carries it out.' : `Give the same undo of ${undoes} again.`;
  return { kind: 'done', to: heldPath(seen), said: `${seen.name}: ${what}. ${then}` };
}

function heldPath({ name, run }: Pick<Seen, 'name' | 'run'>): string {
  return `/jobs/${encodeURIComponent(name)}/held?run=${encodeURIComponent(run)}`;
}
