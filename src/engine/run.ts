// One run of one sync: pull, match, merge, plan, guard, push, settle. A table of contents; each step is a file.
import { AuthenticationError, ServiceError } from '../crm/errors.ts';
import { SheetsError } from '../sheets/errors.ts';
import { StateError } from '../state/errors.ts';
import type { Lease } from '../state/port.ts';
import { dueDeletes } from '../sync/deletes.ts';
import { type Estimate, estimate } from '../sync/estimate.ts';
import { type Change, type Problem, problem as problemOf } from '../sync/change.ts';
import type { PlanCounts } from '../sync/input.ts';
import { resume } from '../sync/resume.ts';
import { rowPauses } from '../sync/row-refusal.ts';
import type { ContactRecord } from '../sync/record.ts';
import { settle, type Settled } from '../sync/settle.ts';
import type { RunContext, RunRequest, SyncContext } from './context.ts';
import { decide, type Decided } from './decide.ts';
import { type Enrolled, enrolInCrm, noteWishes } from './enrolment/enrol.ts';
import { wishFacts } from './enrolment/trust.ts';
import { RunFailed } from './errors.ts';
import { noteFacts, worse } from './incomplete.ts';
import { tellInterrupted } from './interrupted.ts';
import { openLedger } from './enrolment/ledger.ts';
import { type Facts, type LastRun, type Memory, recall } from './memory.ts';
import { createOwnCells } from './own-cells.ts';
import { rowsRefused, withOwnCells } from './refused-rows.ts';
import { prepare, pull, type Pulled } from './pull.ts';
import { cancelInCrm, deleteFromCrm, pushToCrm } from './push-crm.ts';
import { pushToSheet, removeRows } from './push-sheet.ts';
import { countLinked, countRun, type PlanReport, type RunCost, type RunReport, statusOf } from './report.ts';
import { joined, openJournal, toBatch } from './save.ts';
import { ownHeader } from './shape.ts';
import { leftOf, statusWhenStopped, stoppedAt } from './stop.ts';
import { readWishes } from './enrolment/wishes.ts';

/** One run. Expected failures end as a report that says `failed`; only faults of the program are thrown. */
export async function runSync(sync: SyncContext, request: RunRequest): Promise<RunReport> {
  const started = begin(sync, request);
  try {
    await using lease = await sync.state.acquireLease({ signal: request.signal });
    const loaded = await lease.load();
    for (const { message } of loaded.notices) notice(sync, message);
    const recalled = recall(loaded, fieldNames(sync));
    await tellInterrupted(lease, recalled.interrupted);
    const context = inRun(sync, request, started.run, recalled);
    const read = await pull(context, recalled, true);
    if (read === 'idle') return end(sync, started, stillTrue(sync.session.quiet!.report));
    for (const message of read.notices) notice(sync, message);
    const wishes = await readWishes(context, recalled, read, lease);
    const { memory } = wishes;
    let { pulled } = wishes;
    let decided = await decide(context, memory, pulled, wishes.answers);
    if (decided.plan.holds.length === 0) {
      // G1: not a column is made in a tab that may be the wrong one.
      const prepared = await prepare(context, memory, decided.pulled);
      if (prepared !== decided.pulled) decided = await decide(context, memory, prepared, decided.input.answers);
    }
    ({ pulled } = decided);
    const report =
      decided.plan.holds.length > 0
        ? await hold(context, lease, memory, pulled, decided)
        : await carryOut(context, lease, memory, pulled, decided);
    const ended = end(sync, started, report);
    remember(context, pulled, decided, ended);
    return ended;
  } catch (error) {
    return end(sync, started, failure(error, request));
  }
}

