// The port put together: one client per credential, any number of tables on it.
import { textToSpreadsheetId } from './address.ts';
import { appendRows } from './append.ts';
import { SheetsClient, type SheetsClientDep } from './client.ts';
import { allColumns, batchRowsMax, type TableContext } from './context.ts';
import { ensureColumns } from './ensure.ts';
import { isTemporaryMark, ownerToIdBlock, temporaryKeys } from './marks.ts';
import { removeMarks, searchMarks } from './pins.ts';
import type { Table, TableMemory, TableSpec } from './port.ts';
import { readTable } from './read.ts';
import { removeRows } from './remove.ts';
import { updateRows } from './update.ts';

export interface Sheets {
  /** Whom to share spreadsheets with. */
  readonly account: string;
  /** Makes no call. `memory` is that of an earlier snapshot of the same spec, from this process or another. */
  openTable(spec: TableSpec, memory?: TableMemory): Table;
  /** Calls started since the process began, as Google counts them. */
  usage(): { readonly reads: number; readonly writes: number };
}

export function createSheets(dep: SheetsClientDep): Sheets {
  const client = new SheetsClient(dep);
  return {
    account: client.account,
    openTable: (spec, memory) => createTable(client, spec, memory),
    usage: () => ({ reads: client.reads.used, writes: client.writes.used }),
  };
}

function createTable(client: SheetsClient, spec: TableSpec, memory: TableMemory | undefined): Table {
  const context: TableContext = {
    client,
    spreadsheetId: textToSpreadsheetId(spec.spreadsheet),
    spec,
    columns: allColumns(spec),
    block: ownerToIdBlock(spec.owner),
    sheetId: memory?.sheetId,
    shape: memory,
    anchorIdByKey: new Map(),
    areAssertionsUsable: true,
    leftovers: new Set(),
    pinsMax: batchRowsMax,
  };
  return {
    read: (settings = {}) => readTable(context, settings),
    ensure: (snapshot, create, settings = {}) => ensureColumns(context, snapshot, create, settings),
    update: (snapshot, changes, settings = {}) => updateRows(context, snapshot, changes, settings),
    append: (snapshot, rows, settings = {}) => appendRows(context, snapshot, rows, settings),
    remove: (snapshot, rows, settings = {}) => removeRows(context, snapshot, rows, settings),
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
