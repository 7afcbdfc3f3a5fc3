// Array formulas: one formula, such as ARRAYFORMULA, SPLIT or QUERY, that shows values in the cells right of it and below (V5).
// Such a cell is read by what it shows, and counts as one with a formula: whatever is written into it has the formula show
// #REF!, and all of its cells nothing. Google answers its value like one that was typed. Only the second call shows that nobody
// entered it (open-cells.ts), and it asks for the cells that a formula of the table or its header row may reach.
//
// A blank cell of such a column is one that the formula fills with nothing, and is left alone too. If the formula shows an error,
// what its cells would show is unknown: a blank in the place of a value is no edit (V3, L7). Formulas in columns that are not
// mapped are looked for only then: left of such a blank, and in the first row below the header, where those of a whole table stand.
import { cellAddress } from './grid.ts';
import type { CellValue, ColumnKey } from '../port.ts';

/** Functions that fill several cells, and arrays in braces. One that fills its own cell alone costs a larger second call. */
const expandingFunctions =
  /\{|\b(?:ARRAYFORMULA|ARRAY_CONSTRAIN|BYROW|CHOOSECOLS|CHOOSEROWS|DROP|EXPAND|FILTER|FLATTEN|GOOGLEFINANCE|HSTACK|IMPORT(?:DATA|FEED|HTML|RANGE|XML)|INDEX|LAMBDA|LET|MAKEARRAY|MAP|QUERY|REGEXEXTRACT|SCAN|SEQUENCE|SORTN?|SPLIT|TAKE|TOCOL|TOROW|TRANSPOSE|UNIQUE|VSTACK|WRAPCOLS|WRAPROWS|XLOOKUP)\s*\(/i;

const tab = `(?:'[^']*'!|[\\w.]+!)?`;
const oneCell = `\\s*${tab}\\$?[A-Z]{1,3}\\$?\\d+\\s*`;
const oneColumn = (group: string) => `\\s*${tab}\\$?(?<${group}>[A-Z]{1,3})\\$?\\d*:\\$?\\k<${group}>\\$?\\d*\\s*`;

/**
 * The usual lookups that show one value, such as `INDEX(I:I, MATCH(A2, H:H, 0))`. People have one in each row: if these counted,
 * the second call would have each cell right of them.
 */
const ofOneCell = new RegExp(
  [
    `XLOOKUP\\(${oneCell}[,;]${oneColumn('a')}[,;]${oneColumn('b')}(?=[,;)])`,
    `INDEX\\(${oneColumn('c')}[,;]\\s*MATCH\\(${oneCell}[,;]${oneColumn('d')}[,;]\\s*(?:0|1|-1|FALSE|TRUE)\\s*\\)\\s*\\)`,
    `REGEXEXTRACT\\(${oneCell}[,;]\\s*"[^"(]*(?:\\([^"(]*)?"\\s*\\)`,
  ].join('|'),
  'gi',
);

export function mayExpand(entered: string): boolean {
  return (
    entered.startsWith('=') &&
    expandingFunctions.test(entered) &&
    expandingFunctions.test(entered.replaceAll(ofOneCell, ''))
  );
}

interface Place {
  readonly rowIndex: number;
  readonly columnIndex: number;
}

/** A cell that an array formula may reach, and that holds nothing of its own. */
export interface ReachedCell extends Place {
  readonly key: ColumnKey;
  /** It shows a value. */
  readonly isExpanded: boolean;
  /** The value that the caller had for this cell in its last reading; null: none. */
  held(): CellValue;
  /** It counts as a cell with a formula. */
  setComputed(): void;
  setUnknown(error: string): void;
}

/** Of one reading, in one call or in chunks. */
export class Expansions {
  /** The keys of the columns that an array formula of another row fills: a new row gets no value there. */
  readonly computed = new Set<ColumnKey>();
  /** Array formulas of the header row. Its texts do not tell whether one shows an error by now: the second call does. */
  readonly headers: readonly Place[];
  readonly #formulas: Place[];
  readonly #columnsByRow = new Map<number, number>();
  readonly #broken: (Place & { readonly error: string })[] = [];
  #reached: ReachedCell[] = [];

  /** `headerTexts` as entered, by physical column. */
  constructor(headerRowIndex: number, headerTexts: readonly string[]) {
    this.headers = headerTexts.flatMap((text, columnIndex) =>
      mayExpand(text) ? [{ rowIndex: headerRowIndex, columnIndex }] : [],
    );
    this.#formulas = [...this.headers];
  }

  get hasFormulas(): boolean {
    return this.#formulas.length > 0;
  }

  /** Rows in their order. */
  addFormula({ rowIndex, columnIndex }: Place): void {
    const first = this.#columnsByRow.get(rowIndex);
    this.#columnsByRow.set(rowIndex, Math.min(columnIndex, first ?? columnIndex));
    // Each cell that a lower formula of the same column may reach is within reach of the upper one.
    if (!this.#formulas.some((above) => above.columnIndex === columnIndex))
      this.#formulas.push({ rowIndex, columnIndex });
  }

  mayReach(rowIndex: number, columnIndex: number): boolean {
    return this.#formulas.some((formula) => reaches(formula, { rowIndex, columnIndex }));
  }

  addBroken(place: Place, error: string): void {
    this.#broken.push({ ...place, error });
  }

  addReached(cell: ReachedCell): void {
    this.#reached.push(cell);
    if (!cell.isExpanded) return;
    cell.setComputed();
    // Filled from the left, by a formula in its own row: a new row has no such formula.
    if ((this.#columnsByRow.get(cell.rowIndex) ?? Infinity) > cell.columnIndex) this.computed.add(cell.key);
  }

  /** Once the cells of an answer are settled. True: of a cell it is unknown what it would show. */
  finish(): boolean {
    let isUnknown = false;
    for (const cell of this.#reached) {
      if (cell.isExpanded) continue;
      const broken = this.#broken.find((formula) => reaches(formula, cell));
      if (broken && cell.held() !== null) {
        if (broken.columnIndex === cell.columnIndex) this.computed.add(cell.key);
        const place = cellAddress(broken.rowIndex, broken.columnIndex);
        cell.setUnknown(
          `nothing, since the array formula in ${place} shows ${broken.error}: mend it, or clear what stands in its way`,
        );
        isUnknown = true;
      } else if (this.computed.has(cell.key)) cell.setComputed();
    }
    this.#reached = [];
    return isUnknown;
  }
}

function reaches(formula: Place, { rowIndex, columnIndex }: Place): boolean {
  const isItself = formula.rowIndex === rowIndex && formula.columnIndex === columnIndex;
  return !isItself && formula.rowIndex <= rowIndex && formula.columnIndex <= columnIndex;
}
