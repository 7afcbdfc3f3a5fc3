// Creates anchors on columns found by header, and columns that are missing. A column is inserted right of the last
// header, so that no filled cell is ever overwritten.
import { type CallOptions, idKey, type TableContext } from './context.ts';
import { OutcomeUnknownError, SheetsError } from '../errors.ts';
import { readTabLayout } from './tab-layout.ts';
import { anchorValue, createAnchor, deleteMark, drawIds, oneLine, type Request } from './marks.ts';
import { batchUpdate } from './pins.ts';
import { readHeader } from './pinned-view.ts';
import type { ColumnFormat, ColumnKey, ColumnSpec, Snapshot } from '../port.ts';

/** V7: dates can be sorted, and text such as `007` that people type into a text column stays text. */
const numberFormats: Readonly<Record<ColumnFormat, { type: string; pattern?: string }>> = {
  text: { type: 'TEXT', pattern: '@' },
  number: { type: 'NUMBER', pattern: '0' },
  date: { type: 'DATE', pattern: 'yyyy-mm-dd' },
  'date-time': { type: 'DATE_TIME', pattern: 'yyyy-mm-dd hh:mm:ss' },
};

const protectionText = 'leadsheet finds its rows by these ids';

/** Limit on sends of the batch, each after the header row was read and had none of its columns. */
const attemptsMax = 3;

interface Anchoring {
  readonly key: ColumnKey;
  readonly metadataId: number;
  readonly columnIndex: number;
}

export async function ensureColumns(
  context: TableContext,
  snapshot: Snapshot,
  create: readonly ColumnKey[],
  options: CallOptions,
): Promise<void> {
  const { columnIndexByKey } = snapshot.memory;
  const states = [snapshot.idColumn, ...snapshot.columns];
  const missing = states.filter(({ kind, key }) => kind === 'missing' && (key === idKey || create.includes(key)));
  const specs = missing.map(({ key }) => context.columns.find((column) => column.key === key)!);
  const ids = drawIds(context.block, snapshot.unanchored.length + specs.length, context.client.time.random);
  const anchorings = snapshot.unanchored.map((key, index) => ({
    key,
    metadataId: ids[index]!,
    columnIndex: columnIndexByKey[key]!,
  }));
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const firstNew = await firstFreeColumn(context, specs.length, options);
    // After a lost answer this also shows whether the batch arrived.
    if (specs.length > 0 && !isHeaderStill(context, snapshot)) break;
    const requests = [
      ...anchorings.map((anchoring) => anchorRequest(context, anchoring)),
      ...(firstNew.isAtEnd && specs.length > 0 ? [appendColumn(context)] : []),
      ...specs.flatMap((spec, index) =>
        createColumn(context, spec, firstNew.columnIndex + index, ids[anchorings.length + index]!, firstNew),
      ),
    ];
    if (requests.length === 0) return;
    context.layout = undefined;
    try {
      await batchUpdate(context, requests, options);
      break;
    } catch (error) {
      // The chosen anchor ids make a batch that arrives late or twice fail; the next read shows what arrived.
      if (!(error instanceof OutcomeUnknownError)) throw error;
      // Anchors alone change no cell, and the next run makes the missing ones.
      if (specs.length === 0) break;
    }
  }
  if (anchorings.length > 0) await removeMisplaced(context, anchorings, options);
}

/**
 * The same columns found and missing as in the snapshot. If not, another row is the header, or a person made a column.
 */
function isHeaderStill({ shape }: TableContext, { memory }: Snapshot): boolean {
  const keysOf = (columnIndexByKey: object) => Object.keys(columnIndexByKey).toSorted().join('\n');
  return keysOf(shape!.columnIndexByKey) === keysOf(memory.columnIndexByKey);
}

interface FreePlace {
  readonly columnIndex: number;
  /** The tab has no column to insert before. */
  readonly isAtEnd: boolean;
  readonly rowCount: number;
}

/** Right of the last header cell that is not blank. Read only if a column is to be created. */
async function firstFreeColumn(context: TableContext, count: number, options: CallOptions): Promise<FreePlace> {
  const { rowCount, columnCount } = context.shape!;
  if (count === 0) return { columnIndex: columnCount, isAtEnd: true, rowCount };
  const { cells, grid } = await readHeader(context, options);
  const last = cells.findLast(({ text, markIds }) => text !== '' || markIds.length > 0);
  const columnIndex = last === undefined ? 0 : last.columnIndex + 1;
  return { columnIndex, isAtEnd: columnIndex >= grid.columnCount, rowCount: grid.rowCount };
}

/**
 * People may have moved columns between reading and anchoring: an anchor on a column with another header is removed.
 */
async function removeMisplaced(context: TableContext, anchorings: readonly Anchoring[], options: CallOptions) {
  const cells = await readTabLayout(context, options);
  const misplaced = anchorings.filter(({ key, metadataId }) => {
    const cell = cells.find(({ markIds }) => markIds.includes(metadataId));
    return cell !== undefined && cell.text !== context.columns.find((column) => column.key === key)?.header.trim();
  });
  if (misplaced.length === 0) return;
  context.layout = undefined;
  try {
    await batchUpdate(
      context,
      misplaced.map(({ metadataId }) => deleteMark(metadataId)),
      options,
    );
  } catch (error) {
    // An anchor that stays on the wrong column shows as `doubled`, and nothing is written by it.
    if (!(error instanceof SheetsError)) throw error;
  }
}

function anchorRequest(context: TableContext, { key, metadataId, columnIndex }: Anchoring): Request {
  return createAnchor(metadataId, context.sheetId!, columnIndex, anchorValue(context.spec.owner, key));
}

/**
 * A blank column to insert before, which stays at the end. A column that is appended and then filled by its index would
 * be another one, if somebody else appended one at that moment.
 */
function appendColumn({ sheetId }: TableContext): Request {
  return { appendDimension: { sheetId: sheetId!, dimension: 'COLUMNS', length: 1 } };
}

function createColumn(
  context: TableContext,
  { key, header, format }: ColumnSpec,
  columnIndex: number,
  metadataId: number,
  { rowCount }: FreePlace,
): Request[] {
  const sheetId = context.sheetId!;
  const { headerRow } = context.spec;
  const column = { sheetId, startColumnIndex: columnIndex, endColumnIndex: columnIndex + 1 };
  const line = oneLine(sheetId, 'COLUMNS', columnIndex);
  return [
    { insertDimension: { range: line, inheritFromBefore: false } },
    {
      updateCells: {
        start: { sheetId, rowIndex: headerRow - 1, columnIndex },
        rows: [{ values: [{ userEnteredValue: { stringValue: header } }] }],
        fields: 'userEnteredValue',
      },
    },
    anchorRequest(context, { key, metadataId, columnIndex }),
    ...(rowCount > headerRow
      ? [
          {
            repeatCell: {
              range: { ...column, startRowIndex: headerRow },
              cell: { userEnteredFormat: { numberFormat: numberFormats[format] } },
              fields: 'userEnteredFormat.numberFormat',
            },
          },
        ]
      : []),
    ...(key === idKey ? hideAndProtect(column, line) : []),
  ];
}

/** Hidden, because ids are for programs; protected with a warning only, because people own the sheet. */
function hideAndProtect(range: { sheetId: number }, line: ReturnType<typeof oneLine>): Request[] {
  return [
    { updateDimensionProperties: { range: line, properties: { hiddenByUser: true }, fields: 'hiddenByUser' } },
    { addProtectedRange: { protectedRange: { range, description: protectionText, warningOnly: true } } },
  ];
}
