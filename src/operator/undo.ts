// Takes a run back: the plan of an undo, and the undo of a plan that a person saw (S8).
import type { Job } from '../engine/job.ts';
import type { PlanReport, RunReport } from '../engine/report.ts';
import type { SavedPlan } from '../engine/saved-plan.ts';
import { anotherPlan, type DecidedUndo, digestOfUndo, type Undoing } from '../engine/undo.ts';
import type { UndoAnswer, UndoPlanAnswer } from './answers/undo.ts';
import type { Decider } from './decide.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';
import { planToAnswer, runToAnswer } from './reports.ts';
import { readUndoable, type UndoFilter } from './undoable.ts';

/** The operator layer with the jobs: an undo reads and writes both sides. */
export interface UndoOperator extends Operator {
  readonly jobs: ReadonlyMap<string, Job>;
}

export interface UndoRequest extends UndoFilter {
  /** Contacts that the run created are deleted, unless they changed since. */
  readonly deletesCreated: boolean;
}

export interface UndoPlanned {
  readonly answer: UndoPlanAnswer;
  /** For terminals. */
  readonly report: PlanReport;
  /** The contacts that the request names, by uuid. Left out: it names none. */
  readonly contacts?: readonly string[];
  /** For a file, and `undoSaved`. Left out: planning failed, or this kind saves no plans. */
  readonly saved?: SavedPlan;
}

/** Reads both sides and writes nothing. Throws OperatorError and StateError. */
export async function planUndo(
  operator: UndoOperator,
  request: UndoRequest,
  signal: AbortSignal,
): Promise<UndoPlanned> {
  const { job, undoing, notes, meant } = await prepareUndo(operator, request, signal);
  const { report, saved } = await job.planUndo!(undoing, { isFull: false, isAsked: true, signal });
  const digest = digestOfUndo(report.changes);
  const undoes = { run: request.run, ...meant, deletesCreated: request.deletesCreated };
  return {
    answer: { undoes: request.run, digest, notes: [...notes], plan: planToAnswer(report) },
    report,
    ...(meant.contacts && { contacts: meant.contacts }),
    ...(saved && { saved: { ...saved, undoes } }),
  };
}

export interface UndoDone {
  readonly answer: UndoAnswer;
  /** For terminals: the run, or the plan that it is by now. */
  readonly report: RunReport | PlanReport;
}

/**
 * Carries out the plan of this digest. If it is another plan by now, nothing is done, and the new plan is answered. Throws
 * OperatorError and StateError.
 */
export async function undo(
  operator: UndoOperator,
  decider: Decider,
  request: UndoRequest,
  { digest, signal }: { readonly digest: string; readonly signal: AbortSignal },
): Promise<UndoDone> {
  const report = await decideUndo(operator, decider, request, { digest }, signal);
  if (report.error !== anotherPlan(request.run))
    return { answer: { outcome: 'run', undoes: request.run, run: runToAnswer(report) }, report };
  const planned = await planUndo(operator, request, signal);
  return { answer: { outcome: 'another plan', undoes: request.run, plan: planned.answer }, report: planned.report };
}

/**
 * Carries out what a saved plan and a fresh one have alike; a record that changed since is refused by name (W3). Throws
 * OperatorError and StateError.
 */
export async function undoSaved(
  operator: UndoOperator,
  decider: Decider,
  saved: SavedPlan & { readonly undoes: NonNullable<SavedPlan['undoes']> },
  signal: AbortSignal,
): Promise<RunReport> {
  const { run, contacts, field, deletesCreated } = saved.undoes;
  const request = { run, deletesCreated, ...(contacts && { contacts }), ...(field !== undefined && { field }) };
  return decideUndo(operator, decider, request, { saved }, signal);
}

async function decideUndo(
  operator: UndoOperator,
  { by, through }: Decider,
  request: UndoRequest,
  what: DecidedUndo['what'],
  signal: AbortSignal,
): Promise<RunReport> {
  const { job, undoing, text } = await prepareUndo(operator, request, signal);
  const origin = { by, at: new Date(operator.now()).toISOString(), through, text };
  return job.undo!(undoing, { origin, what }, { isFull: false, isAsked: true, signal });
}

async function prepareUndo(operator: UndoOperator, request: UndoRequest, signal: AbortSignal) {
  const undoable = await readUndoable(operator, request, signal);
  const job = operator.jobs.get(undoable.name);
  if (!job?.planUndo || !job.undo) {
    throw new OperatorError(
      'nothing',
      `run ${request.run} is of the outbox ${undoable.name}: what it sent is sent, and nothing of it can be taken back`,
    );
  }
  const { lines, meant } = undoable;
  const undoing: Undoing = {
    run: request.run,
    lines,
    deletesCreated: request.deletesCreated,
    ...(meant.field !== undefined && { field: meant.field }),
  };
  const parts = [
    ...(undoable.meant.contacts ? [`of ${undoable.meant.contacts.join(', ')}`] : []),
    ...(undoable.meant.field === undefined ? [] : [`the field ${undoable.meant.field}`]),
    ...(request.deletesCreated ? ['and contacts that it created are deleted'] : []),
  ];
  const text = [`undo of ${request.run}`, ...parts].join(', ');
  return { ...undoable, job, undoing, text };
}
