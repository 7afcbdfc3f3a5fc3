// The routine read: header row and mapped columns in one `values.batchGetByDataFilter`, about 20 bytes a cell instead
// of the 89 of the grid.
// It addresses by sheetId, so that a renamed tab or a named range has no effect. FORMULA rendering gives constants as
// they are (dates as serial numbers) and formulas as their text. What a formula shows, and whether a text that looks
// like a formula is one, needs a second call (open-cells.ts).
// https://developers.google.com/workspace/sheets/api/reference/rest/v4/ValueRenderOption
import { type GridBounds, rangeExtent, type RangeExtent } from './address.ts';
import type { CallOptions, SheetsClient } from './client.ts';
import { type SheetsErrorContext } from '../errors.ts';
import { UnavailableError } from './errors.ts';
import { byBounds } from './grid.ts';
import { type AnsweredRange, answeredRanges } from './answered-rows.ts';
import { type RawAnswer, rawOptions, toRawAnswer } from './raw-answer.ts';

/**
 * A rectangle of values, row by row. Blank rows at the end and blank ends of rows may be missing; any other blank cell
 * is `''`.
 */
export interface ValueBlock {
  readonly startRow: number;
  readonly startColumn: number;
  /** Parsed while it is iterated; until the answer is disposed. */
  readonly rows: AnsweredRange['rows'];
  readonly cursor: AnsweredRange['cursor'];
}

export interface Values {
  /** The tab's title at that moment; undefined: Google left it out. */
  readonly title: string | undefined;
  /** One for each requested bounds, in their order. */
  readonly blocks: readonly ValueBlock[];
  /** The bounds of the blocks: Google replaces open bounds by the end of the grid. */
  readonly extents: readonly RangeExtent[];
}

/** One read, of one instant. The bounds must begin within the grid, or Google refuses it with 400. */
export function readValues(
  client: SheetsClient,
  spreadsheetId: string,
  sheetId: number,
  bounds: readonly GridBounds[],
  options: CallOptions,
): Promise<RawAnswer> {
  const requestBody = {
    dataFilters: bounds.map((each) => byBounds(sheetId, each)),
    majorDimension: 'ROWS',
    valueRenderOption: 'FORMULA',
    dateTimeRenderOption: 'SERIAL_NUMBER',
  };
  return client.read(
    spreadsheetId,
    async (api, methodOptions) => {
      const answer = await api.spreadsheets.values.batchGetByDataFilter(
        { spreadsheetId, requestBody, fields: 'valueRanges(valueRange(range,values))', prettyPrint: false },
        { ...methodOptions, ...rawOptions },
      );
      return { data: await toRawAnswer(answer.data, { spreadsheetId }) };
    },
    options,
  );
}

/** Throws if a rectangle is missing: an incomplete answer never counts as a blank tab (L7). */
export function takeValues(answer: RawAnswer, bounds: readonly GridBounds[], context: SheetsErrorContext): Values {
  const answered = answeredRanges(answer, context).flatMap(({ range, rows, cursor }) => {
    const extent = rangeExtent(range);
    return extent ? [{ ...extent, rows, cursor }] : [];
  });
  const found = bounds.map(({ startRowIndex = 0, startColumnIndex = 0 }) => {
    const block = answered.find((each) => each.startRow === startRowIndex && each.startColumn === startColumnIndex);
    if (!block) throw new UnavailableError('an answer without all the cells that were asked for', context);
    return block;
  });
  return {
    title: found[0]?.title,
    blocks: found,
    extents: found,
  };
}
