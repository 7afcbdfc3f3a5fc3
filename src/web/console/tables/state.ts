// The state of a job in one word, with the progress of a run under way.
import { html } from 'hono/html';
import type { StandingAnswer } from '../../../operator/answers/status.ts';
import { stateOf as wordOf } from '../../../operator/jobs.ts';
import { type Html, progressText, state } from '../html.ts';

export function stateOf(job: StandingAnswer): Html {
  const word = state(wordOf(job));
  if (job.running === null) return word;
  const { step, done, total, left_secs } = job.running;
  const text = step === null || done === null ? 'begins' : progressText({ step, done, total, left_secs });
  // The event stream replaces the text while the run goes on.
  return html`${word} <small data-progress="${job.name}">${text}</small>`;
}
