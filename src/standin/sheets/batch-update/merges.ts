// Requests that merge and unmerge cells.
import { withContent } from '../cell.ts';
import { requireEditable } from '../edit.ts';
import { invalidArgument } from '../errors.ts';
import { closedGridRange } from '../grid-range.ts';
import type { Rect } from '../a1.ts';
import { enumeration, gridRange, message } from '../schema.ts';
import { contains, intersection } from '../sheet.ts';
import { requestKind } from './request-kind.ts';

const mergeType = enumeration('MergeType', ['MERGE_ALL', 'MERGE_COLUMNS', 'MERGE_ROWS']);

function parts(rect: Rect, type: (typeof mergeType)['options'][number]): readonly Rect[] {
  switch (type) {
    case 'MERGE_ALL':
      return [rect];
    case 'MERGE_ROWS':
      return Array.from({ length: rect.bottom - rect.top }, (_, row) => ({
        ...rect,
        top: rect.top + row,
        bottom: rect.top + row + 1,
      }));
    case 'MERGE_COLUMNS':
      return Array.from({ length: rect.right - rect.left }, (_, column) => ({
        ...rect,
        left: rect.left + column,
        right: rect.left + column + 1,
      }));
  }
}

const mergeCells = requestKind(
  message('MergeCellsRequest', { range: gridRange.optional(), mergeType: mergeType.optional() }),
  (edit, { range, mergeType: type = 'MERGE_ALL' }) => {
    const { sheet, rect } = closedGridRange(edit.spreadsheet, range ?? {});
    requireEditable(edit, sheet, rect);
    if (sheet.merges.some((merge) => intersection(merge, rect) && !contains(rect, merge))) {
      throw invalidArgument('You must select all cells in a merged range to merge or unmerge them.');
    }
    const merges = parts(rect, type).filter((part) => (part.bottom - part.top) * (part.right - part.left) > 1);
    sheet.merges = [...sheet.merges.filter((merge) => !intersection(merge, rect)), ...merges];
    // Only the top-left cell of a merge keeps its content.
    for (const merge of merges) {
      sheet.editCells(merge, (cell, row, column) =>
        row === merge.top && column === merge.left ? cell : withContent(cell, {}),
      );
    }
    return undefined;
  },
);

const unmergeCells = requestKind(message('UnmergeCellsRequest', { range: gridRange.optional() }), (edit, { range }) => {
  const { sheet, rect } = closedGridRange(edit.spreadsheet, range ?? {});
  requireEditable(edit, sheet, rect);
  if (sheet.merges.some((merge) => intersection(merge, rect) && !contains(rect, merge))) {
    throw invalidArgument('You must select all cells in a merged range to merge or unmerge them.');
  }
  sheet.merges = sheet.merges.filter((merge) => !intersection(merge, rect));
  return undefined;
});

export const mergeRequests = { mergeCells, unmergeCells };
