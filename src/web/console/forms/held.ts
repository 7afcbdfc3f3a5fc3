// A held plan: why it is held, what it would write by record, and the buttons that let it through or refuse it.
import { html } from 'hono/html';
import type { HeldAnswer } from '../../../operator/answers/held.ts';
import type { Viewer } from '../access/viewer.ts';
import { actionForm } from '../actions/form.ts';
import { count, type Html, instant, rule, runLink, value } from '../html.ts';
import { heldPages, nameOf } from './held-parts.ts';
import { type WholeShown, wholeView } from './held-whole.ts';
import { rowLink } from '../links.ts';
import { decisionText, hiddenHint, mayDecideOnValues, recordCells } from './parts.ts';

type HeldRecord = NonNullable<HeldAnswer['records']>[number];

export interface HeldShown extends WholeShown {
  readonly now: number;
}

const tickForm = 'ticked';

export function heldView(held: HeldAnswer, shown: HeldShown): Html {
  const { name, run, reasons, refused, records, decisions, undoes } = held;
  const { viewer, now } = shown;
  return html`<p>
      Job <a href="/jobs/${encodeURIComponent(name)}">${name}</a>, held run ${runLink(run)}.
      ${undoes === null ? '' : html`It is to take back run ${runLink(undoes)}.`} Nothing of it is written until a person
      approves it, or its cause is gone.
    </p>
    <section class="needs-somebody">
      <h2>Why it is held</h2>
      <ul>
        ${reasons.map((reason) => html`<li>${reason}</li>`)}
      </ul>
    </section>
    ${refused === null ? '' : html`<p class="note">${refused.by} refused it ${instant(refused.at, now)}.${decisions.length > 0 ? '' : ' It stays held.'}</p>`}
    ${decisions.map((decision) => html`<p class="note">${decisionText(decision, now, viewer.areDetailsShown)}</p>`)}
    <h2>The plan</h2>
    <p>${plannedWords(held)}</p>
    ${hiddenHint(viewer)} ${wholeForms(held, viewer)}
    ${records === null ? wholeView(held, shown) : recordsTable(held, records, shown)}`;
}

const planWords: Readonly<Record<string, readonly [string, string]>> = {
  creates: ['new record', 'new records'],
  changes: ['changed record', 'changed records'],
  blanks: ['value emptied', 'values emptied'],
  deletes: ['deletion', 'deletions'],
  missing: ['record missing', 'records missing'],
  enrolments: ['enrolment', 'enrolments'],
  messages: ['message', 'messages'],
};

export function plannedWords({ counts, records }: HeldAnswer): string {
  const parts = Object.entries(counts).flatMap(([what, number = 0]) =>
    number === 0 ? [] : [count(number, ...(planWords[what] ?? [what, what]))],
  );
  const of = records === null ? '' : `, of ${count(records.length, 'record')}`;
  return `${parts.join(', ') || 'nothing'}${of}`;
}

function hiddenFields({ name, run, digest }: HeldAnswer) {
  return { job: name, run, digest };
}

function wholeForms(held: HeldAnswer, viewer: Viewer): Html {
  const hidden = hiddenFields(held);
  const form = (action: string, text: string) =>
    actionForm(viewer, { action, hidden, body: html`<button type="submit">${text}</button>` });
  const all =
    held.records === null ? `all of it (${plannedWords(held)})` : `all ${count(held.records.length, 'record')}`;
  return html`<div class="buttons">
    ${form('approve-all', `Approve ${all}`)}
    ${held.undoes === null && held.refused === null ? form('refuse', 'Refuse it: it stays held') : ''}
  </div>`;
}

function recordsTable(held: HeldAnswer, records: readonly HeldRecord[], { viewer, from, addresses }: HeldShown): Html {
  const mayTick = mayDecideOnValues(viewer);
  const { shown, links } = heldPages(held.run, records, from);
  return html`${mayTick ? tickedForm(held, viewer) : ''}
    <div class="scroll" tabindex="0" role="region" aria-label="Records of the plan">
      <table class="decide">
        <thead>
          <tr>
            ${mayTick ? html`<th scope="col"><span class="said">Ticked</span></th>` : ''}
            <th scope="col">Record</th>
            <th scope="col">Change</th>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        ${shown.map((record) => recordRows(record, held.name, { viewer, addresses }))}
      </table>
    </div>
    ${links}`;
}

function tickedForm(held: HeldAnswer, viewer: Viewer): Html {
  return actionForm(viewer, {
    action: 'approve-ticked',
    id: tickForm,
    hidden: hiddenFields(held),
    body: html`<button type="submit">
      Approve the <span data-ticked="${tickForm}">ticked</span> records; the rest stays held
    </button>`,
  });
}

function recordRows(
  { id, row, person, ops, changes }: HeldRecord,
  job: string,
  { viewer, addresses }: Pick<HeldShown, 'viewer' | 'addresses'>,
): Html {
  const { areDetailsShown } = viewer;
  const name = nameOf({ id, row, person }, areDetailsShown);
  const shown = changes ?? ops.map((op) => ({ side: null, op, field: null, before: null, after: null, reason: null }));
  const below = row === null ? html`` : html`<br /><small>${rowLink(addresses, job, row)}</small>`;
  const cells = { ticket: { id }, label: name, contact: id, job, name, below, lines: shown.length };
  const head = recordCells(tickForm, cells, viewer);
  return html`<tbody>
    ${shown.map(
      (change, index) =>
        html`<tr>
          ${index === 0 ? head : ''}
          <td>${opWords(change)}</td>
          ${change.field === null ? html`<td></td>` : html`<td data-label="Field">${change.field}</td>`}
          ${change.field === null ? html`<td></td>` : html`<td data-label="Before">${value(change.before, areDetailsShown)}</td>`}
          ${change.field === null ? html`<td></td>` : html`<td data-label="After">${value(change.after, areDetailsShown)}</td>`}
          <td>
            ${'rule_words' in change ? html`${change.reason} ${rule(change.rule_words, change.rule)}` : html`<code>leadsheet plan ${job}</code>`}
          </td>
        </tr>`,
    )}
  </tbody>`;
}

const ops: Readonly<Record<string, string>> = {
  create: 'create the contact',
  update: 'change the contact',
  delete: 'delete the contact',
  enrol: 'put into an automation',
  cancel: 'take out of an automation',
  send: 'send a message',
  append: 'append a row',
  set: 'set cells of the row',
  remove: 'delete the row',
};

export function opWords({ side, op }: { readonly side: string | null; readonly op: string }): string {
  const where = side === null ? '' : side === 'crm' ? 'service: ' : 'sheet: ';
  return `${where}${ops[op] ?? op}`;
}
