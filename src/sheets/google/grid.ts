// Reads cells consistently: the call, the fields, and how the answer becomes values.
//
// `spreadsheets.getByDataFilter` is the one call that gives values, formulas, header, anchors and marks of one instant.
// It addresses by sheetId and metadata id, so that a renamed tab or a named range has no effect. The mask keeps about
// 90 bytes a cell instead of several hundred. That is still far too many to read a whole table (values.ts).
import type { sheets_v4 } from '@googleapis/sheets';
import { columnLetter, type GridBounds } from './address.ts';
import type { CallOptions, SheetsClient } from './client.ts';
import { checkGridAnswer } from './grid-answer.ts';
import { UnavailableError } from './errors.ts';
import { anchorKey, type Metadata } from './marks.ts';
import type { HeaderCell } from './header.ts';
import type { CellValue } from '../port.ts';

export type CellData = sheets_v4.Schema$CellData;
export type Block = sheets_v4.Schema$GridData;
export type DataFilter = sheets_v4.Schema$DataFilter;

/** A tab of an answer: its properties and, for each filter that matched, one block of cells. */
export interface Grid {
  readonly title: string;
  readonly sheetId: number;
  readonly rowCount: number;
  readonly columnCount: number;
  /** Marks on the tab itself. */
  readonly sheetMarks: readonly Metadata[];
  /** Ranges that this account may not edit. */
  readonly forbidden: readonly GridBounds[];
  readonly blocks: readonly Block[];
}

const fields = [
  'properties(sheetId,title,gridProperties(rowCount,columnCount))',
  'developerMetadata(metadataId,metadataKey)',
  'protectedRanges(range,unprotectedRanges,warningOnly,requestingUserCanEdit)',
  'data(startRow,startColumn,rowData(values(effectiveValue,userEnteredValue)),' +
    'rowMetadata(developerMetadata(metadataId,metadataKey)),' +
    'columnMetadata(developerMetadata(metadataId,metadataKey,metadataValue)))',
].join(',');

export function byBounds(sheetId: number, bounds: GridBounds): DataFilter {
  return { gridRange: { sheetId, ...bounds } };
}

export function byMetadataId(metadataId: number): DataFilter {
  return { developerMetadataLookup: { metadataId } };
}

/**
 * The rectangles of the filters. One of them must be a range, which a tab always answers, even if blank. A filter by
 * metadata id that matches nothing gives no block. Throws UnavailableError, after repeating, for an answer without any
 * block: a missing tab is refused, never answered as empty (L7).
 */
export function readGrid(
  client: SheetsClient,
  spreadsheetId: string,
  dataFilters: DataFilter[],
  options: CallOptions = {},
): Promise<Grid> {
  return client.read(
    spreadsheetId,
    async (api, methodOptions) => {
      const { data } = await api.spreadsheets.getByDataFilter(
        {
          spreadsheetId,
          requestBody: { dataFilters, includeGridData: true },
          fields: `sheets(${fields})`,
          prettyPrint: false,
        },
        methodOptions,
      );
      const sheet = checkGridAnswer(data, { spreadsheetId }).sheets?.[0];
      if (!sheet?.data?.length) {
        throw new UnavailableError('an answer without the cells that were asked for', { spreadsheetId });
      }
      return { data: sheetToGrid(sheet) };
    },
    options,
  );
}

function sheetToGrid(sheet: sheets_v4.Schema$Sheet): Grid {
  const { title, sheetId, gridProperties } = sheet.properties ?? {};
  return {
    title: title ?? '',
    sheetId: sheetId ?? 0,
    rowCount: gridProperties?.rowCount ?? 0,
    columnCount: gridProperties?.columnCount ?? 0,
    sheetMarks: sheet.developerMetadata ?? [],
    forbidden: (sheet.protectedRanges ?? []).flatMap(forbiddenBounds),
    blocks: sheet.data ?? [],
  };
}

/** A protected tab is one range without bounds. One with exceptions is left to Google, which refuses single rows. */
function forbiddenBounds(range: sheets_v4.Schema$ProtectedRange): GridBounds[] {
  // Answers leave out false, like every default value.
  if (range.warningOnly || range.requestingUserCanEdit) return [];
  if (range.unprotectedRanges?.length) return [];
  const { startRowIndex, endRowIndex, startColumnIndex, endColumnIndex } = range.range ?? {};
  return [
    {
      ...(startRowIndex != null && { startRowIndex }),
      ...(endRowIndex != null && { endRowIndex }),
      ...(startColumnIndex != null && { startColumnIndex }),
      ...(endColumnIndex != null && { endColumnIndex }),
    },
  ];
}

