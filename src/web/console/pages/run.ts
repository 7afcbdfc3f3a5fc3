// One run that is over, with all that it changed.
import { html } from 'hono/html';
import type { ChangeLine, DecisionLine } from '../../../operator/answers/history.ts';
import { readRun } from '../../../operator/runs.ts';
import type { Page, PageContext } from '../page.ts';
import { count, empty, type Html, instant, spanText, state } from '../html.ts';
import { historyTable } from '../tables/history.ts';
import { problemRows } from '../tables/problems.ts';

/** A run may have changed tens of thousands of records. */
const changesShown = 500;

export async function runPage({ operator, areDetailsShown, now, signal, param }: PageContext): Promise<Page> {
  const run = param('run');
  const shown = await readRun(operator, run, signal);
  const { changes, problems, cost, holds, error, approvable, name } = shown;
  const took = Date.parse(shown.ended_at) - Date.parse(shown.started_at);
  const body = html`<p>
      ${state(shown.status)} · <a href="/jobs/${encodeURIComponent(name)}">${name}</a> · ended
      ${instant(shown.ended_at, now)} · took ${spanText(took)} · ${count(cost.crm_calls, 'call')} to the service,
      ${count(cost.sheet_reads, 'read')} and ${count(cost.sheet_writes, 'write')} of the sheet
    </p>
    ${error === null ? '' : html`<p class="needs-somebody">${error}</p>`}
    ${
      holds.length === 0
        ? ''
        : html`<section class="needs-somebody">
            <h2>Held</h2>
            <ul>
              ${holds.map((reason) => html`<li>${reason}</li>`)}
            </ul>
            ${
              approvable === null
                ? ''
                : html`<p>
                    <a href="/jobs/${encodeURIComponent(name)}/held?run=${encodeURIComponent(approvable)}"
                      >See what it would do, approve it or refuse it</a
                    >, while it is held. As a command: <code>leadsheet approve ${name} --run ${approvable}</code>
                  </p>`
            }
          </section>`
    }
    ${undoLink(shown.kind, run, changes)}
    <h2>Changes</h2>
    ${changes.length === 0 ? empty('This run changed nothing.') : changesTable(changes, areDetailsShown)}
    <h2>Problems</h2>
    ${problems.length === 0 ? empty('Nothing was left open.') : problemRows(problems.map((problem) => ({ job: name, problem })))}`;
  return { title: `Run ${run}`, body };
}

/** The page behind it says what can be taken back before anything happens. */
function undoLink(kind: string, run: string, changes: readonly (ChangeLine | DecisionLine)[]): Html {
  if (kind === 'outbox' || changes.every((line) => 'decision' in line)) return html``;
  return html`<p><a href="/runs/${encodeURIComponent(run)}/undo">Take this run back</a>: you see the plan first.</p>`;
}

function changesTable(changes: readonly (ChangeLine | DecisionLine)[], areDetailsShown: boolean): Html {
  const rest = changes.length - changesShown;
  return html`${historyTable(changes.slice(0, changesShown), areDetailsShown)}
  ${rest > 0 ? html`<p class="quiet">And ${count(rest, 'more change')}: leadsheet log --run has all.</p>` : ''}`;
}
