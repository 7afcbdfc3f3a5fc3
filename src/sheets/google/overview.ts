// Reads a spreadsheet before any of its tabs is mapped: the tabs, and the first rows of one.
import { sheetIdToReference } from './address.ts';
import type { CallOptions, TableContext } from './context.ts';
import { UnavailableError } from './errors.ts';
import { byBounds, cellValue, formulaText, isExpanded, readGrid } from './grid.ts';
import { locateTab } from './locate.ts';
import type { PreviewCell, SpreadsheetTabs } from '../port.ts';

/** One read. */
export async function listTabs(
  { client, spreadsheetId }: Pick<TableContext, 'client' | 'spreadsheetId'>,
  options: CallOptions,
): Promise<SpreadsheetTabs> {
  const { properties, sheets } = await client.read(
    spreadsheetId,
    async (api, methodOptions) => {
      const fields = 'properties(title),sheets(properties(sheetId,title,gridProperties(rowCount)))';
      const { data } = await api.spreadsheets.get({ spreadsheetId, fields }, methodOptions);
      // A spreadsheet has at least one tab: an answer without any is incomplete (L7).
      if (!data.sheets?.length) throw new UnavailableError('an answer without any tab', { spreadsheetId });
      return { data: { ...data, sheets: data.sheets } };
    },
    options,
  );
  return {
    title: properties?.title ?? '',
    // A tab of a chart has no grid.
    tabs: sheets.flatMap(({ properties: tab }) =>
      tab?.gridProperties
        ? [
            {
              title: tab.title ?? '',
              reference: sheetIdToReference(tab.sheetId ?? 0),
              rowCount: tab.gridProperties.rowCount ?? 0,
            },
          ]
        : [],
    ),
  };
}

/** Two reads. */
export async function previewTab(
  context: TableContext,
  rowsMax: number,
  options: CallOptions,
): Promise<readonly (readonly PreviewCell[])[]> {
  await locateTab(context, options);
  const endRowIndex = Math.min(rowsMax, context.shape!.rowCount);
  const filters = [byBounds(context.sheetId!, { startRowIndex: 0, endRowIndex })];
  const { blocks } = await readGrid(context.client, context.spreadsheetId, filters, options);
  const [{ startRow = 0, startColumn = 0, rowData = [] } = {}] = blocks;
  const blank: PreviewCell = { value: null, isFormula: false };
  // A block may begin at the first cell that is not blank.
  const above: PreviewCell[][] = Array.from({ length: startRow ?? 0 }, () => []);
  const rows = (rowData ?? []).map(({ values = [] }) => {
    const left = Array.from({ length: startColumn ?? 0 }, () => blank);
    const cells = values.map((cell) => ({
      value: cellValue(cell),
      isFormula: formulaText(cell) !== undefined || isExpanded(cell),
    }));
    return withoutBlankEnd([...left, ...cells], ({ value, isFormula }) => value === null && !isFormula);
  });
  return withoutBlankEnd([...above, ...rows], (row) => row.length === 0);
}

function withoutBlankEnd<Item>(items: readonly Item[], isBlank: (item: Item) => boolean): readonly Item[] {
  return items.slice(0, items.findLastIndex((item) => !isBlank(item)) + 1);
}
