// Rows and columns: insert, append, delete, move, properties, groups.
import type { z } from 'zod';
import { type Cell, tidy } from '../cell.ts';
import type { Dimension } from '../dimension-edit.ts';
import { type Edit, requireEditable } from '../edit.ts';
import { invalidArgument } from '../errors.ts';
import { parseUpdateMask } from '../field-mask.ts';
import type { JsonObject } from '../json.ts';
import { bool, dimension, dimensionRange, int, list, message, opaque, text } from '../schema.ts';
import { groupToJson } from '../resource-json.ts';
import { type Band, type Sheet, makeRow } from '../sheet.ts';
import type { Rect } from '../a1.ts';
import { requestKind } from './request-kind.ts';

type DimensionRangeInput = z.output<typeof dimensionRange>;

interface Span {
  readonly sheet: Sheet;
  readonly dimension: Dimension;
  readonly start: number;
  readonly end: number;
  /** Rows or columns the sheet has. */
  readonly size: number;
}

const noun = (of: Dimension): string => (of === 'ROWS' ? 'row' : 'column');

function resolveSpan(edit: Edit, range: DimensionRangeInput | undefined): Span {
  if (!range) throw invalidArgument('range must be specified');
  const sheet = edit.spreadsheet.sheet(range.sheetId ?? 0);
  const of = range.dimension;
  if (of === undefined) throw invalidArgument('range.dimension must be specified');
  const size = sheet.bands(of).length;
  const start = range.startIndex ?? 0;
  const end = range.endIndex ?? size;
  if (start < 0) throw invalidArgument(`range.startIndex[${start}] must not be negative`);
  if (end <= start) throw invalidArgument(`range.endIndex[${end}] must be greater than range.startIndex[${start}]`);
  return { sheet, dimension: of, start, end, size };
}

/** A span whose rows or columns all exist. */
function resolveExisting(edit: Edit, range: DimensionRangeInput | undefined, verb: string): Span {
  const span = resolveSpan(edit, range);
  if (span.end > span.size) {
    const name = noun(span.dimension);
    throw invalidArgument(
      `Cannot ${verb} a ${name} that doesn't exist. Tried to ${verb} ${name} index ${Math.max(span.start, span.size)} but there are only ${span.size} ${name}s.`,
    );
  }
  return span;
}

function spanRect({ sheet, dimension: of, start, end }: Span): Rect {
  return of === 'ROWS' ? { ...sheet.bounds, top: start, bottom: end } : { ...sheet.bounds, left: start, right: end };
}

function frozenCount(sheet: Sheet, of: Dimension): number {
  const frozen = sheet.gridProperties[of === 'ROWS' ? 'frozenRowCount' : 'frozenColumnCount'];
  return typeof frozen === 'number' ? frozen : 0;
}

const insertDimension = requestKind(
  message('InsertDimensionRequest', { range: dimensionRange.optional(), inheritFromBefore: bool.optional() }),
  (edit, { range, inheritFromBefore = false }) => {
    const span = resolveSpan(edit, range);
    if (range?.endIndex === undefined) throw invalidArgument('range.endIndex must be specified');
    if (span.start > span.size || (span.start === span.size && !inheritFromBefore)) {
      throw invalidArgument(
        `range.startIndex[${span.start}] must be less than the number of ${noun(span.dimension)}s[${span.size}]`,
      );
    }
    if (inheritFromBefore && span.start === 0) {
      throw invalidArgument(`inheritFromBefore must be false when inserting before the first ${noun(span.dimension)}`);
    }
    requireInsertAllowed(edit, span);
    const { sheet, dimension: of, start, end } = span;
    edit.spreadsheet.restructure(sheet, { kind: 'insert', dimension: of, start, end });
    inheritLook(span, inheritFromBefore ? start - 1 : end);
    return undefined;
  },
);

