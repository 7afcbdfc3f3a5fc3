// The routine read: header row and mapped columns in one `values.batchGetByDataFilter`, about 20 bytes a cell where the
// grid takes 89. It addresses by sheetId, so that a renamed tab or a named range cannot mislead it. FORMULA rendering gives
// constants as they are (dates as serial numbers) and formulas as their text; what a formula shows, and whether a text
// that looks like a formula is one, has to be asked for (open-cells.ts).
// https://developers.google.com/workspace/sheets/api/reference/rest/v4/ValueRenderOption
import { type GridBounds, rangeExtent, type RangeExtent } from './address.ts';
import type { CallOptions, SheetsClient } from './client.ts';
import { type SheetsErrorContext } from '../errors.ts';
import { UnavailableError } from './errors.ts';
import { byBounds } from './grid.ts';
import { type AnsweredRange, answeredRanges } from './answered-rows.ts';
import { type RawAnswer, rawOptions, toRawAnswer } from './raw-answer.ts';

/**
 * A rectangle of values, row by row. Rows at the end and ends of rows that are blank may be missing; any other blank cell
 * is `''`.
 */
export interface ValueBlock {
  readonly startRow: number;
  readonly startColumn: number;
  /** Parsed as it is gone through; until the answer is disposed. */
  readonly rows: AnsweredRange['rows'];
  readonly cursor: AnsweredRange['cursor'];
}

export interface Values {
  /** The tab's title at that moment; undefined if Google left it out. */
  readonly title: string | undefined;
  /** One per bounds asked for, in their order. */
  readonly blocks: readonly ValueBlock[];
  /** Of the blocks: where bounds were open, Google answers where the grid ends. */
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

/** Throws when a rectangle is missing: an answer that is not whole is never taken for a blank tab (L7). */
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
