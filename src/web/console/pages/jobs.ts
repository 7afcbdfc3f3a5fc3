// The first page: every job, and what needs a person.
import { html } from 'hono/html';
import type { RunLineAnswer } from '../../../operator/answers/runs.ts';
import type { StandingAnswer, StatusAnswer } from '../../../operator/answers/status.ts';
import { readGuide } from '../../../operator/guide.ts';
import { readRuns } from '../../../operator/runs.ts';
import { readStatus } from '../../../operator/standing.ts';
import { guideBox } from '../guide.ts';
import type { Page, PageContext } from '../page.ts';
import { count, empty, type Html, instant, runLink } from '../html.ts';
import { stateOf } from '../tables/state.ts';

/** DESIGN: the last 90 runs as a strip. */
const stripRuns = 90;

export async function jobsPage({ operator, now, trial, signal }: PageContext): Promise<Page> {
  const { syncs, daemon } = await readStatus(operator, []);
  const strips = await Promise.all(
    syncs.map(async ({ name }) => (await readRuns(operator, { names: [name], limit: stripRuns })).runs),
  );
  const rows = syncs.map((job, index) => jobRow(job, strips[index]!, now));
  const waiting = syncs.filter(needsSomebody);
  const body = html`${trial ? guideBox(await readGuide(operator, trial, signal), trial.begun()?.sheetsUrl) : ''}
    ${waiting.length === 0 ? '' : needs(waiting)} ${daemonLine(daemon, now)}
    <div class="scroll" tabindex="0" role="region" aria-label="Jobs">
      <table>
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">State</th>
            <th scope="col">Last run</th>
            <th scope="col">Next run</th>
            <th scope="col" class="number">Linked</th>
            <th scope="col" class="number">Conflicts</th>
            <th scope="col" class="number">Open</th>
            <th scope="col">Last runs</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`;
  return {
    title: 'Jobs',
    body: syncs.length === 0 ? empty('No job is configured.', 'leadsheet check names what the file lacks.') : body,
  };
}

function needsSomebody({ held_run: run, phase, problems }: StandingAnswer): boolean {
  return run !== null || phase === 'stopped' || problems.some((problem) => problem.needs_somebody);
}

function needs(jobs: readonly StandingAnswer[]): Html {
  const lines = jobs.map((job) => {
    const open = job.problems.filter((problem) => problem.needs_somebody).length;
    const why = [
      ...(job.held_run === null ? [] : ['a held run waits for an approval']),
      ...(job.phase === 'stopped' ? [job.last_run?.reason ?? 'it is stopped'] : []),
      ...(open === 0 ? [] : [`${count(open, 'problem')} for a person`]),
    ];
    return html`<li><a href="/jobs/${encodeURIComponent(job.name)}">${job.name}</a>: ${why.join('; ')}</li>`;
  });
  return html`<section class="needs-somebody" aria-label="Needs a person">
    <h2>Needs a person</h2>
    <ul>
      ${lines}
    </ul>
  </section>`;
}

function daemonLine(daemon: StatusAnswer['daemon'], now: number): Html {
  if (!daemon) return html`<p class="quiet">No daemon is known to run on this state.</p>`;
  const { crm, sheet_reads: reads, sheet_writes: writes } = daemon.budget;
  return html`<p class="quiet">
    The daemon is ${daemon.state}${daemon.told === 'now' ? '' : html`, as told ${instant(daemon.written_at, now)}`}. In
    the last minute: ${crm.used} of ${crm.per_minute} calls to the service, ${reads.used} of ${reads.per_minute} reads
    and ${writes.used} of ${writes.per_minute} writes of the sheet.
  </p>`;
}

function jobRow(job: StandingAnswer, runs: readonly RunLineAnswer[], now: number): Html {
  const { name, counts, last_run: last, next_run: next, problems } = job;
  return html`<tr>
    <th scope="row"><a href="/jobs/${encodeURIComponent(name)}">${name}</a> <small>${job.kind}</small></th>
    <td>${stateOf(job)}</td>
    <td>${last ? html`${instant(last.ended_at, now)} <small>${runLink(last.run)}</small>` : 'none yet'}</td>
    <td>${next === null ? '' : instant(next, now)}</td>
    <td class="number">${counts.linked.toLocaleString('en-US')}</td>
    <td class="number">
      ${counts.conflicts === 0 ? '' : html`<a href="/conflicts?job=${encodeURIComponent(name)}">${counts.conflicts}</a>`}
    </td>
    <td class="number">
      ${problems.length === 0 ? '' : html`<a href="/problems?job=${encodeURIComponent(name)}">${problems.length}</a>`}
    </td>
    <td>${strip(runs)}</td>
  </tr>`;
}

/** The oldest on the left. The number of bars is in words, too, since a picture says nothing to a screen reader. */
function strip(runs: readonly RunLineAnswer[]): Html {
  if (runs.length === 0) return html``;
  const bars = runs
    .toReversed()
    .map(
      ({ status, run, ended_at: at }, index) =>
        html`<rect class="bar ${status}" x="${index * 3}" y="0" width="2" height="16"
          ><title>${run}: ${status}, ${at}</title></rect
        >`,
    );
  const bad = runs.filter(({ status }) => status !== 'succeeded').length;
  const label = `${count(runs.length, 'run')}, ${bad} not succeeded`;
  return html`<svg
    class="strip"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${stripRuns * 3} 16"
    width="${stripRuns * 3}"
    height="16"
  >
    ${bars}
  </svg>`;
}
