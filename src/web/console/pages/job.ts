// The page of one job: how it stands, what it is held for, its problems and its last runs.
import { html } from 'hono/html';
import type { StandingAnswer } from '../../../operator/answers/status.ts';
import { namesOf } from '../../../operator/persons.ts';
import { readAddresses } from '../../../operator/addresses.ts';
import { readRuns } from '../../../operator/runs.ts';
import { readStatus } from '../../../operator/standing.ts';
import { approvalOf } from '../../../operator/decide.ts';
import { readDecided } from '../../../operator/decided.ts';
import { jobForms, pausedLine } from '../forms/jobs.ts';
import { decidedList } from '../forms/parts.ts';
import type { Page, PageContext } from '../page.ts';
import { empty, type Html, runLink, spanText } from '../html.ts';
import { problemsTable } from '../tables/problems.ts';
import { runsTable } from '../tables/runs.ts';
import { stateOf } from '../tables/state.ts';

/** A request for a run says nothing once the run is there, and a pause is shown by itself. */
const decisionKinds = ['approve', 'approve-records', 'refuse', 'resolve', 'retry', 'cancel', 'undo'] as const;

export async function jobPage({ operator, now, viewer, areDetailsShown, param }: PageContext): Promise<Page> {
  const name = param('name');
  const { syncs } = await readStatus(operator, [name]);
  const job = syncs[0]!;
  const { runs } = await readRuns(operator, { names: [name], limit: 20 });
  const decided = await readDecided(operator, { names: [name], kinds: decisionKinds, since: '1d' });
  const counts = Object.entries(job.counts).filter(([what, number]) => number > 0 || what === 'linked');
  const about = job.problems.map(({ contact }) => ({ job: name, contact }));
  const shown = {
    addresses: await readAddresses(operator, [name]),
    nameOf: areDetailsShown ? await namesOf(operator, about) : undefined,
  };
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
    ${pausedLine(job, now)} ${jobForms(job, { viewer, back: `/jobs/${encodeURIComponent(name)}` })} ${held(job)}
    <h2>Problems</h2>
    ${earlier(job)} ${job.problems.length === 0 ? empty('Nothing is open.') : problemsTable([job], shown)}
    ${decidedList(decided, now, areDetailsShown)}
    <h2>Last runs</h2>
    ${runs.length === 0 ? empty('No run has left a report yet.') : runsTable(runs, now, true)}`;
  return { title: name, body };
}

/** L12: a plan that is held may have ended some of them. */
function earlier({ problems_of: run }: StandingAnswer): Html {
  if (run === null) return html``;
  return html`<p class="quiet">As ${runLink(run)} told them, before this; some may be over.</p>`;
}

function held({ name, held_run: run, held_reasons: reasons, decisions }: StandingAnswer): Html {
  if (run === null) return html``;
  const path = `/jobs/${encodeURIComponent(name)}/held`;
  const toDecide =
    approvalOf(run, decisions) === 'whole'
      ? html`It is approved, and the next run carries it out: <a href="${path}">see what it does, or refuse it</a>.`
      : html`<a href="${path}">See what it would do, approve it or refuse it</a>. As commands:
          <code>leadsheet plan ${name}</code>, <code>leadsheet approve ${name} --run ${run}</code>`;
  return html`<section class="needs-somebody">
    <h2>Held</h2>
    <ul>
      ${reasons.map((reason) => html`<li>${reason}</li>`)}
    </ul>
    <p>${toDecide}</p>
  </section>`;
}
