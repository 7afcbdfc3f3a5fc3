// One run that is over, with all that it changed.
import { html } from 'hono/html';
import type { ChangeLine, DecisionLine } from '../../../operator/answers/history.ts';
import type { RunPageAnswer } from '../../../operator/answers/runs.ts';
import { namesOf } from '../../../operator/persons.ts';
import { readAddresses } from '../../../operator/addresses.ts';
import { readLinesPage } from '../../../operator/history.ts';
import { readRun, readRunPage } from '../../../operator/runs.ts';
import { csvFile, jsonFile } from '../download.ts';
import { allPages, pageLinks, placeOf } from '../paging.ts';
import type { Page, PageContext } from '../page.ts';
import { count, empty, type Html, instant, spanText, state } from '../html.ts';
import { historyColumns, historyTable, withoutDetails } from '../tables/history.ts';
import { problemRows } from '../tables/problems.ts';

export async function runPage(context: PageContext): Promise<Page | Response> {
  const { operator, areDetailsShown, now, signal, param, query, address } = context;
  const run = param('run');
  if (query('format') === 'json') {
    const { changes: all, ...rest } = await readRun(operator, run, signal);
    return jsonFile({ ...rest, changes: areDetailsShown ? all : all.map(withoutDetails) });
  }
  const shown = await readRunPage(operator, run, placeOf(context));
  const { changes, problems, cost, holds, error, approvable, name } = shown;
  if (query('format') === 'csv') {
    const rows = allPages<ChangeLine | DecisionLine>(signal, async (page) => {
      const { lines, next } = await readLinesPage(operator, { sync: name, run }, page, false);
      return { items: lines, next };
    });
    return csvFile({ name: `run-${run}`, columns: historyColumns(areDetailsShown), rows });
  }
  const addresses = await readAddresses(operator, [name]);
  const about = [...changes, ...problems].map(({ contact }) => ({ job: name, contact }));
  const nameOf = areDetailsShown ? await namesOf(operator, about) : undefined;
  const toJson = html`<a href="${address.pathname}?format=json" download="${run}.json">Download JSON</a>`;
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
    ${undoLink(shown, run)}
    <h2>Changes</h2>
    ${
      changes.length === 0
        ? html`${empty('This run changed nothing.')}
            <p>${toJson}</p>`
        : html`${historyTable(changes, { areDetailsShown, addresses, nameOf })}
          ${pageLinks(context, { ...shown, also: toJson })}`
    }
    <h2>Problems</h2>
    ${
      problems.length === 0
        ? empty('Nothing was left open.')
        : problemRows(
            problems.map((problem) => ({ job: name, problem })),
            { addresses, nameOf },
          )
    }`;
  return { title: `Run ${run}`, body };
}

/**
 * The page behind it says what can be taken back before anything happens. A run that carried out many decisions begins with
 * their lines: its changes stand on a later page.
 */
function undoLink({ kind, changes, next, previous }: RunPageAnswer, run: string): Html {
  const hasChanges = next !== null || previous !== null || changes.some((line) => !('decision' in line));
  if (kind === 'outbox' || !hasChanges) return html``;
  return html`<p><a href="/runs/${encodeURIComponent(run)}/undo">Take this run back</a>: you see the plan first.</p>`;
}
