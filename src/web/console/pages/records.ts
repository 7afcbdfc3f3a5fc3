// One record: its values and where each came from, what is open, what would end that, and what the next run would do.
import { html } from 'hono/html';
import type {
  ExplainedEnrolment,
  ExplainedField,
  ExplainedProblem,
  ExplainedRecord,
  Hit,
  Known,
  Remedy,
} from '../../../operator/answers/explain.ts';
import { explain } from '../../../operator/explain.ts';
import type { Page, PageContext } from '../page.ts';
import { count, empty, type Html, instant, rule, runLink, state, value } from '../html.ts';

export async function recordsPage({ operator, areDetailsShown, now, query }: PageContext): Promise<Page> {
  const [reference, job] = [query('of'), query('job')];
  if (!areDetailsShown) {
    const text = 'A record is shown only to a person who gave a password.';
    return { title: 'Records', body: empty(text, 'Set server.password, or use leadsheet explain.') };
  }
  if (reference === undefined) {
    const advice = 'By uuid, e-mail address, name, row:17, or a cell such as Prospects!E5.';
    return { title: 'Records', body: html`${search('')} ${empty('No record is named.', advice)}` };
  }
  const { hits, records } = await explain(operator, { reference, job });
  if (hits.length > 0) {
    const title = `${reference}: ${count(hits.length, 'record')}`;
    return { title, body: html`${search(reference)} ${hitList(hits)}` };
  }
  const body = html`${search(reference)} ${records.map((record) => recordSection(record, now))}`;
  return { title: records[0]?.name ?? reference, body };
}

function search(reference: string): Html {
  return html`<form method="get" action="/records" class="filter">
    <label
      >Record
      <input
        name="of"
        value="${reference}"
        placeholder="uuid, e-mail, name, row:17, Prospects!E5"
        size="40"
        data-search
    /></label>
    <button type="submit">Show</button>
  </form>`;
}

function hitList(hits: readonly Hit[]): Html {
  return html`<ul>
    ${hits.map(({ job, id, name, row }) => {
      const of = encodeURIComponent(id ?? `row:${row}`);
      const where = row === null ? job : `${job}, row ${row}`;
      return html`<li>
        <a href="/records?of=${of}&amp;job=${encodeURIComponent(job)}">${name}</a> <small>${where}</small>
      </li>`;
    })}
  </ul>`;
}

function recordSection(record: ExplainedRecord, now: number): Html {
  const { job, id, row, standing, status, last_run: run, holds, hold_remedies: remedies, vetoes, decisions } = record;
  const place = html`<a href="/jobs/${encodeURIComponent(job)}">${job}</a>${row === null ? '' : `, row ${row}`}`;
  return html`<section>
    <h2>${place}</h2>
    <p>
      ${standing}${status === null ? '' : html` · its status cell says “${status}”`}${
        run === null ? '' : html` · last run ${runLink(run.run)}, ${instant(run.ended_at, now)}`
      }
      ${id === null ? '' : html`<br /><code>${id}</code> · <a href="/log?contact=${encodeURIComponent(id)}&amp;since=90d">all that happened</a>`}
    </p>
    ${
      holds.length === 0
        ? ''
        : html`<div class="needs-somebody">
            <ul>
              ${holds.map((reason) => html`<li>Held: ${reason}</li>`)}
            </ul>
            ${remedyList(remedies)}
          </div>`
    }
    ${record.problems.map((problem) => problemBox(problem, now))}
    ${decisions.map(({ text, by }) => html`<p class="note">Decided${by === null ? '' : ` by ${by}`}: ${text}. The next run carries it out.</p>`)}
    ${record.fields.length === 0 ? '' : fieldTable(record.fields)} ${nextList(record.next)}
    ${
      record.enrolments.length === 0 && vetoes.length === 0
        ? ''
        : html`<h3>Automations</h3>
            <ul>
              ${record.enrolments.map((each) => enrolmentItem(each, now))}${vetoes.map((veto) => html`<li>Vetoed now: ${veto}</li>`)}
            </ul>`
    }
  </section>`;
}

function problemBox(problem: ExplainedProblem, now: number): Html {
  const { kind, field, reason, rule: id, rule_words: words, retry_at: retryAt, remedies } = problem;
  return html`<div class="${problem.needs_somebody ? 'needs-somebody' : 'note'}">
    <p>${kind}${field === null ? '' : `, ${field}`}: ${reason} ${rule(words, id)}</p>
    ${retryAt === null ? '' : html`<p>Tried again by itself ${instant(retryAt, now)}.</p>`} ${remedyList(remedies)}
  </div>`;
}

/** Any one of them is enough. */
function remedyList(remedies: readonly Remedy[]): Html {
  if (remedies.length === 0) return html``;
  return html`<ul>
    ${remedies.map(({ text, command }) => html`<li>${text}${command === null ? '' : html`: <code>${command}</code>`}</li>`)}
  </ul>`;
}

function fieldTable(fields: readonly ExplainedField[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Fields">
    <table>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Agreed</th>
          <th scope="col">Service</th>
          <th scope="col">Sheet</th>
          <th scope="col">Where it came from</th>
        </tr>
      </thead>
      <tbody>
        ${fields.map(fieldRow)}
      </tbody>
    </table>
  </div>`;
}

function fieldRow({
  field,
  header,
  cell,
  agreed,
  crm,
  sheet,
  is_open: isOpen,
  origin,
  lost,
  notes,
}: ExplainedField): Html {
  const replaced = lost.map(({ side, value: old, command }) => {
    const place = side === 'crm' ? 'the service' : 'the sheet';
    return html`<br /><small>replaced ${value(old, true)} in ${place}: <code>${command}</code></small>`;
  });
  return html`<tr>
    <th scope="row">
      ${header === '' ? field : header}${cell === null ? '' : html` <small>${cell}</small>`}${isOpen ? html`<br />${state('open')}` : ''}
    </th>
    <td>${knownValue(agreed)}</td>
    <td>${knownValue(crm)}</td>
    <td>${knownValue(sheet)}</td>
    <td>${origin.text}${notes.map((note) => html`<br /><small>${note}</small>`)}${replaced}</td>
  </tr>`;
}

function knownValue({ value: held, is_known: isKnown }: Known): Html {
  return isKnown ? value(held, true) : html`<span class="blank">not known</span>`;
}

function nextList(next: ExplainedRecord['next']): Html {
  if (next === null) return html``;
  const { changes, asks, waits } = next;
  const lines = [
    ...changes.map(({ side, op, field, before, after, reason, rule: id, rule_words: words }) => {
      const values = field === null ? '' : html` ${field}: ${value(before, true)} → ${value(after, true)}`;
      return html`<li>${side === 'crm' ? 'service' : 'sheet'} ${op}${values} (${reason}) ${rule(words, id)}</li>`;
    }),
    ...asks.map((text) => html`<li>It asks the service first: ${text}</li>`),
    ...waits.map((text) => html`<li>It would not: ${text}</li>`),
  ];
  return html`<h3>The next run</h3>
    ${
      lines.length === 0
        ? empty('It has nothing to do for this record.')
        : html`<ul>
            ${lines}
          </ul>`
    }`;
}

function enrolmentItem(
  { automation, name, state: standing, time, message, remedies }: ExplainedEnrolment,
  now: number,
): Html {
  return html`<li>
    ${name ?? automation}: ${standing}, ${instant(time, now)}${message === null ? '' : ` (${message})`}
    ${remedyList(remedies)}
  </li>`;
}
