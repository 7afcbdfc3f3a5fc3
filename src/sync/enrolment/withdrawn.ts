// Wishes that were taken out of their cell (E5).
import { problem } from '../change.ts';
import type { Automation, PlanInput } from '../input.ts';
import { callsOf, cancelledEntry, hourMs, isDone, type LedgerEntry, ledgerKey } from '../record/ledger.ts';
import type { LinkedRow } from '../record/person.ts';
import { pausedBy } from '../record/refusal.ts';
import { addResult, type Draft } from './draft.ts';

/**
 * E5: automations that the ledger has and the cell no longer names. A wish that came to nothing is forgotten. One that may
 * have come to something is cancelled where the configuration says so: a cancel that was not needed does no harm.
 */
export function withdrawOthers(draft: Draft, linked: LinkedRow, wished: readonly Automation[]): void {
  const { input, rules, entriesByUuid, wishes, changes } = draft;
  const { uuid, row } = linked;
  for (const { automation, entry } of entriesByUuid.get(uuid) ?? []) {
    if (wished.some((each) => each.uuid === automation)) continue;
    if (!hadLeft(entry)) draft.left.push({ key: ledgerKey(uuid, automation), row: row.number });
    if (!isDone(entry)) {
      // It was done before a person asked for it again: the ledger goes on knowing that.
      const earlier = entry.before && cancelledEntry({ ...entry, state: 'waiting' }, input.now);
      if (earlier) {
        wishes.set(ledgerKey(uuid, automation), earlier);
        continue;
      }
      const isCounted = callsOf(entry).some((at) => at > input.now - hourMs);
      if (!isCounted) wishes.set(ledgerKey(uuid, automation), null);
    } else if (rules.onClear === 'ignore') {
      // A cancel cannot be taken back: this cell is to cancel nothing either on the day on which on_clear becomes cancel.
      if (!entry.isKeptIn && !isBeingCancelled(entry))
        wishes.set(ledgerKey(uuid, automation), { ...entry, isKeptIn: true });
    } else if (!entry.isKeptIn) {
      const isOver = entry.state === 'cancelling' && !entry.isCancelOpen;
      if (!isOver && isCancelUnsettled(draft, linked, automation, entry)) continue;
      if (isCancelPaused(draft, linked, automation, entry)) continue;
      addResult(draft, row, automation, 'cancelling');
      if (isOver) continue;
      const about = { side: 'crm', uuid, row: row.number, fields: [], automation } as const;
      const name = input.automations?.find((each) => each.uuid === automation)?.name ?? entry.name ?? automation;
      changes.push({ ...about, op: 'cancel', rule: 'E5', reason: `the wish was taken out of its cell: ${name}` });
    }
  }
}

/**
 * W10: a cancel cannot be taken back, so the cell has to stand still first. Nothing is written into the row: the person may
 * still be typing there. A cancel that was begun before does not wait again.
 */
function isCancelUnsettled(
  { input, uncancelled, problems, wishes }: Draft,
  { uuid, row }: LinkedRow,
  automation: string,
  entry: LedgerEntry,
): boolean {
  if (!input.waitsToSettle || entry.isCancelOpen || entry.refusedCancel) return false;
  const since = entry.withdrawnAt ?? input.now;
  if (input.now - since >= input.mapping.settleMs) return false;
  if (entry.withdrawnAt === undefined) wishes.set(ledgerKey(uuid, automation), { ...entry, withdrawnAt: since });
  uncancelled.add(uuid);
  problems.push(problem('waiting', { uuid, row: row.number }, 'W10', 'enrolment: the cancel waits to settle'));
  return true;
}

/**
 * E5: entries whose wishes stood in another column than the one that the mapping has now. Nobody took them out of a cell, until a
 * cell of this column has named them. A cancel that was begun goes on.
 */
export function leftInOtherColumn({ ledger, isWishColumnNew }: PlanInput): ReadonlyMap<string, LedgerEntry> {
  if (!isWishColumnNew) return new Map();
  const left = [...ledger.entries].filter(([, entry]) => isDone(entry) && !isBeingCancelled(entry));
  return new Map(left.map(([key, entry]) => [key, { ...entry, isKeptIn: true }]));
}

/** G1: whether an earlier run saw the cell without it. */
export function hadLeft(entry: LedgerEntry): boolean {
  return entry.isKeptIn === true || entry.withdrawnAt !== undefined || isBeingCancelled(entry);
}

function isBeingCancelled({ state, isCancelOpen, refusedCancel }: LedgerEntry): boolean {
  return state === 'cancelling' || isCancelOpen === true || refusedCancel !== undefined;
}

/** E5, W10: the cell names it again. */
export function namedAgain({ withdrawnAt: _withdrawn, isKeptIn: _kept, ...entry }: LedgerEntry): LedgerEntry {
  return entry;
}

/**
 * W5: the service refused this cancel, and it is not time to ask again. The other wishes of the cell wait, as they do for
 * any cancel that did not succeed (E5). The problem has the id of the contact: a retry by the id of an enrolment enrols.
 */
function isCancelPaused(
  draft: Draft,
  { uuid, row }: LinkedRow,
  automation: string,
  { refusedCancel }: LedgerEntry,
): boolean {
  const paused = pausedBy(draft.input, refusedCancel, { uuid, row: row.number }, 'refused');
  if (!paused) return false;
  draft.uncancelled.add(uuid);
  addResult(draft, row, automation, paused.reason);
  draft.problems.push(paused);
  return true;
}
