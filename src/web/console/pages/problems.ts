// What runs could not do, with what to do about it; those that need a person come first.
import { html } from 'hono/html';
import { readDecided } from '../../../operator/decided.ts';
import { readProblemsPage } from '../../../operator/problems.ts';
import { decidedList, hiddenHint } from '../forms/parts.ts';
import { problemsTable } from '../forms/problems.ts';
import type { Page, PageContext } from '../page.ts';
import { count, empty } from '../html.ts';

/** As many as a person looks at before deciding on the ticked. */
const problemsShown = 100;

export async function problemsPage(context: PageContext): Promise<Page> {
  const { operator, viewer, now, areDetailsShown, query } = context;
  const [job, kind, after] = [query('job'), query('kind'), query('after')];
  const names = job === undefined ? [] : [job];
  const decided = await readDecided(operator, { names, kinds: ['retry'], since: '1d' });
  // After the decisions: what was carried out is not listed as open.
  const list = await readProblemsPage(operator, { names, kind }, { limit: problemsShown, after });
  const address = (more: Readonly<Record<string, string | undefined>>) => {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries({ job, kind, ...more })) if (value !== undefined) given.set(name, value);
    return given.size === 0 ? '/problems' : `/problems?${given.toString()}`;
  };
  const { problems, total, kinds, next } = list;
  const decisions = decidedList(decided, now, areDetailsShown);
  const body =
    kinds.length === 0
      ? html`${empty(
          'Nothing is open.',
          'A record that a run cannot write, or does not understand, is listed here with what to do.',
        )}
        ${decisions}`
      : html`<form method="get" class="filter">
            ${job === undefined ? '' : html`<input type="hidden" name="job" value="${job}" />`}
            <label
              >Kind
              <select name="kind">
                <option value="">all</option>
                ${kinds.map(
                  ({ kind: each, count: number }) =>
                    html`<option value="${each}" ${each === kind ? html`selected` : ''}>${each} (${number})</option>`,
                )}
              </select></label
            >
            <button type="submit">Show</button>
          </form>
          <p class="quiet">${count(total, 'problem')}.</p>
          ${hiddenHint(viewer)} ${await problemsTable(operator, problems, { viewer, now, back: address({ after }) })}
          ${next === null ? '' : html`<p><a href="${address({ after: next })}" rel="next">Further problems</a></p>`}
          ${decisions}`;
  return { title: job === undefined ? 'Problems' : `Problems of ${job}`, body };
}
