// Pins: developer metadata put on rows for the time of one write. A pin stays with its row through insertion, deletion,
// moves and whole-row sorts, which is what makes it possible to write to a row and not to a row number. Columns that
// carry no anchor get a pin too, so that afterwards it is known where each column was.
import type { CallOptions, TableContext } from './context.ts';
import { OutcomeUnknownError, RefusedError, SheetsError } from './errors.ts';
import { byMetadataId } from './grid.ts';
import { readHeader } from './pinned-view.ts';
import { createColumnPin, createPin, deleteMark, drawIds, type Metadata, type Request } from './marks.ts';

export interface Pins {
  /** Metadata id of each row's pin, in the order asked for; undefined for a row beyond the grid. */
  readonly rowPins: readonly (number | undefined)[];
  readonly columnPins: readonly number[];
  /** The answer was lost: the pins may or may not be there. */
  readonly isUncertain: boolean;
}

/** Columns further right are not pinned: a write there is checked by the row's id alone. */
const columnPinsMax = 300;

/**
 * One write. Refused, it looks once at the size of the grid (rows may be gone) and tries with other ids (these may be
 * taken); refused again, it throws that `RefusedError`, and the caller finds out with fewer rows.
 */
export async function placePins(
  context: TableContext,
  rowIndexes: readonly number[],
  options: CallOptions,
  { withColumns } = { withColumns: true },
): Promise<Pins> {
  const first = draw(context, rowIndexes, withColumns);
  try {
    return await send(context, first, options);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
  }
  await readHeader(context, options);
  return send(context, draw(context, rowIndexes, withColumns), options);
}

interface Drawn {
  readonly rowPins: readonly (number | undefined)[];
  readonly columnPins: readonly number[];
  readonly requests: Request[];
}

function draw(context: TableContext, rowIndexes: readonly number[], withColumns: boolean): Drawn {
  const { rowCount, columnCount } = context.shape!;
  const anchored = new Set(Object.values(context.shape!.columnIndexByKey));
  const columnIndexes = Array.from(
    { length: withColumns ? Math.min(columnCount, columnPinsMax) : 0 },
    (_, index) => index,
  ).filter((index) => !anchored.has(index));
  const ids = drawIds(context.block, rowIndexes.length + columnIndexes.length, context.client.time.random);
  const rowPins = rowIndexes.map((rowIndex, index) => (rowIndex < rowCount ? ids[index] : undefined));
  const columnPins = ids.slice(rowIndexes.length);
  return {
    rowPins,
    columnPins,
    requests: [
      ...rowPins.flatMap((id, index) => (id === undefined ? [] : createPin(id, context.sheetId!, rowIndexes[index]!))),
      ...columnPins.map((id, index) => createColumnPin(id, context.sheetId!, columnIndexes[index]!)),
    ],
  };
}

async function send(
  context: TableContext,
  { rowPins, columnPins, requests }: Drawn,
  options: CallOptions,
): Promise<Pins> {
  try {
    await batchUpdate(context, requests, options);
    return { rowPins, columnPins, isUncertain: false };
  } catch (error) {
    if (error instanceof OutcomeUnknownError) return { rowPins, columnPins, isUncertain: true };
    throw error;
  }
}

/** One atomic `spreadsheets.batchUpdate`: applied whole or not at all. */
export async function batchUpdate(context: TableContext, requests: Request[], options: CallOptions): Promise<void> {
  const { client, spreadsheetId } = context;
  await client.write(
    spreadsheetId,
    (api, methodOptions) =>
      api.spreadsheets.batchUpdate(
        { spreadsheetId, requestBody: { requests }, fields: 'spreadsheetId', prettyPrint: false },
        methodOptions,
      ),
    options,
  );
}

/** How often removal is tried before the marks are left to the next write or `tidy`. */
const removalAttemptsMax = 3;

/**
 * Removes the marks, and those known to be left over, in one write. Removing again harms nobody, so a lost answer is
 * followed by a look at what is still there. Never throws for a failed call: what remains stays known as left over.
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

/** Which of these marks are there; undefined when that cannot be read now. One read. */
export async function findMarks(
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

export async function searchMarks(
  context: TableContext,
  dataFilters: ReturnType<typeof byMetadataId>[],
  options: CallOptions,
): Promise<Metadata[]> {
  const { client, spreadsheetId } = context;
  const { matchedDeveloperMetadata = [] } = await client.read(
    spreadsheetId,
    (api, methodOptions) =>
      api.spreadsheets.developerMetadata.search({ spreadsheetId, requestBody: { dataFilters } }, methodOptions),
    options,
  );
  return matchedDeveloperMetadata.flatMap(({ developerMetadata }) => developerMetadata ?? []);
}
