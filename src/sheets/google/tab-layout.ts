// Reads the layout of the tab: the place of each column (by header and anchors), the size of the tab, and leftover
// marks. Leftover marks are read once in a process, and after a write that went wrong. After that the header row alone
// shows whether columns are in their places. It comes with every routine read, and a change in it makes the layout be
// read again.
import { type CallOptions, takeHeader, type TableContext } from './context.ts';
import { enteredText, formulaText } from './grid.ts';
import type { HeaderCell, ResolvedHeader } from './header.ts';
import { anchorValue, type Metadata, isStaleAnchor, isTemporaryMark, leftoverKeys } from './marks.ts';
import { readHeader } from './pinned-view.ts';
import { searchMarks } from './search-marks.ts';
import type { ColumnState } from '../port.ts';

/**
 * One read, and one more while the marks of the tab are not known. Sets `context.layout`, shape and leftovers, and
 * returns the header row.
 */
export async function readTabLayout(context: TableContext, options: CallOptions): Promise<readonly HeaderCell[]> {
  if (!context.areMarksKnown) await noteLeftovers(context, options);
  const { grid, cells } = await readHeader(context, options);
  const resolved = takeHeader(context, grid, cells);
  const block = grid.blocks.find(({ startRow }) => (startRow ?? 0) === context.spec.headerRow - 1);
  const entered = block?.rowData?.[0]?.values ?? [];
  context.layout = {
    title: grid.title,
    resolved,
    headerTexts: entered.map(enteredText),
    isHeaderSufficient:
      !entered.some((cell) => formulaText(cell) !== undefined) && isHeaderSufficient(context, resolved, cells),
  };
  return cells;
}

/**
 * Pins and append marks in this tab from a crashed run, or from a write of unknown outcome, and anchors of columns that
 * left the mapping.
 */
async function noteLeftovers(context: TableContext, options: CallOptions): Promise<void> {
  const filters = leftoverKeys.map((metadataKey) => ({ developerMetadataLookup: { metadataKey } }));
  for (const mark of await searchMarks(context, filters, options)) {
    const isLeft = isTemporaryMark(mark, context.block) || isStaleAnchor(mark, context);
    if (isLeft && isMarkHere(mark, context)) context.leftovers.add(mark.metadataId!);
  }
  context.areMarksKnown = true;
}

/** In the tab of this table. */
export function isMarkHere({ location }: Metadata, { sheetId }: TableContext): boolean {
  // Answers leave out a sheetId of 0.
  return (location?.sheetId ?? location?.dimensionRange?.sheetId ?? 0) === sheetId;
}

/**
 * Not if a header is a formula, whose result changes unseen. Nor if a column is known by its anchor and another column
 * has the same header, or if no column has it: two such columns can change places unseen.
 */
function isHeaderSufficient(context: TableContext, { states }: ResolvedHeader, cells: readonly HeaderCell[]): boolean {
  const count = (text: string) => cells.filter((cell) => cell.text === text).length;
  const isClear = (state: ColumnState) => {
    switch (state.kind) {
      case 'found':
        return true;
      case 'renamed':
        return state.headerNow !== '' && count(state.headerNow) === 1;
      case 'missing':
        return !cells.some(({ anchors }) =>
          anchors.some(({ value }) => value === anchorValue(context.spec.owner, state.key)),
        );
      case 'doubled':
        return false;
    }
  };
  return states.every(isClear);
}
