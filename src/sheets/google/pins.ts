// Pins: developer metadata on rows for the time of one write. A pin stays with its row through insertion, deletion,
// moves and whole-row sorts. So a write reaches the row, not a row number. Columns without an anchor get a pin too, so
// that their places are known afterwards.
import type { sheets_v4 } from '@googleapis/sheets';
import { boundsToText } from './address.ts';
import { batchRowsMax, type CallOptions, errorContext, type TableContext } from './context.ts';
import { OutcomeUnknownError, SheetsError } from '../errors.ts';
import { sendFenced } from './fence.ts';
import { searchMarks } from './search-marks.ts';
import { MetadataFullError, ProtectedError, RefusedError } from './errors.ts';
import { byMetadataId, contains } from './grid.ts';
import { readHeader } from './pinned-view.ts';
import { uncopied } from './uncopied.ts';
import { createColumnPin, createPin, deleteMark, drawIds, type Metadata, type Request } from './marks.ts';

export interface Pins {
  /** Metadata id of each row's pin, in the order asked for; undefined for a row beyond the grid. */
  readonly rowPins: readonly (number | undefined)[];
  readonly columnPins: readonly number[];
  /** On the header row; only for writing. */
  readonly headerPin: number;
  /** On the last row of the grid, unless that is one of the rows; only for deleting. */
  readonly lastRowPin: number | undefined;
  /** The answer was lost: the pins may exist or not. */
  readonly isUncertain: boolean;
}

/**
 * The first number of rows to pin in one batch. After nearly full metadata it was fewer; each call tries twice the last
 * number that fitted, because the room may have grown.
 */
export function pinsAtOnce(context: TableContext): number {
  context.pinsMax = Math.min(batchRowsMax, context.pinsMax * 2);
  return context.pinsMax;
}

/** Columns further right are not pinned: a write there is checked by the row's id alone. */
const columnPinsMax = 300;

/**
 * One write. For writing, it pins the header row and the columns as well as the rows; for deleting, the last row of the
 * grid. After a refusal it reads the size of the grid once (rows may be gone) and tries other ids (these may be in use).
 * After a second refusal it throws that `RefusedError`, and the caller tries fewer rows.
 */
export async function placePins(
  context: TableContext,
  rowIndexes: readonly number[],
  options: CallOptions,
  { isForWriting } = { isForWriting: true },
): Promise<Pins> {
  const first = draw(context, rowIndexes, isForWriting);
  try {
    return await send(context, first, options);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
  }
  await readHeader(context, options);
  return send(context, draw(context, rowIndexes, isForWriting), options);
}

interface Drawn extends Omit<Pins, 'isUncertain'> {
  readonly requests: Request[];
}

function draw(context: TableContext, rowIndexes: readonly number[], isForWriting: boolean): Drawn {
  const { rowCount, columnCount } = context.shape!;
  const anchored = new Set(Object.values(context.shape!.columnIndexByKey));
  const columnIndexes = Array.from(
    { length: isForWriting ? Math.min(columnCount, columnPinsMax) : 0 },
    (_, index) => index,
  ).filter((index) => !anchored.has(index));
  const { block, client } = context;
  const count = 2 + rowIndexes.length + columnIndexes.length;
  const [headerPin = 0, lastId, ...ids] = drawIds(block, count, client.time.random);
  const rowPins = rowIndexes.map((rowIndex, index) => (rowIndex < rowCount ? ids[index] : undefined));
  const columnPins = ids.slice(rowIndexes.length);
  // By the size as it is known now: after a refusal that is the size just read.
  const lastRowIndex = rowCount - 1;
  const hasRows = rowPins.some((id) => id !== undefined);
  const lastRowPin = isForWriting || !hasRows || rowIndexes.includes(lastRowIndex) ? undefined : lastId;
  return {
    rowPins,
    columnPins,
    headerPin,
    lastRowPin,
    requests: [
      ...(isForWriting ? [createPin(headerPin, context.sheetId!, context.spec.headerRow - 1)] : []),
      ...rowPins.flatMap((id, index) => (id === undefined ? [] : createPin(id, context.sheetId!, rowIndexes[index]!))),
      ...(lastRowPin === undefined ? [] : [createPin(lastRowPin, context.sheetId!, lastRowIndex)]),
      ...columnPins.map((id, index) => createColumnPin(id, context.sheetId!, columnIndexes[index]!)),
    ],
  };
}

async function send(context: TableContext, { requests, ...pins }: Drawn, options: CallOptions): Promise<Pins> {
  // None of the rows exists any more.
  if (requests.length === 0) return { ...pins, isUncertain: false };
  try {
    await batchUpdate(context, requests, options);
    return { ...pins, isUncertain: false };
  } catch (error) {
    if (error instanceof OutcomeUnknownError) return { ...pins, isUncertain: true };
    throw error;
  }
}

export type Reply = sheets_v4.Schema$Response;

