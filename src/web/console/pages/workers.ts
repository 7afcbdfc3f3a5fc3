// The workers of a database: who runs what, and who is gone.
import { html } from 'hono/html';
import type { WorkersAnswer } from '../../../operator/answers/workers.ts';
import { readWorkersAnswer } from '../../../operator/workers.ts';
import { empty, type Html, instant, state } from '../html.ts';
import type { Page, PageContext } from '../page.ts';

export async function workersPage({ operator, now }: PageContext): Promise<Page> {
  const { shared, workers } = await readWorkersAnswer(operator);
  const title = 'Workers';
  if (!shared) {
    const advice = 'With state: postgres://... any number of processes share the jobs (docs/fleet.md).';
    return { title, body: empty('The state is on files: this process runs all jobs.', advice) };
  }
  const body = html`<div class="scroll" tabindex="0" role="region" aria-label="Workers">
    <table>
      <thead>
        <tr>
          <th scope="col">Worker</th>
          <th scope="col">State</th>
          <th scope="col">Since</th>
          <th scope="col">Last sign of life</th>
          <th scope="col">Version</th>
          <th scope="col">Runs</th>
        </tr>
      </thead>
      <tbody>
        ${workers.map((worker) => row(worker, now))}
      </tbody>
    </table>
  </div>`;
  return { title, body };
}

function row(
  { id, state: word, since, seen_at: seenAt, version, runs }: WorkersAnswer['workers'][number],
  now: number,
): Html {
  const jobs = runs.map(({ job }) => html`<a class="place" href="/jobs/${encodeURIComponent(job)}">${job}</a> `);
  return html`<tr>
    <th scope="row">${id}</th>
    <td>${state(word)}</td>
    <td>${instant(since, now)}</td>
    <td>${instant(seenAt, now)}</td>
    <td>${version}</td>
    <td>${jobs}</td>
  </tr>`;
}
