// The state of a job in one word, with the progress of a run under way.
import { html } from 'hono/html';
import type { StandingAnswer } from '../../../operator/answers/status.ts';
import { type Html, progressText, state } from '../html.ts';

export function stateOf({ name, held_run: run, phase, paused, running, last_run: last }: StandingAnswer): Html {
  if (running !== null) {
    const { step, done, total, left_secs } = running;
    const text = step === null || done === null ? 'begins' : progressText({ step, done, total, left_secs });
    // The event stream replaces the text while the run goes on.
    return html`${state('running')} <small data-progress="${name}">${text}</small>`;
  }
  if (paused !== null) return state('paused');
  if (phase === 'stopped' || phase === 'running' || phase === 'backing-off') return state(phase);
  if (run !== null) return state('held');
  return state(last?.status ?? 'has not run yet');
}
