// One run of one sync: pull, match, merge, plan, guard, push, settle. A table of contents; each step is a file.
import type { RunLease } from '../decisions-told.ts';
import { countedKeys } from '../../sync/guard/counted.ts';
import { movedWishKey } from '../../sync/guard/moved-wishes.ts';
import { findDueDeletes } from '../../sync/settle/due-deletes.ts';
import { lastRunOf } from '../next-run.ts';
import { type Change, type Problem, problemId } from '../../sync/change.ts';
import type { Outcomes } from '../../sync/outcome.ts';
import type { Link } from '../../sync/record/base.ts';
import { withRetryTimes } from '../../sync/settle/retry-times.ts';
import { planSheetChanges } from '../../sync/settle/sheet-changes.ts';
import type { LoadedState } from '../../state/port.ts';
import { rowPauses } from '../../sync/row-refusal.ts';
import { settle, takenBackLink } from '../../sync/settle/settle.ts';
import { undoneStatus } from '../../sync/status.ts';
import { leftByUndo } from '../../sync/undo/undo.ts';
import type { Choose, RunContext, SyncContext } from './context.ts';
import { toSavedPlan } from './choose-saved.ts';
import { isAnsweredAnew } from './answered-anew.ts';
import { decide, type Decided, decidedBlank } from './decide.ts';
import { heldEnding, plannedEnding, problemsOfPull, toDo } from './ending.ts';
import { enrolInCrm, noteOwnContacts, noteWishes } from '../enrolment/enrol.ts';
import { columnFacts } from '../columns.ts';
import { factChanges } from '../facts.ts';
import { planWithoutLease, runUnderLease, tellNotice } from '../frame.ts';
import { holdRun } from '../held.ts';
import { noteFacts } from '../incomplete.ts';
import type { Facts } from '../stored/facts.ts';
import { readSync, type StoredSync } from '../stored/stored.ts';
import { tellInterrupted } from './interrupted.ts';
import { type Planned, type RunRequest, toJobRun } from '../job.ts';
import { openLedger } from '../enrolment/ledger.ts';
import { approvalIn, isFilterNew, isMappingNew, type Memory, recall } from './memory.ts';
import { createOwnCells } from '../own-cells.ts';
import { heldRecords, isHeldByRecords } from './let-through.ts';
import { type Already, prepare, pull, type Pulled } from './pull.ts';
import { withColumnsBack } from './columns-back.ts';
import { cancelInCrm, deleteFromCrm, pushToCrm } from './push-crm.ts';
import { pushToSheet, removeRows, untilLastFilled } from './push-sheet.ts';
import { lookForRowsBack } from './rows-back.ts';
import { rowsRefused, withOwnCells } from './refused-rows.ts';
import { rowsSeen } from '../rows-seen.ts';
import { withShownDates } from './looked-up.ts';
import { findQuiet, noteQuiet } from './quiet.ts';
import { contentsByRow, findNamedRows } from './named-rows.ts';
import { factsOf, nextPlace, remember, suspectFacts } from './remember.ts';
import { countLinked, countRun, type Ending, type RunReport, statusOf } from '../report.ts';
import { joined, openJournal, toBatch, unchosenOf } from './commit.ts';
import { ownHeader } from './shape.ts';
import { leftOf, statusWhenStopped, stoppedAt } from '../stop.ts';
import { readWishes } from '../enrolment/wishes.ts';
import { findLostCreates } from './lost-creates.ts';

