// Runs that are over.
import { html } from 'hono/html';
import { readRuns } from '../../../operator/runs.ts';
import type { Page, PageContext } from '../page.ts';
import { empty } from '../html.ts';
import { runsTable } from '../tables/runs.ts';

const runsShown = 100;

export async function runsPage({ operator, now, query }: PageContext): Promise<Page> {
  const job = query('job');
  const { runs } = await readRuns(operator, { names: job === undefined ? [] : [job], limit: runsShown });
  const body =
    runs.length === 0
      ? empty('No run has left a report yet.', 'The daemon begins one by its schedule; leadsheet sync begins one now.')
      : html`${runsTable(runs, now)}
        ${runs.length === runsShown ? html`<p class="quiet">The last ${runsShown}. leadsheet runs --limit N lists more.</p>` : ''}`;
  return { title: job === undefined ? 'Runs' : `Runs of ${job}`, body };
}