/** The id of the spreadsheet shows that the answer is Google's (client.ts). */
const replyFields = 'spreadsheetId,replies(deleteDeveloperMetadata(deletedDeveloperMetadata(metadataId)))';

/**
 * One atomic `spreadsheets.batchUpdate`: applied whole or not at all. Of the answer only the deleted marks are read.
 */
export async function batchUpdate(
  context: TableContext,
  requests: Request[],
  options: CallOptions,
): Promise<readonly Reply[]> {
  const { client, spreadsheetId } = context;
  return sendFenced(context, requests, options, async (sent) => {
    const { replies = [] } = await client.write(
      spreadsheetId,
      (api, methodOptions) =>
        api.spreadsheets.batchUpdate(
          { spreadsheetId, requestBody: uncopied({ requests: sent }), fields: replyFields, prettyPrint: false },
          methodOptions,
        ),
      options,
    );
    return replies;
  });
}

/** Marks that the batch found at their place, by its answer. */
export function deletedMarks(replies: readonly Reply[]): ReadonlySet<number> {
  return new Set(
    replies.flatMap(({ deleteDeveloperMetadata }) =>
      (deleteDeveloperMetadata?.deletedDeveloperMetadata ?? []).flatMap(({ metadataId }) => metadataId ?? []),
    ),
  );
}

/** How often removal is tried before the next write or `tidy` has to do it. */
const removalAttemptsMax = 3;

/**
 * Removes the marks, and those known to be left over, in one write. A repeat is harmless, so after a lost answer it
 * reads which marks still exist. Never throws for a failed call: remaining marks stay known as left over.
 */
export async function removeMarks(context: TableContext, ids: readonly number[], options: CallOptions): Promise<void> {
  for (const id of ids) context.leftovers.add(id);
  let remaining = [...context.leftovers];
  for (let attempt = 1; attempt <= removalAttemptsMax && remaining.length > 0; attempt += 1) {
    try {
      await batchUpdate(context, remaining.map(deleteMark), options);
      remaining = [];
    } catch (error) {
      if (!(error instanceof SheetsError)) throw error;
      const found = await findMarks(context, remaining, options);
      if (found === undefined) break;
      remaining = found;
    }
  }
  context.leftovers.clear();
  for (const id of remaining) context.leftovers.add(id);
}

/** Which of these marks exist; undefined: that cannot be read now. One read. */
async function findMarks(
  context: TableContext,
  ids: readonly number[],
  options: CallOptions,
): Promise<number[] | undefined> {
  try {
    const found = await searchMarks(context, ids.map(byMetadataId), options);
    return found.flatMap(({ metadataId }) => metadataId ?? []);
  } catch (error) {
    if (!(error instanceof SheetsError)) throw error;
    return undefined;
  }
}

/** Key and value of all developer metadata of a tab: https://developers.google.com/workspace/sheets/api/guides/metadata. */
const metadataCharactersMax = 30_000;

/** Why not even a single row could be pinned: decided by reading, because Google's sentence may be in any language. */
export async function explainRefusedPin(
  context: TableContext,
  rowIndex: number,
  refusal: RefusedError,
  options: CallOptions,
): Promise<SheetsError> {
  const { grid } = await readHeader(context, options);
  const forbidden = grid.forbidden.filter((each) => contains(each, rowIndex, each.startColumnIndex ?? 0));
  if (forbidden.length > 0) {
    return new ProtectedError(context.client.account, forbidden.map(boundsToText), errorContext(context));
  }
  // Pins of the row, of the header row and of the columns.
  const needed = 2 + Math.min(grid.columnCount, columnPinsMax);
  return (await findMetadataFull(context, needed, refusal, options)) ?? refusal;
}

/**
 * Whether marks of so many characters were refused because the metadata is full. One read, of all metadata of the
 * spreadsheet.
 */
export async function findMetadataFull(
  context: TableContext,
  needed: number,
  refusal: RefusedError,
  options: CallOptions,
): Promise<MetadataFullError | undefined> {
  const all = await searchMarks(context, [{ developerMetadataLookup: {} }], options);
  const ofTab = all.filter(({ location }) => isOnTab(location, context.sheetId!));
  const characters = ofTab.reduce((sum, mark) => sum + charactersOf(mark), 0);
  if (characters + needed <= metadataCharactersMax) return undefined;
  return new MetadataFullError({ ...errorContext(context), cause: refusal });
}

/** On the tab itself, or on one of its rows or columns. Answers leave out a sheetId of 0. */
function isOnTab(location: Metadata['location'], sheetId: number): boolean {
  if (!location || location.spreadsheet) return false;
  return (location.dimensionRange?.sheetId ?? location.sheetId ?? 0) === sheetId;
}

function charactersOf({ metadataKey, metadataValue }: Metadata): number {
  return (metadataKey?.length ?? 0) + (metadataValue?.length ?? 0);
}