/** Gives new rows or columns the size, formats and validation of a neighbour, without its content. */
function inheritLook({ sheet, dimension: of, start, end }: Span, neighbour: number): void {
  const pixelSize = sheet.bands(of)[neighbour]?.pixelSize;
  if (pixelSize !== undefined) {
    for (let index = start; index < end; index += 1) sheet.editBand(of, index, (band) => ({ ...band, pixelSize }));
  }
  if (of === 'ROWS') {
    const looks = sheet.rows[neighbour]?.cells.map(lookOf) ?? [];
    if (!looks.some((look) => look !== undefined)) return;
    for (let row = start; row < end; row += 1) sheet.rows[row] = makeRow(looks, sheet.rows[row]);
    return;
  }
  for (const [row, { cells } = { cells: [] }] of sheet.rows.entries()) {
    const look = lookOf(cells[neighbour]);
    if (look) sheet.editCells({ top: row, bottom: row + 1, left: start, right: end }, () => look);
  }
}

function lookOf(cell: Cell | undefined): Cell | undefined {
  return (
    cell &&
    tidy({
      ...(cell.format ? { format: cell.format } : {}),
      ...(cell.validation ? { validation: cell.validation } : {}),
    })
  );
}

/** Inserting inside a protected range is refused; before or after it is allowed. */
function requireInsertAllowed(edit: Edit, { sheet, dimension: of, start }: Span): void {
  const beside = (index: number): Rect => spanRect({ sheet, dimension: of, start: index, end: index + 1, size: 0 });
  const inside = sheet.protectedRanges.filter(({ range }) => {
    const [from, to] = of === 'ROWS' ? [range.top, range.bottom] : [range.left, range.right];
    return (from ?? -1) < start && start < (to ?? Number.POSITIVE_INFINITY) && (from !== undefined || to !== undefined);
  });
  if (inside.length > 0) requireEditable(edit, sheet, beside(start));
}

const appendDimension = requestKind(
  message('AppendDimensionRequest', {
    sheetId: int.optional(),
    dimension: dimension.optional(),
    length: int.optional(),
  }),
  (edit, { sheetId = 0, dimension: of, length = 0 }) => {
    const sheet = edit.spreadsheet.sheet(sheetId);
    if (of === undefined) throw invalidArgument('dimension must be specified');
    if (length <= 0) throw invalidArgument('length must be greater than 0');
    const size = sheet.bands(of).length;
    edit.spreadsheet.restructure(sheet, { kind: 'insert', dimension: of, start: size, end: size + length });
    return undefined;
  },
);

const deleteDimension = requestKind(
  message('DeleteDimensionRequest', { range: dimensionRange.optional() }),
  (edit, { range }) => {
    const span = resolveExisting(edit, range, 'delete');
    const { sheet, dimension: of, start, end, size } = span;
    if (end - start === size) throw invalidArgument(`You can't delete all the ${noun(of)}s on the sheet.`);
    const frozen = frozenCount(sheet, of);
    if (frozen > 0 && start <= frozen && end === size) {
      throw invalidArgument(`Sorry, it is not possible to delete all non-frozen ${noun(of)}s.`);
    }
    requireEditable(edit, sheet, spanRect(span));
    edit.spreadsheet.restructure(sheet, { kind: 'delete', dimension: of, start, end });
    if (frozen > 0) {
      const left = frozen - Math.max(0, Math.min(end, frozen) - Math.min(start, frozen));
      const key = of === 'ROWS' ? 'frozenRowCount' : 'frozenColumnCount';
      const { [key]: _frozen, ...others } = sheet.gridProperties;
      sheet.gridProperties = left > 0 ? { ...others, [key]: left } : others;
    }
    return undefined;
  },
);

const moveDimension = requestKind(
  message('MoveDimensionRequest', { source: dimensionRange.optional(), destinationIndex: int.optional() }),
  (edit, { source, destinationIndex = 0 }) => {
    const span = resolveExisting(edit, source, 'move');
    const { sheet, dimension: of, start, end, size } = span;
    if (destinationIndex < 0 || destinationIndex > size) {
      throw invalidArgument(`destinationIndex[${destinationIndex}] must be between 0 and ${size}`);
    }
    if (destinationIndex > start && destinationIndex < end) {
      throw invalidArgument(`destinationIndex[${destinationIndex}] must not be within the source range`);
    }
    requireEditable(edit, sheet, spanRect(span));
    if (destinationIndex === start || destinationIndex === end) return undefined;
    edit.spreadsheet.restructure(sheet, { kind: 'move', dimension: of, start, end, destination: destinationIndex });
    return undefined;
  },
);