/** What a run would do; writes nothing anywhere. */
export async function planSync(
  sync: SyncContext,
  request: RunRequest,
): Promise<{ readonly report: PlanReport; readonly decided?: Decided }> {
  const started = begin(sync, request);
  const nothing = { changes: [], estimate: { crmCalls: 0, sheetReads: 0, sheetWrites: 0, seconds: 0 } };
  try {
    const recalled = recall(await sync.state.load(), fieldNames(sync));
    const context = inRun(sync, request, started.run, recalled);
    const read = await pull(context, recalled, false);
    if (read === 'idle') throw new Error('a plan is always made from readings');
    const { memory, pulled, answers } = await readWishes(context, recalled, read);
    const decided = await decide(context, memory, pulled, answers);
    const { plan } = decided;
    const problems = [...ofPull(decided.pulled), ...plan.problems];
    const report = end(sync, started, {
      status: statusOf(plan.holds, problems),
      isFull: decided.pulled.isFull,
      counts: countRun(plan.linked, problems, new Map()),
      problems,
      holds: plan.holds,
      planned: plan.counts,
    });
    const cost = estimate(plan.changes, [], sync.budgets, sync.shape.isCustom);
    return { report: { ...report, changes: plan.changes, estimate: added(report.cost, cost) }, decided };
  } catch (error) {
    return { report: { ...end(sync, started, failure(error, request)), ...nothing } };
  }
}

/** A run reads and asks first what the plan has just read and asked. */
export function added(reading: RunCost, writing: Estimate): Estimate {
  return {
    crmCalls: reading.crmCalls + writing.crmCalls,
    sheetReads: reading.sheetReads + writing.sheetReads,
    sheetWrites: reading.sheetWrites + writing.sheetWrites,
    seconds: Math.ceil(reading.seconds + writing.seconds),
  };
}

/** Push both sides, then let the base follow from what they were confirmed to hold. */
async function carryOut(
  context: RunContext,
  lease: Lease,
  memory: Memory,
  pulled: Pulled,
  decided: Decided,
): Promise<Ending> {
  const { input, plan, whole } = decided;
  const facts = factsOf(context, memory, pulled, decided);
  const journal = openJournal(context, lease, memory, decided, facts);
  const book = openLedger(lease, memory);
  if (context.config.automation) await noteWishes(book, memory, plan);
  const toCrm = await pushToCrm(context, pulled.scope, decided, journal);
  const cancelled = await cancelInCrm(context, opsOf(plan.changes, 'cancel'), journal);
  const enrolled = await enrolInCrm(context, book, pulled, decided, cancelled, journal);
  const soFar = joined(toCrm, cancelled, enrolled.outcomes);
  const untilSheet = settle(input, plan, soFar);
  const own = createOwnCells(rowPauses(input), (key) => ownHeader(context.config, key));
  const sheetPush = {
    changes: resume(input, plan, soFar).filter(({ op }) => op !== 'remove'),
    problems: [...untilSheet.problems, ...enrolled.problems],
    wishResults: enrolled.results,
    refusedRows: rowsRefused(input, untilSheet),
    own,
  };
  const inSheet = await pushToSheet(context, pulled.snapshot, sheetPush, journal);
  const deletes = dueDeletes(input, whole, joined(soFar, inSheet), plan.changes);
  const deleted = await deleteFromCrm(context, pulled.scope, decided, opsOf(deletes.changes, 'delete'), journal);
  const removed = await removeRows(context, pulled.snapshot, opsOf(deletes.changes, 'remove'), journal);
  // W9: in the run that left them, so that the next one has nothing to write. Without the signal: what is begun is finished.
  if (!context.request.signal.aborted) await context.table.clearMarks();
  const outcomes = joined(soFar, inSheet, deleted, removed);
  const settled = withOwnCells(settle(input, plan, outcomes), own, context.request.signal.aborted);
  const problems = [...ofPull(pulled), ...settled.problems, ...enrolled.problems, ...deletes.problems];
  const planned = toDo(plan, sheetPush.changes, enrolled);
  const left = leftOf(context, planned, outcomes);
  const stopped = stoppedAt(planned, left, outcomes);
  const ending: Ending = {
    status: statusWhenStopped(statusOf([], problems), stopped),
    ...stopped,
    isFull: pulled.isFull,
    counts: countRun(countLinked(toBatch(memory, settled, facts, []).base), problems, outcomes),
    problems,
    holds: [],
    planned: plan.counts,
    // E6: wishes wait for an approval, while the rest of the run went on.
    ...(facts.held && { approvable: facts.held.run }),
  };
  const place = nextPlace(pulled, decided, settled);
  await journal.end(
    settled,
    {
      table: pulled.snapshot.memory,
      tombstones: context.tombstones.all(),
      lastRun: lastRunOf(context, ending),
      ...noteFacts(memory.facts, pulled.noted),
      ...place,
    },
    left,
  );
  Object.assign(context.session, place);
  return ending;
}

