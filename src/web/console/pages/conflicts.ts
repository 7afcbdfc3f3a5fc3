// Open conflicts: what both sides agreed on, and what each holds.
import { html } from 'hono/html';
import type { ConflictAnswer } from '../../../operator/answers/conflicts.ts';
import { readConflicts } from '../../../operator/conflicts.ts';
import type { Page, PageContext } from '../page.ts';
import { empty, type Html, instant, value } from '../html.ts';

export async function conflictsPage({ operator, areDetailsShown, now, query }: PageContext): Promise<Page> {
  const [job, field] = [query('job'), query('field')];
  const conflicts = await readConflicts(operator, { syncs: job === undefined ? [] : [job], field });
  const body =
    conflicts.length === 0
      ? empty(
          'No conflict is open.',
          'A field that both sides changed to different values is listed here, unless a policy decides.',
        )
      : html`<div class="scroll" tabindex="0" role="region" aria-label="Conflicts">
          <table>
            <thead>
              <tr>
                <th scope="col">Record</th>
                <th scope="col">Field</th>
                <th scope="col">Agreed</th>
                <th scope="col">Service</th>
                <th scope="col">Sheet</th>
                <th scope="col">Since</th>
                <th scope="col">Decided</th>
              </tr>
            </thead>
            <tbody>
              ${conflicts.map((conflict) => conflictRow(conflict, areDetailsShown, now))}
            </tbody>
          </table>
        </div>`;
  return { title: job === undefined ? 'Conflicts' : `Conflicts of ${job}`, body };
}

function conflictRow(conflict: ConflictAnswer, areDetailsShown: boolean, now: number): Html {
  const { id, sync, row, contact, person, field, base, crm, sheet, since, decision } = conflict;
  const name = areDetailsShown ? person : null;
  return html`<tr>
    <th scope="row">
      ${name ?? (row === null ? contact : `row ${row}`)}<br /><small
        >${sync}${name !== null && row !== null ? `, row ${row}` : ''}</small
      >
    </th>
    <td>${field}</td>
    <td>${value(base, areDetailsShown)}</td>
    <td>${value(crm, areDetailsShown)}</td>
    <td>${value(sheet, areDetailsShown)}</td>
    <td>${instant(since, now)}</td>
    <td>
      ${decision === null ? html`<code>leadsheet resolve ${id}</code>` : areDetailsShown ? decision.text : 'decided; the next run carries it out'}
    </td>
  </tr>`;
}
