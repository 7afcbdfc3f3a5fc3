// One run of one feed: pull, plan, control, plan again with what the service answered, push, settle.
import type { Snapshot } from '../../sheets/port.ts';
import type { HistoryLine, Lease } from '../../state/port.ts';
import { type DecisionRequest, isApproval } from '../decision.ts';
import { isRepeatable } from '../next-run.ts';
import { lastRunOf } from '../next-run.ts';
import type { FeedInput, FeedLink } from '../../sync/feed/input.ts';
import type { Change, Problem } from '../../sync/change.ts';
import { withoutControl } from '../../sync/feed/control.ts';
import {
  controlIntents,
  type FeedPlan,
  linkOnceOver,
  planFeed,
  settleFeed,
  wishIntents,
  withoutIntents,
} from '../../sync/feed/feed.ts';
import type { PlanCounts } from '../../sync/input.ts';
import type { Outcome } from '../../sync/outcome.ts';
import { pauseFeed } from '../../sync/feed/pauses.ts';
import type { Stray } from '../../sync/record/base.ts';
import { failedRow, pausedElsewhere, type RowPauses, settleRows } from '../../sync/row-refusal.ts';
import { type RunLease } from '../decisions-told.ts';
import { RunFailed } from '../errors.ts';
import type { FeedContext, FeedRun } from './context.ts';
import { withoutCoveredRows } from './covered.ts';
import { namingField } from './naming.ts';
import { factsOfTab, type FeedPulled, lostFields, pullFeed } from './pull.ts';
import { rowsSeen } from '../rows-seen.ts';
import { control, pushFeed, tellCalls } from './push.ts';
import { changeLines } from '../history.ts';
import { isPullNews, noteFacts, worse } from '../incomplete.ts';
import type { Facts } from '../stored/facts.ts';
import { asStored } from '../stored/json.ts';
import { readFeed, type StoredFeed } from '../stored/stored.ts';
import { factChanges, tabNamed } from '../facts.ts';
import { planWithoutLease, runUnderLease, tellNotice } from '../frame.ts';
import { holdRun } from '../held.ts';
import { type Planned, type RunRequest, toJobRun } from '../job.ts';
import { countRun, type Ending, nothingPlanned, type RunReport, statusOf } from '../report.ts';
import { mapChanges, replacing } from '../map-changes.ts';
import { columnFacts, returnedColumns } from '../columns.ts';
import { createOwnCells } from '../own-cells.ts';
import { leftOf, statusWhenStopped, stoppedAt } from '../stop.ts';

export function runFeed(feed: FeedContext, request: RunRequest): Promise<RunReport> {
  return runUnderLease(feed, request, readFeed, async (run, lease, stored, asked) => {
    await tellCalls(lease, stored);
    const memory = recallFeed(stored);
    // W14, G4: a decision that waits is taken up, also where there is nothing else to do: an approval may be over.
    if (memory.pending.size > 0) delete feed.session.quiet;
    const context = { ...feed, ...toJobRun(feed, asked, run, memory.facts) };
    const pulled = await pullFeed(context, memory.facts, true);
    if (pulled === 'idle') return feed.session.quiet!.ending;
    for (const message of pulled.notices) tellNotice(feed, message);
    const { ending, isQuiet } = await carryOut(context, lease, memory, pulled);
    const { digest, snapshot, look } = pulled;
    // An idle run says what the last one said, and that one did nothing.
    if (isQuiet) feed.session.quiet = { fingerprint: snapshot.fingerprint, look, digest, ending };
    else delete feed.session.quiet;
    return ending;
  });
}

/** Plans what a run would do; writes nothing anywhere. */
export function planFeedRun(feed: FeedContext, request: RunRequest): Promise<Planned> {
  return planWithoutLease(feed, request, readFeed, async (run, stored) => {
    const memory = recallFeed(stored);
    const context = { ...feed, ...toJobRun(feed, request, run, memory.facts) };
    const pulled = await pullFeed(context, memory.facts, false);
    if (pulled === 'idle') throw new Error('a plan is always made from readings');
    const input = withBlanks(toInput(context, memory, pulled), pulled.made);
    const { plan: due } = pauseFeed(input, planFeed(input), pausesOf(context, memory, pulled));
    const plan = await withoutCoveredRows(context, pulled.snapshot, due);
    return { ending: endingOf(plan, [...pulled.problems, ...plan.problems], new Map()), changes: plan.changes };
  });
}

/** W3: columns that a run would create first are blank. */
function withBlanks(input: FeedInput, create: readonly string[]): FeedInput {
  const isMade = new Set(create);
  const rows = input.rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell, index) => (isMade.has(input.fields[index]!.name) ? null : cell)),
  }));
  return { ...input, rows };
}

