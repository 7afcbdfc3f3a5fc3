// Both sides as an observer sees them: rows and contacts with the mapped fields.
import type { StoredContact } from '../../../src/standin/service/contacts.ts';
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import { type Cell, numberFormatOf } from '../../../src/standin/sheets/cell.ts';
import { displayText } from '../../../src/standin/sheets/number-format.ts';
import type { Spreadsheet } from '../../../src/standin/sheets/spreadsheet.ts';
import { type FieldName, headerOf, idHeader, notesHeader, segment, tabTitle } from './setting.ts';

export interface RowView {
  /** 1-based. */
  readonly number: number;
  readonly id: string;
  /** The person of the note in an unmapped column, which moves with its row. */
  readonly notedPerson: string | undefined;
  readonly cells: readonly (Cell | undefined)[];
  readonly value: (field: FieldName) => string;
  readonly text: (header: string) => string;
  /** Merged cells show another one in the place of this cell: nobody knows what it would hold (V3). */
  readonly isCovered: (header: string) => boolean;
}

/** Headers that people renamed, by their new names. */
export type Renamed = ReadonlyMap<string, string>;

export interface SheetView {
  readonly rows: readonly RowView[];
  /** 1-based. */
  readonly headerRow: number;
  /** By the header of the configuration. */
  readonly columnOf: (header: string) => number | undefined;
}

/** The header row is the first that has one of these. */
const headers: ReadonlySet<string> = new Set([...Object.values(headerOf), idHeader]);

/** The last view of a content, which is never changed in place: many look at one content. */
const views = new WeakMap<Spreadsheet, { readonly renamed: string; readonly view: SheetView }>();

export function viewSheet(content: Spreadsheet, renamed: Renamed): SheetView {
  const known = views.get(content);
  const names = renamed.size === 0 ? '' : JSON.stringify([...renamed]);
  if (known?.renamed === names) return known.view;
  const view = viewAnew(content, renamed);
  views.set(content, { renamed: names, view });
  return view;
}

function viewAnew(content: Spreadsheet, renamed: Renamed): SheetView {
  const sheet = content.findSheetByTitle(tabTitle)!;
  const columns = new Map<string, number>();
  const nameOf = (cell: Cell | undefined) => renamed.get(cellText(cell)) ?? cellText(cell);
  const top = Math.max(
    0,
    sheet.rows.findIndex((row) => (row?.cells ?? []).some((cell) => headers.has(nameOf(cell)))),
  );
  for (const [index, cell] of (sheet.rows[top]?.cells ?? []).entries()) {
    const name = nameOf(cell);
    if (name !== '') columns.set(name, index);
  }
  const text = (cells: RowView['cells'], header: string) => {
    const index = columns.get(header);
    return index === undefined ? '' : cellText(cells[index]);
  };
  const isCovered = (row: number, header: string) => {
    const column = columns.get(header);
    return column !== undefined && sheet.isCovered(row, column);
  };
  const rows = sheet.rows.flatMap((row, index): RowView[] => {
    const cells = row?.cells ?? [];
    if (index <= top || cells.every((cell) => cellText(cell) === '')) return [];
    return [
      {
        number: index + 1,
        id: text(cells, idHeader),
        notedPerson: /^note on (p\d+)$/.exec(text(cells, notesHeader))?.[1],
        cells,
        value: (field) => text(cells, headerOf[field]),
        text: (header) => text(cells, header),
        isCovered: (header) => isCovered(index, header),
      },
    ];
  });
  return { rows, headerRow: top + 1, columnOf: (name) => columns.get(name) };
}

/** The text that a cell shows; for a formula of the simulation, the text it is made of. */
export function cellText(cell: Cell | undefined): string {
  if (cell?.formula !== undefined) return /^="(.*)"$/s.exec(cell.formula)?.[1] ?? cell.formula;
  if (cell?.value === undefined) return '';
  if (typeof cell.value === 'boolean') return String(cell.value).toUpperCase();
  // V8: with a format that shows nothing, or with that of text, the number counts.
  const { type = 'TEXT' } = numberFormatOf(cell) ?? {};
  const shown = typeof cell.value === 'number' && type !== 'TEXT' ? displayText(cell.value, cell).trim() : '';
  return shown === '' ? String(cell.value) : shown;
}

/** The custom field of a record, which has no place in it. A record is never changed in place. */
const segments = new WeakMap<ContactRecord, string>();

/** From now on `contactValue` of the contact's record says what its custom field holds. */
export function showSegment({ record, customFields }: StoredContact): void {
  const { segment: text } = customFields;
  if (text !== undefined) segments.set(record, text);
}

export function contactValue(record: ContactRecord, field: FieldName): string {
  switch (field) {
    case 'email':
      return record.work_email || record.personal_email || '';
    case 'network_id':
      return record.network ?? '';
    case segment:
      return segments.get(record) ?? '';
    default:
      return record[field] ?? '';
  }
}

/** The field of a record of the service that a person fills in: any but the custom field. */
export function recordField(
  record: ContactRecord | undefined,
  field: Exclude<FieldName, typeof segment>,
): keyof ContactRecord {
  if (field === 'network_id') return 'network';
  if (field !== 'email') return field;
  return !record?.work_email && record?.personal_email ? 'personal_email' : 'work_email';
}
