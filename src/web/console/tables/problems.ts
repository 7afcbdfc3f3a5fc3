// Problems, a row each; those that need a person come first.
import { html } from 'hono/html';
import type { ProblemAnswer } from '../../../operator/answers/shared.ts';
import type { StandingAnswer } from '../../../operator/answers/status.ts';
import type { Addresses } from '../../../operator/addresses.ts';
import type { NameOf } from '../../../operator/persons.ts';
import { rowLink } from '../links.ts';
import { count, type Html, rule } from '../html.ts';
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
    ['Job', 'Record', 'Kind', 'What happened', 'What to do'],
    problems.slice(0, problemsShown).map((each) => problemRow(each, shown)),
  )}
  ${rest > 0 ? html`<p class="quiet">And ${count(rest, 'more problem')}: the page of problems has all.</p>` : ''}`;
}

function problemRow({ job, problem }: Of, { addresses, nameOf }: ProblemsShown): Html {
  const { row, contact, field, kind, reason, advice, rule: id, rule_words: words } = problem;
  const place = nameOf?.({ job, contact }) ?? contact ?? (row === null ? problem.id : `row ${row}`);
  const of = encodeURIComponent(contact ?? (row === null ? problem.id : `row:${row}`));
  const name = html`<a href="/records?of=${of}&amp;job=${encodeURIComponent(job)}" title="${problem.id}"
    ><bdi>${place}</bdi></a
  >`;
  return html`<tr>
    <td>${job}</td>
    <th scope="row">
      ${name}${field === null ? '' : html`<br /><small>${field}</small>`}<br /><small
        >${rowLink(addresses, job, row)}</small
      >
    </th>
    <td>${kind}${problem.needs_somebody ? html`<br /><span class="state needs">needs a person</span>` : ''}</td>
    <td>${reason}<br />${rule(words, id)}</td>
    <td>${advice}</td>
  </tr>`;
}
