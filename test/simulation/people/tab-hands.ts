// What the acts of people's hands in a tab beside the sync share: where cells are, and which of them are merged (V3).
import type { Spreadsheet } from '../../../src/standin/sheets/spreadsheet.ts';
import type { Sides } from '../world/sides.ts';
import { cellText } from '../world/view.ts';
import { letterOf } from './sheet-acts.ts';

/** 0-based, the ends are left out. */
interface Block {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export function hasMerges(content: Spreadsheet, title: string): boolean {
  return (content.findSheetByTitle(title)?.merges.length ?? 0) > 0;
}

/** The hands of a person in one tab. Rows are numbered from 1, columns are named by their headers. */
export function createTabHands({ person, file }: Pick<Sides, 'person' | 'file'>, title: string) {
  const sheet = () => file.content.findSheetByTitle(title)!;

  return { has, read, put, merge, unmerge, areaOf, rowArea };

  function columnOf(header: string): number | undefined {
    const place = (sheet().rows[0]?.cells ?? []).findIndex((cell) => cellText(cell) === header);
    return place < 0 ? undefined : place;
  }

  function has(header: string): boolean {
    return columnOf(header) !== undefined;
  }

  function read(row: number, header: string): string {
    const column = columnOf(header);
    return column === undefined ? '' : cellText(sheet().rows[row - 1]?.cells[column]);
  }

  /** A covered cell takes no text. Returns whether the cell took it. */
  function put(row: number, header: string, text: string): boolean {
    const column = columnOf(header);
    if (column === undefined || sheet().isCovered(row - 1, column)) return false;
    const cell = `'${title}'!${letterOf(column)}${row}`;
    if (text === '') person.clear(cell);
    else person.paste(cell, [[text]]);
    return true;
  }

  /** Nobody widens merged cells. Returns what was merged. */
  function merge(first: number, rows: number, header: string): string | undefined {
    const left = columnOf(header);
    if (left === undefined) return undefined;
    const block = { top: first - 1, bottom: first - 1 + rows, left, right: left + 1 };
    if (sheet().merges.some((each) => isOverlap(each, block))) return undefined;
    person.request({ mergeCells: { range: gridOf(block), mergeType: 'MERGE_ALL' } });
    return `${header} of the rows ${first} to ${first + rows - 1}`;
  }

  /** `part`: a thousandth of the merged cells. */
  function unmerge(part: number): string | undefined {
    const { merges } = sheet();
    const block = merges[Math.floor((part * merges.length) / 1000)];
    if (!block) return undefined;
    person.request({ unmergeCells: { range: gridOf(block) } });
    return `${letterOf(block.left)}${block.top + 1}:${letterOf(block.right - 1)}${block.bottom}`;
  }

  function areaOf(first: number, last: number, left: string, right: string): string {
    return `'${title}'!${left}${first}:${right}${last}`;
  }

  function rowArea(row: number): string {
    return areaOf(row, row, 'A', letterOf(sheet().columnCount - 1));
  }

  function gridOf({ top, bottom, left, right }: Block) {
    const rows = { startRowIndex: top, endRowIndex: bottom };
    return { sheetId: sheet().id, ...rows, startColumnIndex: left, endColumnIndex: right };
  }
}

function isOverlap(a: Block, b: Block): boolean {
  return a.top < b.bottom && b.top < a.bottom && a.left < b.right && b.left < a.right;
}
