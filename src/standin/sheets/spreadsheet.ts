// The content of a spreadsheet: its tabs and developer metadata.
import type { OpenRect } from './a1.ts';
import { type DimensionEdit } from './dimension-edit.ts';
import { invalidArgument } from './errors.ts';
import { rewriteReferences } from './formula-references.ts';
import type { JsonObject } from './json.ts';
import { type Band, type Sheet, cellsMax, makeRow, mapOpenRect } from './sheet.ts';

export interface NamedRange {
  readonly id: string;
  readonly name: string;
  readonly sheetId: number;
  readonly range: OpenRect;
}

/** A developer metadata entry without its place: its row, column, sheet or spreadsheet lists its id. */
export interface Metadata {
  readonly id: number;
  readonly key: string;
  readonly value?: string;
  readonly visibility: 'DOCUMENT' | 'PROJECT';
  /** Undefined for metadata of the spreadsheet itself, which has an allowance of its own. */
  readonly sheetId?: number;
}

export type MetadataPlace =
  | { readonly type: 'SPREADSHEET' }
  | { readonly type: 'SHEET'; readonly sheetId: number }
  | { readonly type: 'ROW' | 'COLUMN'; readonly sheetId: number; readonly index: number };

/**
 * The content of one spreadsheet. Editing changes a `clone()` that replaces the original after everything succeeded. So
 * a reader never sees half a batch, and a failed batch has no effect. A clone copies lists of references, not cells.
 */
export class Spreadsheet {
  /** SpreadsheetProperties. */
  properties: JsonObject;
  sheets: Sheet[] = [];
  namedRanges: NamedRange[] = [];
  metadataIds: readonly number[] = [];
  readonly metadataById: Map<number, Metadata>;
  private placeById: Map<number, MetadataPlace> | undefined;

  constructor(properties: JsonObject, metadataById: ReadonlyMap<number, Metadata> = new Map()) {
    this.properties = properties;
    this.metadataById = new Map(metadataById);
  }

  clone(): Spreadsheet {
    const copy = new Spreadsheet(this.properties, this.metadataById);
    copy.sheets = this.sheets.map((sheet) => sheet.clone());
    copy.namedRanges = [...this.namedRanges];
    copy.metadataIds = this.metadataIds;
    return copy;
  }

  get title(): string {
    const { title } = this.properties;
    return typeof title === 'string' ? title : '';
  }

  findSheet(id: number): Sheet | undefined {
    return this.sheets.find((sheet) => sheet.id === id);
  }

  findSheetByTitle(title: string): Sheet | undefined {
    const exact = this.sheets.find((sheet) => sheet.title === title);
    return exact ?? this.sheets.find((sheet) => sheet.title.toLowerCase() === title.toLowerCase());
  }

  /** The sheet with this id; else throws the refusal for an unknown id. */
  sheet(id: number): Sheet {
    const sheet = this.findSheet(id);
    if (!sheet) throw invalidArgument(`No grid with id: ${id}`);
    return sheet;
  }

  /** Inserts, deletes or moves rows or columns of a sheet, and adjusts all references to them. */
  restructure(sheet: Sheet, edit: DimensionEdit): void {
    this.dropMetadata(sheet.restructure(edit));
    this.namedRanges = this.namedRanges
      .map((named) => {
        if (named.sheetId !== sheet.id) return named;
        const range = mapOpenRect(edit, named.range);
        return range && { ...named, range };
      })
      .filter((named) => named !== undefined);
    this.rewriteFormulas(sheet, edit);
    this.forgetPlaces();
    this.checkSize();
  }

  resize(sheet: Sheet, rowCount: number, columnCount: number): void {
    this.dropMetadata(sheet.resize('ROWS', rowCount));
    this.dropMetadata(sheet.resize('COLUMNS', columnCount));
    this.forgetPlaces();
    this.checkSize();
  }

  checkSize(): void {
    const cells = this.sheets.reduce((sum, sheet) => sum + sheet.rowCount * sheet.columnCount, 0);
    if (cells > cellsMax) {
      throw invalidArgument(
        `This action would increase the number of cells in the workbook above the limit of ${cellsMax} cells.`,
      );
    }
  }

  private rewriteFormulas(edited: Sheet, edit: DimensionEdit): void {
    this.mapFormulas((formula, host) => rewriteReferences(formula, host.title, edited.title, edit));
  }

  /** Replaces every formula by the result of `map`. */
  mapFormulas(map: (formula: string, host: Sheet) => string): void {
    for (const sheet of this.sheets) {
      // Indexed loops on purpose: this runs for every inserted row, over all rows of large sheets.
      for (let index = 0; index < sheet.rows.length; index += 1) {
        const row = sheet.rows[index];
        if (!row?.hasFormula) continue;
        const cells = row.cells.map((cell) =>
          cell?.formula === undefined ? cell : { ...cell, formula: map(cell.formula, sheet) },
        );
        sheet.rows[index] = makeRow(cells, row);
      }
    }
  }

  /** The present place of each metadata entry. */
  places(): ReadonlyMap<number, MetadataPlace> {
    if (this.placeById) return this.placeById;
    const places = new Map<number, MetadataPlace>();
    for (const id of this.metadataIds) places.set(id, { type: 'SPREADSHEET' });
    for (const sheet of this.sheets) {
      for (const id of sheet.metadataIds) places.set(id, { type: 'SHEET', sheetId: sheet.id });
      notePlaces(places, 'COLUMN', sheet.id, sheet.columns);
      notePlaces(places, 'ROW', sheet.id, sheet.rows);
    }
    this.placeById = places;
    return places;
  }

  /** Must be called after every change of the places of rows, columns or metadata. */
  forgetPlaces(): void {
    this.placeById = undefined;
  }

  /** Puts an entry on its row, column, sheet or the spreadsheet. */
  placeMetadata(entry: Metadata, place: MetadataPlace): void {
    this.metadataById.set(entry.id, entry);
    this.relist(place, (ids) => [...ids, entry.id]);
    this.placeById?.set(entry.id, place);
  }

  removeMetadata(id: number): void {
    const place = this.places().get(id);
    if (place) this.relist(place, (ids) => ids.filter((other) => other !== id));
    this.metadataById.delete(id);
    this.placeById?.delete(id);
  }

  private relist(place: MetadataPlace, change: (ids: readonly number[]) => readonly number[]): void {
    if (place.type === 'SPREADSHEET') {
      this.metadataIds = change(this.metadataIds);
      return;
    }
    const sheet = this.sheet(place.sheetId);
    if (place.type === 'SHEET') {
      sheet.metadataIds = change(sheet.metadataIds);
      return;
    }
    sheet.editBand(place.type === 'ROW' ? 'ROWS' : 'COLUMNS', place.index, (band) => ({
      ...band,
      metadataIds: change(band.metadataIds ?? []),
    }));
  }

  /** Removes the metadata of deleted rows or columns. */
  dropMetadata(bands: readonly (Band | undefined)[]): void {
    for (const band of bands) {
      for (const id of band?.metadataIds ?? []) this.metadataById.delete(id);
    }
  }
}

function notePlaces(
  places: Map<number, MetadataPlace>,
  type: 'ROW' | 'COLUMN',
  sheetId: number,
  bands: readonly (Band | undefined)[],
): void {
  for (let index = 0; index < bands.length; index += 1) {
    const ids = bands[index]?.metadataIds;
    if (ids === undefined) continue;
    for (const id of ids) places.set(id, { type, sheetId, index });
  }
}