/** One run. `choose`: left out, the whole plan is carried out. */
export function runSync(sync: SyncContext, request: RunRequest, choose?: Choose): Promise<RunReport> {
  let already: Already | undefined;
  const steps: StepsOfRun = async (run, lease, stored, asked, loaded) => {
    tellNewState(sync, loaded);
    const recalled = recall(stored, sync.shape.mapping);
    await tellInterrupted(lease, recalled.interrupted);
    const context = { ...beginRun(sync, asked, run, recalled), ...(choose && { choose }) };
    // A decision that came meanwhile is younger than what was read before it.
    const read = await pull(context, recalled, choose === undefined, stored.requests.size > 0 ? undefined : already);
    if (read === 'idle') return sync.session.quiet!.ending;
    for (const message of read.notices) tellNotice(sync, message);
    const named = findNamedRows(withColumnsBack(recalled, read), read);
    lease.makesVoid(named.lost);
    const wishes = await findLostCreates(context, await readWishes(context, named.memory, read, lease), lease);
    const { memory } = wishes;
    let { pulled } = wishes;
    let decided = await decide(context, memory, pulled, wishes.answers);
    if (decided.plan.holds.length === 0) {
      // G1: not a column is made in a tab that may be the wrong one.
      const prepared = await prepare(context, memory, decided.pulled);
      if (prepared !== decided.pulled) {
        decided = decidedBlank(decided, prepared) ?? (await decide(context, memory, prepared, decided.input.answers));
      }
    }
    ({ pulled } = decided);
    const ending =
      decided.plan.holds.length > 0
        ? await hold(context, lease, memory, decided)
        : await carryOut(context, lease, memory, pulled, decided);
    remember(context, pulled, decided, ending);
    await noteQuiet(context, lease, memory, pulled, decided, ending);
    return ending;
  };
  return runUnderLease(sync, request, readSync, steps, async (run, lease, asked) => {
    if (choose) return undefined;
    const found = await findQuiet(sync, lease, asked, (facts) => beginRun(sync, asked, run, { facts }));
    already = found.already;
    return found.ending;
  });
}

type StepsOfRun = Parameters<typeof runUnderLease<StoredSync>>[3];

/** Plans what a run would do; writes nothing anywhere. */
export function planSync(sync: SyncContext, request: RunRequest): Promise<Planned> {
  return planWithoutLease(sync, request, readSync, async (run, stored) => {
    const recalled = recall(stored, sync.shape.mapping);
    const context = beginRun(sync, request, run, recalled);
    const read = await pull(context, recalled, false);
    if (read === 'idle') throw new Error('a plan is always made from readings');
    const named = findNamedRows(withColumnsBack(recalled, read), read);
    const wishes = await readWishes(context, named.memory, read);
    const { memory, pulled, answers } = await findLostCreates(context, wishes);
    const decided = await decide(context, memory, pulled, answers);
    const { plan } = decided;
    return {
      ending: plannedEnding(decided),
      changes: plan.changes,
      ...(decided.stillHeld && { stillHeld: decided.stillHeld.holds }),
      saved: toSavedPlan(sync.config.name, run, request.isFull, decided),
      isCustom: sync.shape.isCustom,
    };
  });
}

/** I9: without a state the contacts and rows that are there are linked anew. */
function tellNewState(sync: SyncContext, { notices }: LoadedState): void {
  for (const { kind, message } of notices) if (kind === 'absent') tellNotice(sync, message);
}

export function beginRun(
  sync: SyncContext,
  request: RunRequest,
  run: string,
  { facts }: Pick<Memory, 'facts'>,
): RunContext {
  sync.contacts.deletions.restore(facts.tombstones ?? {});
  return { ...sync, ...toJobRun(sync, request, run, facts), listNames: new Map(), lookedUp: new Map() };
}

