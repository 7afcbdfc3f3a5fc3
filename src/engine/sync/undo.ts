// The run that takes an earlier run back (S4, S7, S8): pull, plan the undo alone, guard, push, settle.
import { type Answers, noAnswers, type ContactAnswer, type PlanInput } from '../../sync/input.ts';
import { planUndoRun } from '../../sync/undo/undo.ts';
import { type PastRun, uuidsOfPast } from '../../sync/undo/past.ts';
import { RunFailed } from '../errors.ts';
import { planWithoutLease, runUnderLease } from '../frame.ts';
import type { Planned, RunRequest } from '../job.ts';
import { scanCall } from '../read-calls.ts';
import type { RunReport } from '../report.ts';
import { readSync, type StoredSync } from '../stored/stored.ts';
import { anotherPlan, cutShort, type DecidedUndo, digestOfUndo, tellUndo, type Undoing } from '../undo.ts';
import { chooseSaved, toSavedPlan } from './choose-saved.ts';
import type { RunContext, SyncContext } from './context.ts';
import { decide, type Decided } from './decide.ts';
import { plannedEnding } from './ending.ts';
import { tellInterrupted } from './interrupted.ts';
import { noteLooked } from './looked-up.ts';
import { type Memory, recall } from './memory.ts';
import { pastOf } from './past.ts';
import { isInScope, prepare, pull, type Pulled } from './pull.ts';
import { beginRun, carryOut, hold } from './run.ts';

/** The changes that would take the run back, and everything else with its reason; writes nothing anywhere. */
export function planSyncUndo(sync: SyncContext, undoing: Undoing, request: RunRequest): Promise<Planned> {
  return planWithoutLease(sync, request, readSync, async (run, stored) => {
    assertTold(stored, undoing.run, sync.config.name);
    const memory = recall(stored, sync.shape.mapping, undoing.run);
    const context = { ...beginRun(sync, request, run, memory), undoes: undoing.run };
    const { past, read, answers } = await readUndone(context, memory, undoing, stored);
    const decided = await decide(context, memory, read, answers, planOf(past, undoing));
    return {
      ending: plannedEnding(decided),
      changes: decided.plan.changes,
      saved: toSavedPlan(sync.config.name, run, request.isFull, decided),
      isCustom: sync.shape.isCustom,
    };
  });
}

/** Carries out the plan that a person saw, and nothing if it is another one by now. */
export function undoSync(
  sync: SyncContext,
  undoing: Undoing,
  { origin, what }: DecidedUndo,
  request: RunRequest,
): Promise<RunReport> {
  return runUnderLease(sync, request, readSync, async (run, lease, stored, asked) => {
    delete sync.session.quiet;
    assertTold(stored, undoing.run, sync.config.name);
    const memory = recall(stored, sync.shape.mapping, undoing.run);
    await tellInterrupted(lease, memory.interrupted);
    const context: RunContext = {
      ...beginRun(sync, asked, run, memory),
      undoes: undoing.run,
      ...('saved' in what && { choose: (changes, input) => chooseSaved(what.saved, changes, input) }),
    };
    const { past, read, answers } = await readUndone(context, memory, undoing, stored);
    let decided = await decide(context, memory, read, answers, planOf(past, undoing));
    if (decided.plan.holds.length === 0) {
      const prepared = await prepare(context, memory, decided.pulled);
      if (prepared !== decided.pulled)
        decided = await decide(context, memory, prepared, decided.input.answers, planOf(past, undoing));
    }
    if (decided.plan.holds.length > 0) return hold(context, lease, memory, decided);
    if ('digest' in what && what.digest !== digestOfUndo(decided.plan.changes))
      throw new RunFailed(anotherPlan(undoing.run));
    await tellUndo(context, lease, undoing, origin, decided.plan);
    return carryOut(context, lease, memory, decided.pulled, decided);
  });
}

/** The last step of a run that was cut short gets into the history at the beginning of the next run. */
function assertTold({ steps }: StoredSync, run: string, sync: string): void {
  const isOpen = [...steps.values()].some(({ lines }) => lines.some((line) => line.run === run));
  if (isOpen) throw new RunFailed(cutShort(run, sync));
}

function planOf(past: PastRun, { run, deletesCreated, field }: Undoing): (input: PlanInput) => Decided['plan'] {
  return (input) => planUndoRun(input, past, { run, deletesCreated, isOfField: field !== undefined });
}

/** One search asks for so many contacts. */
const askedAtOnce = 100;

/** Both sides, and each contact of the undo by its uuid: an incremental reading shows only what changed lately. */
async function readUndone(
  context: RunContext,
  memory: Memory,
  { lines }: Undoing,
  { ledger }: Pick<StoredSync, 'ledger'>,
): Promise<{ readonly past: PastRun; readonly read: Pulled; readonly answers: Answers }> {
  const names = new Map([...ledger].flatMap(([key, { name }]) => (name ? [[key.split(' ')[1] ?? '', name]] : [])));
  const past = pastOf(lines, (automation) => names.get(automation) ?? automation);
  const read = await pull(context, memory, false);
  if (read === 'idle') throw new Error('an undo is always made from readings');
  if (read.crm.coverage === 'whole') return { past, read, answers: noAnswers };
  const known = new Set(read.crm.contacts.map(({ uuid }) => uuid));
  const uuids = uuidsOfPast(past).filter((uuid) => memory.base.links.has(uuid) && !known.has(uuid));
  const contacts = [...read.crm.contacts];
  const answered = new Map<string, ContactAnswer>();
  for (let start = 0; start < uuids.length; start += askedAtOnce) {
    const asked = uuids.slice(start, start + askedAtOnce);
    const found = await context.contacts.get(asked, scanCall(context));
    for (const uuid of asked) {
      const contact = found.get(uuid);
      // L1: it was perhaps asked for alone, which does not lag, where the search of the next run still does.
      if (contact) noteLooked(context, contact);
      if (!contact) answered.set(uuid, { kind: 'gone' });
      else if (isInScope(contact, read.scope)) contacts.push(context.shape.toRecord(contact));
      else answered.set(uuid, { kind: 'elsewhere', uuid, where: 'in another list' });
    }
  }
  return { past, read: { ...read, crm: { ...read.crm, contacts } }, answers: { ...noAnswers, contacts: answered } };
}
