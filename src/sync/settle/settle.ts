// After both pushes: what the sides were confirmed to hold becomes the base. It follows from outcomes, never from the
// plan (L3).
import { lastSeen, type Link, type Stray, withUnknownOutcome } from '../record/base.ts';
import { type Change, type Problem, problem, problemId } from '../change.ts';
import { confirmCrm } from './confirm.ts';
import {
  copiesOf,
  blankRow,
  createStateMerge,
  type IsAllowed,
  linkOfState,
  type RecordState,
  stateOf,
  withCells,
} from './record-state.ts';
import type { PlanInput } from '../input.ts';
import type { RecordMerge } from '../merge/merge-record.ts';
import type { Misplaced, Outcome, Outcomes } from '../outcome.ts';
import { nextRefusal, withRefusedSet } from '../record/refusal.ts';
import type { Plan } from '../plan.ts';
import { type RowRecord, unpack } from '../record/record.ts';
import { isMerged, withAppended, withSent } from '../record/sent.ts';
import { failedRow, pausedInSync, rowPauses, settleRows } from '../row-refusal.ts';

export interface Settled {
  /** Only links that differ from the base. null: forget the link. */
  readonly links: ReadonlyMap<string, Link | null>;
  readonly strays: ReadonlyMap<string, Stray>;
  /** The problems of the plan that remain, and those of the pushes. */
  readonly problems: readonly Problem[];
  /** Ids of problems: fields that were sent and for which another value came back (M5). The write itself is done. */
  readonly replaced: ReadonlySet<string>;
}

