// A person who restores an earlier version of a spreadsheet, by its version history.
import type { SpreadsheetFile } from '../../src/standin/sheets/model.ts';
import type { Sheet } from '../../src/standin/sheets/sheet.ts';
import type { Spreadsheet } from '../../src/standin/sheets/spreadsheet.ts';

/** The rows below the header become those of `then`, a content that the file once had. Marks of the program stay at the rows where they are. */
export function restoreTab(file: SpreadsheetFile, then: Spreadsheet, title: string): void {
  const old = then.findSheetByTitle(title)!;
  file.edit({ email: file.ownerEmail }, ({ spreadsheet }) => {
    const tab = spreadsheet.findSheetByTitle(title)!;
    const bottom = Math.max(lastFilled(old), lastFilled(tab));
    const right = Math.max(old.columnCount, tab.columnCount);
    tab.editCells({ top: 1, bottom, left: 0, right }, (_, row, column) => old.rows[row]?.cells[column]);
  });
}

function lastFilled({ rows }: Sheet): number {
  return rows.findLastIndex((row) => row?.cells.some((cell) => cell !== undefined)) + 1;
}
