// The IDs of the rows of a tab after a run, by number, for people who name a row.
import type { Snapshot } from '../sheets/port.ts';
import type { Outcomes } from '../sync/outcome.ts';

/**
 * As read, with the IDs that the run wrote, the rows that it appended, and without those that it removed. Appended rows
 * stand below the last one unless people added rows there meanwhile; the next reading tells.
 */
export function rowsSeen(
  { rows }: Pick<Snapshot, 'rows'>,
  outcomes: Outcomes,
  { headerRow }: { readonly headerRow: number },
): ReadonlyMap<number, string> {
  const done = [...outcomes].flatMap(([change, { kind }]) => (kind === 'done' ? [change] : []));
  const idByRow = new Map(rows.map(({ number, id }) => [number, id]));
  for (const change of done) {
    if (change.op === 'set' && change.id !== undefined && change.row !== null) idByRow.set(change.row, change.id);
  }
  let last = rows.at(-1)?.number ?? headerRow;
  for (const { op, uuid } of done) if (op === 'append') idByRow.set((last += 1), uuid ?? '');
  const removed = done
    .flatMap(({ op, row }) => (op === 'remove' && row !== null ? [row] : []))
    .toSorted((a, b) => a - b);
  if (removed.length === 0) {
    for (const [number, id] of idByRow) if (id === '') idByRow.delete(number);
    return idByRow;
  }
  const seen = new Map<number, string>();
  let above = 0;
  for (const [number, id] of idByRow) {
    while (above < removed.length && removed[above]! < number) above += 1;
    if (id !== '' && removed[above] !== number) seen.set(number - above, id);
  }
  return seen;
}
