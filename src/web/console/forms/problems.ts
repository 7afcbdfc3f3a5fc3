// Open problems with what to do about each, and the buttons that try them again.
import { html } from 'hono/html';
import { readAddresses } from '../../../operator/addresses.ts';
import type { ProblemsPageAnswer } from '../../../operator/answers/problems.ts';
import { columnOf } from '../../../operator/problems.ts';
import { readRetries } from '../../../operator/retry-seen.ts';
import { namesOf } from '../../../operator/persons.ts';
import type { Operator } from '../../../operator/operator.ts';
import { rowLink, serviceLink } from '../links.ts';
import { adviceText, type Html, personName, rule } from '../html.ts';
import { retryBox, retryButton, type RetryShown, retryTicked } from './retry.ts';

type Listed = ProblemsPageAnswer['problems'][number];

export async function problemsTable(operator: Operator, problems: readonly Listed[], shown: RetryShown): Promise<Html> {
  const views = await readRetries(operator, problems);
  const addresses = await readAddresses(
    operator,
    problems.map(({ job }) => job),
  );
  const nameOf = shown.viewer.areDetailsShown ? await namesOf(operator, problems) : undefined;
  const isTicked = problems.some((_, index) => views[index]!.canRetry && views[index]!.doubt === null);
  const rows = problems.map((problem, index) => {
    const { job, job_kind, row, contact, id, field, kind, reason, advice, rule: ruleId, rule_words: words } = problem;
    const column = columnOf(problem);
    const name = column ?? nameOf?.(problem) ?? contact ?? (row === null ? id : `row ${row}`);
    const of = encodeURIComponent(contact ?? (row === null ? id : `row:${row}`));
    const view = views[index]!;
    const toConflict = html`<a href="/conflicts?job=${encodeURIComponent(job)}">Decide it</a>`;
    const record = html`<a href="/records?of=${of}&amp;job=${encodeURIComponent(job)}" title="${id}"
        >${personName(name)}</a
      >${field === null ? '' : html`<br /><small>${field}</small>`}<br /><small
        >${rowLink(addresses, job, row, name === `row ${row}` ? 'in the sheet' : undefined)}
        ${serviceLink(addresses, job, job_kind === 'sync' ? contact : null)}</small
      >`;
    return html`<tr>
      <td>${retryBox(problem, `${job}, ${name}`, view, shown)}</td>
      <td><a href="/jobs/${encodeURIComponent(job)}">${job}</a></td>
      <th scope="row">${column ?? record}</th>
      <td>${kind}${problem.needs_somebody ? html`<br /><span class="state needs">needs a person</span>` : ''}</td>
      <td>${adviceText(reason)}<br />${rule(words, ruleId)}</td>
      <td>${adviceText(advice)}</td>
      <td>${kind === 'conflict' ? toConflict : retryButton(problem, name, view, { ...shown, addresses })}</td>
    </tr>`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Problems">
      <table class="decide">
        <thead>
          <tr>
            <th scope="col"><span class="said">Ticked</span></th>
            <th scope="col">Job</th>
            <th scope="col">Record</th>
            <th scope="col">Kind</th>
            <th scope="col">What happened</th>
            <th scope="col">What to do</th>
            <th scope="col">Decide</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    ${isTicked ? retryTicked(shown) : ''}`;
}
