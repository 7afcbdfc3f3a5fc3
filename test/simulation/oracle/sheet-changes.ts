// The changes that leadsheet made in the sheet by one request, cell by cell.
import type { Cell } from '../../../src/standin/sheets/cell.ts';
import type { Spreadsheet } from '../../../src/standin/sheets/spreadsheet.ts';
import {
  changedHeader,
  createdHeader,
  wholeNameHeader,
  type FieldName,
  headerOf,
  idHeader,
  otherTab,
  type Setting,
  statusHeader,
  tabTitle,
} from '../world/setting.ts';
import { cellText, type RowView, type SheetView } from '../world/view.ts';

export interface SheetMapping {
  readonly setting: Setting;
  /** The column is only read. */
  readonly isRead: (field: FieldName) => boolean;
}

/** The content, and the rows in it. */
export type Moment = readonly [Spreadsheet, SheetView];

export type SheetChange =
  /** Content that does not belong to the sync: other tabs, texts of headers. */
  | { readonly kind: 'foreign'; readonly text: string }
  | { readonly kind: 'appeared' | 'vanished'; readonly row: RowView }
  | {
      readonly kind: 'changed';
      readonly was: RowView;
      readonly row: RowView;
      readonly fields: readonly {
        readonly field: FieldName;
        readonly before: Cell | undefined;
        readonly after: string;
      }[];
      /** Cells in columns that the sync must not write, and formats of any cell. */
      readonly outside: readonly string[];
    };

const ownHeaders = [idHeader, 'Sync', 'Enrolment', statusHeader, createdHeader, changedHeader, wholeNameHeader];

/** Whether the row holds anything that leadsheet did not write for itself, such as a note: then it is somebody's (V3). */
function isOfPeople({ id, cells }: RowView, { columnOf }: SheetView): boolean {
  const own = new Set(ownHeaders.map((header) => columnOf(header)));
  return id !== '' || cells.some((cell, index) => cellText(cell) !== '' && !own.has(index));
}

export function sheetChanges(
  mapping: SheetMapping,
  [before, was]: Moment,
  [after, is]: Moment,
): readonly SheetChange[] {
  const [rows, rowsNow] = [before, after].map((content) => content.findSheetByTitle(tabTitle)!.rows);
  const foreign = [
    ...otherTabChanges(before, after),
    ...headerChanges(rows![0]?.cells ?? [], rowsNow![0]?.cells ?? []),
  ];
  return [
    ...foreign.map((text) => ({ kind: 'foreign' as const, text })),
    ...(rows!.length === rowsNow!.length ? changesInPlace(mapping, was, is) : changesByContent(was, is)),
  ];
}

function otherTabChanges(before: Spreadsheet, after: Spreadsheet): readonly string[] {
  const [others, othersNow] = [before, after].map((content) => content.findSheetByTitle(otherTab)?.rows);
  const isChanged = others?.some((row, index) => row?.cells !== othersNow?.[index]?.cells) ?? false;
  return isChanged ? [`the tab "${otherTab}" was changed`] : [];
}

function headerChanges(was: RowView['cells'], is: RowView['cells']): readonly string[] {
  return was.flatMap((cell, index) =>
    cellText(cell) !== '' && cellText(cell) !== cellText(is[index])
      ? [`the header "${cellText(cell)}" became "${cellText(is[index])}"`]
      : [],
  );
}

function changesInPlace(mapping: SheetMapping, was: SheetView, is: SheetView): readonly SheetChange[] {
  const byNumber = new Map(was.rows.map((row) => [row.number, row]));
  const still = new Set(is.rows.map(({ number }) => number));
  return [
    ...is.rows.flatMap((row): readonly SheetChange[] => {
      const old = byNumber.get(row.number);
      if (!old) return [{ kind: 'appeared', row }];
      return old.cells === row.cells ? [] : [rowChange(mapping, [old, was], [row, is])];
    }),
    ...was.rows.flatMap((row) =>
      still.has(row.number) || !isOfPeople(row, was) ? [] : [{ kind: 'vanished' as const, row }],
    ),
  ];
}

/** Formulas change when rows move, so that rows are identified by what they show. */
function changesByContent(was: SheetView, is: SheetView): readonly SheetChange[] {
  const left = Map.groupBy(was.rows, contentOf);
  const appeared = is.rows.filter((row) => left.get(contentOf(row))?.shift() === undefined);
  return [
    ...appeared.map((row) => ({ kind: 'appeared' as const, row })),
    ...[...left.values()].flat().map((row) => ({ kind: 'vanished' as const, row })),
  ];
}

function rowChange(
  { setting, isRead }: SheetMapping,
  [was, before]: readonly [RowView, SheetView],
  [row, { columnOf }]: readonly [RowView, SheetView],
): SheetChange {
  const owned = new Set(ownHeaders.map((header) => columnOf(header) ?? -1));
  const fields = setting.fields.flatMap(({ field }) => {
    const index = columnOf(headerOf[field]);
    if (index === undefined) return [];
    if (!isRead(field)) owned.add(index);
    const place = before.columnOf(headerOf[field]);
    const old = place === undefined ? undefined : was.cells[place];
    const cell = row.cells[index];
    const isSame = cellText(old) === cellText(cell) && old?.formula === cell?.formula;
    return isSame ? [] : [{ field, before: old, after: cellText(cell) }];
  });
  const width = Math.max(was.cells.length, row.cells.length);
  const outside = Array.from({ length: width }, (_, index) => index).flatMap((index) => {
    const [old, now] = [cellText(was.cells[index]), cellText(row.cells[index])];
    return owned.has(index) || old === now ? [] : [`column ${index + 1}: "${old}" became "${now}"`];
  });
  const formats = was.cells.flatMap((cell, index) => {
    const [old, now] = [cell, row.cells[index]].map((each) => JSON.stringify(each?.format));
    return old === undefined || old === now ? [] : [`column ${index + 1}: the format ${old} became ${now}`];
  });
  return { kind: 'changed', was, row, fields, outside: [...outside, ...formats] };
}

function contentOf({ cells }: RowView): string {
  return JSON.stringify(cells.map((cell) => cellText(cell)));
}
