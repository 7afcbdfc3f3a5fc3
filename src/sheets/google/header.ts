// Finds each mapped column (W11): by its header, and by its anchor in the developer metadata. If the two do not single
// out one column, the answer is "doubled", never a guess.
import { columnLetter } from './address.ts';
import type { ColumnKey, ColumnSpec, ColumnState } from '../port.ts';

export interface Anchor {
  readonly metadataId: number;
  readonly value: string;
}

/** One physical column as read: its index from 0, the text of its header cell, the anchors and all marks it carries. */
export interface HeaderCell {
  readonly columnIndex: number;
  readonly text: string;
  readonly anchors: readonly Anchor[];
  readonly markIds: readonly number[];
}

export interface LocatedColumn {
  readonly key: ColumnKey;
  readonly columnIndex: number;
  /** Metadata id of its anchor; undefined: it was found by header alone. */
  readonly anchorId: number | undefined;
}

export interface ResolvedHeader {
  readonly states: readonly ColumnState[];
  /** The columns that are `found` or `renamed`, in the order of the mapping. */
  readonly located: readonly LocatedColumn[];
}

/** The known layout of a tab, valid until it has to be read again (tab-layout.ts). */
export interface TabLayout {
  readonly title: string;
  readonly resolved: ResolvedHeader;
  /** The header row that a routine read should show: formulas as their text. */
  readonly headerTexts: readonly string[];
  /** From now on the header row alone shows whether the columns are in their places. */
  readonly isHeaderSufficient: boolean;
  /** The header row that routine reads show, once one agreed with this layout. */
  readonly headerAnswered?: string;
  /** Another process read it: it may be compared with, and nothing is planned by it. */
  readonly isRecalled?: true;
}

/** `anchorOf` gives the anchor value of each column of the mapping. */
export function resolveHeader(
  columns: readonly ColumnSpec[],
  header: readonly HeaderCell[],
  anchorOf: (key: ColumnKey) => string,
): ResolvedHeader {
  const candidates = columns.map((column) => findCandidates(column, header, anchorOf(column.key)));
  const claims = new Map<number, number>();
  for (const { cells } of candidates) {
    for (const { columnIndex } of cells) claims.set(columnIndex, (claims.get(columnIndex) ?? 0) + 1);
  }
  const resolved = candidates.map((candidate, index) => resolveColumn(columns[index]!, candidate, claims));
  if (isNotTheHeader(resolved.map(({ state }) => state))) {
    return { states: columns.map(({ key, header: text }) => ({ kind: 'missing', key, header: text })), located: [] };
  }
  return {
    states: resolved.map(({ state }) => state),
    located: resolved.flatMap(({ located }) => located ?? []),
  };
}

/** Every anchored column has another header at once: this row is not the header, a row was put above it (G1). */
function isNotTheHeader(states: readonly ColumnState[]): boolean {
  const present = states.filter(({ kind }) => kind !== 'missing');
  return present.length > 1 && present.every(({ kind }) => kind === 'renamed');
}

interface Candidates {
  readonly cells: readonly HeaderCell[];
  readonly anchor: string;
}

/** A second column with the header of the anchored one counts too: both then have an equal claim. */
function findCandidates(column: ColumnSpec, header: readonly HeaderCell[], anchor: string): Candidates {
  const titled = header.filter(({ text }) => text === column.header.trim());
  const anchored = header.filter(({ anchors }) => anchors.some(({ value }) => value === anchor));
  if (anchored.length === 0) return { cells: titled, anchor };
  // Copies of a column may have the anchor too; the header identifies the original if only one copy has it.
  const both = anchored.filter((cell) => titled.includes(cell));
  if (both.length === 1 && titled.length === 1) return { cells: both, anchor };
  return { cells: [...new Set([...anchored, ...titled])], anchor };
}

function resolveColumn(
  { key, header }: ColumnSpec,
  { cells, anchor }: Candidates,
  claims: ReadonlyMap<number, number>,
): { state: ColumnState; located?: LocatedColumn } {
  const [cell] = cells;
  if (cell === undefined) return { state: { kind: 'missing', key, header } };
  if (cells.length > 1 || claims.get(cell.columnIndex) !== 1) {
    return {
      state: { kind: 'doubled', key, header, letters: cells.map(({ columnIndex }) => columnLetter(columnIndex)) },
    };
  }
  const letter = columnLetter(cell.columnIndex);
  const anchorId = cell.anchors.find(({ value }) => value === anchor)?.metadataId;
  const located = { key, columnIndex: cell.columnIndex, anchorId };
  return cell.text === header.trim()
    ? { state: { kind: 'found', key, header, letter }, located }
    : { state: { kind: 'renamed', key, header, headerNow: cell.text, letter }, located };
}
