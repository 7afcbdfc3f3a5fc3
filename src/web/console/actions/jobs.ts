// Actions on a job: run it now, pause it, resume it.
import { pause, requestRun, resume } from '../../../operator/pause.ts';
import { OperatorError } from '../../../operator/errors.ts';
import type { Action, ActionContext } from './action.ts';

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
  await pause(operator, decider, { name, lasts: field('lasts'), reason: field('reason') });
  return { kind: 'done', to: placeOf(context, name), said: `${name} is paused` };
};

export const resumeJob: Action = async (context) => {
  const name = jobOf(context);
  await resume(context.operator, context.decider, name);
  return { kind: 'done', to: placeOf(context, name), said: `${name} is resumed` };
};

function jobOf({ field }: ActionContext): string {
  const name = field('job');
  if (name === undefined) throw new OperatorError('invalid', 'no job is named');
  return name;
}

/** The first page has the same buttons as the page of the job. */
function placeOf({ field }: ActionContext, name: string): string {
  return field('back') === '/' ? '/' : `/jobs/${encodeURIComponent(name)}`;
}