/** L12: what a run did not see, before what it did not do. */
function ofPull(pulled: Pulled): readonly Problem[] {
  return [...pulled.problems, ...lostHeaders(pulled)];
}

/** L12, W11: a column that is lost is left alone, and the run did not do all it should. */
function lostHeaders({ sheet }: Pulled): readonly Problem[] {
  return sheet.missing.map((header) =>
    problemOf('held', { field: header }, 'W11', `the header "${header}" is not in the tab: its field is left alone`),
  );
}

/**
 * Changes that a stopped run counts as done or left. An ID that a create's row gets is part of the create; what was looked
 * at and is held says so itself.
 */
function toDo({ changes }: Decided['plan'], inSheet: readonly Change[], { held }: Enrolled): readonly Change[] {
  const created = new Set(changes.flatMap(({ op, row }) => (op === 'create' ? [row] : [])));
  const ofPlan = changes.filter((change) => (change.side === 'crm' || change.op === 'remove') && !held.has(change));
  return [...ofPlan, ...inSheet.filter(({ op, row }) => !(op === 'set' && created.has(row)))];
}

function opsOf(changes: readonly Change[], wanted: Change['op']): readonly Change[] {
  return changes.filter(({ op }) => op === wanted);
}

/** What the base stands on. */
function factsOf(
  context: RunContext,
  { facts }: Memory,
  { identities, scope, noted }: Pulled,
  { plan }: Decided,
): Facts {
  return {
    identities,
    fields: fieldNames(context),
    list: { named: context.config.contacts.list, uuid: scope.listUuid },
    tab: tabNamed(context),
    ...wishFacts(context, facts.held, plan),
    ...worse(facts, noted),
  };
}

/** Its problems go along without values: those stand in the links. */
export function lastRunOf(
  { run, now }: Pick<RunContext, 'run' | 'now'>,
  { status, counts, problems, stopped }: Ending,
): LastRun {
  const told = problems.slice(0, problemsKept).map(({ values: _values, ...problem }) => problem);
  return { run, status, endedAt: new Date(now()).toISOString(), counts, ...(stopped && { stopped }), problems: told };
}

/** One search asks for as many uuids; with more of them, changes are asked for from where they were before. */
const unplacedMax = 100;

/**
 * From when on the next run asks for changes; nothing: as before. A contact that got no row is in no link, so the next run
 * has to ask for it by name.
 */
function nextPlace(
  { watermark }: Pulled,
  { input }: Decided,
  { links }: Pick<Settled, 'links'>,
): Pick<Facts, 'watermark' | 'unplaced'> {
  const isPlaced = ({ uuid }: ContactRecord) =>
    links.has(uuid) ? links.get(uuid) !== null : input.base.links.has(uuid);
  const unplaced = input.crm.contacts.filter((contact) => !isPlaced(contact)).map(({ uuid }) => uuid);
  if (watermark === undefined || unplaced.length > unplacedMax) return {};
  return { watermark, unplaced: unplaced.toSorted() };
}

/**
 * What the next run of this process may rely on. Time alone can change what a run would do where something waits, is to be
 * tried again, or was asked of the service.
 */
function remember({ session, request }: RunContext, pulled: Pulled, { input }: Decided, report: RunReport): void {
  session.noted = pulled.noted;
  const { counts, problems, holds } = report;
  const { created, updated, appended, set, deleted, removed, enrolled, cancelled } = counts;
  const hasWritten = created + updated + appended + set + deleted + removed + enrolled + cancelled > 0;
  const passes: ReadonlySet<Problem['kind']> = new Set(['waiting', 'refused', 'failed', 'unknown', 'incomplete']);
  const isQuiet =
    !request.signal.aborted &&
    request.choose === undefined &&
    holds.length === 0 &&
    session.watermark === pulled.watermark &&
    !hasWritten &&
    input.answers.contacts.size + input.answers.lookups.size + (input.answers.keys?.size ?? 0) === 0 &&
    problems.every(({ kind }) => !passes.has(kind));
  if (isQuiet) session.quiet = { fingerprint: pulled.snapshot.fingerprint, report };
  else delete session.quiet;
}

/** An idle run says what the last one said, less what that one did. */
function stillTrue({ status, counts, problems, holds, planned }: RunReport): Ending {
  return { status, isFull: false, counts, problems, holds, planned };
}

