// After both pushes: what the sides were confirmed to hold becomes the base, from results and never from intentions (L3).
import { lastSeen, type Link, type Stray } from './base.ts';
import { type Change, type Problem, problem, problemId } from './change.ts';
import { confirmCrm } from './confirm.ts';
import { copiesOf } from './copies.ts';
import type { PlanInput } from './input.ts';
import { isReadFromCrm } from './mapping.ts';
import type { RecordMerge } from './merge-record.ts';
import type { Outcome, Outcomes } from './outcome.ts';
import { nextRefusal, withRefusedSet } from './refusal.ts';
import type { Plan } from './plan.ts';
import { blankRow, linkOfState, mergeState, type RecordState, stateOf, withCells } from './record-state.ts';
import { type RowRecord, unpack } from './record.ts';
import { failedRow, pausedInSync, rowPauses, settleRows } from './row-refusal.ts';

export interface Settled {
  /** Only what differs from the base. null: forgotten. */
  readonly links: ReadonlyMap<string, Link | null>;
  readonly strays: ReadonlyMap<string, Stray>;
  /** Those of the plan that still stand, and those of the push. */
  readonly problems: readonly Problem[];
  /** Ids of problems: fields that were sent and for which another value came back (M5). The write itself is done. */
  readonly replaced: ReadonlySet<string>;
}

/** `outcomes`: of the CRM changes of the plan and of what `resume` made of it. What has none was not begun. */
export function settle(input: PlanInput, plan: Plan, outcomes: Outcomes): Settled {
  const links = new Map(plan.links);
  const { states, strays: ofRows, problems: ofCrm } = confirmCrm(input, plan, outcomes);
  const pauses = rowPauses(input);
  const strays = settleRows(pauses, ofRows, outcomes, pausedInSync);
  const problems = [...ofCrm];
  /** By uuid: why the spreadsheet refused to set cells. */
  const refusedSets = new Map<string, string>();
  for (const [change, outcome] of outcomes) {
    if (change.op === 'set' || change.op === 'append') settleCells(change, outcome);
    else if (change.op === 'delete' || change.op === 'cancel' || change.op === 'remove') settleGone(change, outcome);
  }
  for (const [uuid, state] of states) {
    const merged = mergeState(input, state);
    links.set(uuid, linkOfState(state, merged));
    problems.push(...merged.problems, ...state.problems, ...sentAgain(state, merged));
  }
  for (const [uuid, message] of refusedSets) {
    const link = links.get(uuid) ?? input.base.links.get(uuid);
    if (link) links.set(uuid, withRefusedSet(link, input.base.links.get(uuid), message, input.now));
  }
  // A record that was merged again tells anew what is open with its fields; who holds a key is not its own business (I7).
  const standing = plan.problems.filter(
    ({ uuid, field, rule }) => uuid === null || field === null || rule === 'I7' || !states.has(uuid),
  );
  const replaced = [...states.values()].flatMap((state) =>
    state.replaced.map((field) => problemId(state.uuid, state.row.number, field)),
  );
  return { links, strays, problems: [...standing, ...problems], replaced: new Set(replaced) };

  /** M5, L12: another value came back, and the policy is for what was sent: the next run sends it over that. */
  function sentAgain({ uuid, row, replaced: sent }: RecordState, { toCrm }: RecordMerge): readonly Problem[] {
    return toCrm.flatMap(({ field }) => {
      const header = input.mapping.fields.find(({ name }) => name === field)?.header ?? field;
      const reason = `${header}: changed in the CRM while it was being written: planned again`;
      return sent.includes(field) ? [problem('waiting', { uuid, row: row.number, field }, 'M5', reason)] : [];
    });
  }

  function settleCells(change: Change, outcome: Outcome): void {
    const uuid = change.uuid ?? '';
    const person = plan.people.get(uuid);
    const isAppend = change.op === 'append';
    if (change.op === 'set' && outcome.kind === 'refused') refusedSets.set(uuid, outcome.message);
    // Of a contact that this run created nobody is known but its state.
    const row = isAppend ? blankRow(input.mapping, uuid) : (states.get(uuid)?.row ?? person?.row);
    const state =
      states.get(uuid) ?? (person && row ? stateOf(input, person, row, copiesOf(plan, input, uuid)) : undefined);
    if (outcome.kind !== 'done') return void problems.push(failedRow(pauses, strays, change, outcome));
    if (!state || !row) return;
    const start = isAppend ? ofNewRow(state, row) : state;
    states.set(uuid, withCells(input.mapping, start, change, outcome.stored ?? {}));
  }

  /** What is only ever sent has no cell in the new row yet, and was not emptied there (M4). */
  function ofNewRow(state: RecordState, row: RowRecord): RecordState {
    const { fields } = input.mapping;
    const base = state.base.map((value, index) => (isReadFromCrm(fields[index]!) ? value : undefined));
    return { ...state, base, sheet: unpack(row.values) };
  }

  function settleGone(change: Change, outcome: Outcome): void {
    const uuid = change.uuid ?? '';
    if (outcome.kind === 'refused') keepRefusal(change, outcome.message);
    if (outcome.kind !== 'done') problems.push(failedRow(pauses, strays, change, outcome));
    else if (change.op !== 'cancel') links.set(uuid, null);
    else if (change.rule === 'D1') mourn(uuid);
  }

  /** W5: of a wish that was withdrawn the ledger keeps it (E5). */
  function keepRefusal({ op, rule, uuid }: Change, message: string): void {
    const link = links.get(uuid ?? '') ?? plan.people.get(uuid ?? '')?.link;
    if (!link || uuid === null || (op !== 'delete' && op !== 'cancel') || rule === 'E5') return;
    const held = { values: lastSeen(link, 'crm') };
    const refusal = nextRefusal(link.refusals?.[op], message, held, input.now);
    links.set(uuid, { ...link, isOpen: true, refusals: { ...link.refusals, [op]: refusal } });
  }

  /** Cancelled everywhere, and left alone from now on, as by `ignore` (D1). */
  function mourn(uuid: string): void {
    const link = plan.links.get(uuid) ?? plan.people.get(uuid)?.link;
    if (!link) return;
    const { isOpen: _isOpen, ...rest } = link;
    links.set(uuid, { ...rest, standing: 'row-gone' });
  }
}
