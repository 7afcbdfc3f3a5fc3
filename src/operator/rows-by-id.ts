// Tells which row a contact or message has, where copies of it stand in the tab as well.
import type { StoredProblem } from '../engine/stored/run.ts';

/** The rows of the last run without those that it set aside: what their ID cell names is not theirs (I4, I5, P2). */
export function ownRows(
  idByRow: ReadonlyMap<number, string>,
  problems: readonly StoredProblem[] = [],
): ReadonlyMap<number, string> {
  const aside = problems.filter(({ kind, id, row }) => kind === 'quarantined' && id === `row:${row}`);
  if (aside.length === 0) return idByRow;
  const numbers = new Set(aside.map(({ row }) => row));
  return new Map([...idByRow].filter(([row]) => !numbers.has(row)));
}

/** The row of each ID. */
export function rowsById(
  idByRow: ReadonlyMap<number, string>,
  problems: readonly StoredProblem[] | undefined,
): ReadonlyMap<string, number> {
  return new Map([...ownRows(idByRow, problems)].map(([row, id]) => [id, row]));
}
