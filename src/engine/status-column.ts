// The column that says of each row how it stands: ours, and no field of a record.
import type { Snapshot } from '../sheets/port.ts';

/** No mapped column may use this key. */
export const statusKey = '#status';

/** A tab without one is told nothing. */
export function hasStatusColumn({ columns }: Snapshot): boolean {
  return columns.some(({ key, kind }) => key === statusKey && (kind === 'found' || kind === 'renamed'));
}
