// What an undo takes back, and the decision to do it: shared by all kinds of jobs (S8).
import { createHash } from 'node:crypto';
import type { HistoryLine, Lease } from '../state/port.ts';
import type { Change } from '../sync/change.ts';
import type { PlanCounts } from '../sync/input.ts';
import type { DecisionOrigin, Seen } from './decision.ts';
import type { SavedPlan } from './saved-plan.ts';
import { asStoredRecord } from './stored/json.ts';

/** The run, and the part of it, that is taken back. */
export interface Undoing {
  /** The id of the run. */
  readonly run: string;
  /** The lines of the history about it, oldest first, as far as it is meant. */
  readonly lines: readonly HistoryLine[];
  /** Contacts that the run created are deleted, unless they changed since. */
  readonly deletesCreated: boolean;
  /** The one field that is meant. Left out: all. */
  readonly field?: string;
}

/** A person saw a plan, and has it carried out: exactly the changes of that digest, or those of a saved plan. */
export interface DecidedUndo {
  readonly origin: Omit<DecisionOrigin, 'seen'>;
  readonly what: { readonly digest: string } | { readonly saved: SavedPlan };
}

/** Two plans with the same digest change the same records in the same way. Rows may have moved. */
export function digestOfUndo(changes: readonly Pick<Change, 'side' | 'op' | 'uuid' | 'fields'>[]): string {
  const texts = changes.map(({ side, op, uuid, fields }) =>
    JSON.stringify([side, op, uuid, fields.map(({ field, before, after }) => [field, before ?? null, after])]),
  );
  return createHash('sha256').update(texts.toSorted().join('\n')).digest('hex');
}

/** Why nothing is done: only the next run tells what became of the last step, and writes it into the history. */
export function cutShort(run: string, sync: string): string {
  return `run ${run} was cut short, and no run has looked at its last step since: leadsheet sync ${sync} first`;
}

/** Why nothing was done: the person has to look at the plan again. */
export function anotherPlan(run: string): string {
  return `nothing was taken back: the undo of ${run} is another plan by now than the one that was seen`;
}

/** The run that takes another back. */
interface Undoer {
  readonly run: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly config: { readonly name: string };
}

/** Writes the decision into the history before anything is done because of it. `planned`: what the person saw. */
export async function tellUndo(
  { run, now, config }: Undoer,
  lease: Pick<Lease, 'appendHistory'>,
  { run: undone }: Undoing,
  { by, at, through, text }: DecidedUndo['origin'],
  { counts, changes }: { readonly counts: PlanCounts; readonly changes: readonly Change[] },
): Promise<void> {
  const seen: Seen = { counts, reasons: [], digest: digestOfUndo(changes) };
  const about = { time: new Date(now()).toISOString(), sync: config.name, run };
  const what = { decision: 'undo', id: undone, contact: null, row: null, field: null, outcome: 'taken' };
  await lease.appendHistory([{ ...about, ...what, text, by, decided_at: at, through, seen: asStoredRecord(seen) }]);
}
