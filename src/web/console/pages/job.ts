// The page of one job: how it stands, what it is held for, its problems and its last runs.
import { html } from 'hono/html';
import type { StandingAnswer } from '../../../operator/answers/status.ts';
import { readRuns } from '../../../operator/runs.ts';
import { readStatus } from '../../../operator/standing.ts';
import type { Viewer } from '../access/viewer.ts';
import { actionForm } from '../actions/form.ts';
import type { Page, PageContext } from '../page.ts';
import { empty, type Html, instant, spanText } from '../html.ts';
import { problemsTable } from '../tables/problems.ts';
import { runsTable } from '../tables/runs.ts';
import { stateOf } from '../tables/state.ts';

export async function jobPage({ operator, now, viewer, param }: PageContext): Promise<Page> {
  const name = param('name');
  const { syncs } = await readStatus(operator, [name]);
  const job = syncs[0]!;
  const { runs } = await readRuns(operator, { names: [name], limit: 20 });
  const counts = Object.entries(job.counts).filter(([what, number]) => number > 0 || what === 'linked');
  const body = html`<p>
      ${stateOf(job)} · ${job.kind}${job.lag_secs === null ? '' : ` · in sync ${spanText(job.lag_secs * 1_000)} ago`}
    </p>
    <dl class="counts">
      ${counts.map(
        ([what, number]) =>
          html`<div>
            <dt>${what}</dt>
            <dd>${number.toLocaleString('en-US')}</dd>
          </div>`,
      )}
    </dl>
    ${jobActions(viewer, job)} ${pausedLine(job, now)} ${held(job)}
    <h2>Problems</h2>
    ${job.problems.length === 0 ? empty('Nothing is open.') : problemsTable([job])}
    <h2>Last runs</h2>
    ${runs.length === 0 ? empty('No run has left a report yet.') : runsTable(runs, now)}`;
  return { title: name, body };
}

function jobActions(viewer: Viewer, { name, paused }: StandingAnswer): Html {
  const hidden = { job: name };
  const button = (action: string, text: string) =>
    actionForm(viewer, { action, hidden, body: html`<button type="submit">${text}</button>` });
  return html`${button('run', 'Run now')} ${paused === null ? button('pause', 'Pause') : button('resume', 'Resume')}`;
}

function pausedLine({ name, paused }: StandingAnswer, now: number): Html {
  if (paused === null) return html``;
  const { by, at, until, reason } = paused;
  return html`<p class="note">
    Paused by ${by} ${instant(at, now)}${reason === null ? '' : `: ${reason}`}.
    ${until === null ? '' : html`It goes on ${instant(until, now)}.`} To end it: <code>leadsheet resume ${name}</code>
  </p>`;
}

function held({ name, held_run: run, held_reasons: reasons }: StandingAnswer): Html {
  if (run === null) return html``;
  return html`<section class="needs-somebody">
    <h2>Held</h2>
    <ul>
      ${reasons.map((reason) => html`<li>${reason}</li>`)}
    </ul>
    <p>
      See all of it: <code>leadsheet plan ${name}</code>. Let it through:
      <code>leadsheet approve ${name} --run ${run}</code>
    </p>
  </section>`;
}
