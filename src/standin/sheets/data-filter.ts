// Finds the ranges that data filters match.
import { closeRect } from './sheet.ts';
import { type SheetRange, resolveA1, resolveGridRange } from './grid-range.ts';
import { invalidArgument } from './errors.ts';
import { findMetadata, placeToRange } from './metadata.ts';
import type { DataFilter } from './schema.ts';
import type { Spreadsheet } from './spreadsheet.ts';

/** A range that filters matched, and all of those filters. */
export interface FilteredRange extends SheetRange {
  readonly filters: DataFilter[];
}

/** The ranges one filter matches; a metadata lookup may match several or none. */
export function resolveDataFilter(spreadsheet: Spreadsheet, filter: DataFilter): readonly SheetRange[] {
  if (filter.developerMetadataLookup) {
    return findMetadata(spreadsheet, filter.developerMetadataLookup)
      .map(({ place }) => placeToRange(spreadsheet, place))
      .filter((range) => range !== undefined);
  }
  if (filter.a1Range !== undefined) return [resolveA1(spreadsheet, filter.a1Range)];
  if (filter.gridRange) return [resolveGridRange(spreadsheet, filter.gridRange)];
  throw invalidArgument('DataFilter must specify one of developerMetadataLookup, a1Range, gridRange');
}

/** The ranges several filters match, each once, in the order of the filters. */
export function resolveDataFilters(spreadsheet: Spreadsheet, filters: readonly DataFilter[]): readonly FilteredRange[] {
  const byKey = new Map<string, FilteredRange>();
  for (const filter of filters) {
    for (const { sheet, range } of resolveDataFilter(spreadsheet, filter)) {
      const { top, left, bottom, right } = closeRect(range, sheet.bounds);
      const key = `${sheet.id}:${top}:${left}:${bottom}:${right}`;
      const known = byKey.get(key);
      if (known) known.filters.push(filter);
      else byKey.set(key, { sheet, range, filters: [filter] });
    }
  }
  return [...byKey.values()];
}
