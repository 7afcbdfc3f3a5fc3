// Conflicts with the three values side by side, and the buttons that decide them.
import { html } from 'hono/html';
import type { Addresses } from '../../../operator/addresses.ts';
import type { ConflictAnswer } from '../../../operator/answers/conflicts.ts';
import type { SeenConflict } from '../../../operator/resolve-seen.ts';
import type { Viewer } from '../access/viewer.ts';
import { actionForm } from '../actions/form.ts';
import { valueDiff } from '../diff.ts';
import { rowLink, serviceLink } from '../links.ts';
import { type Html, instant, value } from '../html.ts';
import { decisionText, mayDecideOnValues, quoted, recordCells, toTicket } from './parts.ts';

export interface ConflictsShown {
  readonly viewer: Viewer;
  readonly now: number;
  /** The address that a decision leads back to. */
  readonly back: string;
  /** Left out: rows are no links. */
  readonly addresses?: Addresses;
  /** Ids of conflicts that are not as they were seen before. */
  readonly changed?: ReadonlySet<string>;
}

const bulkForm = 'ticked';

export function conflictsTable(conflicts: readonly ConflictAnswer[], shown: ConflictsShown): Html {
  const mayTick = mayDecideOnValues(shown.viewer);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Conflicts">
      <table class="decide">
        <thead>
          <tr>
            ${mayTick ? html`<th scope="col"><span class="said">Ticked</span></th>` : ''}
            <th scope="col">Record</th>
            <th scope="col">Field</th>
            <th scope="col">Agreed</th>
            <th scope="col">Service</th>
            <th scope="col">Sheet</th>
            <th scope="col">Since</th>
            <th scope="col">Decide</th>
          </tr>
        </thead>
        <tbody>
          ${conflicts.map((conflict) => conflictRow(conflict, shown))}
        </tbody>
      </table>
    </div>
    ${mayTick && conflicts.length > 1 ? bulk(shown) : ''}`;
}

function conflictRow(conflict: ConflictAnswer, { viewer, now, back, changed, addresses }: ConflictsShown): Html {
  const { sync, row, contact, person, field, base, is_base_known: isBaseKnown, crm, sheet, since } = conflict;
  const { areDetailsShown } = viewer;
  const name = (areDetailsShown ? person : null) ?? (row === null ? contact : `row ${row}`);
  const isChanged = changed?.has(conflict.id) === true;
  const below = html`<br /><small
      >${sync} ${rowLink(addresses, sync, row)} ${serviceLink(addresses, sync, contact)}</small
    >${isChanged ? html`<br /><span class="state needs">changed meanwhile</span>` : ''}`;
  return html`<tr>
    ${recordCells(bulkForm, { ticket: ticketOf(conflict), label: `${name}, ${field}`, contact, job: sync, name, below }, viewer)}
    <td data-label="Field">${field}</td>
    <td data-label="Agreed">
      ${isBaseKnown ? value(base, areDetailsShown) : html`<span class="blank">not known</span>`}
    </td>
    <td data-label="Service">${valueDiff(base, crm, areDetailsShown)}</td>
    <td data-label="Sheet">${valueDiff(base, sheet, areDetailsShown)}</td>
    <td data-label="Since">${instant(since, now)}</td>
    <td>${conflictButtons(conflict, { viewer, now, back })}</td>
  </tr>`;
}

/** Each button says the value that both sides hold afterwards. */
export function conflictButtons(
  conflict: ConflictAnswer,
  { viewer, now, back }: Omit<ConflictsShown, 'changed' | 'addresses'>,
): Html {
  const { id, field, base, is_base_known: isBaseKnown, crm, sheet, decision } = conflict;
  const decided = decision && decisionText(decision, now, viewer.areDetailsShown);
  if (!mayDecideOnValues(viewer)) return html`${decided ?? html`<code>leadsheet resolve ${id}</code>`}`;
  const hidden = { seen: toTicket(ticketOf(conflict)), back };
  const keep = (choice: string, kept: typeof crm, whose: string) =>
    html`<button type="submit" name="choice" value="${choice}">Keep <bdi>${quoted(kept)}</bdi> (${whose})</button>`;
  return html`${decided ?? ''}
    ${actionForm(viewer, {
      action: 'resolve',
      hidden,
      body: html`${keep('crm', crm, 'service')} ${keep('sheet', sheet, 'sheet')}
      ${isBaseKnown ? keep('agreed', base, 'agreed before') : ''}`,
    })}
    <details>
      <summary>Another value</summary>
      ${actionForm(viewer, {
        action: 'resolve',
        hidden: { ...hidden, choice: 'text' },
        body: html`<label>Value of ${field} on both sides <input name="text" autocomplete="off" /></label>
          <button type="submit">Set this value</button>`,
      })}
    </details>`;
}

function bulk({ viewer, back }: ConflictsShown): Html {
  return actionForm(viewer, {
    action: 'resolve',
    id: bulkForm,
    hidden: { back },
    body: html`<fieldset>
      <legend>Ticked conflicts</legend>
      <button type="submit" name="choice" value="crm">
        Keep the service’s value for the <span data-ticked="${bulkForm}">ticked</span>
      </button>
      <button type="submit" name="choice" value="sheet">
        Keep the sheet’s value for the <span data-ticked="${bulkForm}">ticked</span>
      </button>
    </fieldset>`,
  });
}

function ticketOf({ sync, id, digest }: ConflictAnswer): SeenConflict {
  return { sync, id, digest };
}
