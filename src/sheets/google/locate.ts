// Finds the tab: by sheetId once that is known, so that a renamed tab is found; by title or gid the first time.
import { textToTabReference } from './address.ts';
import { type CallOptions, errorContext, type TableContext } from './context.ts';
import { HeaderRowBeyondGridError, TabGoneError } from '../errors.ts';
import { UnavailableError } from './errors.ts';

/** Sets `context.sheetId` and the size of `context.shape`. One read of the tabs' properties. */
export async function locateTab(context: TableContext, options: CallOptions): Promise<void> {
  const { client, spreadsheetId, spec } = context;
  const sheets = await client.read(
    spreadsheetId,
    async (api, methodOptions) => {
      const { data } = await api.spreadsheets.get(
        { spreadsheetId, fields: 'sheets(properties(sheetId,title,gridProperties(rowCount,columnCount)))' },
        methodOptions,
      );
      // A spreadsheet has at least one tab: an answer without any is incomplete, and proves nothing about ours (L7).
      if (!data.sheets?.length) throw new UnavailableError('an answer without any tab', { spreadsheetId });
      return { data: data.sheets };
    },
    options,
  );
  const tabs = sheets.map(({ properties }) => ({
    title: properties?.title ?? '',
    sheetId: properties?.sheetId ?? 0,
    rowCount: properties?.gridProperties?.rowCount ?? 0,
    columnCount: properties?.gridProperties?.columnCount ?? 0,
  }));
  const reference = textToTabReference(spec.tab);
  const wantedId = context.sheetId ?? (reference.kind === 'gid' ? reference.sheetId : undefined);
  const tab = tabs.find(({ sheetId, title }) => (wantedId === undefined ? title === spec.tab : sheetId === wantedId));
  if (!tab) {
    // A person deleted the tab and gave its name to a copy: two different tabs.
    const isReplaced = reference.kind !== 'gid' && tabs.some(({ title }) => title === spec.tab);
    const was = isReplaced
      ? ', with which it ran before: another tab has that name now. Get the old one back by the version history, or give the sync a new name'
      : '';
    const name = wantedId === undefined ? `"${spec.tab}"` : `"${spec.tab}" (gid ${wantedId})${was}`;
    throw new TabGoneError(
      name,
      tabs.map(({ title }) => title),
      errorContext(context),
    );
  }
  context.sheetId = tab.sheetId;
  if (spec.headerRow > tab.rowCount) {
    throw new HeaderRowBeyondGridError(tab.title, spec.headerRow, tab.rowCount, errorContext(context));
  }
  const { rowCount, columnCount } = tab;
  context.shape = { rowCount, columnCount, columnIndexByKey: context.shape?.columnIndexByKey ?? {} };
}
