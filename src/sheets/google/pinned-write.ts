// Writes through pins: one `values.batchUpdateByDataFilter`, RAW, `null` for every cell that is not to be set. The
// answer shows each row right after the write. It shows the header row too, by an entry that writes nothing
// (`[[null]]`). So it shows whether every value went into its row and column.
import type { sheets_v4 } from '@googleapis/sheets';
import { rangeStart } from './address.ts';
import type { CallOptions, TableContext } from './context.ts';
import { byMetadataId, cellText } from './grid.ts';
import type { PinnedView } from './pinned-view.ts';
import { uncopied } from './uncopied.ts';
import type { CellInput, CellValue } from '../port.ts';

/** The cells to write into one pinned row, by physical column of the view it was planned on. */
export interface PinnedPlan {
  readonly pin: number;
  readonly cells: ReadonlyMap<number, CellInput>;
}

export interface WrittenRow {
  /** The cell at a physical column right after the write. */
  valueAt(columnIndex: number): CellValue;
}

export interface WriteAnswer {
  /** Rows that the write reached; a row that was deleted meanwhile is missing. */
  readonly rowByPin: ReadonlyMap<number, WrittenRow>;
  /** Header texts by physical column at the moment of writing; undefined: the header row is gone. */
  readonly headerTexts: readonly string[] | undefined;
}

/** One write. RAW keeps every string as it is; USER_ENTERED is only for restoring a formula. */
export async function writeThroughPins(
  context: TableContext,
  view: PinnedView,
  headerPin: number,
  plans: readonly PinnedPlan[],
  options: CallOptions,
  valueInputOption: 'RAW' | 'USER_ENTERED' = 'RAW',
): Promise<WriteAnswer> {
  const { client, spreadsheetId } = context;
  const mappedWidth = Math.max(0, ...view.header.located.map(({ columnIndex }) => columnIndex + 1));
  const data = [
    ...plans.map(({ pin, cells }) => ({ dataFilter: byMetadataId(pin), values: [rowValues(cells, mappedWidth)] })),
    { dataFilter: byMetadataId(headerPin), values: [[null]] },
  ];
  const { responses = [] } = await client.write(
    spreadsheetId,
    (api, methodOptions) =>
      api.spreadsheets.values.batchUpdateByDataFilter(
        {
          spreadsheetId,
          requestBody: uncopied({
            valueInputOption,
            data,
            includeValuesInResponse: true,
            responseValueRenderOption: 'UNFORMATTED_VALUE',
          }),
          fields: 'spreadsheetId,responses(dataFilter,updatedRange,updatedData(values))',
          prettyPrint: false,
        },
        methodOptions,
      ),
    options,
  );
  return readAnswer(responses, headerPin);
}

function rowValues(cells: ReadonlyMap<number, CellInput>, mappedWidth: number): (CellInput | null)[] {
  const width = Math.max(mappedWidth, ...[...cells.keys()].map((index) => index + 1));
  return Array.from({ length: width }, (_, index) => cells.get(index) ?? null);
}

type Response = sheets_v4.Schema$UpdateValuesByDataFilterResponse;

function readAnswer(responses: readonly Response[], headerPin: number): WriteAnswer {
  const rowByPin = new Map<number, WrittenRow>();
  let headerTexts: string[] | undefined;
  for (const { dataFilter, updatedRange, updatedData } of responses) {
    const pin = dataFilter?.developerMetadataLookup?.metadataId;
    const start = rangeStart(updatedRange ?? '');
    if (pin == null || start === undefined) continue;
    const row = writtenRow(updatedData?.values?.[0] ?? [], start.columnIndex);
    rowByPin.set(pin, row);
    if (pin === headerPin) {
      headerTexts = (updatedData?.values?.[0] ?? []).map((_, index) =>
        cellText(row.valueAt(start.columnIndex + index)),
      );
    }
  }
  return { rowByPin, headerTexts };
}

function writtenRow(values: readonly unknown[], firstColumn: number): WrittenRow {
  return {
    valueAt: (columnIndex) => {
      const value = values[columnIndex - firstColumn];
      const isShown = typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value);
      return isShown ? value : null;
    },
  };
}

export interface ColumnsAtWrite {
  /** The header at the moment of writing equals that of the view: every value went into its column. */
  readonly areInPlace: boolean;
  /** Physical column by mark at the moment of writing, for columns with a unique header text. */
  readonly columnByMark: ReadonlyMap<number, number>;
}

export function columnsAtWrite(view: PinnedView, headerTexts: readonly string[] | undefined): ColumnsAtWrite {
  if (headerTexts === undefined) return { areInPlace: false, columnByMark: new Map() };
  const width = Math.max(view.headerTexts.length, headerTexts.length);
  const textAt = (texts: readonly string[], index: number) => texts[index] ?? '';
  const columnByMark = new Map<number, number>();
  for (const [mark, index] of view.columnByMark) {
    const text = textAt(view.headerTexts, index);
    const isSingle = view.headerTexts.filter((each) => each === text).length === 1;
    const places = headerTexts.flatMap((each, place) => (each === text ? [place] : []));
    if (text !== '' && isSingle && places.length === 1) columnByMark.set(mark, places[0]!);
  }
  return {
    areInPlace: Array.from({ length: width }).every(
      (_, index) => textAt(view.headerTexts, index) === textAt(headerTexts, index),
    ),
    columnByMark,
  };
}
