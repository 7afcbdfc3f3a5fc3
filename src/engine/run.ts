// One run of one sync: pull, match, merge, plan, guard, push, settle. A table of contents; each step is a file.
import { AuthenticationError, ServiceError } from '../crm/errors.ts';
import { SheetsError } from '../sheets/errors.ts';
import { StateError } from '../state/errors.ts';
import type { Lease } from '../state/port.ts';
import { dueDeletes } from '../sync/deletes.ts';
import { type Estimate, estimate } from '../sync/estimate.ts';
import type { Problem } from '../sync/change.ts';
import type { PlanCounts } from '../sync/input.ts';
import type { Outcomes } from '../sync/outcome.ts';
import { resume } from '../sync/resume.ts';
import type { ContactRecord } from '../sync/record.ts';
import { settle, type Settled } from '../sync/settle.ts';
import type { RunContext, RunRequest, SyncContext } from './context.ts';
import { decide, type Decided } from './decide.ts';
import { enrolInCrm, wishFacts } from './enrol.ts';
import { RunFailed } from './errors.ts';
import { openLedger } from './ledger.ts';
import { type Facts, type LastRun, type Memory, recall } from './memory.ts';
import { pull, type Pulled } from './pull.ts';
import { cancelInCrm, deleteFromCrm, pushToCrm } from './push-crm.ts';
import { pushToSheet, removeRows } from './push-sheet.ts';
import { countRun, type PlanReport, type RunCost, type RunReport, statusOf } from './report.ts';
import { joined, saveRun, toBatch } from './save.ts';
import { readWishes } from './wishes.ts';

