// Changes and decisions, a row each.
import { html } from 'hono/html';
import type { ChangeLine, DecisionLine } from '../../../operator/answers/history.ts';
import type { Addresses } from '../../../operator/addresses.ts';
import type { NameOf } from '../../../operator/persons.ts';
import { whyVoid } from '../../../operator/words.ts';
import type { Columns } from '../download.ts';
import { rowLink, serviceLink } from '../links.ts';
import { type Html, instant, shortRecordLink, rule, state, value, personName } from '../html.ts';

interface HistoryShown {
  readonly areDetailsShown: boolean;
  readonly addresses: Addresses;
  /** Left out: contacts are named by their uuid. */
  readonly nameOf?: NameOf | undefined;
  /** Epoch milliseconds. Left out: the lines are of one run, and say neither when nor of which job. */
  readonly now?: number | undefined;
}

export function historyTable(lines: readonly (ChangeLine | DecisionLine)[], shown: HistoryShown): Html {
  const { now } = shown;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Changes">
    <table>
      <thead>
        <tr>
          ${
            now === undefined
              ? ''
              : html`<th scope="col">When</th>
                  <th scope="col">Job</th>`
          }
          <th scope="col">Change</th>
          <th scope="col">Record</th>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        ${lines.map((line) => historyRow(line, shown))}
      </tbody>
    </table>
  </div>`;
}

function historyRow(line: ChangeLine | DecisionLine, { areDetailsShown, addresses, nameOf, now }: HistoryShown): Html {
  const when =
    now === undefined
      ? ''
      : html`<td>${instant(line.time, now)}</td>
          <td>${line.sync}</td>`;
  const name = nameOf?.({ job: line.sync, contact: line.contact });
  const links = html`${line.contact === null ? '' : shortRecordLink(line.contact)}
  ${rowLink(addresses, line.sync, line.row)} ${serviceLink(addresses, line.sync, line.contact)}`;
  const record = name === undefined ? links : html`${personName(name)}<br /><small>${links}</small>`;
  if ('decision' in line) {
    const by = line.by === null ? '' : ` by ${line.by}`;
    return html`<tr class="decision">
      ${when}
      <td>decision${by}</td>
      <td>${record}</td>
      <td>${line.field ?? ''}</td>
      <td colspan="2">${areDetailsShown ? (line.text ?? line.decision) : line.decision}</td>
      <td>${line.outcome === 'void' ? `nothing came of it: ${whyVoid(line.decision)}` : 'taken up'}</td>
    </tr>`;
  }
  const { side, op, field, before, after, outcome, message } = line;
  const values =
    field === null
      ? html`<td></td>
          <td></td>`
      : html`<td>${value(before, areDetailsShown)}</td>
          <td>${value(after, areDetailsShown)}</td>`;
  return html`<tr>
    ${when}
    <td>${side === 'crm' ? 'service' : 'sheet'} ${op}${outcome === 'done' ? '' : html` ${state(outcome)}`}</td>
    <td>${record}</td>
    <td>${field ?? ''}</td>
    ${values}
    <td>${line.reason}${message === undefined ? '' : `: ${message}`} ${rule(line.rule_words, line.rule)}</td>
  </tr>`;
}

/** The columns of a download. Without contact details there is no value in it. */
export function historyColumns(areDetailsShown: boolean): Columns<ChangeLine | DecisionLine> {
  return {
    time: (line) => line.time,
    job: (line) => line.sync,
    run: (line) => line.run,
    what: (line) => ('decision' in line ? line.decision : line.op),
    side: (line) => ('decision' in line ? null : line.side),
    contact: (line) => line.contact,
    row: (line) => line.row,
    field: (line) => line.field,
    ...(areDetailsShown && {
      before: (line: ChangeLine | DecisionLine) => ('decision' in line ? null : line.before),
      after: (line: ChangeLine | DecisionLine) => ('decision' in line ? line.text : line.after),
    }),
    outcome: (line) => line.outcome,
    message: (line) => ('decision' in line ? null : (line.message ?? null)),
    reason: (line) => ('decision' in line ? null : line.reason),
    rule: (line) => ('decision' in line ? null : line.rule),
    rule_in_words: (line) => ('decision' in line ? null : line.rule_words),
    by: (line) => ('decision' in line ? line.by : null),
  };
}

/** The line without values of contacts. */
export function withoutDetails(line: ChangeLine | DecisionLine): object {
  if ('decision' in line) {
    const { text: _text, seen: _seen, ...rest } = line;
    return rest;
  }
  const { before: _before, after: _after, ...rest } = line;
  return rest;
}
