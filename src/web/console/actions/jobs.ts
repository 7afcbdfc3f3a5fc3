// Actions on a job: run it now, pause it, resume it.
import { html } from 'hono/html';
import { pause, readPaused, requestRun, resume } from '../../../operator/pause.ts';
import { OperatorError } from '../../../operator/errors.ts';
import { jobForms, pausedLine, pauseTicket } from '../forms/jobs.ts';
import type { Action, ActionContext, ActionResult } from './action.ts';
import { backLink } from './conflicts.ts';

const started = {
  started: 'a run begins',
  queued: 'a run follows the one under way',
  ending: 'the daemon ends; the next one runs it when it begins',
} as const;

export const runNow: Action = async (context) => {
  const name = jobOf(context);
  const { answer } = await requestRun(context.operator, context.decider, { name, trigger: context.trigger });
  return { kind: 'done', to: placeOf(context, name), said: `${name}: ${started[answer]}` };
};

export const pauseJob: Action = async (context) => {
  const name = jobOf(context);
  const { operator, decider, field } = context;
  const changed = await askIfChanged(context, name);
  if (changed) return changed;
  await pause(operator, decider, { name, lasts: field('lasts'), reason: field('reason') });
  return { kind: 'done', to: placeOf(context, name), said: `${name} is paused` };
};

export const resumeJob: Action = async (context) => {
  const name = jobOf(context);
  const changed = await askIfChanged(context, name);
  if (changed) return changed;
  await resume(context.operator, context.decider, name);
  return { kind: 'done', to: placeOf(context, name), said: `${name} is resumed` };
};

/** The pause of another person, who came first, stays: a page that does not show it neither replaces nor ends it. */
async function askIfChanged(context: ActionContext, name: string): Promise<ActionResult | undefined> {
  const { operator, viewer, now, field } = context;
  const paused = await readPaused(operator, name);
  if (paused === null || pauseTicket(paused) === field('paused')) return undefined;
  const back = placeOf(context, name);
  const body = html`<p class="needs-somebody">
      Nothing was decided: ${name} is not as you saw it. Look, and decide again.
    </p>
    ${pausedLine({ name, paused }, now)} ${jobForms({ name, paused }, { viewer, back })} ${backLink(back)}`;
  return { kind: 'ask', page: { title: 'Changed meanwhile', body } };
}

function jobOf({ field }: ActionContext): string {
  const name = field('job');
  if (name === undefined) throw new OperatorError('invalid', 'no job is named');
  return name;
}

/** The first page has the same buttons as the page of the job. */
function placeOf({ field }: ActionContext, name: string): string {
  return field('back') === '/' ? '/' : `/jobs/${encodeURIComponent(name)}`;
}