/** G1, G2. */
export async function hold(context: RunContext, lease: RunLease, memory: Memory, decided: Decided): Promise<Ending> {
  const { run, config, undoes, choose, session } = context;
  const ending = heldEnding(memory.base, decided);
  // An undo is approved whole.
  const records =
    undoes === undefined && isHeldByRecords(decided.whole) ? heldRecords(decided.whole.changes) : undefined;
  await lease.noteRows(rowsSeen(decided.pulled.snapshot, new Map(), config.sheet));
  if (undoes === undefined && isOfWhole(decided, ending)) {
    if (memory.facts.watermark !== undefined) await lease.commit({ facts: { put: new Map(), delete: ['watermark'] } });
    delete session.watermark;
  }
  const suspects = factChanges(memory.facts, suspectFacts(context, memory.facts, decided.whole));
  if (suspects.size > 0) await lease.commit({ facts: { put: suspects } });
  // I8: the next run may ask nothing of the kind, and its search may lag behind what was answered.
  const { links } = memory.base;
  const dated = withShownDates(context, { known: links, before: links }, new Map(), decided.input.now);
  // M9: a link that a new mapping or a column that is back changed is stored with what says so, by a run that is not held.
  const isAsStored = !isMappingNew(memory) && memory.isReopened !== true;
  // I5: people go on to edit a row while its run is held.
  const noted = [...decided.whole.strays].filter(([, { mayBeOf }]) => mayBeOf);
  const strays = new Map([...memory.base.strays, ...noted]);
  const { batch, isEmpty } = toBatch(memory, { links: dated, strays }, memory.facts, []);
  if (!isEmpty && isAsStored) await lease.commit(batch);
  // G6: a saved plan is held whole, so that an approval of some records waits for the next run.
  const asked = choose ? [...memory.pending].filter(([, { kind }]) => kind !== 'approve-records') : memory.pending;
  const known = { ...memory, pending: new Map(asked) };
  return { ...ending, ...(await holdRun(lease, known, run, { ...ending, ...(records && { records }) }, undoes)) };
}

/**
 * G4: only a reading of all contacts shows who is missing, and asks the service again what it answered before. Changes alone would
 * show a plan that nothing holds: the hold would end with its cause still there, and its approval would let nothing through. So every
 * run reads all contacts until nothing is held, as after a change of the mapping (M9).
 */
function isOfWhole({ input, whole, pulled }: Decided, { planned }: Pick<Ending, 'planned'>): boolean {
  return (pulled.isFull && planned.missing > 0) || isAnsweredAnew(input, whole);
}

