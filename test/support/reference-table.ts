// The reference driver of the sheets port: a spreadsheet is a folder, a tab is a CSV file. A call reads, decides and writes
// the file in one step, so that no edit comes in between. It has no marks, no formulas and no types.
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  AbortedError,
  HeaderRowBeyondGridError,
  ReadOnlyShareError,
  SheetsError,
  SpreadsheetGoneError,
  TabGoneError,
} from '../../src/sheets/errors.ts';
import type {
  AppendOutcome,
  CallSettings,
  CellInput,
  CellValue,
  ColumnKey,
  ColumnSpec,
  ColumnState,
  Failed,
  IdKey,
  NewRow,
  ReadSettings,
  Refused,
  RemoveOutcome,
  Row,
  RowChange,
  RowOutcome,
  SheetAddresses,
  Sheets,
  Snapshot,
  Table,
  TableSpec,
  UnlessUnchanged,
} from '../../src/sheets/port.ts';
import { parseCsv, toCsv } from './csv.ts';

const idKey: IdKey = '#id';

export const referenceAddresses: SheetAddresses = {
  spreadsheetId: (text) => (text.trim() === '' ? undefined : text.trim()),
  tabIn: () => undefined,
  tabKey: (tab) => tab.trim(),
};

export function createReferenceSheets(): Sheets {
  return {
    account: 'whoever runs the tests',
    capabilities: { hasFormulas: false, hasTypedCells: false, hasColumnAnchors: false, hasTabIds: false },
    openTable: (spec) => openTable(spec),
    listTabs: async (spreadsheet, settings = {}) => {
      assertGoesOn(settings);
      assertSpreadsheet(spreadsheet);
      const titles = readdirSync(spreadsheet).map((name) => basename(name, '.csv'));
      const rowCountOf = (tab: string) => readLines({ spreadsheet, tab }).length;
      const tabs = titles.map((title) => ({ title, reference: title, rowCount: rowCountOf(title) }));
      return { title: basename(spreadsheet), tabs };
    },
    preview: async (place, rowsMax, settings = {}) => {
      assertGoesOn(settings);
      const lines = readLines(place).slice(0, rowsMax);
      const rows = lines.map((line) =>
        line
          .slice(0, line.findLastIndex((cell) => cell !== '') + 1)
          .map((cell) => ({ value: asStored(cell), isFormula: false })),
      );
      return rows.slice(0, rows.findLastIndex((row) => row.length > 0) + 1);
    },
    inspect: async (spec, settings = {}) => {
      assertGoesOn(settings);
      const { lines, columns, idColumn } = readTab(spec);
      const headerTexts = (lines[spec.headerRow - 1] ?? []).filter((text) => text.trim() !== '');
      const rest = { headerTexts, rowCount: lines.length, forbidden: [] };
      return { title: spec.tab, reference: spec.tab, columns, idColumn, ...rest };
    },
    checkMayWrite: async ({ spreadsheet }) => {
      try {
        accessSync(spreadsheet, constants.W_OK);
      } catch (cause) {
        throw new ReadOnlyShareError('whoever runs the tests', { spreadsheetId: spreadsheet, cause });
      }
    },
    usage: () => ({ reads: 0, writes: 0, readsLastMinute: 0, writesLastMinute: 0 }),
  };
}

/** The file as it is now. `lines` may be changed and written back. */
interface Tab {
  readonly lines: string[][];
  readonly columns: readonly ColumnState[];
  readonly idColumn: ColumnState;
  readonly indexByKey: Readonly<Record<ColumnKey, number>>;
}

/** One step of a call: no outcome yet, and the tab as it is. */
type Judge<Item, Outcome> = (item: Item, tab: Tab, index: number) => Outcome;

