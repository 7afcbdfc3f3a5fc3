// Developer metadata: its content, its place, its lookup.
// https://developers.google.com/workspace/sheets/api/guides/metadata
import { type OpenRect, type Rect } from './a1.ts';
import type { Edit } from './edit.ts';
import { ApiError, invalidArgument } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { MetadataLookup, developerMetadata, metadataLocation } from './schema.ts';
import { type Sheet } from './sheet.ts';
import type { Metadata, MetadataPlace, Spreadsheet } from './spreadsheet.ts';
import type { z } from 'zod';

/** Keys and values together, per sheet, and again for the spreadsheet itself. Documented; the message is measured. */
const metadataCharactersMax = 30_000;

type MetadataInput = z.output<typeof developerMetadata>;
type LocationInput = z.output<typeof metadataLocation>;

/** Adds an entry; a chosen id in use is refused, so that a repeated request cannot double it. */
export function createMetadata(edit: Edit, input: MetadataInput): JsonObject {
  const { spreadsheet } = edit;
  if (input.metadataKey === undefined || input.metadataKey === '') {
    throw invalidArgument('developerMetadata.metadataKey must be specified');
  }
  if (input.visibility === undefined || input.visibility === 'DEVELOPER_METADATA_VISIBILITY_UNSPECIFIED') {
    throw invalidArgument('developerMetadata.visibility must be specified');
  }
  if (!input.location) throw invalidArgument('developerMetadata.location must be specified');
  const place = resolvePlace(spreadsheet, input.location);
  const entry: Metadata = {
    id: chooseId(edit, input.metadataId),
    key: input.metadataKey,
    visibility: input.visibility,
    ...(input.metadataValue === undefined ? {} : { value: input.metadataValue }),
    ...(place.type === 'SPREADSHEET' ? {} : { sheetId: place.sheetId }),
  };
  requireStorage(spreadsheet, entry);
  spreadsheet.placeMetadata(entry, place);
  return metadataToJson(entry, place);
}

function chooseId(edit: Edit, wanted: number | undefined): number {
  const { metadataById } = edit.spreadsheet;
  if (wanted !== undefined && wanted !== 0) {
    if (wanted < 0) throw invalidArgument(`Developer metadata ID must be positive: ${wanted}`);
    if (metadataById.has(wanted)) throw invalidArgument(`Developer metadata with ID ${wanted} already exists`);
    return wanted;
  }
  let id = edit.newId();
  while (metadataById.has(id)) id = edit.newId();
  return id;
}

function requireStorage(spreadsheet: Spreadsheet, added: Metadata): void {
  let characters = 0;
  for (const entry of spreadsheet.metadataById.values()) {
    if (entry.sheetId === added.sheetId && entry.id !== added.id) characters += charactersOf(entry);
  }
  if (characters + charactersOf(added) > metadataCharactersMax) {
    throw invalidArgument('Adding the requested developer metadata would exceed the allowed storage limit');
  }
}

const charactersOf = (entry: Metadata): number => entry.key.length + (entry.value?.length ?? 0);

function resolvePlace(spreadsheet: Spreadsheet, location: LocationInput): MetadataPlace {
  if (location.dimensionRange) {
    const { sheetId = 0, dimension, startIndex, endIndex } = location.dimensionRange;
    const sheet = spreadsheet.sheet(sheetId);
    if (dimension === undefined) throw invalidArgument('DimensionRange must specify a dimension');
    if (startIndex === undefined || endIndex === undefined) {
      throw invalidArgument('DimensionRange must specify both a startIndex and an endIndex');
    }
    if (endIndex - startIndex !== 1) throw invalidArgument('DimensionRange must represent a single row or column');
    const size = sheet.bands(dimension).length;
    if (startIndex < 0 || endIndex > size) {
      throw invalidArgument(`DimensionRange exceeds grid limits: endIndex ${endIndex}, max ${size}`);
    }
    return { type: dimension === 'ROWS' ? 'ROW' : 'COLUMN', sheetId, index: startIndex };
  }
  if (location.spreadsheet === true) return { type: 'SPREADSHEET' };
  if (location.sheetId !== undefined) return { type: 'SHEET', sheetId: spreadsheet.sheet(location.sheetId).id };
  throw invalidArgument('developerMetadata.location must be specified');
}

/** Changes the entry's fields in the mask; its place may change too. Returns the entry. */
export function updateMetadata(
  edit: Edit,
  id: number,
  input: MetadataInput,
  has: (field: string) => boolean,
): JsonObject {
  const { spreadsheet } = edit;
  const before = spreadsheet.metadataById.get(id);
  const place = spreadsheet.places().get(id);
  if (!before || !place) throw noMetadata(id);
  const key = has('metadataKey') ? input.metadataKey : before.key;
  const value = has('metadataValue') ? input.metadataValue : before.value;
  const visibility = has('visibility') ? input.visibility : before.visibility;
  if (key === undefined || key === '') throw invalidArgument('developerMetadata.metadataKey must be specified');
  if (visibility === undefined || visibility === 'DEVELOPER_METADATA_VISIBILITY_UNSPECIFIED') {
    throw invalidArgument('developerMetadata.visibility must be specified');
  }
  const moved = has('location') && input.location ? resolvePlace(spreadsheet, input.location) : place;
  const entry: Metadata = {
    id,
    key,
    visibility,
    ...(value === undefined ? {} : { value }),
    ...(moved.type === 'SPREADSHEET' ? {} : { sheetId: moved.sheetId }),
  };
  requireStorage(spreadsheet, entry);
  spreadsheet.removeMetadata(id);
  spreadsheet.placeMetadata(entry, moved);
  return metadataToJson(entry, moved);
}

