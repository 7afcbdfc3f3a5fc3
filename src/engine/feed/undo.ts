// The run that takes back what an earlier run of a feed started or stopped (S8). Its rows are mirrored again and stay.
import type { Change, FieldChange } from '../../sync/change.ts';
import { withoutIntents } from '../../sync/feed/feed.ts';
import type { FeedLink } from '../../sync/feed/input.ts';
import { copiesBeside } from '../../sync/feed/rows.ts';
import { planFeedUndo, type FeedUndo, undoIntents } from '../../sync/feed/undo.ts';
import { failureProblem, type Outcome } from '../../sync/outcome.ts';
import { undoneStatus } from '../../sync/status.ts';
import { leftByUndo } from '../../sync/undo/undo.ts';
import type { Reading } from '../../sync/value/value.ts';
import type { HistoryLine, Json } from '../../state/port.ts';
import { RunFailed } from '../errors.ts';
import { planWithoutLease, runUnderLease } from '../frame.ts';
import { changeLines } from '../history.ts';
import type { Planned, RunRequest } from '../job.ts';
import { toJobRun } from '../job.ts';
import { createOwnCells } from '../own-cells.ts';
import { countRun, type Ending, nothingPlanned, type RunReport, statusOf } from '../report.ts';
import { leftOf, statusWhenStopped, stoppedAt } from '../stop.ts';
import { asStored } from '../stored/json.ts';
import { readFeed, type StoredFeed } from '../stored/stored.ts';
import { anotherPlan, cutShort, type DecidedUndo, digestOfUndo, tellUndo, type Undoing } from '../undo.ts';
import type { FeedContext, FeedRun } from './context.ts';
import { type FeedMemory, pausesOf, recallFeed, takeTab, toInput } from './feed.ts';
import { type FeedPulled, pullFeed } from './pull.ts';
import { control, pushFeed, tellCalls } from './push.ts';

/** The automations that would be started or stopped again; writes nothing anywhere. */
export function planFeedRunUndo(feed: FeedContext, undoing: Undoing, request: RunRequest): Promise<Planned> {
  return planWithoutLease(feed, request, readFeed, async (run, stored) => {
    assertTold(stored, undoing, feed.config.name);
    const memory = recallFeed(stored);
    const context = { ...feed, ...toJobRun(feed, request, run, memory.facts) };
    const { plan, pulled } = await planOf(context, memory, undoing);
    return { ending: endingOf(plan, pulled, plan.problems, new Map()), changes: plan.changes };
  });
}

