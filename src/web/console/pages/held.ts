// The held plan of a job, with the buttons that approve it whole or in part, or refuse it.
import { html } from 'hono/html';
import { readDecided } from '../../../operator/decided.ts';
import { OperatorError } from '../../../operator/errors.ts';
import { readAddresses } from '../../../operator/addresses.ts';
import { readHeld } from '../../../operator/held.ts';
import { withFeedNames } from '../../../operator/persons.ts';
import { readRuns } from '../../../operator/runs.ts';
import { readStatus } from '../../../operator/standing.ts';
import { heldView } from '../forms/held.ts';
import { firstIn, recordsShown } from '../forms/held-parts.ts';
import { decidedList } from '../forms/parts.ts';
import { empty, type Html, runLink } from '../html.ts';
import type { Page, PageContext } from '../page.ts';

export async function heldPage(context: PageContext): Promise<Page> {
  const name = context.param('name');
  const from = firstIn(context.query('from'));
  const body = await heldBody(context, { name, run: context.query('run'), from });
  return { title: `What is held of ${name}`, body };
}

export interface HeldPlace {
  readonly name: string;
  /** Left out: what is held now. */
  readonly run?: string | undefined;
  readonly from: number;
}

/** What is held now, also if it is another run by now than the one that is named. */
export async function heldBody(context: PageContext, { name, run, from }: HeldPlace): Promise<Html> {
  const { operator, viewer, now, areDetailsShown } = context;
  const kinds = ['approve', 'approve-records', 'refuse'] as const;
  const decided = await readDecided(operator, { names: [name], kinds, since: '1d' });
  const done = decidedList({ ...decided, pending: [] }, now, areDetailsShown);
  try {
    const read = await readHeld(operator, name, run);
    const held = await withFeedNames(operator, read, { from, count: recordsShown });
    const addresses = await readAddresses(operator, [name]);
    return html`${heldView(held, { viewer, now, from, config: operator.config, addresses })} ${done}`;
  } catch (error) {
    if (!(error instanceof OperatorError) || !['nothing', 'ambiguous'].includes(error.code)) throw error;
    const stopped = error.code === 'nothing' && run === undefined ? await stoppedBody(context, name) : undefined;
    if (stopped) return html`${stopped} ${done}`;
    const other = error.code === 'ambiguous' ? html`<p><a href="?">What is held now</a></p>` : '';
    return html`${empty(error.message)} ${other} ${done}`;
  }
}

/** A guard that no approval lets through (G1). Undefined: the last run did not stop at one. */
async function stoppedBody({ operator }: PageContext, name: string): Promise<Html | undefined> {
  const [last] = (await readRuns(operator, { names: [name], limit: 1 })).runs;
  // A run that found nothing to do leaves no report, and is newer than the last one.
  const [job] = (await readStatus(operator, [name])).syncs;
  if (last?.status !== 'failed' || last.holds.length === 0 || job?.last_run?.run !== last.run) return undefined;
  return html`<p>
      Job <a href="/jobs/${encodeURIComponent(name)}">${name}</a>, run ${runLink(last.run)}. It stopped before it
      planned anything, and nothing was written.
    </p>
    <section class="needs-somebody">
      <h2>Why it stopped</h2>
      <ul>
        ${last.holds.map((reason) => html`<li>${reason}</li>`)}
      </ul>
    </section>
    <p>
      No approval lets it through: what was known is of another side than this one, so no record can be compared. Do
      what the reason says. The next run then goes on by itself.
    </p>`;
}
