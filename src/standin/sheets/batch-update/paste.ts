// Copy and cut. Neither moves row or column metadata: an anchor stays on its row.
import type { Rect } from '../a1.ts';
import { Calculation } from '../calculation.ts';
import { type Cell, CellError, tidy } from '../cell.ts';
import { type Edit, requireEditable } from '../edit.ts';
import { invalidArgument } from '../errors.ts';
import { shiftReferences } from '../formula-references.ts';
import { closedGridRange, requireWithinGrid } from '../grid-range.ts';
import { enumeration, gridCoordinate, gridRange, message } from '../schema.ts';
import type { Sheet } from '../sheet.ts';
import { requestKind } from './request-kind.ts';

const pasteType = enumeration('PasteType', [
  'PASTE_NORMAL',
  'PASTE_VALUES',
  'PASTE_FORMAT',
  'PASTE_NO_BORDERS',
  'PASTE_FORMULA',
  'PASTE_DATA_VALIDATION',
  'PASTE_CONDITIONAL_FORMATTING',
]);
type PasteType = (typeof pasteType)['options'][number];

/** A copied cell and the value it showed. */
interface Copied {
  readonly cell: Cell | undefined;
  readonly shown: Cell['value'];
  readonly row: number;
  readonly column: number;
}

/** The cell after pasting; parts outside the paste type stay. */
function pasteCell(
  target: Cell | undefined,
  copied: Copied,
  type: PasteType,
  formula: string | undefined,
): Cell | undefined {
  const source: Cell = copied.cell ?? {};
  const { value: _value, formula: _formula, ...kept } = target ?? {};
  const content = formula === undefined ? pick(source, ['value']) : { formula };
  switch (type) {
    case 'PASTE_NORMAL':
    case 'PASTE_NO_BORDERS':
      return tidy({ ...pick(source, ['format', 'note', 'validation']), ...content });
    case 'PASTE_VALUES':
      return tidy({ ...kept, ...(copied.shown === undefined ? {} : { value: copied.shown }) });
    case 'PASTE_FORMULA':
      return tidy({ ...kept, ...content });
    case 'PASTE_FORMAT': {
      const { format: _format, ...rest } = target ?? {};
      return tidy({ ...rest, ...pick(source, ['format']) });
    }
    case 'PASTE_DATA_VALIDATION': {
      const { validation: _validation, ...rest } = target ?? {};
      return tidy({ ...rest, ...pick(source, ['validation']) });
    }
    case 'PASTE_CONDITIONAL_FORMATTING':
      return target;
  }
}

function pick<K extends keyof Cell>(cell: Cell, keys: readonly K[]): Pick<Cell, K> {
  return Object.fromEntries(keys.flatMap((key) => (cell[key] === undefined ? [] : [[key, cell[key]]]))) as Pick<
    Cell,
    K
  >;
}

function copyCells(edit: Edit, sheet: Sheet, rect: Rect): readonly (readonly Copied[])[] {
  const calculation = new Calculation(edit.spreadsheet, edit.now);
  return range(rect.top, rect.bottom).map((row) =>
    range(rect.left, rect.right).map((column) => {
      const cell = sheet.cell(row, column);
      const value = calculation.value(sheet, row, column, cell);
      return { cell, row, column, shown: value instanceof CellError ? value.text : value };
    }),
  );
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

const copyPaste = requestKind(
  message('CopyPasteRequest', {
    source: gridRange.optional(),
    destination: gridRange.optional(),
    pasteType: pasteType.optional(),
    pasteOrientation: enumeration('PasteOrientation', ['NORMAL', 'TRANSPOSE']).optional(),
  }),
  (edit, { source, destination, pasteType: type = 'PASTE_NORMAL', pasteOrientation }) => {
    const from = closedGridRange(edit.spreadsheet, source ?? {});
    const copied = copyCells(edit, from.sheet, from.rect);
    const block =
      pasteOrientation === 'TRANSPOSE'
        ? (copied[0] ?? []).map((_, column) => copied.flatMap((row) => row[column] ?? []))
        : copied;
    const height = block.length;
    const width = block[0]?.length ?? 0;
    const to = edit.spreadsheet.sheet(destination?.sheetId ?? 0);
    const top = destination?.startRowIndex ?? 0;
    const left = destination?.startColumnIndex ?? 0;
    // A destination that is no multiple of the source receives the source once.
    const rect: Rect = {
      top,
      left,
      bottom: top + multiple(destination?.endRowIndex, top, height),
      right: left + multiple(destination?.endColumnIndex, left, width),
    };
    requireWithinGrid(to, rect);
    requireEditable(edit, to, rect);
    to.editCells(rect, (cell, row, column) => {
      const copiedCell = block[(row - top) % height]?.[(column - left) % width];
      if (!copiedCell) return cell;
      const formula = copiedCell.cell?.formula;
      const shifted =
        formula === undefined ? undefined : shiftReferences(formula, row - copiedCell.row, column - copiedCell.column);
      return pasteCell(cell, copiedCell, type, shifted);
    });
    return undefined;
  },
);

function multiple(end: number | undefined, start: number, size: number): number {
  const wanted = (end ?? start) - start;
  return wanted >= size && wanted % size === 0 ? wanted : size;
}

const cutPaste = requestKind(
  message('CutPasteRequest', {
    source: gridRange.optional(),
    destination: gridCoordinate.optional(),
    pasteType: pasteType.optional(),
  }),
  (edit, { source, destination, pasteType: type = 'PASTE_NORMAL' }) => {
    if (!destination) throw invalidArgument('destination must be specified');
    const from = closedGridRange(edit.spreadsheet, source ?? {});
    const to = edit.spreadsheet.sheet(destination.sheetId ?? 0);
    const top = destination.rowIndex ?? 0;
    const left = destination.columnIndex ?? 0;
    const rect: Rect = {
      top,
      left,
      bottom: top + from.rect.bottom - from.rect.top,
      right: left + from.rect.right - from.rect.left,
    };
    requireWithinGrid(to, rect);
    requireEditable(edit, from.sheet, from.rect);
    requireEditable(edit, to, rect);
    const cut = copyCells(edit, from.sheet, from.rect);
    from.sheet.editCells(from.rect, (cell) =>
      type === 'PASTE_FORMAT' ? pasteCell(cell, nothing, type, undefined) : keepFormat(cell, type),
    );
    // A moved formula keeps its references.
    to.editCells(rect, (cell, row, column) => {
      const moved = cut[row - top]?.[column - left];
      return moved ? pasteCell(cell, moved, type, moved.cell?.formula) : cell;
    });
    return undefined;
  },
);
const nothing: Copied = { cell: undefined, shown: undefined, row: 0, column: 0 };

/** The rest after a cut: nothing, or the format when only the content was moved. */
function keepFormat(cell: Cell | undefined, type: PasteType): Cell | undefined {
  if (type === 'PASTE_NORMAL' || type === 'PASTE_NO_BORDERS' || !cell) return undefined;
  const { value: _value, formula: _formula, ...rest } = cell;
  return tidy(rest);
}

export const pasteRequests = { copyPaste, cutPaste };
