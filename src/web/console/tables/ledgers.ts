// How the ledger of each job stands, a row each: what waits, what was done, and how much of the cap of an hour is used.
import { html } from 'hono/html';
import type { EnrolmentsPageAnswer } from '../../../operator/answers/ledgers.ts';
import { count, empty, type Html, state } from '../html.ts';

interface Summary extends Pick<EnrolmentsPageAnswer['jobs'][number], 'name' | 'cap' | 'counts' | 'held_run'> {
  readonly note: string;
}

interface Words {
  /** The address of the list. */
  readonly page: string;
  /** States that are shown as counts of their own. */
  readonly open: readonly string[];
  readonly done: string;
  /** The head of the last column. */
  readonly note: string;
}

/** The filter finds the others. */
const jobsShown = 20;

export function ledgerSummary(jobs: readonly Summary[], { page, open, done, note }: Words): Html {
  if (jobs.length === 0) return empty('No such job is configured any more.', 'The ledger is kept for ever.');
  const rest = jobs.length - jobsShown;
  const cell = (name: string, counts: Summary['counts'], word: string) => {
    const number = counts[word] ?? 0;
    const href = `${page}?job=${encodeURIComponent(name)}&state=${word}`;
    return html`<td class="number">
      ${number === 0 ? '0' : html`<a href="${href}">${number.toLocaleString('en-US')}</a>`}
    </td>`;
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Jobs">
      <table>
        <thead>
          <tr>
            <th scope="col">Job</th>
            ${[...open, done].map((word) => html`<th scope="col" class="number">${word[0]!.toUpperCase() + word.slice(1)}</th>`)}
            <th scope="col" class="number">Last hour</th>
            <th scope="col" class="number">Left</th>
            <th scope="col">${note}</th>
          </tr>
        </thead>
        <tbody>
          ${jobs.slice(0, jobsShown).map(
            ({ name, cap, counts, held_run: held, note: text }) =>
              html`<tr>
                <th scope="row">
                  <a href="/jobs/${encodeURIComponent(name)}">${name}</a
                  >${held === null ? '' : html`<br />${state('held')}`}
                </th>
                ${[...open, done].map((word) => cell(name, counts, word))}
                <td class="number">${cap.used} of ${cap.per_hour.toLocaleString('en-US')}</td>
                <td class="number">${cap.left.toLocaleString('en-US')}</td>
                <td>${text}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${rest > 0 ? html`<p class="quiet">And ${count(rest, 'more job')}: name one in the filter.</p>` : ''}`;
}
