// Writing through pins: one `values.batchUpdateByDataFilter`, RAW, `null` for every cell that is none of our business.
// The answer tells where each row and each marked column was at the very moment of writing: rows by the range written,
// columns by entries that write nothing (`[[null]]`) and are answered with their range all the same.
import type { sheets_v4 } from '@googleapis/sheets';
import { rangeStart } from './address.ts';
import type { CallOptions, TableContext } from './context.ts';
import { byMetadataId } from './grid.ts';
import type { PinnedView } from './pinned-view.ts';
import type { CellInput, CellValue } from './port.ts';

/** What to write into one pinned row, by physical column as of the view it was planned on. */
export interface PinnedPlan {
  readonly pin: number;
  readonly cells: ReadonlyMap<number, CellInput>;
}

export interface WrittenRow {
  /** The cell at a physical column right after the write. */
  valueAt(columnIndex: number): CellValue;
}

export interface WriteAnswer {
  /** Rows that the write reached; a row deleted meanwhile is not among them. */
  readonly rowByPin: ReadonlyMap<number, WrittenRow>;
  /** Physical column of each mark at the moment of writing. */
  readonly columnByMark: ReadonlyMap<number, number>;
}

/** One write. RAW keeps every string what it is; USER_ENTERED is only for putting a formula back that was there. */
export async function writeThroughPins(
  context: TableContext,
  view: PinnedView,
  plans: readonly PinnedPlan[],
  options: CallOptions,
  valueInputOption: 'RAW' | 'USER_ENTERED' = 'RAW',
): Promise<WriteAnswer> {
  const { client, spreadsheetId } = context;
  const mappedWidth = Math.max(0, ...view.header.located.map(({ columnIndex }) => columnIndex + 1));
  const data = [
    ...plans.map(({ pin, cells }) => ({ dataFilter: byMetadataId(pin), values: [rowValues(cells, mappedWidth)] })),
    ...[...view.columnByMark.keys()].map((mark) => ({
      dataFilter: byMetadataId(mark),
      majorDimension: 'COLUMNS',
      values: [[null]],
    })),
  ];
  const { responses = [] } = await client.write(
    spreadsheetId,
    (api, methodOptions) =>
      api.spreadsheets.values.batchUpdateByDataFilter(
        {
          spreadsheetId,
          requestBody: {
            valueInputOption,
            data,
            includeValuesInResponse: true,
            responseValueRenderOption: 'UNFORMATTED_VALUE',
          },
          fields: 'responses(dataFilter,updatedRange,updatedData(values))',
          prettyPrint: false,
        },
        methodOptions,
      ),
    options,
  );
  return readAnswer(responses, view);
}

function rowValues(cells: ReadonlyMap<number, CellInput>, mappedWidth: number): (CellInput | null)[] {
  const width = Math.max(mappedWidth, ...[...cells.keys()].map((index) => index + 1));
  return Array.from({ length: width }, (_, index) => cells.get(index) ?? null);
}

type Response = sheets_v4.Schema$UpdateValuesByDataFilterResponse;

function readAnswer(responses: readonly Response[], view: PinnedView): WriteAnswer {
  const rowByPin = new Map<number, WrittenRow>();
  const columnByMark = new Map<number, number>();
  for (const { dataFilter, updatedRange, updatedData } of responses) {
    const id = dataFilter?.developerMetadataLookup?.metadataId;
    const start = rangeStart(updatedRange ?? '');
    if (id == null || start === undefined) continue;
    if (view.columnByMark.has(id)) columnByMark.set(id, start.columnIndex);
    else rowByPin.set(id, writtenRow(updatedData?.values?.[0] ?? [], start.columnIndex));
  }
  return { rowByPin, columnByMark };
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
