// Reads the layout of the tab: which column is which (by header and anchors), how large the tab is, and, once in a process or
// after a write that went wrong, which marks were left behind. Until the next time the header row alone tells whether columns
// are where they were: it comes with every routine read, and any change in it makes the layout be read again.
import { type CallOptions, takeHeader, type TableContext } from './context.ts';
import { enteredText, formulaText } from './grid.ts';
import type { HeaderCell, ResolvedHeader } from './header.ts';
import { anchorValue, isTemporaryMark, temporaryKeys } from './marks.ts';
import { readHeader } from './pinned-view.ts';
import { searchMarks } from './pins.ts';
import type { ColumnState } from '../port.ts';

/**
 * One read, and one more while the marks of the tab are not known. Sets `context.layout`, shape and leftovers, and returns
 * the header row.
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

/** Pins and append marks that a crashed run, or a write of unknown outcome, left in this tab. */
async function noteLeftovers(context: TableContext, options: CallOptions): Promise<void> {
  const filters = temporaryKeys.map((metadataKey) => ({ developerMetadataLookup: { metadataKey } }));
  for (const mark of await searchMarks(context, filters, options)) {
    const { sheetId, dimensionRange } = mark.location ?? {};
    // A sheetId of 0 is left out of answers.
    const isHere = (sheetId ?? dimensionRange?.sheetId ?? 0) === context.sheetId;
    if (isHere && isTemporaryMark(mark, context.block)) context.leftovers.add(mark.metadataId!);
  }
  context.areMarksKnown = true;
}

/**
 * Not when a header is a formula, whose result changes unseen; nor when a column is known by its anchor although another
 * one reads the same, or none reads at all: two such columns can change places without a trace in the header row.
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
