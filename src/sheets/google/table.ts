// The port put together: one client per credential, any number of tables on it.
import { textToSpreadsheetId } from './address.ts';
import { appendRows } from './append.ts';
import { SheetsClient, type SheetsClientDep } from './client.ts';
import { allColumns, batchRowsMax, type ReadLimits, type TableContext } from './context.ts';
import { ensureColumns } from './ensure.ts';
import { checkMayWrite, type Inspection, inspectTab } from './inspect.ts';
import { isTemporaryMark, ownerToIdBlock, temporaryKeys } from './marks.ts';
import { removeMarks, searchMarks } from './pins.ts';
import type { CallSettings, ReadSettings, Snapshot, Table, TableMemory, TableSpec, UnlessUnchanged } from '../port.ts';
import { readLimitsDefault, readTable } from './read.ts';
import { removeRows } from './remove.ts';
import { updateRows } from './update.ts';

export interface Sheets {
  /** Whom to share spreadsheets with. */
  readonly account: string;
  /** Makes no call. `memory` is that of an earlier snapshot of the same spec, from this process or another. */
  openTable(spec: TableSpec, memory?: TableMemory): Table;
  /** Looks at a tab as it is now, without reading its rows: two reads. Throws what `Table.read` throws. */
  inspect(spec: TableSpec, settings?: CallSettings): Promise<Inspection>;
  /** One write that changes nothing. Throws ReadOnlyShareError where this account may only read. Look at the tab first. */
  checkMayWrite(spec: TableSpec, settings?: CallSettings): Promise<void>;
  /** Calls started, as Google counts them: since the process began, and in the last minute. */
  usage(): SheetsUsage;
}

export interface SheetsUsage {
  readonly reads: number;
  readonly writes: number;
  readonly readsLastMinute: number;
  readonly writesLastMinute: number;
}

export interface SheetsDep extends SheetsClientDep {
  /** For trials of what happens to large tables. */
  readonly readLimits?: ReadLimits;
}

export function createSheets(dep: SheetsDep): Sheets {
  const client = new SheetsClient(dep);
  return {
    account: client.account,
    usage: () => ({
      reads: client.reads.used,
      writes: client.writes.used,
      readsLastMinute: client.reads.usedLastMinute,
      writesLastMinute: client.writes.usedLastMinute,
    }),
    openTable: (spec, memory) => createTable(createContext(spec, memory)),
    inspect: (spec, settings = {}) => inspectTab(createContext(spec, undefined), settings),
    checkMayWrite: (spec, settings = {}) => checkMayWrite(createContext(spec, undefined), settings),
  };

  function createContext(spec: TableSpec, memory: TableMemory | undefined): TableContext {
    return newContext(client, spec, memory, dep.readLimits ?? readLimitsDefault);
  }
}

function newContext(
  client: SheetsClient,
  spec: TableSpec,
  memory: TableMemory | undefined,
  readLimits: ReadLimits,
): TableContext {
  return {
    client,
    spreadsheetId: textToSpreadsheetId(spec.spreadsheet),
    spec,
    columns: allColumns(spec),
    block: ownerToIdBlock(spec.owner),
    sheetId: memory?.sheetId,
    shape: memory,
    readLimits,
    look: undefined,
    lastRead: undefined,
    areMarksKnown: false,
    anchorIdByKey: new Map(),
    areAssertionsUsable: true,
    leftovers: new Set(),
    pinsMax: batchRowsMax,
  };
}

function createTable(context: TableContext): Table {
  async function read(settings?: ReadSettings): Promise<Snapshot>;
  async function read(settings: ReadSettings & UnlessUnchanged): Promise<Snapshot | 'unchanged'>;
  async function read(settings: ReadSettings & Partial<UnlessUnchanged> = {}): Promise<Snapshot | 'unchanged'> {
    return readTable(context, settings, settings);
  }
  /**
   * The next read looks after a write that did not end well: what became of the marks is not known for certain, or columns
   * were moved, and an anchor with them.
   */
  const watch = async <T extends { readonly kind: string }>(writing: Promise<readonly T[]>): Promise<readonly T[]> => {
    const outcomes = await writing;
    const has = (sought: string) => outcomes.some(({ kind }) => kind === sought);
    const areMarksInDoubt = has('unknown') || has('failed');
    if (areMarksInDoubt) context.areMarksKnown = false;
    if (areMarksInDoubt || has('displaced')) context.look = undefined;
    return outcomes;
  };
  return {
    read,
    ensure: (snapshot, create, settings = {}) => ensureColumns(context, snapshot, create, settings),
    update: (snapshot, changes, settings = {}) => watch(updateRows(context, snapshot, changes, settings)),
    append: (snapshot, rows, settings = {}) => watch(appendRows(context, snapshot, rows, settings)),
    remove: (snapshot, rows, settings = {}) => watch(removeRows(context, snapshot, rows, settings)),
    clearMarks: (settings = {}) => removeMarks(context, [], settings),
    async tidy(settings = {}) {
      const filters = temporaryKeys.map((metadataKey) => ({ developerMetadataLookup: { metadataKey } }));
      const marks = await searchMarks(context, filters, settings);
      const ours = marks.filter((mark) => isTemporaryMark(mark, context.block)).map(({ metadataId }) => metadataId!);
      context.leftovers.clear();
      if (ours.length > 0) await removeMarks(context, ours, settings);
      return ours.length;
    },
  };
}