/** One run. Expected failures end as a report that says `failed`; only faults of the program are thrown. */
export async function runSync(sync: SyncContext, request: RunRequest): Promise<RunReport> {
  const started = begin(sync, request);
  try {
    await using lease = await sync.state.acquireLease({ signal: request.signal });
    const loaded = await lease.load();
    for (const { message } of loaded.notices) notice(sync, message);
    const recalled = recall(loaded, fieldNames(sync));
    const context = inRun(sync, request, started.run, recalled);
    const read = await pull(context, recalled, true);
    if (read === 'idle') return end(sync, started, stillTrue(sync.session.quiet!.report));
    for (const message of read.notices) notice(sync, message);
    const { memory, pulled, answers } = await readWishes(context, recalled, read, (batch) => lease.commit(batch));
    const decided = await decide(context, memory, pulled, answers);
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
    const report = end(sync, started, {
      status: statusOf(plan.holds, plan.problems),
      isFull: pulled.isFull,
      counts: countRun(plan.linked, plan.problems, new Map()),
      problems: plan.problems,
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
function added(reading: RunCost, writing: Estimate): Estimate {
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
  const saved = async (results: Outcomes) => {
    // L10: what the service has taken is remembered before anything else is begun.
    const { links } = settle(input, { ...plan, links: new Map(), strays: new Map(), problems: [] }, results);
    await lease.commit(toBatch(memory, { links, strays: memory.base.strays }, memory.facts, []).batch);
  };
  const toCrm = await pushToCrm(context, pulled.scope, decided, saved);
  const cancelled = await cancelInCrm(
    context,
    plan.changes.filter(({ op }) => op === 'cancel'),
  );
  const book = openLedger(lease, memory.ledger, memory.newcomers);
  const enrolled = await enrolInCrm(context, book, memory, pulled, decided, cancelled, saved);
  const soFar = joined(toCrm, cancelled, enrolled.outcomes);
  const inSheet = await pushToSheet(context, pulled.snapshot, {
    changes: resume(input, plan, soFar).filter(({ op }) => op !== 'remove'),
    problems: [...settle(input, plan, soFar).problems, ...enrolled.problems],
    wishResults: enrolled.results,
  });
  const deletes = dueDeletes(input, whole, joined(soFar, inSheet), plan.changes);
  const deleted = await deleteFromCrm(
    context,
    decided,
    deletes.changes.filter(({ op }) => op === 'delete'),
  );
  const removed = await removeRows(
    context,
    pulled.snapshot,
    deletes.changes.filter(({ op }) => op === 'remove'),
  );
  const outcomes = joined(soFar, inSheet, deleted, removed);
  const settled = settle(input, plan, outcomes);
  const problems = [...settled.problems, ...enrolled.problems, ...deletes.problems];
  const ending: Ending = {
    status: statusOf([], problems),
    isFull: pulled.isFull,
    counts: countRun(plan.linked, problems, outcomes),
    problems,
    holds: [],
    planned: plan.counts,
    ...approvableOf(wishFacts(context, memory.facts.held, plan).held),
  };
  await save(context, lease, memory, pulled, decided, outcomes, settled, ending);
  const watermark = nextWatermark(pulled, decided, settled);
  if (watermark !== undefined) context.session.watermark = watermark;
  return ending;
}

/** E6: wishes wait for an approval, while the rest of the run went on. */
function approvableOf(held: Facts['held']): Pick<RunReport, 'approvable'> {
  return held ? { approvable: held.run } : {};
}

/** W9: a run that changed nothing writes nothing; what only passes goes along when something else is written. */
async function save(
  context: RunContext,
  lease: Lease,
  memory: Memory,
  pulled: Pulled,
  decided: Decided,
  outcomes: Outcomes,
  settled: Settled,
  ending: Ending,
): Promise<void> {
  const facts: Facts = {
    identities: pulled.identities,
    fields: fieldNames(context),
    list: { named: context.config.contacts.list, uuid: pulled.scope.listUuid },
    ...wishFacts(context, memory.facts.held, decided.plan),
  };
  if (outcomes.size === 0 && toBatch(memory, settled, facts, memory.requestIds).isEmpty) return;
  const watermark = nextWatermark(pulled, decided, settled);
  const passing: Facts = {
    table: pulled.snapshot.memory,
    tombstones: context.tombstones.all(),
    lastRun: lastRunOf(context, ending),
    ...(watermark !== undefined && { watermark }),
  };
  const { batch } = toBatch(memory, settled, { ...facts, ...passing }, memory.requestIds);
  await saveRun(context, lease, decided, outcomes, batch);
}

/** Its problems go along without values: those stand in the links. */
function lastRunOf({ run, now }: RunContext, { status, counts, problems }: Ending): LastRun {
  const told = problems.slice(0, problemsKept).map(({ values: _values, ...problem }) => problem);
  return { run, status, endedAt: new Date(now()).toISOString(), counts, problems: told };
}

/**
 * From when on the next run asks for changes; undefined: as before. A contact that got no row is in no link, so the next
 * search has to find it again.
 */
function nextWatermark(
  { watermark }: Pulled,
  { input }: Decided,
  { links }: Pick<Settled, 'links'>,
): string | undefined {
  const isPlaced = ({ uuid }: ContactRecord) =>
    links.has(uuid) ? links.get(uuid) !== null : input.base.links.has(uuid);
  return input.crm.contacts.every(isPlaced) ? watermark : undefined;
}

/**
 * What the next run of this process may rely on. Time alone can change what a run would do where something waits, is to be
 * tried again, or was asked of the service.
 */
function remember({ session, request }: RunContext, pulled: Pulled, { input }: Decided, report: RunReport): void {
  const { counts, problems, holds } = report;
  const { created, updated, appended, set, deleted, removed, enrolled, cancelled } = counts;
  const hasWritten = created + updated + appended + set + deleted + removed + enrolled + cancelled > 0;
  const passes: ReadonlySet<Problem['kind']> = new Set(['waiting', 'refused', 'failed', 'unknown']);
  const isQuiet =
    request.choose === undefined &&
    holds.length === 0 &&
    session.watermark === pulled.watermark &&
    !hasWritten &&
    input.answers.contacts.size + input.answers.lookups.size === 0 &&
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
  if (isApprovable) {
    const { batch, isEmpty } = toBatch(memory, { links: new Map(), strays: memory.base.strays }, { held }, []);
    if (!isEmpty) await lease.commit(batch);
  }
  return {
    status: statusOf(plan.holds, []),
    isFull: pulled.isFull,
    counts: countRun(memory.base.links.size, plan.problems, new Map()),
    problems: plan.problems,
    holds: plan.holds,
    planned: plan.counts,
    ...(isApprovable && { approvable: held.run }),
  };
}

type Ending = Omit<RunReport, 'sync' | 'run' | 'startedAt' | 'endedAt' | 'cost'>;

interface Started {
  readonly run: string;
  readonly at: number;
  readonly cost: () => RunReport['cost'];
}

function begin(sync: SyncContext, request: RunRequest): Started {
  const run = sync.newRunId();
  const at = sync.now();
  sync.emit({ type: 'run-started', sync: sync.config.name, run, isFull: request.isFull });
  return { run, at, cost: sync.startMeter() };
}

function end(sync: SyncContext, { run, at, cost }: Started, ending: Ending): RunReport {
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

const nothingPlanned: PlanCounts = { creates: 0, changes: 0, blanks: 0, deletes: 0, missing: 0, enrolments: 0 };

/** What people can do something about; anything else is a fault of ours, and thrown on. */
function failure(error: unknown, { isFull, signal }: RunRequest): Ending {
  const isExpected =
    error instanceof ServiceError ||
    error instanceof SheetsError ||
    error instanceof StateError ||
    error instanceof RunFailed;
  const isStopped = signal.aborted && error === signal.reason;
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
  return { ...sync, run, request, table: sync.openTable(memory.facts.table) };
}

function fieldNames({ shape }: SyncContext): readonly string[] {
  return shape.mapping.fields.map(({ name }) => name);
}

function notice(sync: SyncContext, message: string): void {
  sync.emit({ type: 'notice', sync: sync.config.name, message });
}
