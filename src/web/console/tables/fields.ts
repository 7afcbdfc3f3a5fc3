// The fields of a record: what both sides agreed on and hold, and where each value came from.
import { html } from 'hono/html';
import type { ExplainedField, Known } from '../../../operator/answers/explain.ts';
import { type Html, instant, rule, runLink, state, value } from '../html.ts';
import { scrollTable } from './scroll.ts';

/** `id`: of the record, for links to the lines of the history. */
export function fieldTable(fields: readonly ExplainedField[], id: string | null, now: number): Html {
  const rows = fields.map((field) => fieldRow(field, id, now));
  return scrollTable('Fields', ['Field', 'Agreed', 'Service', 'Sheet', 'Where it came from'], rows);
}

function fieldRow(
  { field, header, cell, agreed, crm, sheet, is_open: isOpen, origin, lost, notes }: ExplainedField,
  id: string | null,
  now: number,
): Html {
  const replaced = lost.map(({ side, value: old, run }) => {
    const place = side === 'crm' ? 'the service' : 'the sheet';
    const line = `/log?${new URLSearchParams({ run, ...(id !== null && { contact: id }), field }).toString()}`;
    return html`<small class="more"
      >replaced <q>${String(old)}</q> in ${place}: <a href="${line}">as logged</a></small
    >`;
  });
  return html`<tr>
    <th scope="row">
      ${header === '' ? field : header}${cell === null ? '' : html` <small>${cell}</small>`}${isOpen ? html`<br />${state('open')}` : ''}
    </th>
    <td>${knownValue(agreed)}</td>
    <td>${knownValue(crm)}</td>
    <td>${knownValue(sheet)}</td>
    <td>${originView(origin, now)}${notes.map((note) => html`<small class="more">${note}</small>`)}${replaced}</td>
  </tr>`;
}

function knownValue({ value: held, is_known: isKnown }: Known): Html {
  return isKnown ? value(held, true) : html`<span class="blank">not known</span>`;
}

/** The sentence of the answer has instants and runs as text. Here they are in the viewer's time zone, and links. */
function originView(origin: ExplainedField['origin'], now: number): Html {
  const { kind, from, time, run, reason, rule: id, rule_words: words, by, text } = origin;
  if (time === null || run === null) return html`${text}`;
  const when = html`${instant(time, now)}, ${runLink(run)}`;
  switch (kind) {
    case 'written':
      return html`from ${from === 'crm' ? 'the service' : 'the sheet'}, ${when}: ${reason}
      ${id === null ? '' : rule(words ?? '', id)}`;
    case 'decided':
      return html`${by ?? 'a person'} decided the conflict; ${when}`;
    case 'undone':
      return html`${by === null ? 'a run was taken back' : `${by} had a run taken back`}; ${when}`;
    case 'adopted':
    case 'met':
    case 'older':
    case 'never':
      return html`${text}`;
  }
}
