// One record: its values and where each came from, what is open, what would end that, and what the next run would do.
import { html } from 'hono/html';
import type {
  ExplainedEnrolment,
  ExplainedMessage,
  ExplainedProblem,
  ExplainedRecord,
  Hit,
  Remedy,
} from '../../../operator/answers/explain.ts';
import { readAddresses } from '../../../operator/addresses.ts';
import { lookAtConflicts } from '../../../operator/conflicts.ts';
import { explain } from '../../../operator/explain.ts';
import { readLifeLine } from '../../../operator/life-line.ts';
import { jobsOf } from '../../../operator/select.ts';
import { readRetries } from '../../../operator/retry-seen.ts';
import { conflictButtons } from '../forms/conflicts.ts';
import { lifeView } from '../forms/life.ts';
import { rowLink, serviceLink } from '../links.ts';
import { decisionText } from '../forms/parts.ts';
import { retryButton } from '../forms/retry.ts';
import type { Page, PageContext } from '../page.ts';
import { count, empty, type Html, instant, personName, rule, runLink, value } from '../html.ts';
import { fieldTable } from '../tables/fields.ts';

export async function recordsPage(context: PageContext): Promise<Page> {
  const { operator, areDetailsShown, now, query } = context;
  const [reference, job] = [query('of'), query('job')];
  if (!areDetailsShown) {
    const text = 'A record is shown only to a person who gave a password.';
    return { title: 'Records', body: empty(text, 'Enter by a link of leadsheet console, or use leadsheet explain.') };
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
  const back = `/records?of=${encodeURIComponent(reference)}${job === undefined ? '' : `&job=${encodeURIComponent(job)}`}`;
  const sections = await Promise.all(records.map((record) => recordSection(record, { context, now, back })));
  const life = await lifeOf(context, records, back);
  const body = html`${search(reference)} ${sections} ${life}`;
  return { title: records[0]?.name ?? reference, body };
}

const eventsShown = 100;

/** The jobs of one contact have one life line. */
async function lifeOf(
  { operator, viewer, now, query }: PageContext,
  records: readonly ExplainedRecord[],
  back: string,
): Promise<Html> {
  const contact = records.find(({ id, kind }) => id !== null && kind !== 'outbox')?.id;
  if (contact === undefined || contact === null) return html``;
  const syncs = records.flatMap(({ job, kind }) => (kind === 'sync' ? [job] : []));
  const outboxes = records.flatMap(({ messages }) => messages.map(({ outbox }) => outbox));
  const jobs = [...new Set([...records.map(({ job }) => job), ...outboxes])];
  const life = await readLifeLine(operator, { contact, syncs, jobs }, { limit: eventsShown, after: query('after') });
  const earlier = life.next === null ? undefined : `${back}&after=${encodeURIComponent(life.next)}`;
  const isWhole = jobsOf(operator.config).every(({ name }) => jobs.includes(name));
  return lifeView(life, { viewer, now, earlier, ...(!isWhole && { only: { jobs, contact } }) });
}

interface Around {
  readonly context: PageContext;
  readonly now: number;
  /** The address of this page. */
  readonly back: string;
}

/** The buttons of a record, by what they are about. */
async function decisionsOn({ operator, viewer, now }: PageContext, record: ExplainedRecord, back: string) {
  const { job, kind, id, problems, enrolments, messages } = record;
  const addresses = await readAddresses(operator, [job, ...messages.map(({ outbox }) => outbox)]);
  const shown = { viewer, now, back, addresses };
  const subjects = [
    ...problems.map((problem) => ({ job, id: problem.id, name: record.name })),
    ...enrolments.map(({ automation, name }) => ({ job, id: `${id}/${automation}`, name: name ?? automation })),
    ...messages.map(({ outbox, id: row, to }) => ({ job: outbox, id: row, name: `the message to ${to ?? row}` })),
  ];
  const views = await readRetries(operator, subjects);
  const conflicts =
    kind === 'sync' && id !== null && problems.some((problem) => problem.kind === 'conflict')
      ? await lookAtConflicts(operator, { syncs: [job], contact: id })
      : [];
  return (about: string, ofJob = job): Html => {
    const conflict = conflicts.find((each) => each.id === about);
    if (conflict) return conflictButtons(conflict, shown);
    const index = subjects.findIndex((subject) => subject.id === about && subject.job === ofJob);
    return index < 0 ? html`` : retryButton(subjects[index]!, subjects[index]!.name, views[index]!, shown);
  };
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
        <a href="/records?of=${of}&amp;job=${encodeURIComponent(job)}">${personName(name)}</a> <small>${where}</small>
      </li>`;
    })}
  </ul>`;
}

async function recordSection(record: ExplainedRecord, { context, now, back }: Around): Promise<Html> {
  const buttons = await decisionsOn(context, record, back);
  const { job, id, row, standing, status, last_run: run, holds, hold_remedies: remedies, vetoes, decisions } = record;
  const addresses = await readAddresses(context.operator, [job]);
  const contact = record.kind === 'sync' ? id : null;
  const place = html`<a href="/jobs/${encodeURIComponent(job)}">${job}</a> ${rowLink(addresses, job, row)}
    ${serviceLink(addresses, job, contact)}`;
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
    ${record.problems.map((problem) => problemBox(problem, now, buttons(problem.id)))}
    ${decisions.map((each) => html`<p class="note">${decisionText(each, now, true)}</p>`)}
    ${record.fields.length === 0 ? '' : fieldTable(record.fields, id, now)} ${nextList(record.next)}
    ${
      record.enrolments.length === 0 && vetoes.length === 0
        ? ''
        : html`<h3>Automations</h3>
            <ul>
              ${record.enrolments.map((each) => enrolmentItem(each, now, buttons(`${id}/${each.automation}`)))}${vetoes.map((veto) => html`<li>Vetoed now: ${veto}</li>`)}
            </ul>`
    }
    ${record.messages.length === 0 ? '' : messageList(record.messages, now, buttons)}
  </section>`;
}

function problemBox(problem: ExplainedProblem, now: number, buttons: Html): Html {
  const { kind, field, reason, rule: id, rule_words: words, retry_at: retryAt, remedies } = problem;
  return html`<div class="${problem.needs_somebody ? 'needs-somebody' : 'note'}">
    <p>${kind}${field === null ? '' : `, ${field}`}: ${reason} ${rule(words, id)}</p>
    ${retryAt === null ? '' : html`<p>Tried again by itself ${instant(retryAt, now)}.</p>`} ${remedyList(remedies)}
    ${buttons}
  </div>`;
}

/** Any one of them is enough. */
function remedyList(remedies: readonly Remedy[]): Html {
  if (remedies.length === 0) return html``;
  return html`<ul>
    ${remedies.map(({ text, command }) => html`<li>${text}${command === null ? '' : html`: <code>${command}</code>`}</li>`)}
  </ul>`;
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
  buttons: Html,
): Html {
  return html`<li>
    ${name ?? automation}: ${standing}, ${instant(time, now)}${message === null ? '' : ` (${message})`}
    ${remedyList(remedies)} ${buttons}
  </li>`;
}

function messageList(
  messages: readonly ExplainedMessage[],
  now: number,
  buttons: (about: string, job: string) => Html,
): Html {
  return html`<h3>Messages</h3>
    <ul>
      ${messages.map(
        ({ outbox, id, row, standing, time, remedies, decision }) =>
          html`<li>
            ${outbox}${row === null ? '' : `, row ${row}`}: ${standing},
            ${instant(time, now)}${decision === null ? '' : html`. ${decisionText(decision, now, true)}`}
            ${remedyList(remedies)} ${buttons(id, outbox)}
          </li>`,
      )}
    </ul>`;
}