/** Push both sides, then let the base follow from what they were confirmed to hold. */
export async function carryOut(
  context: RunContext,
  lease: RunLease,
  memory: Memory,
  pulled: Pulled,
  decided: Decided,
): Promise<Ending> {
  const { input, plan, whole } = decided;
  const facts = factsOf(context, memory, pulled, decided);
  // G2, G6: before any write. If the process ends among the writes, the rest must not pass as a plan within the limits, and
  // the approval must not let anything else through.
  const begun = beginApproval(context, memory, decided);
  const noted = factChanges(memory.facts, { ...(decided.stillHeld && { held: facts.held ?? null }), ...begun });
  const isStillOfWhole =
    decided.stillHeld !== undefined && decided.stillHeld.holds.length > 0 && isOfWhole(decided, decided.stillHeld);
  const isPlaceOver = isMappingNew(memory) || isFilterNew(context.config, memory.facts) || isStillOfWhole;
  const forgotten = isPlaceOver ? memory.facts.watermark : undefined;
  if (noted.size > 0 || forgotten !== undefined)
    await lease.commit({ facts: { put: noted, ...(forgotten !== undefined && { delete: ['watermark'] }) } });
  const stored = forgotten === undefined ? memory.facts : withoutPlace(context, memory.facts);
  const known = { ...memory, facts: { ...stored, ...begun } };
  const journal = openJournal(context, lease, known, decided, facts);
  const book = openLedger(lease, memory);
  // I10: entries go on with the contact that was entered again, also while the configuration has no automation.
  if (context.config.automation || plan.wishes.size > 0) await noteWishes(lease, book, memory, decided, journal);
  const toCrm = await pushToCrm(context, pulled.scope, decided, journal);
  const cancels = opsOf(plan.changes, 'cancel');
  const rowsBack = await lookForRowsBack(context, pulled.snapshot, input.base, cancels);
  const cancelled = await cancelInCrm(context, { cancels, keptBack: rowsBack }, journal, book);
  const enrolled = await enrolInCrm(context, book, pulled, decided, cancelled, journal);
  const soFar = joined(toCrm, cancelled, enrolled.outcomes);
  if (context.config.automation) await noteOwnContacts(book, decided, soFar);
  const untilSheet = settle(input, plan, soFar);
  const own = createOwnCells(rowPauses(input), (key) => ownHeader(context.config, key));
  const sheetChanges = planSheetChanges(input, plan, soFar).filter(({ op }) => op !== 'remove');
  const sheetPush = {
    changes: sheetChanges,
    problems: ofUndo(context, [...withoutDecided(untilSheet.problems, sheetChanges), ...enrolled.problems], soFar),
    wishResults: enrolled.results,
    refusedRows: rowsRefused(input, untilSheet),
    unchosenRows: new Set(unchosenOf(decided).flatMap(({ row }) => row ?? [])),
    blankRows: plan.blankRows,
    own,
    ...(context.undoes !== undefined && {
      undone: undoneRows(context.undoes, plan.changes),
      leaving: new Set(opsOf(plan.changes, 'remove').flatMap(({ row }) => row ?? [])),
    }),
  };
  const inSheet = await pushToSheet(context, pulled.snapshot, sheetPush, journal);
  const deletes = findDueDeletes(input, whole, joined(soFar, inSheet), plan.changes);
  const ofCrm = opsOf(deletes.changes, 'delete');
  await journal.mark(takenBackLinks(plan, deletes.changes), { tombstones: tombstonesWith(context, ofCrm) });
  const keptBack = await lookForRowsBack(context, pulled.snapshot, input.base, ofCrm);
  const deleted = await deleteFromCrm(context, pulled.scope, decided, { deletes: ofCrm, keptBack }, journal);
  const removed = await removeRows(context, pulled.snapshot, opsOf(deletes.changes, 'remove'), journal);
  // W9: in the run that left them, so that the next one has nothing to write. Without the signal: what is begun is finished.
  if (!context.request.signal.aborted) await context.table.clearMarks();
  const outcomes = joined(soFar, inSheet, deleted, removed);
  const settled = withOwnCells(settle(input, plan, outcomes), own, context.request.signal.aborted);
  const open = [...problemsOfPull(pulled), ...settled.problems, ...enrolled.problems, ...deletes.problems];
  const problems = ofUndo(context, withRetryTimes(input, settled, open), outcomes);
  const holds = decided.stillHeld?.holds ?? [];
  const planned = toDo(plan, sheetPush.changes, enrolled);
  const left = leftOf(context, planned, outcomes);
  const stopped = stoppedAt(planned, left, outcomes);
  const ending: Ending = {
    status: statusWhenStopped(statusOf(holds, problems), stopped),
    ...stopped,
    ...(decided.alreadyDone !== undefined && { alreadyDone: decided.alreadyDone }),
    isFull: pulled.isFull,
    counts: countRun(countLinked(toBatch(memory, settled, facts, []).base), problems, outcomes),
    problems,
    holds,
    planned: decided.stillHeld?.planned ?? plan.counts,
    // E6: wishes wait for an approval, while the rest of the run went on.
    ...(facts.held && { approvable: facts.held.run }),
  };
  const place = isStillOfWhole ? {} : nextPlace(context, { ...pulled, forgotten }, decided, settled);
  await journal.end(
    settled,
    {
      table: pulled.snapshot.memory,
      tombstones: context.contacts.deletions.all(),
      // S8: it says nothing of the records that an undo does not touch.
      ...(context.undoes === undefined
        ? { lastRun: lastRunOf(context, ending, contentsByRow(pulled)) }
        : noHeldUndo(memory)),
      ...noteFacts(memory.facts, pulled.noted),
      ...columnFacts(memory.facts, pulled.snapshot, context.undoes !== undefined),
      ...place,
      ...(left.length === 0 && isOfThis(known) && { begun: null }),
    },
    left,
  );
  Object.assign(context.session, place);
  await lease.noteRows(rowsSeen(untilLastFilled(pulled.snapshot, plan.blankRows), outcomes, context.config.sheet));
  return ending;
}