export interface FeedMemory {
  readonly links: ReadonlyMap<string, FeedLink>;
  /** Rows that the spreadsheet refused (W5). */
  readonly strays: ReadonlyMap<string, Stray>;
  readonly facts: Facts;
  /** Decisions of people that no run has carried out yet, by id. */
  readonly pending: ReadonlyMap<string, DecisionRequest>;
}

export function recallFeed({ links, strays, facts, requests }: StoredFeed): FeedMemory {
  return { links, strays, facts, pending: requests };
}

/** G1: what is remembered is of one account. Of another tab nothing is known yet, and its rows are adopted by their IDs. */
export function toInput(
  { config, shape }: FeedRun,
  { links, facts, pending }: FeedMemory,
  pulled: FeedPulled,
): FeedInput {
  const known = facts.identities;
  const rows = pulled.snapshot.rows.map(shape.fromRow);
  const missing = lostFields(pulled.snapshot, pulled.made).map(({ key }) => key);
  if (known && known.crm !== pulled.identities.crm) {
    throw new RunFailed(
      `this is another account or resource than before (${pulled.identities.crm}; the state is of ${known.crm}): ` +
        'put the setting back, or give the feed a new name and a new tab',
    );
  }
  const mine = shape.controlled === undefined ? withoutControl(links) : links;
  return {
    fields: shape.fields,
    ...(shape.controlled !== undefined && { controlled: shape.controlled }),
    records: pulled.records,
    coverage: pulled.coverage,
    isDrifted: pulled.isDrifted,
    rows,
    ...(missing.length > 0 && { missing }),
    links:
      known && known.sheet !== pulled.identities.sheet ? new Map() : withControlBack(shape, facts, pulled, mine, rows),
    onGone: config.onGone,
    what: whatIsListed(config),
    missingApproved: Math.max(
      0,
      ...[...pending.values()].map((each) => (each.kind === 'approve' ? each.counts.missing : 0)),
    ),
    answers: new Map(),
  };
}

/** For people. An empty listing may be the filter's doing. */
function whatIsListed({ resource, filter }: FeedRun['config']): string {
  const what = resource.replaceAll('_', ' ');
  return Object.keys(filter).length > 0 ? `${what} that the filter lets through` : what;
}

/**
 * G1: nothing that is remembered of another tab outlives the first write because of this one. Else a run that is cut short leaves
 * what it noted of cells here beside that of cells there, and if the feed goes back, a cell there passes for a wish (E7).
 */
export async function takeTab(
  { config }: Pick<FeedRun, 'config'>,
  lease: Pick<Lease, 'commit'>,
  memory: FeedMemory,
  { identities, snapshot }: FeedPulled,
): Promise<FeedMemory> {
  const { facts, links, strays } = memory;
  if (facts.identities === undefined || facts.identities.sheet === identities.sheet) return memory;
  const columns = columnFacts(factsOfTab(facts, identities.sheet), snapshot);
  const learnt = { identities, ...columns, tab: tabNamed(config), table: snapshot.memory };
  await lease.commit({
    links: { delete: [...links.keys()] },
    strays: { delete: [...strays.keys()] },
    facts: { put: factChanges(facts, learnt) },
  });
  return { ...memory, links: new Map(), strays: new Map(), facts: { ...facts, ...learnt } };
}

/**
 * W11, E7: where the controlled column is back after it was lost, or was made by this run, its blank cells are nobody's wish.
 * Without `agreed` the cell is filled like any other.
 */
function withControlBack(
  { fields, controlled }: FeedRun['shape'],
  facts: Facts,
  { snapshot, made }: FeedPulled,
  links: FeedMemory['links'],
  rows: FeedInput['rows'],
): FeedMemory['links'] {
  const isBack = [...returnedColumns(facts, snapshot), ...made].some((key) => key === controlled);
  if (!isBack) return links;
  const place = fields.findIndex(({ name }) => name === controlled);
  const isBlankIn = new Set(rows.flatMap(({ id, cells }) => ((cells[place] ?? null) === null ? [id] : [])));
  return new Map(
    [...links].map(([uuid, link]) => {
      const { agreed: _agreed, asked: _asked, isRefused: _refused, ...rest } = link;
      return [uuid, isBlankIn.has(uuid) ? rest : link];
    }),
  );
}

/** W5. No command has a feed try again, so that its last pause is repeated. What another tab refused says nothing of this one. */
export function pausesOf({ crm }: FeedRun, { strays, facts }: FeedMemory, { identities }: FeedPulled): RowPauses {
  const isSameTab = facts.identities?.sheet === identities.sheet;
  return { known: isSameTab ? strays : new Map(), retry: undefined, now: crm.now() };
}

/**
 * G2, G4: an approval whose cause went away is spent at once, however this run ends: it must not let a later empty listing
 * through.
 */
