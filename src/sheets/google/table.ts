// The driver for Google Sheets: one client for each credential, any number of tables on it. The costs of calls:
//
//   read      one read, and a second one while mapped columns hold formulas, errors, text that begins like one, numbers in
//             columns of text, or cells that merged ones cover, and once after a cell was emptied. The first read of a process costs two more, and another one without memory; a changed header row costs one or two.
//             While header texts alone do not identify the columns, every read costs one more. Tabs beyond 2,000,000 mapped
//             cells are read in chunks and checked. 'unchanged' costs the same calls and hardly any processor time. It is
//             never the answer to the first read of a process, nor to a read that had to read the header row anew
//             `isAsRecalled` costs what a look that finds nothing costs, also in a process that has not read before
//   ensure    one write, none when there is nothing to do. A new ID column is hidden, and protected with a warning
//   update    one read and three writes a batch of up to 1,000 rows and 2 MB
//   append    one write a batch of up to 1,000 rows and 2 MB, and one read when its answer was lost. One read more a call
//             when header and anchors were last read more than 5 s ago, because a routine `read` does not read anchors.
//             `clearMarks`, or the next `update`, removes the mark that prevents doubled rows. If an earlier attempt may
//             still arrive, only `tidy` removes it, after the header row was next read in full
//   remove    one read and two writes a batch of up to 1,000 rows
//   a run under a lease that can run out pays two reads and one write more before its first write (fence.ts)
//   tidy      one read, and one write if there are marks. clearMarks: one write, or none
//   inspect   two reads. checkMayWrite: one write. listTabs: one read. preview: two reads. covered: one read
import { textToSpreadsheetId } from './address.ts';
import { appendRows } from './append.ts';
import { SheetsClient, type SheetsClientDep } from './client.ts';
import { readCovered } from './covered.ts';
import { allColumns, batchRowsMax, isOwnMemory, type ReadLimits, type TableContext } from './context.ts';
import { ensureColumns } from './ensure.ts';
import { checkMayWrite, inspectTab } from './inspect.ts';
import { listTabs, previewTab } from './overview.ts';
import { createHints, type HintsMode } from './hints.ts';
import { isStaleAnchor, isTemporaryMark, leftoverKeys, type Metadata, ownerToIdBlock } from './marks.ts';
import { removeMarks } from './pins.ts';
import { searchMarks } from './search-marks.ts';
import { isMarkHere } from './tab-layout.ts';
import type {
  CallSettings,
  ReadSettings,
  Sheets,
  Snapshot,
  Table,
  TableMemory,
  TableSpec,
  UnlessUnchanged,
} from '../port.ts';
import { readLimitsDefault, readTable } from './read.ts';
import { isAsRecalled } from './recall.ts';
import { removeRows } from './remove.ts';
import { updateRows } from './update.ts';

export interface SheetsDep extends SheetsClientDep {
  /** For tests with large tables. */
  readonly readLimits?: ReadLimits;
  /** Left out: Drive is asked for nothing. */
  readonly hints?: HintsMode;
}

export function createSheets(dep: SheetsDep): Sheets {
  const client = new SheetsClient(dep);
  return {
    account: client.account,
    capabilities: { hasFormulas: true, hasTypedCells: true, hasColumnAnchors: true, hasTabIds: true },
    usage: () => ({
      reads: client.reads.used,
      writes: client.writes.used,
      readsLastMinute: client.reads.usedLastMinute,
      writesLastMinute: client.writes.usedLastMinute,
    }),
    openTable: (spec, memory) => createTable(createContext(spec, memory)),
    listTabs: (spreadsheet, settings = {}) =>
      listTabs({ client, spreadsheetId: textToSpreadsheetId(spreadsheet) }, settings),
    preview: (place, rowsMax, settings = {}) => {
      const spec = { ...place, headerRow: 1, idHeader: '', columns: [], owner: '' };
      return previewTab(createContext(spec, undefined), rowsMax, settings);
    },
    inspect: (spec, settings = {}) => inspectTab(createContext(spec, undefined), settings),
    checkMayWrite: (spec, settings = {}) => checkMayWrite(createContext(spec, undefined), settings),
    ...(dep.hints && { hints: createHints(dep.hints, { ...dep, elapsed: dep.time.elapsed }) }),
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
  const known = memory && isOwnMemory(memory) ? memory : undefined;
  return {
    client,
    spreadsheetId: textToSpreadsheetId(spec.spreadsheet),
    spec,
    columns: allColumns(spec),
    block: ownerToIdBlock(spec.owner),
    sheetId: known?.sheetId,
    shape: known,
    readLimits,
    layout: undefined,
    lastRead: undefined,
    areMarksKnown: false,
    anchorIdByKey: new Map(),
    areAssertionsUsable: true,
    leftovers: new Set(),
    fence: undefined,
    fenceTaken: undefined,
    fenceHeld: undefined,
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
   * After a write that did not end well the next read reads the layout: the marks may have changed, or columns and
   * their anchors moved.
   */
  const watch = async <T extends { readonly kind: string }>(writing: Promise<readonly T[]>): Promise<readonly T[]> => {
    const outcomes = await writing;
    const has = (sought: string) => outcomes.some(({ kind }) => kind === sought);
    const areMarksInDoubt = has('unknown') || has('failed');
    if (areMarksInDoubt) context.areMarksKnown = false;
    if (areMarksInDoubt || has('displaced')) context.layout = undefined;
    return outcomes;
  };
  /** Every write is made under the fence of its run: one run at a time uses a table. */
  const fenced = <Settings extends CallSettings>({ fence, ...settings }: Settings): Omit<Settings, 'fence'> => {
    context.fence = fence;
    return settings;
  };
  return {
    read,
    isAsRecalled: (recall, settings = {}) => isAsRecalled(context, recall, settings),
    covered: (settings = {}) => readCovered(context, settings),
    ensure: (snapshot, create, settings = {}) => ensureColumns(context, snapshot, create, fenced(settings)),
    update: (snapshot, changes, settings = {}) => watch(updateRows(context, snapshot, changes, fenced(settings))),
    append: (snapshot, rows, settings = {}) => watch(appendRows(context, snapshot, rows, fenced(settings))),
    remove: (snapshot, rows, settings = {}) => watch(removeRows(context, snapshot, rows, fenced(settings))),
    clearMarks: (settings = {}) => removeMarks(context, [], fenced(settings)),
    async tidy(given = {}) {
      const settings = fenced(given);
      const filters = leftoverKeys.map((metadataKey) => ({ developerMetadataLookup: { metadataKey } }));
      const marks = await searchMarks(context, filters, settings);
      const isOurs = (mark: Metadata) =>
        isTemporaryMark(mark, context.block) || (isStaleAnchor(mark, context) && isMarkHere(mark, context));
      const ours = marks.filter(isOurs).map(({ metadataId }) => metadataId!);
      context.leftovers.clear();
      if (ours.length > 0) await removeMarks(context, ours, settings);
      return ours.length;
    },
  };
}