const updateDimensionProperties = requestKind(
  message('UpdateDimensionPropertiesRequest', {
    range: dimensionRange.optional(),
    properties: message('DimensionProperties', {
      hiddenByUser: bool.optional(),
      hiddenByFilter: bool.optional(),
      pixelSize: int.optional(),
      developerMetadata: list(opaque('DeveloperMetadata')).optional(),
    }).optional(),
    fields: text.optional(),
  }),
  (edit, { range, properties = {}, fields }) => {
    const mask = parseUpdateMask(fields);
    const { sheet, dimension: of, start, end } = resolveExisting(edit, range, 'update');
    for (let index = start; index < end; index += 1) {
      sheet.editBand(of, index, (band) => {
        const { hiddenByUser, pixelSize, ...others } = band;
        const hidden = mask.has('hiddenByUser') ? properties.hiddenByUser : hiddenByUser;
        const size = mask.has('pixelSize') ? properties.pixelSize : pixelSize;
        return {
          ...others,
          ...(hidden === true ? { hiddenByUser: true } : {}),
          ...(size === undefined ? {} : { pixelSize: size }),
        } satisfies Band;
      });
    }
    return undefined;
  },
);

const autoResizeDimensions = requestKind(
  message('AutoResizeDimensionsRequest', { dimensions: dimensionRange.optional() }),
  (edit, { dimensions }) => {
    // Nothing is drawn here, so there is no width to fit: the sizes become the default.
    const { sheet, dimension: of, start, end } = resolveExisting(edit, dimensions, 'resize');
    for (let index = start; index < end; index += 1) {
      sheet.editBand(of, index, ({ pixelSize: _pixelSize, ...band }) => band);
    }
    return undefined;
  },
);

const addDimensionGroup = requestKind(
  message('AddDimensionGroupRequest', { range: dimensionRange.optional() }),
  (edit, { range }) => {
    const { sheet, dimension: of, start, end } = resolveExisting(edit, range, 'group');
    const depth =
      1 +
      Math.max(
        0,
        ...sheet.groups[of].filter((group) => group.start < end && start < group.end).map((group) => group.depth),
      );
    sheet.groups[of] = [...sheet.groups[of], { start, end, depth, collapsed: false }].toSorted(
      (a, b) => a.start - b.start || b.end - a.end || a.depth - b.depth,
    );
    // With the first group, the grid names the place of the buttons.
    const key = of === 'ROWS' ? 'rowGroupControlAfter' : 'columnGroupControlAfter';
    sheet.gridProperties = { ...sheet.gridProperties, [key]: true };
    return { addDimensionGroup: groupsReply(sheet, of) };
  },
);

const deleteDimensionGroup = requestKind(
  message('DeleteDimensionGroupRequest', { range: dimensionRange.optional() }),
  (edit, { range }) => {
    const { sheet, dimension: of, start, end } = resolveExisting(edit, range, 'ungroup');
    const touched = sheet.groups[of].filter((group) => group.start < end && start < group.end);
    const deepest = Math.max(...touched.map((group) => group.depth));
    if (touched.length === 0) throw invalidArgument('There are no dimension groups in the specified range.');
    sheet.groups[of] = sheet.groups[of].flatMap((group) => {
      if (group.depth !== deepest || !touched.includes(group)) return [group];
      const before = { ...group, end: Math.min(group.end, start) };
      const after = { ...group, start: Math.max(group.start, end) };
      return [before, after].filter((part) => part.start < part.end);
    });
    return { deleteDimensionGroup: groupsReply(sheet, of) };
  },
);

function groupsReply(sheet: Sheet, of: Dimension): JsonObject {
  const dimensionGroups = sheet.groups[of].map((group) => groupToJson(sheet.id, of, group));
  return dimensionGroups.length > 0 ? { dimensionGroups } : {};
}

export const dimensionRequests = {
  insertDimension,
  appendDimension,
  deleteDimension,
  moveDimension,
  updateDimensionProperties,
  autoResizeDimensions,
  addDimensionGroup,
  deleteDimensionGroup,
};
