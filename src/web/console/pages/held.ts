// The held plan of a job, with the buttons that approve it whole or in part, or refuse it.
import { html } from 'hono/html';
import { readDecided } from '../../../operator/decided.ts';
import { OperatorError } from '../../../operator/errors.ts';
import { readHeld } from '../../../operator/held.ts';
import { heldView } from '../forms/held.ts';
import { decidedList } from '../forms/parts.ts';
import { empty, type Html } from '../html.ts';
import type { Page, PageContext } from '../page.ts';

export async function heldPage(context: PageContext): Promise<Page> {
  const name = context.param('name');
  const from = Math.max(0, Math.trunc(Number(context.query('from') ?? 0)) || 0);
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
    return html`${heldView(await readHeld(operator, name, run), { viewer, now, from })} ${done}`;
  } catch (error) {
    if (!(error instanceof OperatorError) || !['nothing', 'ambiguous'].includes(error.code)) throw error;
    const other = error.code === 'ambiguous' ? html`<p><a href="?">What is held now</a></p>` : '';
    return html`${empty(error.message)} ${other} ${done}`;
  }
}
