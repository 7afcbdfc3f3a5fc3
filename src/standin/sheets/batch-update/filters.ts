// The basic filter and filter views: kept and answered; their criteria on values hide rows. A basic filter that sorts
// reorders the rows; a filter view sorts only that view.
import { displayText } from '../number-format.ts';
import { Calculation } from '../calculation.ts';
import { type Edit, requireEditable } from '../edit.ts';
import { invalidArgument } from '../errors.ts';
import { parseUpdateMask, updateByMask } from '../field-mask.ts';
import { type GridRange, closedGridRange } from '../grid-range.ts';
import { type JsonObject, isJsonObject } from '../json.ts';
import { gridRange, int, message, opaque, parseMessage, text } from '../schema.ts';
import { filterToJson } from '../resource-json.ts';
import { type Filter, type Sheet, intersection } from '../sheet.ts';
import { requestKind } from './request-kind.ts';
import { sortRows } from './sort.ts';

/** Splits a given filter into its place and the rest. */
function readFilter(edit: Edit, input: JsonObject): { readonly sheet: Sheet; readonly filter: Filter } {
  const { range, ...settings } = input;
  const place: GridRange = parseMessage(gridRange, range ?? {}, 'range');
  const { sheet, rect } = closedGridRange(edit.spreadsheet, place);
  return { sheet, filter: { range: rect, settings } };
}

const setBasicFilter = requestKind(
  message('SetBasicFilterRequest', { filter: opaque('BasicFilter').optional() }),
  (edit, { filter: input = {} }) => {
    const { sheet, filter } = readFilter(edit, input);
    sheet.basicFilter = filter;
    sortByFilter(edit, sheet, filter);
    hideByFilter(edit, sheet);
    return undefined;
  },
);

const clearBasicFilter = requestKind(
  message('ClearBasicFilterRequest', { sheetId: int.optional() }),
  (edit, { sheetId = 0 }) => {
    const sheet = edit.spreadsheet.sheet(sheetId);
    sheet.basicFilter = undefined;
    hideByFilter(edit, sheet);
    return undefined;
  },
);

function sortByFilter(edit: Edit, sheet: Sheet, filter: Filter): void {
  const specs = Array.isArray(filter.settings['sortSpecs']) ? (filter.settings['sortSpecs'] as readonly unknown[]) : [];
  const keys = specs.filter(isJsonObject).map((spec) => ({
    column: Number(spec['dimensionIndex'] ?? 0),
    descending: spec['sortOrder'] === 'DESCENDING',
  }));
  const rect = intersection({ ...filter.range, top: filter.range.top + 1 }, sheet.bounds);
  if (keys.length === 0 || !rect) return;
  requireEditable(edit, sheet, rect);
  sortRows(edit, sheet, rect, keys);
}

/** Marks the rows whose shown value is among a criterion's hiddenValues. The first row is the header. */
function hideByFilter(edit: Edit, sheet: Sheet): void {
  const { basicFilter } = sheet;
  const hiddenByColumn = basicFilter ? hiddenValues(basicFilter) : new Map<number, ReadonlySet<string>>();
  const calculation = new Calculation(edit.spreadsheet, edit.now);
  for (let row = 0; row < sheet.rowCount; row += 1) {
    const inside = basicFilter && row > basicFilter.range.top && row < basicFilter.range.bottom;
    const hidden =
      inside === true &&
      [...hiddenByColumn].some(([column, values]) =>
        values.has(displayText(calculation.valueAt(sheet, row, column), sheet.cell(row, column))),
      );
    if (hidden === (sheet.rows[row]?.hiddenByFilter ?? false)) continue;
    sheet.editBand('ROWS', row, ({ hiddenByFilter: _hidden, ...band }) =>
      hidden ? { ...band, hiddenByFilter: true } : band,
    );
  }
}

function hiddenValues({ range, settings }: Filter): ReadonlyMap<number, ReadonlySet<string>> {
  const byColumn = new Map<number, ReadonlySet<string>>();
  const note = (column: number, criteria: unknown): void => {
    if (!isJsonObject(criteria) || !Array.isArray(criteria['hiddenValues'])) return;
    byColumn.set(column, new Set((criteria['hiddenValues'] as readonly unknown[]).map(String)));
  };
  const { criteria, filterSpecs } = settings;
  if (isJsonObject(criteria)) for (const [column, one] of Object.entries(criteria)) note(Number(column), one);
  for (const spec of Array.isArray(filterSpecs) ? (filterSpecs as readonly unknown[]) : []) {
    if (isJsonObject(spec)) note(Number(spec['columnIndex'] ?? range.left), spec['filterCriteria']);
  }
  return byColumn;
}

const viewId = (filter: Filter): unknown => filter.settings['filterViewId'];

const addFilterView = requestKind(
  message('AddFilterViewRequest', { filter: opaque('FilterView').optional() }),
  (edit, { filter: input = {} }) => {
    const { sheet, filter } = readFilter(edit, { filterViewId: edit.newId(), ...input });
    const titled: Filter = {
      ...filter,
      settings: { title: `Filter ${sheet.filterViews.length + 1}`, ...filter.settings },
    };
    if (findView(edit, viewId(titled)))
      throw invalidArgument(`A filter view with id ${String(viewId(titled))} already exists`);
    sheet.filterViews.push(titled);
    return { addFilterView: { filter: filterToJson(sheet, titled) } };
  },
);

function findView(edit: Edit, id: unknown): { sheet: Sheet; view: Filter } | undefined {
  for (const sheet of edit.spreadsheet.sheets) {
    const view = sheet.filterViews.find((other) => viewId(other) === id);
    if (view) return { sheet, view };
  }
  return undefined;
}

const updateFilterView = requestKind(
  message('UpdateFilterViewRequest', { filter: opaque('FilterView').optional(), fields: text.optional() }),
  (edit, { filter: input = {}, fields }) => {
    const mask = parseUpdateMask(fields);
    const found = findView(edit, input['filterViewId']);
    if (!found) throw invalidArgument(`No filter view with id: ${JSON.stringify(input['filterViewId'] ?? 0)}`);
    const updated = updateByMask(filterToJson(found.sheet, found.view), input, mask);
    const { sheet, filter } = readFilter(edit, { ...updated, filterViewId: viewId(found.view) as number });
    if (sheet !== found.sheet) throw invalidArgument('A filter view cannot be moved to another sheet');
    sheet.filterViews = sheet.filterViews.map((other) => (other === found.view ? filter : other));
    return undefined;
  },
);

const deleteFilterView = requestKind(
  message('DeleteFilterViewRequest', { filterId: int.optional() }),
  (edit, { filterId }) => {
    const found = findView(edit, filterId);
    if (!found) throw invalidArgument(`No filter view with id: ${filterId ?? 0}`);
    found.sheet.filterViews = found.sheet.filterViews.filter((other) => other !== found.view);
    return undefined;
  },
);

export const filterRequests = { setBasicFilter, clearBasicFilter, addFilterView, updateFilterView, deleteFilterView };
