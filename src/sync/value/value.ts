// The values that a field can hold, on either side and in the base.

/** Both sides are treated alike where the rules name none (L11). */
export type Side = 'crm' | 'sheet';

/** `null` is blank (V3). Timestamps are ISO text in UTC, to the second; lists and json are text. */
export type Value = string | number | boolean | null;

/** undefined is unknown: missing from an answer, or unreadable. Unknown is neither a change nor a blank (V3, V4). */
export type Reading = Value | undefined;

export const otherSide = { crm: 'sheet', sheet: 'crm' } as const satisfies Record<Side, Side>;

export function isBlank(value: Reading): value is null {
  return value === null;
}