function openTable(spec: TableSpec): Table {
  async function read(settings?: ReadSettings): Promise<Snapshot>;
  async function read(settings: ReadSettings & UnlessUnchanged): Promise<Snapshot | 'unchanged'>;
  async function read(settings: ReadSettings & Partial<UnlessUnchanged> = {}): Promise<Snapshot | 'unchanged'> {
    assertGoesOn(settings);
    const snapshot = toSnapshot(spec, readTab(spec));
    return snapshot.fingerprint === settings.unless ? 'unchanged' : snapshot;
  }

  /** Reads the file, lets each item change it, and writes it once. Outcomes in the order of the items. */
  function change<Item, Outcome>(items: readonly Item[], settings: CallSettings, judge: Judge<Item, Outcome>) {
    try {
      if (items.length > 0) assertGoesOn(settings);
      const tab = items.length > 0 ? readTab(spec) : undefined;
      const outcomes = items.map((item, index) => judge(item, tab!, index));
      if (tab) writeTab(spec, tab.lines);
      return outcomes;
    } catch (error) {
      if (!(error instanceof SheetsError)) throw error;
      return items.map((): Failed => ({ kind: 'failed', error }));
    }
  }

  return {
    read,
    async isAsRecalled(recall, settings = {}) {
      assertGoesOn(settings);
      return toSnapshot(spec, readTab(spec)).recall === recall;
    },
    async ensure(_snapshot, create, settings = {}) {
      assertGoesOn(settings);
      const tab = readTab(spec);
      const isWanted = ({ key, kind }: ColumnState) => kind === 'missing' && (key === idKey || create.includes(key));
      const missing = [tab.idColumn, ...tab.columns].filter(isWanted);
      if (missing.length === 0) return;
      const header = (tab.lines[spec.headerRow - 1] ??= []);
      header.splice(header.findLastIndex((text) => text.trim() !== '') + 1);
      header.push(...missing.map((column) => column.header));
      writeTab(spec, tab.lines);
    },
    async update(snapshot, changes, settings = {}) {
      const counts = countIds(snapshot);
      return change(changes, settings, (each: RowChange, tab): RowOutcome => {
        const set = each.id === undefined ? each.set : { ...each.set, [idKey]: each.id };
        if ((counts.get(each.row.id) ?? 0) > 1 && !each.isKnownDuplicate) return { kind: 'duplicate-id' };
        const otherwise = refuse(set, tab) ?? whyNot(each.row, tab);
        if (otherwise) return otherwise;
        setCells(tab, each.row.number, set);
        const stored = Object.entries(each.set).map(([key, value]) => [key, asStored(value)] as const);
        return { kind: 'written', stored: Object.fromEntries(stored) };
      });
    },
    async append(snapshot, rows, settings = {}) {
      const ids = countIds(snapshot);
      let number = snapshot.rows.at(-1)?.number ?? spec.headerRow;
      const isMoved = ({ indexByKey }: Tab) =>
        JSON.stringify(indexByKey) !== JSON.stringify(snapshot.memory.columnIndexByKey);
      return change(rows, settings, ({ id, set }: NewRow, tab): AppendOutcome => {
        if (ids.has(id)) return { kind: 'duplicate-id' };
        if (id === '') return { kind: 'refused', reason: 'no-id', columns: [idKey], message: 'a row has an id' };
        if (isMoved(tab)) return { kind: 'moved' };
        const refused = refuse({ ...set, [idKey]: id }, tab);
        if (refused) return refused;
        ids.set(id, 1);
        tab.lines.splice(number, 0, []);
        number += 1;
        setCells(tab, number, { ...set, [idKey]: id });
        return { kind: 'appended' };
      });
    },
    async remove(snapshot, rows, settings = {}) {
      const counts = countIds(snapshot);
      // From the bottom up: deleting a row moves none of the others.
      const fromBelow = rows.toSorted((a, b) => b.number - a.number);
      const outcomes = change(fromBelow, settings, (row, tab): RemoveOutcome => {
        if ((counts.get(row.id) ?? 0) > 1) return { kind: 'duplicate-id' };
        const otherwise = whyNot(row, tab);
        if (otherwise) return otherwise;
        const known = new Set(Object.values(tab.indexByKey));
        const others = tab.lines[row.number - 1]!.flatMap((text, index) =>
          known.has(index) || text === '' ? [] : [String.fromCodePoint(65 + index)],
        );
        if (settings.onlyBare && others.length > 0) return { kind: 'has-more', letters: others };
        tab.lines.splice(row.number - 1, 1);
        return { kind: 'removed' };
      });
      return rows.map((row) => outcomes[fromBelow.indexOf(row)]!);
    },
    clearMarks: async () => {},
    tidy: async () => 0,
  };
}

function assertGoesOn({ signal, stop }: CallSettings): void {
  if (signal?.aborted || stop?.aborted) throw new AbortedError({});
}

type Place = Pick<TableSpec, 'spreadsheet' | 'tab'>;

function fileOf({ spreadsheet, tab }: Place): string {
  return join(spreadsheet, `${basename(tab)}.csv`);
}

function assertSpreadsheet(spreadsheet: string): void {
  if (!existsSync(spreadsheet)) {
    throw new SpreadsheetGoneError('whoever runs the tests', { spreadsheetId: spreadsheet });
  }
}

function readLines(place: Place): string[][] {
  const { spreadsheet, tab } = place;
  assertSpreadsheet(spreadsheet);
  if (!existsSync(fileOf(place))) {
    const titles = readdirSync(spreadsheet).map((name) => basename(name, '.csv'));
    throw new TabGoneError(`"${tab}"`, titles, { spreadsheetId: spreadsheet, tabId: tab });
  }
  return parseCsv(readFileSync(fileOf(place), 'utf8'));
}

