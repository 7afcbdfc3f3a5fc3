// Requests on developer metadata.
import { parseUpdateMask } from '../field-mask.ts';
import { type DataFilter, dataFilter, developerMetadata, list, message, text } from '../schema.ts';
import { createMetadata, findMetadata, metadataToJson, updateMetadata } from '../metadata.ts';
import type { Edit } from '../edit.ts';
import { invalidArgument } from '../errors.ts';
import { requestKind } from './request-kind.ts';

const createDeveloperMetadata = requestKind(
  message('CreateDeveloperMetadataRequest', { developerMetadata: developerMetadata.optional() }),
  (edit, { developerMetadata: input = {} }) => ({
    createDeveloperMetadata: { developerMetadata: createMetadata(edit, input) },
  }),
);

/** Entries that match any of the filters, each once. Ranges select the metadata of the rows and columns they cross. */
function matching(edit: Edit, filters: readonly DataFilter[]): readonly number[] {
  if (filters.length === 0) throw invalidArgument('At least one data filter must be specified');
  const ids = new Set<number>();
  for (const { developerMetadataLookup } of filters) {
    if (!developerMetadataLookup) throw invalidArgument('DataFilter must specify a developerMetadataLookup');
    for (const { entry } of findMetadata(edit.spreadsheet, developerMetadataLookup)) ids.add(entry.id);
  }
  if (ids.size === 0 && edit.behaviour.unmatchedFilterRefuses) {
    throw invalidArgument('No developer metadata matches the data filters');
  }
  return [...ids];
}

const updateDeveloperMetadata = requestKind(
  message('UpdateDeveloperMetadataRequest', {
    dataFilters: list(dataFilter).optional(),
    developerMetadata: developerMetadata.optional(),
    fields: text.optional(),
  }),
  (edit, { dataFilters = [], developerMetadata: input = {}, fields }) => {
    const mask = parseUpdateMask(fields);
    const updated = matching(edit, dataFilters).map((id) =>
      updateMetadata(edit, id, input, (field) => mask.has(field)),
    );
    return { updateDeveloperMetadata: updated.length > 0 ? { developerMetadata: updated } : {} };
  },
);

const deleteDeveloperMetadata = requestKind(
  message('DeleteDeveloperMetadataRequest', { dataFilter: dataFilter.optional() }),
  (edit, { dataFilter: filter }) => {
    const { spreadsheet } = edit;
    const deleted = matching(edit, filter ? [filter] : []).flatMap((id) => {
      const entry = spreadsheet.metadataById.get(id);
      const place = spreadsheet.places().get(id);
      spreadsheet.removeMetadata(id);
      return entry && place ? [metadataToJson(entry, place)] : [];
    });
    return { deleteDeveloperMetadata: deleted.length > 0 ? { deletedDeveloperMetadata: deleted } : {} };
  },
);

export const metadataRequests = { createDeveloperMetadata, updateDeveloperMetadata, deleteDeveloperMetadata };
