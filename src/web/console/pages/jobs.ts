// The first page: every job, by name, state and kind; those that need a person stand first.
import { html } from 'hono/html';
import type { SeriesAnswer } from '../../../operator/answers/budgets.ts';
import { readTrends } from '../../../operator/budgets.ts';
import { approvalOf } from '../../../operator/decide.ts';
import { readGuide } from '../../../operator/guide.ts';
import { jobOrders, readJobsPage } from '../../../operator/jobs.ts';
import { type JobAnswer, jobStates, type JobsPageAnswer } from '../../../operator/answers/jobs.ts';
import type { RunStripsAnswer } from '../../../operator/answers/runs.ts';
import { refusalWords } from '../../../operator/refusals.ts';
import { readRunStrips } from '../../../operator/runs.ts';
import { type Columns, csvFile } from '../download.ts';
import { filterForm, wordIn, wordsOf } from '../filter.ts';
import type { Viewer } from '../access/viewer.ts';
import { jobForms } from '../forms/jobs.ts';
import { guideBox } from '../guide.ts';
import { count, empty, type Html, instant, spanText } from '../html.ts';
import { leftOutBox } from '../left-out.ts';
import type { Page, PageContext } from '../page.ts';
import { allPages, pageLinks, placeOf } from '../paging.ts';
import { lastRunCell } from '../tables/runs.ts';
import { seriesWithCharts } from '../tables/series.ts';
import { stateOf } from '../tables/state.ts';

/** DESIGN: the last 90 runs as a strip. */
const stripRuns = 90;
const kinds = ['sync', 'feed', 'outbox'] as const;
/** With fewer jobs a filter is in the way. */
const filteredMin = 8;

export async function jobsPage(context: PageContext): Promise<Page | Response> {
  const { operator, now, query, signal, trial, viewer } = context;
  const accounts = [...operator.config.accounts.keys()];
  const filter = {
    search: query('search'),
    state: wordIn(context, 'state', [...jobStates, 'needs-somebody']),
    kind: wordIn(context, 'kind', kinds),
    account: wordIn(context, 'account', accounts),
    order: wordIn(context, 'order', jobOrders),
  };
  if (query('format') === 'csv') {
    const rows = allPages(signal, async (page) => {
      // One reading has them all.
      const { jobs } = await readJobsPage(operator, filter, { ...page, limit: Number.MAX_SAFE_INTEGER });
      return { items: jobs, next: null };
    });
    return csvFile({ name: 'jobs', columns, rows });
  }
  const answer = await readJobsPage(operator, filter, placeOf(context));
  if (answer.all === 0) {
    return { title: 'Jobs', body: empty('No job is configured.', 'leadsheet init adds a sync to the configuration.') };
  }
  const { account } = filter;
  const { strips } = await readRunStrips(operator, { names: answer.jobs.map(({ name }) => name), limit: stripRuns });
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const guide = trial ? guideBox(await readGuide(operator, trial, signal), trial.begun()?.sheetsUrl) : '';
  const body = html`${isFiltered ? '' : guide} ${isFiltered ? '' : needs(answer, accounts.length > 1)}
  ${leftOutBox(answer, now)} ${daemonLine(answer, now, account)}
  ${answer.all < filteredMin && !isFiltered ? '' : form(context, accounts)}
  ${
    answer.jobs.length === 0
      ? empty('No job is meant by this filter.', 'Leave out the name, the state or the kind to see more.')
      : html`${jobsTable(answer.jobs, strips, { now, viewer, areGrouped: accounts.length > 1 })}
        ${pageLinks(context, { ...answer, words: ['job', 'jobs'] })}`
  }
  ${lastHours(await readTrends(operator, { account }, account === undefined ? 'lag' : undefined), now, account)}`;
  return { title: 'Jobs', body };
}

function form(context: PageContext, accounts: readonly string[]): Html {
  return filterForm(context, [
    { name: 'search', label: 'Name', hint: 'a part of it', isSearch: true },
    { name: 'state', label: 'State', choices: [['needs-somebody', 'needs a person'], ...wordsOf(jobStates)] },
    { name: 'kind', label: 'Kind', choices: wordsOf(kinds) },
    ...(accounts.length > 1
      ? [{ name: 'account', label: 'Account', choices: accounts.map((each) => [each, each] as const) }]
      : []),
    {
      name: 'order',
      label: 'Order',
      choices: [
        ['name', 'by name'],
        ['last-run', 'latest run first'],
        ['lag', 'longest lag first'],
        ['open', 'most problems first'],
      ],
      none: 'needs a person first',
    },
  ]);
}

