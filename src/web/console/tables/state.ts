// The state of a job in one word, with the progress of a run under way.
import { html } from 'hono/html';
import type { StandingAnswer } from '../../../operator/answers/status.ts';
import { type Html, spanText, state } from '../html.ts';

export function stateOf({ held_run: run, phase, paused, running, last_run: last }: StandingAnswer): Html {
  if (running !== null) return html`${state('running')} <small>${progressOf(running)}</small>`;
  if (paused !== null) return state('paused');
  if (phase === 'stopped' || phase === 'running' || phase === 'backing-off') return state(phase);
  if (run !== null) return state('held');
  return state(last?.status ?? 'has not run yet');
}

function progressOf({ step, done, total, left_secs: left }: NonNullable<StandingAnswer['running']>): string {
  if (step === null || done === null) return 'begins';
  const of = total === null ? '' : ` of ${total.toLocaleString('en-US')}`;
  return `${step} ${done.toLocaleString('en-US')}${of}${left === null ? '' : `, ${spanText(left * 1_000)} left`}`;
}