/**
 * M9, L5: the first thing that this run stores has the new order of the fields, or the new filter, by which the next run could not
 * know any more that a column joined, or that other contacts are meant. Where this run does not read and merge every contact,
 * because it is an undo, a page fails or the process ends, the next one has to. So the place of the last scan goes before that, and
 * comes back at the end.
 */
function withoutPlace({ session }: RunContext, { watermark: _watermark, ...facts }: Facts): Facts {
  delete session.watermark;
  return facts;
}

/**
 * G2: what this run does under an approval of the whole plan, or what an earlier run began to do; empty: there is no approval, or
 * what a run of the sync began is still open. An undo leaves that as it is (S8): its own approval lets nothing but the undo through.
 */
function beginApproval(
  { undoes }: RunContext,
  { facts, pending, requests }: Memory,
  { input, plan }: Decided,
): Pick<Facts, 'begun'> {
  const request = approvalIn(pending);
  if (request === undefined) return {};
  if (requests.begun) return { begun: facts.begun! };
  if (undoes !== undefined && facts.begun) return {};
  const changes = [...countedKeys(input, plan.changes), ...plan.movedWishes.map(movedWishKey)];
  return changes.length > 0 ? { begun: { request, changes } } : {};
}

/** Whether what was begun belongs to an approval of this run, and not to one of an undo, or the other way round (S8). */
function isOfThis({ facts: { begun }, pending }: Memory): boolean {
  return begun ? pending.has(begun.request) : false;
}

/** M1: the status of a row is written with its cells, and these end the conflict that a person decided. */
function withoutDecided(problems: readonly Problem[], changes: readonly Change[]): readonly Problem[] {
  const isSet = new Set(
    changes.flatMap(({ op, uuid, row, fields }) =>
      op === 'set' ? fields.map(({ field }) => problemId(uuid, row, field)) : [],
    ),
  );
  return problems.filter(({ kind, id }) => kind !== 'conflict' || !isSet.has(id));
}

function ofUndo({ undoes }: RunContext, problems: readonly Problem[], outcomes: Outcomes): readonly Problem[] {
  if (undoes === undefined) return problems;
  const untaken = [...outcomes].flatMap(([{ op, uuid }, { kind }]) =>
    op !== 'set' && (kind === 'refused' || kind === 'failed') ? (uuid ?? []) : [],
  );
  return leftByUndo(problems, undoes, new Set(untaken));
}

/** S8: what was held is done. */
function noHeldUndo({ facts }: Memory): Pick<Facts, 'heldUndo'> {
  return facts.heldUndo ? { heldUndo: null } : {};
}

/** S7. */
function takenBackLinks(plan: Decided['plan'], changes: readonly Change[]): ReadonlyMap<string, Link> {
  return new Map(
    changes.flatMap((change) => {
      const link = takenBackLink(plan, change);
      return link && change.uuid !== null ? [[change.uuid, link] as const] : [];
    }),
  );
}

/** I8: with those of contacts that are about to be deleted. If the process ends among these calls, the service shows some of them for a while. */
function tombstonesWith({ contacts, crm }: RunContext, deletes: readonly Change[]): NonNullable<Facts['tombstones']> {
  const leaving = deletes.flatMap(({ uuid }) => (uuid === null ? [] : [[uuid, crm.now()] as const]));
  return { ...contacts.deletions.all(), ...Object.fromEntries(leaving) };
}

/** S8: by row number. */
function undoneRows(run: string, changes: readonly Change[]): ReadonlyMap<number, string> {
  return new Map(changes.flatMap(({ row }) => (row === null ? [] : [[row, undoneStatus(run)] as const])));
}

function opsOf(changes: readonly Change[], wanted: Change['op']): readonly Change[] {
  return changes.filter(({ op }) => op === wanted);
}