async function spendApprovals(lease: RunLease, memory: FeedMemory, { missing }: FeedPlan): Promise<FeedMemory> {
  const { facts, pending } = memory;
  const spent = missing > 0 ? [] : [...pending].flatMap(([id, request]) => (isApproval(request) ? [id] : []));
  if (spent.length === 0) return memory;
  lease.makesVoid(spent);
  await lease.commit({ facts: { put: factChanges(facts, { held: null }) }, doneRequests: spent });
  const left = [...pending].filter(([id]) => !spent.includes(id));
  return { ...memory, facts: { ...facts, held: null }, pending: new Map(left) };
}

interface Done {
  readonly ending: Ending;
  /** Another run over the same readings would do nothing either. */
  readonly isQuiet: boolean;
}

async function carryOut(context: FeedRun, lease: RunLease, stored: FeedMemory, pulled: FeedPulled): Promise<Done> {
  const input = toInput(context, stored, pulled);
  const first = planFeed(input);
  if (first.holds.length > 0) {
    const held = endingOf(first, [...pulled.problems, ...first.problems], new Map());
    return { ending: { ...held, ...(await holdRun(lease, stored, context.run, held)) }, isQuiet: false };
  }
  const memory = await spendApprovals(lease, await takeTab(context, lease, stored, pulled), first);
  const asked = wishIntents(input, first.changes);
  const controlled = await control(context, lease, first.changes, asked, (change, answer, record) =>
    linkOnceOver(input, change, answer, record && context.shape.fromRecord(record)),
  );
  const { outcomes: wishes, answers } = controlled;
  // What was not begun, or did not arrive, was not asked for.
  const mayHaveArrived = ([uuid]: readonly [string, FeedLink]) => (answers.get(uuid)?.kind ?? 'failed') !== 'failed';
  const links = new Map([...input.links, ...[...asked].filter(mayHaveArrived)]);
  const records = input.records.map((record) => {
    const answered = controlled.records.get(record.uuid);
    return answered ? context.shape.fromRecord(answered) : record;
  });
  const pauses = pausesOf(context, memory, pulled);
  const whole = wishes.size === 0 ? first : planFeed({ ...input, records, links, answers });
  const { plan: due, strays: paused } = pauseFeed(input, whole, pauses);
  const plan = await withoutCoveredRows(context, pulled.snapshot, due);
  // E7: with `control` off, what a link knew of wishes is forgotten before any cell is written.
  const forgotten = [...input.links].filter(([uuid, link]) => link !== memory.links.get(uuid));
  // E7: a wish that the service has answered is over. That is stored before the next call, and before any cell is written.
  const answered = settleFeed(links, plan, new Map());
  const intents = new Map([...forgotten, ...controlIntents({ ...input, links: answered }, plan.changes)]);
  if (intents.size > 0) await lease.commit({ links: { put: asStored(intents) } });
  const own = createOwnCells(pauses, () => context.config.sheet.statusHeader);
  const pushed = await pushFeed(context, pulled.snapshot, plan, own);
  const unreached = plan.changes.filter((change) => !pushed.reached.has(change));
  const remembered = withoutIntents(answered, intents, unreached);
  const outcomes = new Map([...wishes, ...pushed.outcomes]);
  const strays = new Map([
    ...settleRows(pauses, paused, pushed.outcomes, pausedElsewhere),
    ...own.strays(context.request.signal.aborted),
  ]);
  const failures = [...pushed.outcomes].flatMap(([change, outcome]) =>
    outcome.kind === 'done' ? [] : [failedRow(pauses, strays, change, outcome)],
  );
  const problems = [...pulled.problems, ...plan.problems, ...failures, ...own.problems()];
  const left = leftOf(context, plan.changes, outcomes);
  const stopped = stoppedAt(plan.changes, left, outcomes);
  const natural = endingOf(plan, problems, outcomes);
  const ending = { ...natural, status: statusWhenStopped(natural.status, stopped), ...stopped };
  context.session.noted = pulled.noted;
  const settled = settleFeed(remembered, { linkUpdates: plan.linkUpdates.filter(({ by }) => by) }, outcomes);
  const before = new Map([...memory.links, ...controlled.stored, ...intents]);
  await save(context, lease, memory, pulled, before, {
    links: settled,
    strays,
    wishes,
    pushed: pushed.outcomes,
    ending,
  });
  await lease.noteRows(rowsSeen(pulled.snapshot, outcomes, context.config.sheet));
  const isQuiet =
    isRepeatable(context.request, ending) &&
    outcomes.size === 0 &&
    pushed.statuses === 0 &&
    plan.changes.length === 0 &&
    // V3: that cells are unmerged changes none of them.
    plan === due &&
    // W9: the next run looks whether the marks that this one found are gone.
    pulled.snapshot.leftovers === 0 &&
    pulled.coverage !== 'partial' &&
    !pulled.isDrifted;
  return { ending, isQuiet };
}

