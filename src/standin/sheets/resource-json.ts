// The parts of a sheet in the form of the API: groups, filters, named and protected ranges.
import type { Dimension } from './dimension-edit.ts';
import { gridRangeToJson } from './grid-range.ts';
import type { JsonObject } from './json.ts';
import type { DimensionGroup, Filter, ProtectedRange, Sheet } from './sheet.ts';
import type { NamedRange } from './spreadsheet.ts';

export function groupToJson(sheetId: number, of: Dimension, group: DimensionGroup): JsonObject {
  return {
    range: { ...(sheetId === 0 ? {} : { sheetId }), dimension: of, startIndex: group.start, endIndex: group.end },
    depth: group.depth,
    ...(group.collapsed ? { collapsed: true } : {}),
  };
}

export function filterToJson(sheet: Sheet, filter: Filter): JsonObject {
  return { ...filter.settings, range: gridRangeToJson(sheet.id, filter.range) };
}

export function namedRangeToJson(named: NamedRange): JsonObject {
  return { namedRangeId: named.id, name: named.name, range: gridRangeToJson(named.sheetId, named.range) };
}

/** In the form of spreadsheets.get. The owner may always edit, and is among the editors. */
export function protectedRangeToJson(
  sheet: Sheet,
  entry: ProtectedRange,
  viewer: { readonly email: string; readonly ownerEmail: string },
): JsonObject {
  const users = [viewer.ownerEmail, ...entry.editors.filter((email) => email !== viewer.ownerEmail)];
  return {
    ...protectionToJson(sheet, entry, users.includes(viewer.email)),
    ...(entry.warningOnly ? {} : { editors: { users } }),
  };
}

/** Without the editors: those depend on the caller and the method. */
export function protectionToJson(sheet: Sheet, entry: ProtectedRange, canEdit: boolean): JsonObject {
  return {
    protectedRangeId: entry.id,
    range: gridRangeToJson(sheet.id, entry.range),
    ...(entry.namedRangeId === undefined ? {} : { namedRangeId: entry.namedRangeId }),
    ...(entry.description === undefined ? {} : { description: entry.description }),
    ...(entry.warningOnly ? { warningOnly: true } : {}),
    ...(entry.warningOnly || canEdit ? { requestingUserCanEdit: true } : {}),
    ...(entry.unprotectedRanges.length === 0
      ? {}
      : { unprotectedRanges: entry.unprotectedRanges.map((rect) => gridRangeToJson(sheet.id, rect)) }),
  };
}
