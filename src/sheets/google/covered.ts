// Which cells of the table are covered by merged ones (V3). Such a cell is blank although nobody emptied it.
import { type CallOptions, idKey, type TableContext } from './context.ts';
import type { CoveredCells } from '../port.ts';
import { UnavailableError } from './errors.ts';

/** One read. Of a tab that was read before. */
export async function readCovered(context: TableContext, options: CallOptions): Promise<CoveredCells> {
  const { client, spreadsheetId, sheetId, shape, spec } = context;
  const sheets = await client.read(
    spreadsheetId,
    async (api, methodOptions) => {
      const { data } = await api.spreadsheets.get(
        { spreadsheetId, fields: 'sheets(properties(sheetId),merges)' },
        methodOptions,
      );
      // A spreadsheet has at least one tab: an answer without any is incomplete (L7).
      if (!data.sheets?.length) throw new UnavailableError('an answer without any tab', { spreadsheetId });
      return { data: data.sheets };
    },
    options,
  );
  const tab = sheets.find(({ properties }) => (properties?.sheetId ?? 0) === sheetId);
  // Answers leave out an index of 0.
  const merges = (tab?.merges ?? []).map((merge) => ({
    top: merge.startRowIndex ?? 0,
    bottom: merge.endRowIndex ?? Infinity,
    left: merge.startColumnIndex ?? 0,
    right: merge.endColumnIndex ?? Infinity,
  }));
  const over = (key: string) => {
    const at = shape?.columnIndexByKey[key];
    return at === undefined ? [] : merges.filter(({ left, right }) => at >= left && at < right);
  };
  return {
    isCovered: (row, key) =>
      over(key).some(({ top, bottom, left }) => {
        const isFirst = row - 1 === top && shape!.columnIndexByKey[key] === left;
        return row - 1 >= top && row - 1 < bottom && !isFirst;
      }),
    // Over several rows: a merge of one row, such as a heading between the rows, leaves no row without any cell of its own.
    idRows: over(idKey).flatMap(({ top, bottom }) =>
      bottom - top > 1 && bottom > spec.headerRow ? [Math.max(top, spec.headerRow) + 1] : [],
    ),
  };
}