/** W9: a run that changed nothing writes nothing; what only passes goes along when something else is written. */
async function save(
  context: FeedRun,
  lease: Lease,
  memory: FeedMemory,
  pulled: FeedPulled,
  /** As the state has them by now. */
  before: ReadonlyMap<string, FeedLink>,
  done: {
    readonly links: ReadonlyMap<string, FeedLink>;
    readonly strays: ReadonlyMap<string, Stray>;
    /** In the history already. */
    readonly wishes: ReadonlyMap<Change, Outcome>;
    readonly pushed: ReadonlyMap<Change, Outcome>;
    readonly ending: Ending;
  },
): Promise<void> {
  const gone = [...before.keys()].filter((uuid) => !done.links.has(uuid));
  const after = new Map<string, FeedLink | null>([...done.links, ...gone.map((uuid) => [uuid, null] as const)]);
  const links = mapChanges(before, after);
  const strays = replacing(memory.strays, done.strays);
  // A cause that went away is nothing to approve any more (G4), and an approval is spent once.
  const free = memory.facts.held ? { held: null } : {};
  const columns = columnFacts(factsOfTab(memory.facts, pulled.identities.sheet), pulled.snapshot);
  // G1: without it, what is remembered of the table would count for another tab as well, and the feed would stay in the old one.
  const place = { identities: pulled.identities, tab: tabNamed(context.config) };
  const learnt = { ...place, ...columns, ...free, ...worse(memory.facts, pulled.noted) };
  const identified = factChanges(memory.facts, learnt);
  // An approval of which a part is left stays for the next run (W8).
  const doneRequests = done.ending.stopped ? [] : [...memory.pending.keys()];
  // `status` has to tell when an obstacle came or went.
  const isNews =
    memory.facts.lastRun?.status !== done.ending.status || isPullNews(memory.facts.lastRun, done.ending.problems);
  const isNothing =
    !links.isChanged &&
    !strays.isChanged &&
    identified.size === 0 &&
    done.wishes.size + done.pushed.size === 0 &&
    doneRequests.length === 0;
  if (isNothing && !isNews) return;
  const lines = historyLines(context, pulled.snapshot, done.pushed);
  // History first: a crash in between leaves a line of what did happen, and the next run finds both sides equal.
  if (lines.length > 0) await lease.appendHistory(lines);
  const facts = factChanges(memory.facts, {
    ...place,
    ...columns,
    table: pulled.snapshot.memory,
    lastRun: lastRunOf(context, done.ending),
    ...noteFacts(memory.facts, pulled.noted),
    ...free,
  });
  await lease.commit({
    ...(links.isChanged && { links: links.changes }),
    ...(strays.isChanged && { strays: strays.changes }),
    facts: { put: facts },
    doneRequests,
  });
}

/**
 * Of a row that came or went one line is enough: what is in it stands in the service. It has the name of the record, which
 * nothing else in the state has, for a person who decides on it later.
 */
function historyLines(
  context: FeedRun,
  snapshot: Snapshot,
  outcomes: ReadonlyMap<Change, Outcome>,
): readonly HistoryLine[] {
  const naming = namingField(context.config.columns.map(({ key }) => key));
  const index = context.shape.fields.findIndex(({ name }) => name === naming);
  const rowByNumber = new Map(snapshot.rows.map((row) => [row.number, row]));
  const cellOf = (number: number | null) => {
    const row = rowByNumber.get(number ?? 0);
    const cell = row && context.shape.fromRow(row).cells[index];
    return typeof cell === 'string' && cell !== '' ? cell : undefined;
  };
  return [...outcomes].flatMap(([change, outcome]) => {
    if (change.op !== 'append' && change.op !== 'remove') return changeLines(context, change, outcome);
    const after = change.fields.find(({ field }) => field === naming)?.after;
    const name = change.op === 'remove' ? cellOf(change.row) : after;
    const lines = changeLines(context, { ...change, fields: [] }, outcome);
    return name === undefined || name === null ? lines : lines.map((line) => ({ ...line, name }));
  });
}

function endingOf(plan: FeedPlan, problems: readonly Problem[], outcomes: ReadonlyMap<Change, Outcome>): Ending {
  return {
    isFull: true,
    status: statusOf(plan.holds, problems),
    counts: countRun(plan.linked, problems, outcomes),
    problems,
    holds: plan.holds,
    planned: countPlanned(plan),
  };
}

function countPlanned({ changes, missing }: FeedPlan): PlanCounts {
  const count = (...ops: readonly Change['op'][]) => changes.filter(({ op }) => ops.includes(op)).length;
  return { ...nothingPlanned, changes: count('update', 'set'), deletes: count('remove'), missing };
}
