// The status column, which shows how each row stands. It is no field of a record.
import type { Snapshot } from '../sheets/port.ts';

/** The column key of the status column; no mapped column may use it. */
export const statusKey = '#status';

/** Whether the tab has one. A tab without one gets no statuses. */
export function hasStatusColumn({ columns }: Snapshot): boolean {
  return columns.some(({ key, kind }) => key === statusKey && (kind === 'found' || kind === 'renamed'));
}
