// Wishes of rows that have no contact yet: one call creates the contact and enrols it (E2).
import type { Automation } from '../input.ts';
import { type RowRecord, unpack } from '../record/record.ts';
import { addResult, addWishOfNewRow, archivedReason, type Draft, unknownReason } from './draft.ts';
import { capReason, type QueueEnd } from './queue.ts';
import { refrainFrom } from './veto.ts';
import { notBegun, proofIn } from './wish-result.ts';

/**
 * The automation of each row that is created and enrolled in one call, by `rowKey`. New rows come after the wishes of
 * contacts. Where the cap has no call left, a row is created only, and its wish waits like the others.
 */
export function planNewRowWishes(
  draft: Draft,
  rows: readonly RowRecord[],
  isTrusted: boolean,
  { free, ahead }: QueueEnd,
): ReadonlyMap<string, Automation> {
  const automationByRow = new Map<string, Automation>();
  let left = free;
  for (const row of rows) {
    const automation = firstWish(draft, row, isTrusted, left > 0 ? undefined : capReason(draft, ahead));
    if (!automation) continue;
    automationByRow.set(row.values, automation);
    left -= 1;
  }
  return automationByRow;
}

/** The automation to create the contact in; undefined: it is created without one. `full`: why no call is left. */
function firstWish(draft: Draft, row: RowRecord, isTrusted: boolean, full: string | undefined): Automation | undefined {
  const { automations, unknown } = draft.readWish(row.wish ?? '');
  for (const each of unknown) addWishOfNewRow(draft, row, 'refused', null, `refused: ${unknownReason(draft, each)}`);
  const [first, ...others] = automations;
  if (!first) return undefined;
  const refrain = (kind: 'ignored' | 'refused' | 'waiting', text: string) => {
    addWishOfNewRow(draft, row, kind, first.uuid, text);
    return undefined;
  };
  const veto = refrainFrom(draft.input.mapping, unpack(row.values));
  if (veto) return refrain(veto.kind, veto.reason);
  if (first.status === 'archived') return refrain('refused', `refused: ${archivedReason(first)}`);
  if (!isTrusted && proofIn(row.wishResult, first)) return undefined;
  if (full !== undefined) return refrain('waiting', full);
  addResult(draft, row, first.uuid, notBegun);
  for (const { uuid } of others) addResult(draft, row, uuid, notBegun);
  return first;
}
