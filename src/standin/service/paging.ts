// Cuts a result into a page, with the figures that the switches want.
import type { Random } from './random.ts';
import { invalid } from './refusal.ts';
import type { Switches } from './switches.ts';

/** A part of a result, before it becomes an answer. */
export interface Window<Row> {
  readonly rows: readonly Row[];
  /** Rows asked for, after clamping. */
  readonly limit: number;
  readonly offset: number;
  readonly total: number;
}

/** The default page size. */
const pageRowsDefault = 20;

/** The page size that is served for a requested one. */
export function pageLimit(asked: number | undefined, rowsMax: number, { pageBeyond }: Switches): number {
  const limit = asked ?? Math.min(pageRowsDefault, rowsMax);
  if (limit <= rowsMax) return limit;
  if (pageBeyond === 'refused') throw invalid({ limit: [`The limit may not be greater than ${rowsMax}.`] });
  return rowsMax;
}

type HasMore = 'absent' | 'present' | 'wrong';

/** The figures of a page, changed by the switches. */
export function pageFigures(window: Window<unknown>, hasMore: HasMore, { totalDriftMax }: Switches, random: Random) {
  const { limit, offset, total } = window;
  const more = offset + window.rows.length < total;
  const drift = totalDriftMax === 0 ? 0 : random.integer(-totalDriftMax, totalDriftMax);
  return {
    limit,
    offset,
    total: Math.max(0, total + drift),
    ...(hasMore !== 'absent' && { has_more: hasMore === 'present' ? more : !more }),
  };
}