/** G1, G2: nothing is written and nothing remembered, but for what `approve` needs to know. */
async function hold(
  context: RunContext,
  lease: Lease,
  memory: Memory,
  pulled: Pulled,
  { plan }: Decided,
): Promise<Ending> {
  const known = memory.facts.held;
  const isSame = known && JSON.stringify(known.planned) === JSON.stringify(plan.counts);
  const reasons = plan.holds.map(({ reason }) => reason);
  const held = isSame ? known : { run: context.run, planned: plan.counts, reasons };
  const isApprovable = plan.holds.every(({ fails }) => !fails);
  // An approval is for the counts it named: what it did not let through now it must not let through later (G2).
  const spent = [...memory.pending].flatMap(([id, { kind }]) => (kind === 'approve' ? [id] : []));
  const kept = { links: new Map(), strays: memory.base.strays };
  const { batch, isEmpty } = toBatch(memory, kept, isApprovable ? { held } : {}, spent);
  if (!isEmpty) await lease.commit(batch);
  const problems = [...pulled.problems, ...plan.problems];
  return {
    status: statusOf(plan.holds, []),
    isFull: pulled.isFull,
    counts: countRun(countLinked(memory.base), problems, new Map()),
    problems,
    holds: plan.holds,
    planned: plan.counts,
    ...(isApprovable && { approvable: held.run }),
  };
}

export type Ending = Omit<RunReport, 'sync' | 'run' | 'startedAt' | 'endedAt' | 'cost'>;

export interface Started {
  readonly run: string;
  readonly at: number;
  readonly cost: () => RunReport['cost'];
}

/** What a run of a sync and a run of a feed tell alike. */
type Teller = Pick<SyncContext, 'newRunId' | 'now' | 'emit' | 'startMeter'> & {
  readonly config: { readonly name: string };
};

export function begin(sync: Teller, request: RunRequest): Started {
  const run = sync.newRunId();
  const at = sync.now();
  sync.emit({ type: 'run-started', sync: sync.config.name, run, isFull: request.isFull });
  return { run, at, cost: sync.startMeter() };
}

export function end(sync: Teller, { run, at, cost }: Started, ending: Ending): RunReport {
  const report: RunReport = {
    sync: sync.config.name,
    run,
    startedAt: new Date(at).toISOString(),
    endedAt: new Date(sync.now()).toISOString(),
    cost: cost(),
    ...ending,
  };
  sync.emit({ type: 'run-ended', sync: sync.config.name, report });
  return report;
}

/** More than anybody reads; the counts have them all. */
const problemsKept = 1000;

export const nothingPlanned: PlanCounts = { creates: 0, changes: 0, blanks: 0, deletes: 0, missing: 0, enrolments: 0 };

/** What people can do something about; anything else is a fault of ours, and thrown on. */
export function failure(error: unknown, { isFull, signal }: RunRequest): Ending {
  const isExpected =
    error instanceof ServiceError ||
    error instanceof SheetsError ||
    error instanceof StateError ||
    error instanceof RunFailed;
  const isStopped = signal.aborted && (isExpected || error === signal.reason);
  if (!isExpected && !isStopped) throw error;
  return {
    status: 'failed',
    isFull,
    counts: countRun(0, [], new Map()),
    problems: [],
    holds: [],
    planned: nothingPlanned,
    error: isStopped ? 'stopped' : (error as Error).message,
    ...(error instanceof AuthenticationError && { isFinal: true as const }),
  };
}

function inRun(sync: SyncContext, request: RunRequest, run: string, memory: Memory): RunContext {
  sync.tombstones.restore(memory.facts.tombstones ?? {});
  // A renamed tab is still the tab (W11); another one in the configuration is another one.
  const { tab = tabNamed(sync), table } = memory.facts;
  const opened = sync.openTable(tab === tabNamed(sync) ? table : undefined);
  return { ...sync, run, request, table: opened, listNames: new Map() };
}

function tabNamed({ config: { sheet } }: SyncContext): string {
  return `${sheet.spreadsheetId} ${sheet.tab}`;
}

function fieldNames({ shape }: SyncContext): readonly string[] {
  return shape.mapping.fields.map(({ name }) => name);
}

function notice(sync: SyncContext, message: string): void {
  sync.emit({ type: 'notice', sync: sync.config.name, message });
}
