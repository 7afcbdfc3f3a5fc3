// The environment of the contract tests of tables: a tab with a few rows, and a person who edits it at the same time.
import { SheetsError } from '../../../src/sheets/errors.ts';
import type { Row, SheetAddresses, Sheets, Snapshot, Table, TableSpec } from '../../../src/sheets/port.ts';

/** A tab for a test, and access to it. */
export interface OpenedTab {
  readonly sheets: Sheets;
  readonly addresses: SheetAddresses;
  /** The columns of the test, in this tab. */
  readonly spec: TableSpec;
  readonly person: TabPerson;
}

/** A person with the tab open. Rows count from 1, columns are letters. */
export interface TabPerson {
  /** Header and rows as texts, without blanks at the ends. */
  grid(): readonly (readonly string[])[];
  type(cell: string, text: string): void;
  insertRow(before: number): void;
  deleteRow(number: number): void;
  insertColumn(before: string): void;
  renameTab(title: string): void;
  deleteTab(): void;
}

export interface TableDriver {
  readonly capabilities: Sheets['capabilities'];
  /** A new tab with these cells. */
  readonly open: (grid: readonly (readonly string[])[]) => OpenedTab;
}

/** The part of the spec that is not spreadsheet and tab. */
export const contractSpec = {
  headerRow: 1,
  idHeader: 'Contact ID',
  columns: [
    { key: 'name', header: 'Name', format: 'text' },
    { key: 'email', header: 'Email', format: 'text' },
    { key: 'score', header: 'Score', format: 'number' },
    { key: '#status', header: 'Status', format: 'text', isOwn: true },
  ],
  owner: 'contract',
} as const satisfies Omit<TableSpec, 'spreadsheet' | 'tab'>;

export const header = ['Contact ID', 'Name', 'Notes', 'Email', 'Score', 'Status'];
export const ann = ['a', 'Ann', 'likes tea', 'ann@x.org', '', 'in sync'];
export const bob = ['b', 'Bob', '', 'bob@x.org', '', ''];
const cleo = ['c', 'Cleo', '', '', '', ''];
export const people = [header, ann, bob, cleo];

export interface ReadyTab extends OpenedTab {
  readonly table: Table;
  readonly snapshot: Snapshot;
}

/** A table with anchored columns, and its snapshot. */
export async function openReady(
  { open }: TableDriver,
  grid: readonly (readonly string[])[] = people,
): Promise<ReadyTab> {
  const opened = open(grid);
  const table = opened.sheets.openTable(opened.spec);
  await table.ensure(await table.read(), []);
  return { ...opened, table, snapshot: await table.read() };
}

export async function readTab({ sheets, spec }: OpenedTab, overrides: Partial<TableSpec> = {}): Promise<Snapshot> {
  return sheets.openTable({ ...spec, ...overrides }).read();
}

/** The code of the SheetsError that a call throws; fails if it throws none. */
export async function codeOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  );
  return error instanceof SheetsError ? error.code : error;
}

export function rowOf({ rows }: Snapshot, id: string): Row {
  const row = rows.find((each) => each.id === id);
  if (!row) throw new Error(`no row ${id}`);
  return row;
}