/** `outcomes`: of the CRM changes of the plan and of `planSheetChanges`. A change without an outcome was not begun. */
export function settle(input: PlanInput, plan: Plan, outcomes: Outcomes): Settled {
  const links = new Map(plan.links);
  const { states, strays: ofRows, problems: ofCrm } = confirmCrm(input, plan, outcomes);
  const pauses = rowPauses(input);
  const strays = settleRows(pauses, ofRows, outcomes, pausedInSync);
  const problems = [...ofCrm];
  const newRow = blankRow(input);
  /** By uuid: why the spreadsheet refused to set cells. */
  const refusedSets = new Map<string, string>();
  /** Cells and rows of which it is unknown whether they were written. */
  const unknownSets: Change[] = [];
  const unknownAppends: Change[] = [];
  for (const [change, outcome] of outcomes) {
    if (change.op === 'set' || change.op === 'append') settleCells(change, outcome);
    else if (change.op === 'delete' || change.op === 'cancel' || change.op === 'remove') settleRemoval(change, outcome);
  }
  const mergeState = createStateMerge(input);
  const isAllowed = plan.isUndo && allowedByUndo(plan, states);
  for (const [uuid, state] of states) {
    const merged = mergeState(state);
    links.set(uuid, linkOfState(state, merged, isAllowed || undefined));
    problems.push(...merged.problems, ...state.problems, ...sentAgain(state, merged), ...emptiedLater(state, merged));
  }
  for (const [uuid, message] of refusedSets) {
    const link = links.get(uuid) ?? input.base.links.get(uuid);
    if (link) links.set(uuid, withRefusedSet(link, input.base.links.get(uuid), message, input.now));
  }
  for (const { uuid, fields } of unknownSets) {
    const link = links.get(uuid ?? '') ?? input.base.links.get(uuid ?? '');
    const sent = fields
      .filter(({ rule }) => isMerged(rule, 'sheet'))
      .map(({ field, before, after }) => ({ side: 'sheet' as const, field, before, after }));
    if (link) links.set(uuid ?? '', withSent(link, sent));
  }
  for (const { uuid, fields } of unknownAppends) {
    const link = links.get(uuid ?? '') ?? input.base.links.get(uuid ?? '');
    if (link) links.set(uuid ?? '', withAppended(link, input.base.fields, fields));
  }
  for (const [{ row }, outcome] of outcomes) if ('misplaced' in outcome) settleMisplaced(outcome.misplaced, row);
  // The new merge of a record reports its open fields again. Which contact holds a key (I7), and what an undo leaves (S4),
  // only the plan knows.
  const standing = plan.problems.filter(
    ({ uuid, field, rule }) => uuid === null || field === null || rule === 'I7' || rule === 'S4' || !states.has(uuid),
  );
  const replaced = [...states.values()].flatMap((state) =>
    state.replaced.map((field) => problemId(state.uuid, state.row.number, field)),
  );
  return { links, strays, problems: [...standing, ...problems], replaced: new Set(replaced) };

  /**
   * M5, L12: the service answered another value, and the policy applies to what was sent: the next run sends that again.
   */
  function sentAgain({ uuid, row, replaced: sent }: RecordState, { toCrm }: RecordMerge): readonly Problem[] {
    return toCrm.flatMap(({ field }) => {
      const header = input.mapping.fields.find(({ name }) => name === field)?.header ?? field;
      const reason = `${header}: changed in the CRM while it was being written: planned again`;
      return sent.includes(field) ? [problem('waiting', { uuid, row: row.number, field }, 'M5', reason)] : [];
    });
  }

  /** G2: somebody emptied the field while the run wrote others of the record. The next run counts that and carries it out. */
  function emptiedLater({ uuid, row, emptied }: RecordState, { toSheet }: RecordMerge): readonly Problem[] {
    return toSheet.flatMap(({ field, after }) => {
      if (after !== null || !emptied.includes(field)) return [];
      const header = input.mapping.fields.find(({ name }) => name === field)?.header ?? field;
      const reason = `${header}: emptied in the CRM while the record was being written: planned again`;
      return [problem('waiting', { uuid, row: row.number, field }, 'G2', reason)];
    });
  }

  /** W1, M4: nothing else shows that the contact holds what was meant for another one. What its own cell holds is sent again. */
  function settleMisplaced(misplaced: Misplaced['misplaced'], from: number | null): void {
    const { uuid = '', fields = [] } = misplaced ?? {};
    const link = links.get(uuid) ?? input.base.links.get(uuid);
    if (!link) return;
    const sent = fields.map(({ field, after }) => ({ side: 'crm' as const, field, after }));
    links.set(
      uuid,
      withSent(withUnknownOutcome(link, input.base.fields, new Set(sent.map(({ field }) => field))), sent),
    );
    const headers = input.mapping.fields.flatMap(({ name, header }) =>
      sent.some(({ field }) => field === name) ? [header] : [],
    );
    const reason = `${headers.join(' and ')}: the service gave this contact what row ${from} has; what its own row has is sent again`;
    const row = input.sheet.rows.find(({ id }) => id === uuid)?.number ?? null;
    problems.push(problem('waiting', { uuid, row }, 'W4', reason));
  }

  /** S4: no run makes a row anew for an undo, or deletes one, so that no command has that tried again. */
  function told({ op }: Change): Pick<typeof pauses, 'retry'> {
    return plan.isUndo && op !== 'set' ? { retry: undefined } : pauses;
  }

  function settleCells(change: Change, outcome: Outcome): void {
    const uuid = change.uuid ?? '';
    const person = plan.people.get(uuid);
    const isAppend = change.op === 'append';
    if (change.op === 'set' && outcome.kind === 'refused') refusedSets.set(uuid, outcome.message);
    // A contact that this run created is not among the people of the plan: only its state is known.
    const row = isAppend ? { ...newRow, id: uuid } : (states.get(uuid)?.row ?? person?.row);
    const state =
      states.get(uuid) ?? (person && row ? stateOf(input, person, row, copiesOf(plan, input, uuid)) : undefined);
    if (outcome.kind === 'unknown') (isAppend ? unknownAppends : unknownSets).push(change);
    if (outcome.kind !== 'done') problems.push(failedRow(told(change), strays, change, outcome));
    // L1: of a set whose ID alone was refused the cells are written. Else the next run would take them for a person's edit.
    const stored = outcome.kind === 'done' ? (outcome.stored ?? {}) : 'stored' in outcome && outcome.stored;
    if (!stored || !state || !row) return;
    const start = isAppend ? ofNewRow(state, row, change) : state;
    const { op, fields } = change;
    const confirmed = outcome.kind === 'done' ? change : { op, fields };
    states.set(uuid, withCells(input.mapping, start, confirmed, stored));
  }

  /**
   * M4: a column that is only sent has no cell in the new row yet, and neither has a value that no cell takes (V6). It was not
   * emptied there.
   */
  function ofNewRow(state: RecordState, row: RowRecord, { fields: given }: Change): RecordState {
    const names = new Set(given.map(({ field }) => field));
    const base = state.base.map((value, index) => (names.has(input.mapping.fields[index]!.name) ? value : undefined));
    return { ...state, base, sheet: unpack(row.values) };
  }

  function settleRemoval(change: Change, outcome: Outcome): void {
    const uuid = change.uuid ?? '';
    if (outcome.kind === 'refused') keepRefusal(change, outcome.message);
    if (outcome.kind !== 'done') problems.push(failedRow(told(change), strays, change, outcome));
    // It may be gone: if it is not, the next run finds it and goes on with it.
    if (outcome.kind === 'unknown' && change.rule === 'S7') links.set(uuid, takenBackLink(plan, change));
    if (outcome.kind !== 'done') return;
    if (change.op !== 'cancel') links.set(uuid, takenBackLink(plan, change));
    else if (change.rule === 'D1') markRowGone(uuid);
  }

  /** W5. The refusal of a cancel for a withdrawn wish stands in the ledger (E5). */
  function keepRefusal({ op, rule, uuid }: Change, message: string): void {
    const link = links.get(uuid ?? '') ?? plan.people.get(uuid ?? '')?.link;
    if (!link || uuid === null || (op !== 'delete' && op !== 'cancel') || rule === 'E5') return;
    const held = { values: lastSeen(link, 'crm') };
    const refusal = nextRefusal(link.refusals?.[op], message, held, input.now);
    links.set(uuid, { ...link, isOpen: true, refusals: { ...link.refusals, [op]: refusal } });
  }

  /** D1: its automations are cancelled. From now on it is left alone, as with `on_row_deleted: ignore`. */
  function markRowGone(uuid: string): void {
    const link = plan.links.get(uuid) ?? plan.people.get(uuid)?.link;
    if (!link) return;
    const { isOpen: _isOpen, ...rest } = link;
    links.set(uuid, { ...rest, standing: 'row-gone' });
  }
}

