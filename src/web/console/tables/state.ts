// The state of a job in one word, with the progress of a run under way.
import { html } from 'hono/html';
import type { StandingAnswer } from '../../../operator/answers/status.ts';
import { stateOf as wordOf } from '../../../operator/jobs.ts';
import { type Html, spanText, state } from '../html.ts';

export function stateOf(job: StandingAnswer): Html {
  const word = state(wordOf(job));
  return job.running === null ? word : html`${word} <small>${progressOf(job.running)}</small>`;
}

function progressOf({ step, done, total, left_secs: left }: NonNullable<StandingAnswer['running']>): string {
  if (step === null || done === null) return 'begins';
  const of = total === null ? '' : ` of ${total.toLocaleString('en-US')}`;
  return `${step} ${done.toLocaleString('en-US')}${of}${left === null ? '' : `, ${spanText(left * 1_000)} left`}`;
}
