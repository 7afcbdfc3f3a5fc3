// What runs could not do, with what to do about it; those that need a person come first.
import { html } from 'hono/html';
import { readStatus } from '../../../operator/standing.ts';
import type { Page, PageContext } from '../page.ts';
import { empty } from '../html.ts';
import { problemRows, problemsOf } from '../tables/problems.ts';

export async function problemsPage({ operator, query }: PageContext): Promise<Page> {
  const [job, kind] = [query('job'), query('kind')];
  const { syncs } = await readStatus(operator, job === undefined ? [] : [job]);
  const all = problemsOf(syncs);
  const kinds = [...new Set(all.map(({ problem }) => problem.kind))].toSorted();
  const meant = all.filter(({ problem }) => kind === undefined || problem.kind === kind);
  const body =
    all.length === 0
      ? empty(
          'Nothing is open.',
          'A record that a run cannot write, or does not understand, is listed here with what to do.',
        )
      : html`<form method="get" class="filter">
            ${job === undefined ? '' : html`<input type="hidden" name="job" value="${job}" />`}
            <label
              >Kind
              <select name="kind">
                <option value="">all</option>
                ${kinds.map((each) => html`<option ${each === kind ? html`selected` : ''}>${each}</option>`)}
              </select></label
            >
            <button type="submit">Show</button>
          </form>
          ${problemRows(meant)}`;
  return { title: job === undefined ? 'Problems' : `Problems of ${job}`, body };
}