/**
 * G2, S8: the limits let through what an undo puts back, and what the service computes from that. What else is to be done for its
 * records counts in the next run.
 */
function allowedByUndo(
  { changes, people }: Pick<Plan, 'changes' | 'people'>,
  states: ReadonlyMap<string, RecordState>,
): IsAllowed {
  const planned = new Set(changes.flatMap(({ uuid, fields }) => fields.map(({ field }) => `${uuid} ${field}`)));
  return (uuid, { field, after }) =>
    planned.has(`${uuid} ${field}`) ||
    states.get(uuid)?.computed.includes(field) === true ||
    people.get(uuid)?.link?.counted?.[field] === after;
}

/**
 * S7: the link of a record whose row or contact an undo deletes. Without it the next run would append the row anew, delete
 * the contact with its row, or create the contact again. null: any other deletion, after which nothing is left.
 */
export function takenBackLink(plan: Pick<Plan, 'people'>, { op, rule, reason, uuid }: Change): Link | null {
  const link = plan.people.get(uuid ?? '')?.link;
  if (rule !== 'S7' || !link) return null;
  const { isOpen: _isOpen, isUnsure: _isUnsure, missedScans: _missedScans, standsFor: _standsFor, ...rest } = link;
  return op === 'delete' ? { ...rest, standing: 'contact-gone', standsFor: reason } : { ...rest, standing: 'row-gone' };
}