/** More than these are a link. */
const needsShown = 5;

function needs({ jobs, needs_somebody: all, refusals }: JobsPageAnswer, areGrouped: boolean): Html {
  const first = jobs.filter((job) => job.needs_somebody && !job.is_refused_alone).slice(0, needsShown);
  if (first.length + refusals.length === 0) return html``;
  const accounts = refusals.map((refusal) => {
    const { what, remedy } = refusalWords(refusal);
    const of = `/?account=${encodeURIComponent(refusal.account)}`;
    return html`<li>
      ${areGrouped ? html`<a href="${of}">${refusal.account}</a>: ` : ''}${what}; ${remedy}.<br /><small
        >${refusal.reason}</small
      >
    </li>`;
  });
  const lines = first.map((job) => {
    const open = job.problems.filter((problem) => problem.needs_somebody).length;
    const why = [
      ...(job.held_run === null
        ? []
        : [
            approvalOf(job.held_run, job.decisions) === 'whole'
              ? 'its held run is approved: the next run carries it out'
              : 'a held run waits for an approval',
          ]),
      ...(job.phase === 'stopped' ? [job.last_run?.reason ?? 'it is stopped'] : []),
      ...(open === 0 ? [] : [`${count(open, 'problem')} for a person`]),
    ];
    const path = `/jobs/${encodeURIComponent(job.name)}`;
    const held = job.held_run === null ? '' : html` (<a href="${path}/held">see and decide</a>)`;
    return html`<li><a href="${path}">${job.name}</a>: ${why.join('; ')}${held}</li>`;
  });
  const rest = all - first.length;
  return html`<section class="needs-somebody" aria-label="Needs a person">
    <h2>Needs a person</h2>
    <ul>
      ${accounts}${lines}${rest > 0 ? html`<li><a href="/?state=needs-somebody">and ${count(rest, 'more job')}</a></li>` : ''}
    </ul>
  </section>`;
}

/** `account`: that of the filter. */
function daemonLine(answer: JobsPageAnswer, now: number, account: string | undefined): Html {
  const { daemon, last_daemon: last, daemon_notice: notice, budget, longest_lag: longest } = answer;
  const told = notice === null ? '' : ` ${notice}.`;
  if (!daemon || !budget) {
    const ended =
      last && html` The last one ${last.end === 'killed' ? 'was killed' : 'ended'} ${instant(last.at, now)}.`;
    return html`<p class="quiet">No daemon is known to run on this state.${ended ?? ''}${told}</p>`;
  }
  const { crm, sheet_reads: reads, sheet_writes: writes } = budget;
  const of = account === undefined ? '' : `?account=${encodeURIComponent(account)}`;
  return html`<p class="quiet">
    The daemon is ${daemon.state}${daemon.told === 'now' ? '' : html`, as told ${instant(daemon.written_at, now)}`}. In
    the last minute${account === undefined ? '' : ` ${account} used`}: ${used(crm, 'call')} to the service,
    ${used(reads, 'read')} and ${used(writes, 'write')} of the sheet. ${longest && lagOf(longest)}
    <a href="/budgets${of}">Budgets</a>${told}
  </p>`;
}

function lagOf({ job, secs }: NonNullable<JobsPageAnswer['longest_lag']>): Html {
  const of = html`<a href="/jobs/${encodeURIComponent(job)}">${job}</a>`;
  return html`Longest lag: ${spanText(secs * 1_000)}, of ${of}.`;
}

/** Of one account all that is measured, else the longest lag alone: /budgets has the rest. */
function lastHours(series: readonly SeriesAnswer[], now: number, account: string | undefined): Html {
  if (series.length === 0) return html``;
  const of = account === undefined ? '?measured=lag' : `?account=${encodeURIComponent(account)}`;
  return html`<h2>The last hours</h2>
    ${seriesWithCharts(series, now, `/budgets.json${of}`)}`;
}

function used(
  { used: number, per_minute: limit }: { readonly used: number; readonly per_minute: number },
  one: string,
) {
  return `${number.toLocaleString('en-US')} of ${count(limit, one)}`;
}

interface ShownTo {
  readonly now: number;
  readonly viewer: Viewer;
  /** The jobs of each account stand below its name. */
  readonly areGrouped: boolean;
}