function readTab(spec: TableSpec): Tab {
  const context = { spreadsheetId: spec.spreadsheet, tabId: spec.tab };
  const lines = readLines(spec);
  if (lines.length < spec.headerRow) {
    throw new HeaderRowBeyondGridError(spec.tab, spec.headerRow, lines.length, context);
  }
  const header = lines[spec.headerRow - 1]!.map((text) => text.trim());
  const idColumn: ColumnSpec = { key: idKey, header: spec.idHeader, format: 'text' };
  const found = [idColumn, ...spec.columns].map((column) => ({ column, indexes: placesOf(column, header) }));
  const [idState, ...columns] = found.map(({ column, indexes }) => toState(column, indexes));
  const single = found.flatMap(({ column: { key }, indexes }) => (indexes.length === 1 ? [[key, indexes[0]!]] : []));
  return { lines, columns, idColumn: idState!, indexByKey: Object.fromEntries(single) };
}

function writeTab(spec: TableSpec, lines: readonly (readonly string[])[]): void {
  const draft = `${fileOf(spec)}.new`;
  writeFileSync(draft, toCsv(lines));
  renameSync(draft, fileOf(spec));
}

function placesOf({ header: wanted }: ColumnSpec, header: readonly string[]): number[] {
  return header.flatMap((text, index) => (text === wanted.trim() ? [index] : []));
}

function toState({ key, header }: ColumnSpec, indexes: readonly number[]): ColumnState {
  const [letter, ...more] = indexes.map((index) => String.fromCodePoint(65 + index));
  if (letter === undefined) return { kind: 'missing', key, header };
  return more.length > 0
    ? { kind: 'doubled', key, header, letters: [letter, ...more] }
    : { kind: 'found', key, header, letter };
}

function toSnapshot(spec: TableSpec, { lines, columns, idColumn, indexByKey }: Tab): Snapshot {
  const own = new Set(spec.columns.flatMap(({ key, isOwn }) => (isOwn ? [key] : [])));
  const rows = lines.slice(spec.headerRow).map((line, index): Row => {
    const entries = spec.columns.flatMap(({ key }): [string, CellValue][] =>
      indexByKey[key] === undefined ? [] : [[key, asStored(line[indexByKey[key]] ?? '')]],
    );
    return {
      number: spec.headerRow + 1 + index,
      id: line[indexByKey[idKey] ?? -1] ?? '',
      cells: Object.fromEntries(entries),
      own: Object.fromEntries(entries.filter(([key]) => own.has(key))),
      formulas: [],
    };
  });
  const content = JSON.stringify([spec, columns, idColumn, rows]);
  const fingerprint = createHash('sha256').update(content).digest('base64');
  return {
    title: spec.tab,
    tabId: spec.tab,
    rows: rows.filter(({ id, cells }) => id !== '' || Object.values(cells).some((value) => value !== null)),
    columns,
    idColumn,
    headerTexts: (lines[spec.headerRow - 1] ?? []).filter((text) => text.trim() !== ''),
    leftovers: 0,
    unanchored: [],
    fingerprint,
    recall: fingerprint,
    memory: { columnIndexByKey: indexByKey },
  };
}

function asStored(value: CellInput): string | null {
  return value === '' ? null : String(value);
}

function countIds({ rows }: Snapshot): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id } of rows) if (id !== '') counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function refuse(set: Readonly<Record<ColumnKey, CellInput>>, { indexByKey }: Tab): Refused | undefined {
  const isNoNumber = (value: CellInput) => typeof value === 'number' && !Number.isFinite(value);
  const noNumbers = Object.keys(set).filter((key) => isNoNumber(set[key]!));
  if (noNumbers.length > 0) {
    return { kind: 'refused', reason: 'not-a-finite-number', columns: noNumbers, message: 'not a finite number' };
  }
  const absent = Object.keys(set).filter((key) => indexByKey[key] === undefined);
  if (absent.length === 0) return undefined;
  return { kind: 'refused', reason: 'column-not-found', columns: absent, message: 'a column is not there' };
}

type Otherwise = Extract<RowOutcome & RemoveOutcome, { kind: 'moved' | 'row-gone' | 'changed-meanwhile' }>;

/** Why the row is not the row as it was read; undefined: it is. */
function whyNot({ number, id, cells }: Row, { lines, indexByKey }: Tab): Otherwise | undefined {
  const line = lines[number - 1] ?? [];
  const idIndex = indexByKey[idKey] ?? -1;
  if ((line[idIndex] ?? '') !== id) {
    return lines.some((each) => each[idIndex] === id) ? { kind: 'moved' } : { kind: 'row-gone' };
  }
  const columns = Object.keys(cells).filter((key) => {
    const index = indexByKey[key];
    return index !== undefined && asStored(line[index] ?? '') !== cells[key];
  });
  if (columns.length === 0) return undefined;
  return id === '' ? { kind: 'moved' } : { kind: 'changed-meanwhile', columns };
}

function setCells({ lines, indexByKey }: Tab, number: number, set: Readonly<Record<ColumnKey, CellInput>>): void {
  const line = lines[number - 1]!;
  for (const [key, value] of Object.entries(set)) {
    const index = indexByKey[key]!;
    while (line.length < index) line.push('');
    line[index] = String(value);
  }
}