/** Carries out the plan that a person saw, and nothing if it is another one by now. */
export function undoFeed(
  feed: FeedContext,
  undoing: Undoing,
  { origin, what }: DecidedUndo,
  request: RunRequest,
): Promise<RunReport> {
  return runUnderLease(feed, request, readFeed, async (run, lease, stored, asked) => {
    delete feed.session.quiet;
    assertTold(stored, undoing, feed.config.name);
    await tellCalls(lease, stored);
    const memory = recallFeed(stored);
    const context = { ...feed, ...toJobRun(feed, asked, run, memory.facts) };
    const { plan, pulled, input } = await planOf(context, memory, undoing);
    if (!('digest' in what)) throw new RunFailed('the undo of a feed is not saved: give it with --yes');
    if (what.digest !== digestOfUndo(plan.changes)) throw new RunFailed(anotherPlan(undoing.run));
    const counts = { ...nothingPlanned, changes: plan.changes.length };
    await tellUndo(context, lease, undoing, origin, { counts, changes: plan.changes });
    await takeTab(context, lease, memory, pulled);
    const called = await control(context, lease, plan.changes, undoIntents(input, plan.changes));
    const { outcomes: controlled, records } = called;
    const before = new Map([...input.links, ...called.stored]);
    // The cell shows what was; noted before it is written, so that a crash does not make it a wish (L10).
    const cells = plan.changes.flatMap((change): Change[] => {
      const record = records.get(change.uuid ?? '');
      if (controlled.get(change)?.kind !== 'done' || !record || change.row === null) return [];
      const value =
        context.shape.fromRecord(record).values[input.fields.findIndex(({ name }) => name === input.controlled)];
      const fields = change.fields.flatMap((field): FieldChange[] =>
        value === undefined ? [] : [{ ...field, before: field.before, after: value }],
      );
      const { uuid, row, rule, reason } = change;
      return [{ side: 'sheet', op: 'set', uuid, row, fields, rule, reason }];
    });
    const linked = (key: 'writing' | 'agreed') => {
      return new Map(
        cells.flatMap(({ uuid, row, fields: [field] }): [string, FeedLink][] => {
          // A row that a person put back has no link until the next run.
          const link: FeedLink = before.get(uuid ?? '') ?? {};
          if (!field) return [];
          // The undo replaces the cell, so a wish that was in it before does not count any more.
          const { asked: _asked, isRefused: _isRefused, copies: _copies, ...rest } = link;
          // I4: a copy that says what the undo took back is no wish, if it is left alone.
          const copies = copiesBeside(input, context.shape.fromRecord(records.get(uuid!)!), row);
          const known = copies.length > 0 ? { ...rest, copies } : rest;
          const said = key === 'agreed' ? { said: undoneStatus(undoing.run) } : {};
          return [[uuid!, { ...known, [key]: field.after, ...said }]];
        }),
      );
    };
    const writing = linked('writing');
    await lease.commit({ links: { put: asStored(writing) } });
    const statuses = new Map(
      cells.flatMap(({ row }) => (row === null ? [] : [[row, undoneStatus(undoing.run)] as const])),
    );
    const own = createOwnCells(pausesOf(context, memory, pulled), () => context.config.sheet.statusHeader);
    const written = { changes: cells, problems: [], holds: [], missing: 0, statuses, linkUpdates: [], linked: 0 };
    const pushed = await pushFeed(context, pulled.snapshot, written, own);
    const outcomes = new Map([...controlled, ...pushed.outcomes]);
    const lines = [...pushed.outcomes].flatMap(([change, outcome]) => changeLines(context, change, outcome));
    if (lines.length > 0) await lease.appendHistory(lines);
    const done = new Set(
      cells.flatMap((change) => (pushed.outcomes.get(change)?.kind === 'done' ? [change.uuid] : [])),
    );
    const agreed = linked('agreed');
    const unreached = cells.filter((change) => !pushed.reached.has(change));
    const unwritten = withoutIntents(before, writing, unreached);
    const settled = new Map(
      [...writing.keys()].map((uuid) => [uuid, (done.has(uuid) ? agreed : unwritten).get(uuid)!]),
    );
    await lease.commit({ links: { put: asStored(settled) } });
    const failures = [...outcomes].flatMap(([change, outcome]) =>
      outcome.kind === 'done'
        ? []
        : [failureProblem({ ...(change.uuid !== null && { uuid: change.uuid }), row: change.row }, outcome)],
    );
    const problems = leftByUndo([...plan.problems, ...failures, ...own.problems()], undoing.run);
    const left = leftOf(context, plan.changes, outcomes);
    const stopped = stoppedAt(plan.changes, left, outcomes);
    const ending = endingOf(plan, pulled, problems, outcomes);
    return { ...ending, status: statusWhenStopped(ending.status, stopped), ...stopped };
  });
}

/** The call in which a run was cut short gets into the history at the beginning of the next run. */
function assertTold({ steps }: Pick<StoredFeed, 'steps'>, { run, lines }: Undoing, feed: string): void {
  const isTold = (call: HistoryLine) => lines.some(({ op, contact }) => op === call['op'] && contact === call.contact);
  const isOpen = [...steps.values()].some((step) => step.lines.some((line) => line.run === run && !isTold(line)));
  if (isOpen) throw new RunFailed(cutShort(run, feed));
}

async function planOf(context: FeedRun, memory: FeedMemory, undoing: Undoing) {
  const pulled = await pullFeed(context, memory.facts, false);
  if (pulled === 'idle') throw new Error('an undo is always made from readings');
  const input = toInput(context, memory, pulled);
  const lines = undoing.lines.filter(({ outcome }) => outcome === 'done');
  // A call of unknown outcome counts: it is taken back if the service has what was asked for, as a write of a sync is.
  const past = undoing.lines.flatMap(({ op, contact: uuid, before, after, outcome }) => {
    if (outcome !== 'done' && outcome !== 'unknown') return [];
    // Nothing but starts and stops is an update of the service, also where the feed has no control column any more.
    if (op !== 'update' || uuid === null) return [];
    return [{ uuid, before: readingIn(before), after: readingIn(after) }];
  });
  const rows = (wanted: string) =>
    new Set(lines.flatMap(({ op, contact, field }) => (op === wanted && field !== input.controlled ? [contact] : [])))
      .size;
  const mirrored = { set: rows('set'), append: rows('append'), remove: rows('remove') };
  return { plan: planFeedUndo(input, past, mirrored, undoing.run), pulled, input };
}

function readingIn(value: Json | undefined): Reading {
  return typeof value === 'object' ? undefined : value;
}

function endingOf(
  plan: FeedUndo,
  pulled: FeedPulled,
  problems: Ending['problems'],
  outcomes: ReadonlyMap<Change, Outcome>,
): Ending {
  const all = [...pulled.problems, ...problems];
  return {
    isFull: true,
    status: statusOf([], all),
    counts: countRun(pulled.records.length, all, outcomes),
    problems: all,
    holds: [],
    planned: { ...nothingPlanned, changes: plan.changes.length },
  };
}
