// Evaluates the formulas of a spreadsheet.
import type { CellValue, Cell } from './cell.ts';
import { CellError, hasContent } from './cell.ts';
import { evaluateFormula, expandFormula, mayExpand } from './formula.ts';
import { RangeValues } from './formula-values.ts';
import type { FormulaToken } from './formula-tokens.ts';
import { type Sheet, closeRect, intersection } from './sheet.ts';
import type { Spreadsheet } from './spreadsheet.ts';
import { columnToLetters, type OpenRect } from './a1.ts';
import type { FormulaWorld } from './formula-values.ts';

/** 1970-01-01 as a serial date: days since 1899-12-30. */
const epochSerial = 25_569;
const dayMs = 86_400_000;

/** Epoch milliseconds as a serial date, UTC. */
function serialFromEpoch(epochMs: number): number {
  return epochMs / dayMs + epochSerial;
}

/** The serial date of midnight UTC of a calendar day; undefined: no such day. */
export function serialFromDate(year: number, month: number, day: number): number | undefined {
  const epochMs = Date.UTC(year, month - 1, day);
  const date = new Date(epochMs);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return serialFromEpoch(epochMs);
}

/** What array formulas show in the cells around them. */
export interface Expansion {
  /** By `row:column`. */
  readonly values: ReadonlyMap<string, CellValue>;
  /** Row and column behind the last of these cells. */
  readonly bottom: number;
  readonly right: number;
}

const noExpansion: Expansion = { values: new Map(), bottom: 0, right: 0 };

/** The values of a spreadsheet: each formula is evaluated once, at its first use. */
export class Calculation {
  private readonly spreadsheet: Spreadsheet;
  private readonly now: number;
  private readonly results = new Map<string, CellValue>();
  private readonly open = new Set<string>();
  private readonly expansions = new Map<number, Expansion>();

  /** `now`: epoch milliseconds, for TODAY and NOW. */
  constructor(spreadsheet: Spreadsheet, now: number) {
    this.spreadsheet = spreadsheet;
    this.now = now;
  }

  valueAt(sheet: Sheet, row: number, column: number): CellValue {
    return this.value(sheet, row, column, sheet.cell(row, column));
  }

  /** The cells without content of their own in which array formulas of the sheet show values. */
  expansion(sheet: Sheet): Expansion {
    const known = this.expansions.get(sheet.id);
    if (known) return known;
    // A formula that refers to cells of an expansion sees those of the formulas before it.
    this.expansions.set(sheet.id, noExpansion);
    for (const [row, content] of sheet.rows.entries()) {
      if (!content?.hasFormula) continue;
      for (const [column, cell] of content.cells.entries()) {
        if (cell?.formula !== undefined && mayExpand(cell.formula)) this.expand(sheet, row, column, cell.formula);
      }
    }
    return this.expansions.get(sheet.id)!;
  }

  private expanded(sheet: Sheet, row: number, column: number): CellValue {
    const { values } = this.expansion(sheet);
    return values.size === 0 ? undefined : values.get(`${row}:${column}`);
  }

  /** Nothing is shown if a cell in the way has content: then the formula shows #REF! (Google's own words). */
  private expand(sheet: Sheet, row: number, column: number, formula: string): void {
    const shown = expandFormula(formula, this.world(sheet, row, column));
    const key = `${sheet.id}:${row}:${column}`;
    const values = new Map(this.expansions.get(sheet.id)!.values);
    for (const [down, line] of shown.entries()) {
      for (const [across, value] of line.entries()) {
        if (down === 0 && across === 0) continue;
        if (hasContent(sheet.cell(row + down, column + across))) {
          const place = `${columnToLetters(column + across)}${row + down + 1}`;
          const why = `Array result was not expanded because it would overwrite data in ${place}.`;
          this.results.set(key, new CellError('#REF!', why));
          return;
        }
        values.set(`${row + down}:${column + across}`, value);
      }
    }
    this.results.set(key, shown[0]?.[0] ?? 0);
    const { bottom, right } = this.expansions.get(sheet.id)!;
    this.expansions.set(sheet.id, {
      values,
      bottom: Math.max(bottom, Math.min(row + shown.length, sheet.rowCount)),
      right: Math.max(right, Math.min(column + Math.max(...shown.map((line) => line.length)), sheet.columnCount)),
    });
  }

  private world(sheet: Sheet, row: number, column: number): FormulaWorld {
    return {
      row,
      column,
      serialNow: serialFromEpoch(this.now),
      range: (reference) => this.referenced(sheet, reference),
      name: (name) => this.named(name),
    };
  }

  /** Like `valueAt`, for a caller that has the cell. */
  value(sheet: Sheet, row: number, column: number, cell: Cell | undefined): CellValue {
    if (cell?.formula === undefined) return cell?.value ?? this.expanded(sheet, row, column);
    const key = `${sheet.id}:${row}:${column}`;
    if (mayExpand(cell.formula)) this.expansion(sheet);
    const known = this.results.get(key);
    if (known !== undefined) return known;
    if (this.open.has(key)) {
      return new CellError(
        '#REF!',
        'Circular dependency detected. To resolve with iterative calculation, see File > Settings.',
      );
    }
    this.open.add(key);
    const result = evaluateFormula(cell.formula, this.world(sheet, row, column));
    this.open.delete(key);
    // A formula that points at a blank cell shows 0.
    const value = result ?? 0;
    this.results.set(key, value);
    return value;
  }

  private referenced(host: Sheet, reference: Extract<FormulaToken, { kind: 'reference' }>): RangeValues | undefined {
    const sheet = reference.title === undefined ? host : this.spreadsheet.findSheetByTitle(reference.title);
    if (!sheet) return undefined;
    const { first, last = reference.first } = reference;
    return this.range(sheet, {
      ...bounds('top', 'bottom', first.row, last.row),
      ...bounds('left', 'right', first.column, last.column),
    });
  }

  private named(name: string): RangeValues | undefined {
    const named = this.spreadsheet.namedRanges.find((entry) => entry.name.toLowerCase() === name.toLowerCase());
    const sheet = named && this.spreadsheet.findSheet(named.sheetId);
    return sheet && this.range(sheet, named.range);
  }

  private range(sheet: Sheet, range: OpenRect): RangeValues {
    const rect = intersection(closeRect(range, sheet.bounds), sheet.bounds);
    const single = range.top !== undefined && range.bottom === range.top + 1 && range.right === (range.left ?? -1) + 1;
    if (!rect) return new RangeValues(single ? [[new CellError('#REF!', 'Reference does not exist.')]] : []);
    const rows: CellValue[][] = [];
    // Blank rows below the content do not affect any function, and a sheet may be a million rows long.
    const bottom = single ? rect.bottom : Math.min(rect.bottom, Math.max(sheet.contentBottom(), rect.top + 1));
    for (let row = rect.top; row < bottom; row += 1) {
      const values: CellValue[] = [];
      for (let column = rect.left; column < rect.right; column += 1) values.push(this.valueAt(sheet, row, column));
      rows.push(values);
    }
    return new RangeValues(rows);
  }
}

function bounds(
  startKey: 'top' | 'left',
  endKey: 'bottom' | 'right',
  start: number | undefined,
  end: number | undefined,
): OpenRect {
  if (start === undefined && end === undefined) return {};
  const from = Math.min(start ?? 0, end ?? start ?? 0);
  const rect: Record<string, number> = { [startKey]: from };
  if (start !== undefined && end !== undefined) rect[endKey] = Math.max(start, end) + 1;
  return rect;
}
