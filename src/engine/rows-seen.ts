// The IDs of the rows of a tab after a run, by number, for people who name a row.
import type { Snapshot } from '../sheets/port.ts';
import type { Outcomes } from '../sync/outcome.ts';

/**
 * As read, with the IDs that the run wrote and without the rows that it removed. Rows that it appended are left out: only
 * the next reading knows their numbers.
 */
export function rowsSeen({ rows }: Pick<Snapshot, 'rows'>, outcomes: Outcomes): ReadonlyMap<number, string> {
  const done = [...outcomes].flatMap(([change, { kind }]) => (kind === 'done' ? [change] : []));
  const idWritten = new Map(
    done.flatMap((change) => (change.op === 'set' && change.id !== undefined ? [[change.row, change.id]] : [])),
  );
  const removed = done
    .flatMap(({ op, row }) => (op === 'remove' && row !== null ? [row] : []))
    .toSorted((a, b) => a - b);
  const seen = new Map<number, string>();
  let above = 0;
  for (const { number, id: read } of rows) {
    const id = idWritten.get(number) ?? read;
    while (above < removed.length && removed[above]! < number) above += 1;
    if (id !== '' && removed[above] !== number) seen.set(number - above, id);
  }
  return seen;
}