export function metadataToJson(entry: Metadata, place: MetadataPlace): JsonObject {
  return {
    metadataId: entry.id,
    metadataKey: entry.key,
    ...(entry.value === undefined ? {} : { metadataValue: entry.value }),
    location: locationToJson(place),
    visibility: entry.visibility,
  };
}

function locationToJson(place: MetadataPlace): JsonObject {
  switch (place.type) {
    case 'SPREADSHEET':
      return { locationType: 'SPREADSHEET', spreadsheet: true };
    case 'SHEET':
      return { locationType: 'SHEET', sheetId: place.sheetId };
    default:
      return {
        locationType: place.type,
        dimensionRange: {
          ...(place.sheetId === 0 ? {} : { sheetId: place.sheetId }),
          dimension: place.type === 'ROW' ? 'ROWS' : 'COLUMNS',
          startIndex: place.index,
          endIndex: place.index + 1,
        },
      };
  }
}

export function noMetadata(id: number): ApiError {
  return new ApiError('NOT_FOUND', `No developer metadata with ID ${id}`);
}

export interface MetadataMatch {
  readonly entry: Metadata;
  readonly place: MetadataPlace;
}

/** The entries that a lookup matches, in the order of their ids; every given field has to agree. */
export function findMetadata(spreadsheet: Spreadsheet, lookup: MetadataLookup): readonly MetadataMatch[] {
  const candidates =
    lookup.metadataId === undefined
      ? [...spreadsheet.metadataById.keys()].toSorted((a, b) => a - b)
      : [lookup.metadataId];
  const places = spreadsheet.places();
  const inLocation = locationTest(spreadsheet, lookup);
  return candidates.flatMap((id) => {
    const entry = spreadsheet.metadataById.get(id);
    const place = places.get(id);
    if (!entry || !place) return [];
    const matches =
      (lookup.metadataKey === undefined || lookup.metadataKey === entry.key) &&
      (lookup.metadataValue === undefined || lookup.metadataValue === entry.value) &&
      isUnspecifiedOr(lookup.visibility, entry.visibility) &&
      isUnspecifiedOr(lookup.locationType, place.type) &&
      inLocation(place);
    return matches ? [{ entry, place }] : [];
  });
}

function isUnspecifiedOr(wanted: string | undefined, actual: string): boolean {
  return wanted === undefined || wanted.endsWith('_UNSPECIFIED') || wanted === actual;
}

/** The condition of `metadataLocation` and `locationMatchingStrategy` on a place. */
function locationTest(spreadsheet: Spreadsheet, lookup: MetadataLookup): (place: MetadataPlace) => boolean {
  const { metadataLocation: location, locationMatchingStrategy: strategy } = lookup;
  if (!location) return () => true;
  const exact = strategy !== 'INTERSECTING_LOCATION';
  if (location.dimensionRange) {
    const {
      sheetId = 0,
      dimension = 'ROWS',
      startIndex = 0,
      endIndex = Number.POSITIVE_INFINITY,
    } = location.dimensionRange;
    spreadsheet.sheet(sheetId);
    const type = dimension === 'ROWS' ? 'ROW' : 'COLUMN';
    return (place) => {
      if (place.type === 'SPREADSHEET') return !exact;
      if (place.sheetId !== sheetId) return false;
      if (place.type === 'SHEET') return !exact;
      if (place.type !== type) return !exact;
      return exact
        ? place.index === startIndex && endIndex === startIndex + 1
        : place.index >= startIndex && place.index < endIndex;
    };
  }
  if (location.sheetId !== undefined) {
    const { sheetId } = location;
    spreadsheet.sheet(sheetId);
    return (place) =>
      exact
        ? place.type === 'SHEET' && place.sheetId === sheetId
        : place.type === 'SPREADSHEET' || place.sheetId === sheetId;
  }
  return (place) => !exact || place.type === 'SPREADSHEET';
}

/** The cells a place covers; undefined for the spreadsheet as a whole. */
export function placeToRange(
  spreadsheet: Spreadsheet,
  place: MetadataPlace,
): { readonly sheet: Sheet; readonly range: OpenRect } | undefined {
  if (place.type === 'SPREADSHEET') return undefined;
  const sheet = spreadsheet.sheet(place.sheetId);
  const all: Rect = sheet.bounds;
  if (place.type === 'SHEET') return { sheet, range: all };
  if (place.type === 'ROW') return { sheet, range: { ...all, top: place.index, bottom: place.index + 1 } };
  return { sheet, range: { ...all, left: place.index, right: place.index + 1 } };
}
