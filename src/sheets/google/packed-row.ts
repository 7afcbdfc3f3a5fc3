// A row whose mapped cells are kept as one text.
// That takes half the memory of an object with a string for each cell, and almost none if the caller holds the same
// text. Two rows are compared in one comparison. Cells are parsed on demand, for few rows.
import type { CellError, CellValue, ColumnKey, ColumnSpec, Row } from '../port.ts';

/** The layout of the texts of one reading. */
export interface RowLayout {
  /** In the order of the text. */
  readonly packed: readonly ColumnKey[];
  /** Found columns that are not in the text, in the order of `own`. */
  readonly own: readonly ColumnKey[];
}

export function rowLayout(columns: readonly ColumnSpec[]): RowLayout {
  const keysOf = (isOwn: boolean) => columns.filter((each) => (each.isOwn ?? false) === isOwn).map(({ key }) => key);
  return { packed: keysOf(false), own: keysOf(true) };
}

/** The place of a column that was not found: its cells are unknown. */
export const notFound = {};

export type PackedCell = CellValue | typeof notFound;

const noFormulas: readonly ColumnKey[] = [];
const noOwn = {};

export class PackedRow implements Row {
  readonly number: number;
  id: string;
  formulas: readonly ColumnKey[] = noFormulas;
  /** The cells except the spec's own ones, in the form of `ReadSettings.knownText`. */
  #packed: string;
  #isUnchanged: boolean;
  readonly #layout: RowLayout;
  #own: readonly PackedCell[];

  /** `own` by `layout.own`; `known`: the text that the caller holds for the row. */
  constructor(
    number: number,
    id: string,
    layout: RowLayout,
    packed: string,
    own: readonly PackedCell[],
    known: string | undefined,
  ) {
    this.number = number;
    this.id = id;
    this.#layout = layout;
    this.#isUnchanged = packed === known;
    this.#packed = known !== undefined && this.#isUnchanged ? known : packed;
    this.#own = own;
  }

  get cells(): Readonly<Record<ColumnKey, CellValue>> {
    return { ...foundCells(this.#layout.packed, JSON.parse(this.#packed) as PackedCell[]), ...this.own };
  }

  get unchangedText(): string | undefined {
    return this.#isUnchanged ? this.#packed : undefined;
  }

  get own(): Readonly<Record<ColumnKey, CellValue>> {
    return this.#own.length === 0 ? noOwn : foundCells(this.#layout.own, this.#own);
  }

  /** During the reading: a cell shows something else than the first answer said. */
  correct(key: ColumnKey, value: CellValue): void {
    const place = this.#layout.packed.indexOf(key);
    if (place === -1) this.#own = this.#own.with(this.#layout.own.indexOf(key), value);
    else {
      this.#packed = JSON.stringify((JSON.parse(this.#packed) as PackedCell[]).with(place, value));
      this.#isUnchanged = false;
    }
  }
}

function foundCells(keys: readonly ColumnKey[], values: readonly PackedCell[]): Record<ColumnKey, CellValue> {
  const cells: Record<ColumnKey, CellValue> = {};
  for (const [index, value] of values.entries()) if (isFound(value)) cells[keys[index]!] = value;
  return cells;
}

function isFound(value: PackedCell): value is CellValue {
  return typeof value !== 'object' || value === null || typeof (value as Partial<CellError>).error === 'string';
}
