// The workbook for the referee: whole, exact, and with every mapped column identified.
import type { Cell } from '../../../src/standin/sheets/cell.ts';
import type { SpreadsheetFile } from '../../../src/standin/sheets/model.ts';

export type Content = SpreadsheetFile['content'];

export interface SeenCell {
  /** The entered content: a constant as JSON, a formula with its `=`; `''` for a blank cell. */
  readonly entered: string;
  /** Note and format, as JSON. */
  readonly dress: string;
}

export interface SeenRow {
  readonly id: string;
  /** The tag in the unmapped column Notes: identifies rows without an id. */
  readonly tag: string;
  readonly cells: readonly SeenCell[];
  readonly marks: readonly number[];
}

export interface Seen {
  readonly rows: readonly SeenRow[];
  /** Column key by physical column; `notes`, `calc`, or undefined for one that people inserted. */
  readonly keys: readonly (string | undefined)[];
  readonly other: string;
}

export const sheetId = 7;

const blank: SeenCell = { entered: '', dress: '{}' };

/** Anchors identify mapped columns; marks of the referee's own identify Notes and Calc. */
export function look(content: Content): Seen {
  const sheet = content.sheet(sheetId);
  const keys = sheet.columns.map(
    (column) =>
      column?.metadataIds
        ?.map((id) => content.metadataById.get(id))
        .find((entry) => entry?.key === 'c')
        ?.value?.split('/')[1],
  );
  const idColumn = keys.indexOf('#id');
  const notesColumn = keys.indexOf('notes');
  const rows = sheet.rows.map((row): SeenRow => {
    const cells = keys.map((_, index) => lookCell(row?.cells[index]));
    return {
      id: textOf(cells[idColumn]),
      tag: textOf(cells[notesColumn]),
      cells,
      marks: row?.metadataIds ?? [],
    };
  });
  return { rows, keys, other: JSON.stringify(content.sheet(8).rows.slice(0, 3)) };
}

function lookCell(cell: Cell | undefined): SeenCell {
  if (cell === undefined) return blank;
  const { value, formula, ...dress } = cell;
  return { entered: formula ?? toEntered(value), dress: JSON.stringify(dress) };
}

export function toEntered(value: string | number | boolean | null | undefined): string {
  return value === undefined || value === null || value === '' ? '' : JSON.stringify(value);
}

/** The text of a string cell, without its quotes. */
function textOf(cell: SeenCell | undefined): string {
  const entered = cell?.entered ?? '';
  return entered.startsWith('"') ? String(JSON.parse(entered)) : entered;
}
