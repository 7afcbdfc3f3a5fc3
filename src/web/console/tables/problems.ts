// Problems, a row each; those that need a person come first.
import { html } from 'hono/html';
import type { ProblemAnswer } from '../../../operator/answers/shared.ts';
import type { StandingAnswer } from '../../../operator/answers/status.ts';
import type { Addresses } from '../../../operator/addresses.ts';
import type { NameOf } from '../../../operator/persons.ts';
import { columnOf } from '../../../operator/problems.ts';
import { rowLink } from '../links.ts';
import { adviceText, count, type Html, personName, rule } from '../html.ts';
import { scrollTable } from './scroll.ts';

interface Of {
  readonly job: string;
  readonly problem: ProblemAnswer;
}

/** More than a person reads; the page of problems has the rest. */
const problemsShown = 300;

interface ProblemsShown {
  /** Left out: rows are no links. */
  readonly addresses?: Addresses;
  /** Left out: contacts are named by their uuid. */
  readonly nameOf?: NameOf | undefined;
}

/** The tables stand on pages of one job or run: it has no column of its own. */
const heads = ['Record', 'Kind', 'What happened', 'What to do'];

export function problemsTable(jobs: readonly StandingAnswer[], shown: ProblemsShown): Html {
  return problemRows(problemsOf(jobs), shown);
}

function problemsOf(jobs: readonly StandingAnswer[]): readonly Of[] {
  const all = jobs.flatMap(({ name, problems }) => problems.map((problem) => ({ job: name, problem })));
  return all.toSorted((a, b) => Number(b.problem.needs_somebody) - Number(a.problem.needs_somebody));
}

export function problemRows(problems: readonly Of[], shown: ProblemsShown = {}): Html {
  const rest = problems.length - problemsShown;
  return html`${scrollTable(
    'Problems',
    heads,
    problems.slice(0, problemsShown).map((each) => problemRow(each, shown)),
  )}
  ${rest > 0 ? html`<p class="quiet">And ${count(rest, 'more problem')}: the page of problems has all.</p>` : ''}`;
}

function problemRow({ job, problem }: Of, { addresses, nameOf }: ProblemsShown): Html {
  const { row, contact, field, kind, reason, advice, rule: id, rule_words: words } = problem;
  const place = nameOf?.({ job, contact }) ?? contact ?? (row === null ? problem.id : undefined);
  const of = encodeURIComponent(contact ?? (row === null ? problem.id : `row:${row}`));
  const name = html`<a href="/records?of=${of}&amp;job=${encodeURIComponent(job)}" title="${problem.id}"
    >${place === undefined ? `row ${row}` : personName(place)}</a
  >`;
  const record = html`${name}${field === null ? '' : html`<br /><small>${field}</small>`}<br /><small
      >${rowLink(addresses, job, row, place === undefined ? 'in the sheet' : undefined)}</small
    >`;
  return html`<tr>
    <th scope="row">${columnOf(problem) ?? record}</th>
    <td>${kind}${problem.needs_somebody ? html`<br /><span class="state needs">needs a person</span>` : ''}</td>
    <td>${adviceText(reason)}<br />${rule(words, id)}</td>
    <td>${adviceText(advice)}</td>
  </tr>`;
}
