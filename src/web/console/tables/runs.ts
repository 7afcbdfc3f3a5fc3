// Runs that are over, a row each.
import { html } from 'hono/html';
import type { RunLineAnswer } from '../../../operator/answers/runs.ts';
import type { StandingAnswer } from '../../../operator/answers/status.ts';
import { count, type Html, instant, runLink, state } from '../html.ts';
import { scrollTable } from './scroll.ts';

/** `isOfOneJob`: the page says which. */
export function runsTable(runs: readonly RunLineAnswer[], now: number, isOfOneJob = false): Html {
  return scrollTable(
    'Runs',
    ['Run', ...(isOfOneJob ? [] : ['Job']), 'State', 'Ended', 'Did', { number: 'Calls' }],
    runs.map(
      (run) =>
        html`<tr>
          <th scope="row">${runLink(run.run)}</th>
          ${isOfOneJob ? '' : html`<td><a href="/jobs/${encodeURIComponent(run.name)}">${run.name}</a></td>`}
          <td>${state(run.status)}</td>
          <td>${instant(run.ended_at, now)}</td>
          <td>${run.error ?? (run.holds.length > 0 ? run.holds.join('; ') : didText(run))}</td>
          <td class="number">${run.cost.crm_calls}</td>
        </tr>`,
    ),
  );
}

/** `kept`: the reports of the job that are kept. A run that finds nothing to do leaves none, so that it is no link. */
export function lastRunCell(
  last: StandingAnswer['last_run'],
  kept: readonly { readonly run: string }[],
  now: number,
): Html {
  if (!last) return html`none yet`;
  const isKept = kept.some(({ run }) => run === last.run);
  const what = isKept
    ? runLink(last.run)
    : last.status === 'succeeded'
      ? html`<span class="place">nothing to do</span>`
      : html`<code class="place">${last.run}</code>`;
  return html`${instant(last.ended_at, now)} <small>${what}</small>`;
}

const doings = [
  'created',
  'updated',
  'appended',
  'set',
  'deleted',
  'removed',
  'enrolled',
  'cancelled',
  'sent',
] as const;
const things: Readonly<Record<(typeof doings)[number], readonly [string, string]>> = {
  created: ['contact created', 'contacts created'],
  updated: ['contact updated', 'contacts updated'],
  appended: ['row appended', 'rows appended'],
  set: ['row set', 'rows set'],
  deleted: ['contact deleted', 'contacts deleted'],
  removed: ['row removed', 'rows removed'],
  enrolled: ['contact enrolled', 'contacts enrolled'],
  cancelled: ['cancelled', 'cancelled'],
  sent: ['message sent', 'messages sent'],
};

/** A feed starts and stops automations. */
const thingsOfFeeds: typeof things = { ...things, updated: ['record updated', 'records updated'] };

/** The counts of a run, in words. Without any, only a run that succeeded had nothing to do. */
export function didText({ kind, counts, status }: Pick<RunLineAnswer, 'kind' | 'counts' | 'status'>): string {
  const words = kind === 'feed' ? thingsOfFeeds : things;
  const did = doings.flatMap((what) => (counts[what] > 0 ? [count(counts[what], ...words[what])] : []));
  return did.join(', ') || (status === 'succeeded' ? 'nothing to do' : 'nothing was done');
}
