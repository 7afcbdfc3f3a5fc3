// One run of one sync: pull, match, merge, plan, guard, push, settle. A table of contents; each step is a file.
import { findDueDeletes } from '../../sync/settle/due-deletes.ts';
import { type Change, type Problem, problem as problemOf } from '../../sync/change.ts';
import { planSheetChanges } from '../../sync/settle/sheet-changes.ts';
import type { Lease, LoadedState } from '../../state/port.ts';
import type { ContactRecord } from '../../sync/record/record.ts';
import { settle, type Settled } from '../../sync/settle/settle.ts';
import type { Choose, RunContext, SyncContext } from '../context.ts';
import { toSavedPlan } from './choose-saved.ts';
import { decide, type Decided } from './decide.ts';
import { type Enrolled, enrolInCrm, noteWishes } from '../enrolment/enrol.ts';
import { wishFacts } from '../enrolment/trust.ts';
import { type Facts, tabNamed } from '../facts.ts';
import { planWithoutLease, runUnderLease, tellNotice } from '../frame.ts';
import { holdRun } from '../held.ts';
import { noteFacts, worse } from '../incomplete.ts';
import { tellInterrupted } from './interrupted.ts';
import type { Planned, RunRequest } from '../job.ts';
import { isRepeatable, lastRunOf } from '../last-run.ts';
import { openLedger } from '../enrolment/ledger.ts';
import { type Memory, recall } from './memory.ts';
import { prepare, pull, type Pulled } from './pull.ts';
import { cancelInCrm, deleteFromCrm, pushToCrm } from './push-crm.ts';
import { pushToSheet, removeRows } from './push-sheet.ts';
import { countLinked, countRun, type Ending, type RunReport, statusOf } from '../report.ts';
import { joined, openJournal, toBatch } from './commit.ts';
import { leftOf, statusWhenStopped, stoppedAt } from '../stop.ts';
import { readWishes } from '../enrolment/wishes.ts';

/** One run. `choose`: left out, the whole plan is carried out. */
export function runSync(sync: SyncContext, request: RunRequest, choose?: Choose): Promise<RunReport> {
  return runUnderLease(sync, request, async (run, lease, loaded) => {
    tellNewState(sync, loaded);
    const recalled = recall(loaded, fieldNames(sync));
    await tellInterrupted(lease, recalled.interrupted);
    const context = { ...inRun(sync, request, run, recalled), ...(choose && { choose }) };
    const read = await pull(context, recalled, true);
    if (read === 'idle') return sync.session.quiet!.ending;
    for (const message of read.notices) tellNotice(sync, message);
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
    const ending =
      decided.plan.holds.length > 0
        ? await hold(context, lease, memory, pulled, decided)
        : await carryOut(context, lease, memory, pulled, decided);
    remember(context, pulled, decided, ending);
    return ending;
  });
}

/** What a run would do; writes nothing anywhere. */
export function planSync(sync: SyncContext, request: RunRequest): Promise<Planned> {
  return planWithoutLease(sync, request, async (run, loaded) => {
    const recalled = recall(loaded, fieldNames(sync));
    const context = inRun(sync, request, run, recalled);
    const read = await pull(context, recalled, false);
    if (read === 'idle') throw new Error('a plan is always made from readings');
    const { memory, pulled, answers } = await readWishes(context, recalled, read);
    const decided = await decide(context, memory, pulled, answers);
    const { plan } = decided;
    const problems = [...ofPull(decided.pulled), ...plan.problems];
    return {
      ending: {
        status: statusOf(plan.holds, problems),
        isFull: decided.pulled.isFull,
        counts: countRun(plan.linked, problems, new Map()),
        problems,
        holds: plan.holds,
        planned: plan.counts,
      },
      changes: plan.changes,
      saved: toSavedPlan(sync.config.name, run, request.isFull, decided),
      isCustom: sync.shape.isCustom,
    };
  });
}

/** I9: without a state the contacts and rows that are there are linked anew. */
function tellNewState(sync: SyncContext, { notices }: LoadedState): void {
  for (const { kind, message } of notices) if (kind === 'absent') tellNotice(sync, message);
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
  const sheetPush = {
    changes: planSheetChanges(input, plan, soFar).filter(({ op }) => op !== 'remove'),
    problems: [...untilSheet.problems, ...enrolled.problems],
    wishResults: enrolled.results,
    refusedRows: rowsRefused(decided, untilSheet),
  };
  const inSheet = await pushToSheet(context, pulled.snapshot, sheetPush, journal);
  const deletes = findDueDeletes(input, whole, joined(soFar, inSheet), plan.changes);
  const deleted = await deleteFromCrm(context, pulled.scope, decided, opsOf(deletes.changes, 'delete'), journal);
  const removed = await removeRows(context, pulled.snapshot, opsOf(deletes.changes, 'remove'), journal);
  // W9: in the run that left them, so that the next one has nothing to write. Without the signal: what is begun is finished.
  if (!context.request.signal.aborted) await context.table.clearMarks();
  const outcomes = joined(soFar, inSheet, deleted, removed);
  const settled = settle(input, plan, outcomes);
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

/** W5: rows whose cells wait for the end of a pause. */
function rowsRefused({ input }: Decided, { links, problems }: Settled): ReadonlySet<number> {
  const linkOf = (uuid: string) => links.get(uuid) ?? input.base.links.get(uuid);
  return new Set(
    problems.flatMap(({ rule, uuid, row }) =>
      rule === 'W5' && uuid !== null && row !== null && linkOf(uuid)?.refusals?.set ? [row] : [],
    ),
  );
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
    tab: tabNamed(context.config),
    ...wishFacts(context, facts.held, plan),
    ...worse(facts, noted),
  };
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
function remember(context: RunContext, pulled: Pulled, { input }: Decided, ending: Ending): void {
  const { session, request, choose } = context;
  session.noted = pulled.noted;
  const isQuiet =
    isRepeatable(request, ending) &&
    choose === undefined &&
    session.watermark === pulled.watermark &&
    input.answers.contacts.size + input.answers.lookups.size + (input.answers.keys?.size ?? 0) === 0;
  if (isQuiet) session.quiet = { fingerprint: pulled.snapshot.fingerprint, ending: stillTrue(ending) };
  else delete session.quiet;
}

/** An idle run says what the last one said, less what that one did. */
function stillTrue({ status, counts, problems, holds, planned }: Ending): Ending {
  return { status, isFull: false, counts, problems, holds, planned };
}

/** G1, G2. */
async function hold(
  { run }: RunContext,
  lease: Lease,
  memory: Memory,
  pulled: Pulled,
  { plan }: Decided,
): Promise<Ending> {
  const { holds, counts: planned } = plan;
  const problems = [...pulled.problems, ...plan.problems];
  return {
    status: statusOf(holds, []),
    isFull: pulled.isFull,
    counts: countRun(countLinked(memory.base), problems, new Map()),
    problems,
    holds,
    planned,
    ...(await holdRun(lease, memory, run, { holds, planned })),
  };
}

function inRun(sync: SyncContext, request: RunRequest, run: string, memory: Memory): RunContext {
  sync.tombstones.restore(memory.facts.tombstones ?? {});
  // A renamed tab is still the tab (W11); another one in the configuration is another one.
  const { tab = tabNamed(sync.config), table } = memory.facts;
  const opened = sync.openTable(tab === tabNamed(sync.config) ? table : undefined);
  return { ...sync, run, request, table: opened, listNames: new Map() };
}

function fieldNames({ shape }: SyncContext): readonly string[] {
  return shape.mapping.fields.map(({ name }) => name);
}