const errorTexts: Readonly<Record<string, string>> = {
  ERROR: '#ERROR!',
  NULL_VALUE: '#NULL!',
  DIVIDE_BY_ZERO: '#DIV/0!',
  VALUE: '#VALUE!',
  REF: '#REF!',
  NAME: '#NAME?',
  NUM: '#NUM!',
  N_A: '#N/A',
  LOADING: 'Loading...',
};

export function cellValue(cell: CellData | undefined): CellValue {
  const value = cell?.effectiveValue;
  if (value == null) return null;
  if (value.stringValue != null) return value.stringValue === '' ? null : value.stringValue;
  if (value.numberValue != null) return value.numberValue;
  if (value.boolValue != null) return value.boolValue;
  if (value.errorValue != null) return { error: errorTexts[value.errorValue.type ?? ''] ?? '#ERROR!' };
  return null;
}

/**
 * The text that a cell shows for a number with a format, such as `3/14/2026`, `50%` or `01234`. undefined: it is no number,
 * has no format, or its format shows nothing. The cell must have been read with `formattedValue` and its format.
 */
export function shownText(cell: CellData | undefined): string | undefined {
  if (typeof cellValue(cell) !== 'number') return undefined;
  const { type, pattern } = cell?.effectiveFormat?.numberFormat ?? {};
  if (type == null || type === 'TEXT' || /^general$/i.test(pattern ?? '')) return undefined;
  const text = cell?.formattedValue ?? '';
  return text.trim() === '' ? undefined : text;
}

export function formulaText(cell: CellData | undefined): string | undefined {
  return cell?.userEnteredValue?.formulaValue ?? undefined;
}

/**
 * Whether the cell shows what an array formula in another cell puts there: it has a value, and nobody entered it. Whatever is
 * written into such a cell breaks the formula, which then shows #REF!, and no value in any cell.
 */
export function isExpanded(cell: CellData | undefined): boolean {
  return cell?.effectiveValue != null && !hasEntered(cell);
}

/** Answers leave out what was not entered. The cell must have been read with the whole `userEnteredValue`. */
export function hasEntered(cell: CellData | undefined): boolean {
  return cell?.userEnteredValue != null;
}

/** The entered text: a formula itself, else the value. */
export function enteredText(cell: CellData | undefined): string {
  const value = cellValue(cell);
  return formulaText(cell) ?? (typeof value === 'object' ? (value?.error ?? '') : String(value));
}

/** The value as text: for an ID or header cell. */
export function cellText(value: CellValue): string {
  if (value === null) return '';
  return typeof value === 'object' ? value.error : String(value).trim();
}

export function isSameValue(a: CellValue, b: CellValue): boolean {
  if (a === null || b === null) return a === b;
  if (typeof a === 'object' || typeof b === 'object') {
    return typeof a === 'object' && typeof b === 'object' && a.error === b.error;
  }
  return a === b;
}

/** The header row's block as physical columns. Columns of the block without a header cell have empty text. */
export function headerCells(block: Block | undefined): HeaderCell[] {
  const startColumn = block?.startColumn ?? 0;
  const cells = block?.rowData?.[0]?.values ?? [];
  const metadata = block?.columnMetadata ?? [];
  return Array.from({ length: Math.max(cells.length, metadata.length) }, (_, index) => ({
    columnIndex: startColumn + index,
    text: cellText(cellValue(cells[index])),
    anchors: (metadata[index]?.developerMetadata ?? []).flatMap(({ metadataId, metadataKey, metadataValue }) =>
      metadataKey === anchorKey && metadataId != null && metadataValue != null
        ? [{ metadataId, value: metadataValue }]
        : [],
    ),
    markIds: (metadata[index]?.developerMetadata ?? []).flatMap(({ metadataId }) => metadataId ?? []),
  }));
}

/** `D17`, for people. */
export function cellAddress(rowIndex: number, columnIndex: number): string {
  return `${columnLetter(columnIndex)}${rowIndex + 1}`;
}

export function contains(bounds: GridBounds, rowIndex: number, columnIndex: number): boolean {
  return (
    rowIndex >= (bounds.startRowIndex ?? 0) &&
    rowIndex < (bounds.endRowIndex ?? Infinity) &&
    columnIndex >= (bounds.startColumnIndex ?? 0) &&
    columnIndex < (bounds.endColumnIndex ?? Infinity)
  );
}
