// Buttons on a job: run it now, pause it, resume it.
import { html } from 'hono/html';
import type { StandingAnswer } from '../../../operator/answers/status.ts';
import type { Viewer } from '../access/viewer.ts';
import { actionForm } from '../actions/form.ts';
import { type Html, instant } from '../html.ts';

export interface JobForms {
  readonly viewer: Viewer;
  /** The address that a decision leads back to. */
  readonly back: string;
}

/** Names the pause that a page shows; blank: it shows none. */
export function pauseTicket(paused: StandingAnswer['paused']): string {
  return paused === null ? '' : `${paused.by} ${paused.at}`;
}

export function jobForms({ name, paused }: Pick<StandingAnswer, 'name' | 'paused'>, { viewer, back }: JobForms): Html {
  if (!viewer.mayDecide) return html``;
  const hidden = { job: name, back, paused: pauseTicket(paused) };
  const button = (action: string, text: Html) =>
    actionForm(viewer, { action, hidden, body: html`<button type="submit">${text}</button>` });
  const job = html`<span class="said"> ${name}</span>`;
  if (paused !== null) return html`<div class="buttons">${button('resume', html`Resume${job}`)}</div>`;
  return html`<div class="buttons">
    ${button('run', html`Run${job} now`)}
    <details>
      <summary>Pause${job}</summary>
      ${actionForm(viewer, {
        action: 'pause',
        hidden,
        body: html`<label
            >For how long <input name="lasts" placeholder="2h; blank: until it is resumed" autocomplete="off"
          /></label>
          <label>Reason <input name="reason" autocomplete="off" /></label>
          <button type="submit">Pause ${name}</button>`,
      })}
    </details>
  </div>`;
}

export function pausedLine({ name, paused }: Pick<StandingAnswer, 'name' | 'paused'>, now: number): Html {
  if (paused === null) return html``;
  const { by, at, until, reason } = paused;
  return html`<p class="note">
    Paused by ${by} ${instant(at, now)}${reason === null ? '' : `: ${reason}`}.
    ${until === null ? '' : html`It goes on ${instant(until, now)}.`} To end it: <code>leadsheet resume ${name}</code>
  </p>`;
}
