// What a field holds, on either side and in the base. Everything above works on these and on nothing else.

/** Both sides are treated alike wherever the rules do not name one (L11). */
export type Side = 'crm' | 'sheet';

/** `null` is blank (V3). Timestamps are ISO text in UTC, to the second; lists and json are text. */
export type Value = string | number | boolean | null;

/** `undefined` is unknown: missing from an answer, or unreadable. Neither a change nor a blank (V3, V4). */
export type Reading = Value | undefined;

export const otherSide = { crm: 'sheet', sheet: 'crm' } as const satisfies Record<Side, Side>;

export function isBlank(value: Reading): value is null {
  return value === null;
}