function jobsTable(jobs: readonly JobAnswer[], strips: RunStripsAnswer['strips'], to: ShownTo): Html {
  const runsByJob = new Map(strips.map(({ name, runs }) => [name, runs]));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Jobs">
    <table>
      <thead>
        <tr>
          <th scope="col">Job</th>
          <th scope="col">State</th>
          <th scope="col">Last run</th>
          <th scope="col">Next run</th>
          <th scope="col" class="number">Linked</th>
          <th scope="col" class="number">Conflicts</th>
          <th scope="col" class="number">Open</th>
          <th scope="col">Last runs</th>
          ${to.viewer.mayDecide ? html`<th scope="col">Decide</th>` : ''}
        </tr>
      </thead>
      <tbody>
        ${jobs.map((job, index) => {
          const row = jobRow(job, runsByJob.get(job.name) ?? [], to);
          if (!to.areGrouped || jobs[index - 1]?.account === job.account) return row;
          return html`${accountRow(job.account, to)}${row}`;
        })}
      </tbody>
    </table>
  </div>`;
}

function accountRow(account: string, { viewer }: ShownTo): Html {
  return html`<tr class="group">
    <th scope="rowgroup" colspan="${viewer.mayDecide ? 9 : 8}">
      <a href="/?account=${encodeURIComponent(account)}">${account}</a>
    </th>
  </tr>`;
}

type Brief = RunStripsAnswer['strips'][number]['runs'][number];

function jobRow(job: JobAnswer, runs: readonly Brief[], { now, viewer }: ShownTo): Html {
  const { name, counts, last_run: last, next_run: next, problems } = job;
  const of = encodeURIComponent(name);
  return html`<tr>
    <th scope="row"><a href="/jobs/${of}">${name}</a> <small>${job.kind}</small></th>
    <td>${stateOf(job)}</td>
    <td>${lastRunCell(last, runs, now)}</td>
    <td>${next === null ? html`<span class="blank">none</span>` : instant(next, now)}</td>
    <td class="number">${counts.linked.toLocaleString('en-US')}</td>
    <td class="number">
      ${counts.conflicts === 0 ? '0' : html`<a href="/conflicts?job=${of}">${counts.conflicts.toLocaleString('en-US')}</a>`}
    </td>
    <td class="number">
      ${problems.length === 0 ? '0' : html`<a href="/problems?job=${of}">${problems.length.toLocaleString('en-US')}</a>`}
    </td>
    <td>${strip(runs)}</td>
    ${viewer.mayDecide ? html`<td>${jobForms(job, { viewer, back: '/' })}</td>` : ''}
  </tr>`;
}

/** Widths of a bar and of the gap after it, in the units of the picture. */
const [barWidth, barStep, barHeight] = [2, 3, 16];

/**
 * The oldest on the left. The number of bars is in words, too, since a picture says nothing to a screen reader. Runs that
 * succeeded are one shape: 500 jobs have 45,000 of them.
 */
function strip(runs: readonly Brief[]): Html {
  if (runs.length === 0) return html``;
  const bars = runs.toReversed().map((run, index) => ({ ...run, x: index * barStep }));
  const good = bars.filter(({ status }) => status === 'succeeded');
  const others = bars.filter(({ status }) => status !== 'succeeded');
  const shape = good.map(({ x }) => `M${x} 0h${barWidth}v${barHeight}h-${barWidth}z`).join('');
  const label = `${count(runs.length, 'run')}, ${others.length} not succeeded`;
  const width = stripRuns * barStep;
  return html`<svg
    class="strip"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${width} ${barHeight}"
    preserveAspectRatio="xMinYMid meet"
    width="${width}"
    height="${barHeight}"
  >
    <path class="bar" d="${shape}" />
    ${others.map(
      ({ status, run, ended_at: at, x }) =>
        html`<rect class="bar ${status}" x="${x}" y="0" width="${barWidth}" height="${barHeight}">
          <title>${run}: ${status}, ${at}</title>
        </rect>`,
    )}
  </svg>`;
}

const columns: Columns<JobAnswer> = {
  job: (job) => job.name,
  kind: (job) => job.kind,
  account: (job) => job.account,
  state: (job) => job.state,
  needs_somebody: (job) => job.needs_somebody,
  last_run: (job) => job.last_run?.run ?? null,
  last_run_status: (job) => job.last_run?.status ?? null,
  last_run_ended_at: (job) => job.last_run?.ended_at ?? null,
  next_run: (job) => job.next_run,
  lag_secs: (job) => job.lag_secs,
  linked: (job) => job.counts.linked,
  conflicts: (job) => job.counts.conflicts,
  quarantined: (job) => job.counts.quarantined,
  problems: (job) => job.problems.length,
  held_run: (job) => job.held_run,
};
