// Columns of a tab: which ones a run creates, which ones are missing, and which headers are nearly one of ours (W11).
import { isSlipOf } from '../lib/nearest.ts';
import type { ColumnKey, ColumnState, Inspection, Snapshot } from '../sheets/port.ts';
import { problem, type Problem } from '../sync/change.ts';
import type { Facts } from './stored/facts.ts';
import { RunFailed } from './errors.ts';
import { statusKey } from './status-column.ts';

/**
 * The columns that the tab had once, and those of them that the last run did not find. The table alone has the columns that
 * the last run found: a column that was deleted would pass for a new one, and its blank cells for edits. A field with a base
 * had a column: a state of an earlier version may be of the run that missed it.
 */
function rememberedColumns({ columns, table, fields = [] }: Facts): {
  readonly known: ReadonlySet<ColumnKey>;
  readonly lost: ReadonlySet<ColumnKey>;
} {
  const found = table && Object.keys(table.columnIndexByKey);
  const lost = columns?.lost ?? (found ? fields.filter((name) => !found.includes(name)) : []);
  return { known: new Set([...(columns?.known ?? found ?? []), ...fields]), lost: new Set(lost) };
}

/**
 * The fact to store; empty where the state says the same. `keepsLost`: the run does not deal with columns that are back, and
 * leaves them to the next one.
 */
export function columnFacts(
  facts: Facts,
  { columns, idColumn }: Pick<Snapshot, 'columns' | 'idColumn'>,
  keepsLost = false,
): Pick<Facts, 'columns'> {
  const before = rememberedColumns(facts);
  const isThere = new Set(columns.flatMap(({ kind, key }) => (kind === 'missing' ? [] : [key])));
  const known = columns.flatMap(({ key }) => (before.known.has(key) || isThere.has(key) ? [key] : [])).toSorted();
  const lost = known.filter((key) => !isThere.has(key) || (keepsLost && before.lost.has(key)));
  // The ID column is made again whenever it is missing.
  const textOf = (keys: Iterable<ColumnKey>) =>
    [...keys]
      .filter((key) => key !== idColumn.key)
      .toSorted()
      .join('\n');
  const isSame = textOf(known) === textOf(before.known) && textOf(lost) === textOf(before.lost);
  return isSame ? {} : { columns: { known, lost } };
}

/** Whether the mapping of the last run did not have the column, or its tab never did. */
export function isColumnNew(facts: Facts, key: ColumnKey): boolean {
  return !rememberedColumns(facts).known.has(key);
}

/** Columns that the last run missed, and that are in the tab again. */
export function returnedColumns(facts: Facts, { columns }: Pick<Snapshot, 'columns'>): readonly ColumnKey[] {
  const { lost } = rememberedColumns(facts);
  return columns.flatMap(({ kind, key }) => (kind !== 'missing' && lost.has(key) ? [key] : []));
}

/**
 * The first run creates missing columns. Later runs create only columns that the tab never had, as those that are new in the
 * mapping: a person restores a lost header (W11). Throws RunFailed if the tab has a header that is nearly one of a column to
 * create: two columns for one thing would split its values.
 */
export function columnsToCreate(snapshot: Snapshot, { facts }: { readonly facts: Facts }): readonly ColumnKey[] {
  const { title, columns, idColumn } = snapshot;
  const { known } = rememberedColumns(facts);
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

/** Of columns that are doubled: whether the header stands once, and the anchor of the column is on another one. */
export function isElsewhere(header: string, headerTexts: readonly string[]): boolean {
  return headerTexts.filter((text) => text.trim() === header.trim()).length < 2;
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

/** L12: the column of a field is lost and left alone, so that the run did not do everything. */
export function lostColumn(header: string): Problem {
  return problem(
    'held',
    { field: header },
    'W11',
    `the header "${header}" is not in the tab: its field is left alone. ${putBack(header)}: blank cells below it empty nothing`,
  );
}

/** L12: without the column of the statuses no row is told anything. `made`: columns that a run would make first. */
export function lostStatus(
  { columns }: Pick<Snapshot, 'columns'>,
  made: readonly ColumnKey[] = [],
): readonly Problem[] {
  return columns.flatMap(({ kind, key, header }) => {
    const isLost = kind === 'missing' && key === statusKey && !made.includes(key);
    return isLost ? [lostOwnColumn(header, 'nothing is told there', putBack(header))] : [];
  });
}

export function lostOwnColumn(header: string, what: string, remedy: string): Problem {
  return problem('held', { field: header }, 'W11', `the header "${header}" is not in the tab: ${what}. ${remedy}`);
}

/** A sentence without its end: what a person does about a lost column. */
export function putBack(header: string): string {
  return `Put the column back, or type "${header}" into a free cell of the header row`;
}
