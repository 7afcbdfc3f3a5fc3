// Cells that do not show what was written into them. Of merged cells only the first one holds a value, and a value that is
// written into another one is lost.
import type { CellInput, CellValue, ColumnKey } from '../sheets/port.ts';

/** W5: without a pause each run would write such a cell again. */
export const hiddenMessage = 'it shows nothing after it was written, as a cell does that is merged with another one';

/** Of the cells that were written, those that are blank by the answer and were to be filled. */
export function hiddenCells(
  written: Readonly<Record<ColumnKey, CellInput>>,
  stored: Readonly<Record<ColumnKey, CellValue>>,
): Readonly<Record<ColumnKey, CellInput>> {
  return Object.fromEntries(Object.entries(written).filter(([key, sent]) => !isBlank(sent) && stored[key] === null));
}

/** Nothing that was to be filled is shown. */
export function isAllHidden(
  written: Readonly<Record<ColumnKey, CellInput>>,
  stored: Readonly<Record<ColumnKey, CellValue>>,
): boolean {
  const filled = Object.values(written).filter((sent) => !isBlank(sent));
  return filled.length > 0 && Object.keys(hiddenCells(written, stored)).length === filled.length;
}

function isBlank(sent: CellInput): boolean {
  return sent === '';
}
