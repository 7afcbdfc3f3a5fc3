// The routine read of a tab: which cells it asks for, and the digest by which its content is recognised.
import { hash } from 'node:crypto';
import type { GridBounds } from './address.ts';
import { type IndexRange, toIndexRanges } from './adjacent.ts';
import type { CallOptions, TableContext } from './context.ts';
import { RefusedError } from './errors.ts';
import type { TabLayout } from './header.ts';
import type { RawAnswer } from './raw-answer.ts';
import { readValues } from './values.ts';

type Tab = Pick<TableContext, 'spec' | 'client' | 'spreadsheetId' | 'sheetId'>;

/** The mapped columns, side by side ones as one range. */
export function columnRanges({ resolved }: Pick<TabLayout, 'resolved'>): readonly IndexRange[] {
  return toIndexRanges(resolved.located.map(({ columnIndex }) => columnIndex).toSorted((a, b) => a - b));
}

/** The header row, always whole, and the requested columns. */
export function requestBounds(
  { spec }: Pick<Tab, 'spec'>,
  ranges: readonly IndexRange[],
  rows: GridBounds,
): GridBounds[] {
  const header = { startRowIndex: spec.headerRow - 1, endRowIndex: spec.headerRow };
  return [header, ...ranges.map(({ start, end }) => ({ ...rows, startColumnIndex: start, endColumnIndex: end }))];
}

/** All rows below the header. */
export function wholeBounds(tab: Pick<Tab, 'spec'>, ranges: readonly IndexRange[]): GridBounds[] {
  return requestBounds(tab, ranges, { startRowIndex: tab.spec.headerRow });
}

/** One read. */
export function ask(
  { client, spreadsheetId, sheetId }: Tab,
  bounds: readonly GridBounds[],
  options: CallOptions,
): Promise<RawAnswer> {
  return readValues(client, spreadsheetId, sheetId!, bounds, options);
}

/** A digest of the bytes, of the request, and of the columns they are read as. */
export function fingerprintOf(
  { spreadsheetId, sheetId, spec, layout }: Omit<Tab, 'client'> & Pick<TableContext, 'layout'>,
  digests: readonly (string | undefined)[],
): string {
  // Columns, their anchors, and their formats: a number counts as what it shows in a column of text alone.
  const taken = [layout!.resolved, spec.columns.map(({ format }) => format)];
  return hash('sha256', JSON.stringify([spreadsheetId, sheetId, spec.headerRow, taken, digests]), 'base64url');
}

/** The cells that were asked for are not in the tab. */
export function isBadRange(error: unknown): error is RefusedError {
  return error instanceof RefusedError && error.status === 400;
}
