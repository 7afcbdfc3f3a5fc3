// Problems, a row each; those that need a person come first.
import { html } from 'hono/html';
import type { ProblemAnswer } from '../../../operator/answers/shared.ts';
import type { StandingAnswer } from '../../../operator/answers/status.ts';
import { count, type Html, rule } from '../html.ts';

interface Of {
  readonly job: string;
  readonly problem: ProblemAnswer;
}

/** More than a person reads; the filters and `leadsheet status` have the rest. */
const problemsShown = 300;

export function problemsTable(jobs: readonly StandingAnswer[]): Html {
  return problemRows(problemsOf(jobs));
}

export function problemsOf(jobs: readonly StandingAnswer[]): readonly Of[] {
  const all = jobs.flatMap(({ name, problems }) => problems.map((problem) => ({ job: name, problem })));
  return all.toSorted((a, b) => Number(b.problem.needs_somebody) - Number(a.problem.needs_somebody));
}

export function problemRows(problems: readonly Of[]): Html {
  const rest = problems.length - problemsShown;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Problems">
      <table>
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">Record</th>
            <th scope="col">Kind</th>
            <th scope="col">What happened</th>
            <th scope="col">What to do</th>
          </tr>
        </thead>
        <tbody>
          ${problems.slice(0, problemsShown).map(problemRow)}
        </tbody>
      </table>
    </div>
    ${rest > 0 ? html`<p class="quiet">And ${count(rest, 'more problem')}: leadsheet status --json has all.</p>` : ''}`;
}

function problemRow({ job, problem }: Of): Html {
  const { row, contact, field, kind, reason, advice, rule: id, rule_words: words } = problem;
  const place = row === null ? (contact ?? problem.id) : `row ${row}`;
  const of = encodeURIComponent(contact ?? `row:${row}`);
  const name = html`<a href="/records?of=${of}&amp;job=${encodeURIComponent(job)}">${place}</a>`;
  return html`<tr>
    <td>${job}</td>
    <th scope="row">${name}${field === null ? '' : html`<br /><small>${field}</small>`}</th>
    <td>${kind}${problem.needs_somebody ? html`<br /><span class="state needs">needs a person</span>` : ''}</td>
    <td>${reason}<br />${rule(words, id)}</td>
    <td>${advice}</td>
  </tr>`;
}
