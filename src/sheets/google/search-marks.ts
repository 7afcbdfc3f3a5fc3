// Searches the developer metadata of a workbook.
import type { CallOptions, TableContext } from './context.ts';
import type { byMetadataId } from './grid.ts';
import type { Metadata } from './marks.ts';

/** All that any of the filters matches. One read. */
export async function searchMarks(
  context: TableContext,
  dataFilters: ReturnType<typeof byMetadataId>[],
  options: CallOptions,
): Promise<Metadata[]> {
  const { client, spreadsheetId } = context;
  const { matchedDeveloperMetadata = [] } = await client.read(
    spreadsheetId,
    (api, methodOptions) =>
      api.spreadsheets.developerMetadata.search({ spreadsheetId, requestBody: { dataFilters } }, methodOptions),
    options,
  );
  return matchedDeveloperMetadata.flatMap(({ developerMetadata }) => developerMetadata ?? []);
}
