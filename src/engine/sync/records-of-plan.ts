// Groups the changes of a plan by record, and says what of them makes two plans for a record the same.
import type { Change } from '../../sync/change.ts';
import type { SavedPlan } from '../saved-plan.ts';

export type AnyChange = Change | SavedPlan['changes'][number];

/** In the order of the changes. */
export function changesByRecord<Some extends AnyChange>(
  changes: readonly Some[],
): ReadonlyMap<string, readonly Some[]> {
  const map = new Map<string, Some[]>();
  for (const change of changes) map.set(recordOf(change), [...(map.get(recordOf(change)) ?? []), change]);
  return map;
}

/** A row without a contact is known by its values, because rows move. */
export function recordOf(change: AnyChange): string {
  return change.uuid ?? ('key' in change ? `new ${change.key}` : `row ${change.row}`);
}

/** All changes of a record without row number and reason. */
export function recordText(changes: readonly AnyChange[] = []): string {
  return changes
    .map((change) => {
      const { row: _row, rule: _rule, reason: _reason, fields, ...rest } = change;
      const parts = Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1));
      return JSON.stringify([parts, fields.map(({ field, before, after }) => ({ field, before, after }))]);
    })
    .toSorted()
    .join('\n');
}
