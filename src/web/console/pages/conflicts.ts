// Open conflicts: what both sides agreed on, what each holds, and the buttons that decide.
import { html } from 'hono/html';
import { readConflictsPage } from '../../../operator/conflicts.ts';
import { readDecided } from '../../../operator/decided.ts';
import { conflictsTable } from '../forms/conflicts.ts';
import { decidedList, hiddenHint } from '../forms/parts.ts';
import type { Page, PageContext } from '../page.ts';
import { count, empty } from '../html.ts';

/** As many as a person looks at before deciding on the ticked. */
const conflictsShown = 100;

export async function conflictsPage({ operator, viewer, areDetailsShown, now, query }: PageContext): Promise<Page> {
  const [job, field, after] = [query('job'), query('field'), query('after')];
  const filter = { syncs: job === undefined ? [] : [job], field };
  const decided = await readDecided(operator, {
    ...(job !== undefined && { names: [job] }),
    kinds: ['resolve'],
    since: '1d',
  });
  // After the decisions: what was carried out is not listed as open.
  const { conflicts, total, next } = await readConflictsPage(operator, filter, { limit: conflictsShown, after });
  const address = (more: Readonly<Record<string, string | undefined>>) => {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries({ job, field, ...more }))
      if (value !== undefined) given.set(name, value);
    return given.size === 0 ? '/conflicts' : `/conflicts?${given.toString()}`;
  };
  const body =
    conflicts.length === 0
      ? html`${empty(
          'No conflict is open.',
          'A field that both sides changed to different values is listed here, unless a policy decides.',
        )}
        ${decidedList(decided, now, areDetailsShown)}`
      : html`<p class="quiet">${count(total, 'conflict')}. The value that is kept stands on both sides afterwards.</p>
          ${hiddenHint(viewer)} ${conflictsTable(conflicts, { viewer, now, back: address({ after }) })}
          ${next === null ? '' : html`<p><a href="${address({ after: next })}" rel="next">Further conflicts</a></p>`}
          ${decidedList(decided, now, areDetailsShown)}`;
  return { title: job === undefined ? 'Conflicts' : `Conflicts of ${job}`, body };
}
