// The columns of a tab that a run makes, misses or finds under another header (W11).
import type { ColumnKey, ColumnState, Snapshot } from '../sheets/port.ts';
import type { Facts } from './stored/facts.ts';
import { RunFailed } from './errors.ts';

/** The first run makes what is missing, later ones only what the mapping has newly got: a lost header is a person's business (W11). */
export function columnsToCreate({ columns }: Snapshot, { facts }: { readonly facts: Facts }): readonly ColumnKey[] {
  const known = new Set(facts.table ? Object.keys(facts.table.columnIndexByKey) : []);
  return columns.filter(({ kind, key }) => kind === 'missing' && !known.has(key)).map(({ key }) => key);
}

/**
 * After `ensure`: a run that went on without the ID column would make contacts that it cannot write into their rows. Throws
 * RunFailed, which the next run may not meet.
 */
export function assertMade({ title, idColumn, columns }: Snapshot, wanted: readonly ColumnKey[]): void {
  const missing = [idColumn, ...columns].filter(
    ({ kind, key }) => kind === 'missing' && (key === idColumn.key || wanted.includes(key)),
  );
  if (missing.length === 0) return;
  const headers = missing.map(({ header }) => `"${header}"`).join(', ');
  throw new RunFailed(
    `columns could not be made in the tab "${title}": ${headers}; nothing was written. The next run tries again; if it stays so, type these headers into the header row`,
  );
}

export function columnNotice(column: ColumnState): readonly string[] {
  if (column.kind === 'renamed') {
    return [
      `the header "${column.header}" is "${column.headerNow}" now (column ${column.letter}): put it back, or change the mapping`,
    ];
  }
  if (column.kind === 'missing')
    return [`the header "${column.header}" is not in the tab: its field is left alone until it is back`];
  return [];
}
