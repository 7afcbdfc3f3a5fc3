// Columns of a tab: which ones a run creates, which ones are missing, and which headers are nearly one of ours (W11).
import { isSlipOf } from '../lib/nearest.ts';
import type { ColumnKey, ColumnState, Inspection, Snapshot } from '../sheets/port.ts';
import type { Facts } from './stored/facts.ts';
import { RunFailed } from './errors.ts';

/**
 * The first run creates missing columns. Later runs create only columns that are new in the mapping: a person restores a
 * lost header (W11). Throws RunFailed if the tab has a header that is nearly one of a column to create: two columns for
 * one thing would split its values.
 */
export function columnsToCreate(snapshot: Snapshot, { facts }: { readonly facts: Facts }): readonly ColumnKey[] {
  const { title, columns, idColumn } = snapshot;
  const known = new Set(facts.table ? Object.keys(facts.table.columnIndexByKey) : []);
  const created = columns.filter(({ kind, key }) => kind === 'missing' && !known.has(key)).map(({ key }) => key);
  const slips = headerSlips(snapshot).filter(({ key }) => key === idColumn.key || created.includes(key));
  if (slips.length > 0) {
    const texts = slips.map(slipText).join('; ');
    throw new RunFailed(`in the tab "${title}" ${texts}. Nothing was written`);
  }
  return created;
}

/** A missing column, and the headers that nobody maps and that are nearly its own. */
export interface HeaderSlip {
  readonly key: ColumnKey;
  readonly header: string;
  readonly near: readonly string[];
}

export function headerSlips({
  columns,
  idColumn,
  headerTexts,
}: Pick<Inspection, 'columns' | 'idColumn' | 'headerTexts'>): readonly HeaderSlip[] {
  const all = [idColumn, ...columns];
  const taken = new Set(all.map((column) => (column.kind === 'renamed' ? column.headerNow : column.header.trim())));
  const free = headerTexts.filter((text) => !taken.has(text));
  return all.flatMap(({ kind, key, header }) => {
    const near = kind === 'missing' ? free.filter((text) => isSlipOf(text, header)) : [];
    return near.length > 0 ? [{ key, header, near }] : [];
  });
}

/** A sentence without its end: which header is there, and what to do. */
export function slipText({ header, near }: HeaderSlip): string {
  const there = near.map((text) => `"${text}"`).join(' and ');
  return (
    `the header "${header}" is not there, and ${there} is: rename it to "${header}" or write ${there} into columns; ` +
    `if they are two columns, type "${header}" into a free cell of the header row`
  );
}

/**
 * Checks the columns after `ensure`. Without the ID column a run would create contacts whose ID has no cell. Throws
 * RunFailed; the next run may succeed.
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
