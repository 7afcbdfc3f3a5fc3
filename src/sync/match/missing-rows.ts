// Contacts whose row is not found, and how alike a row without an ID is to what their rows held last (I5, L7).
import { firstFew } from '../change.ts';
import { lastSeen } from '../record/base.ts';
import type { Matching } from './matching.ts';
import { type RowRecord, unpack } from '../record/record.ts';
import type { Reading } from '../value/value.ts';

/** By uuid, sorted: contacts whose row is missing, and what it held last. */
export type MissingRows = ReadonlyMap<string, readonly Reading[]>;

/** I5: why nothing is concluded from the missing row of a contact. `numbers`: of the rows that it may be. */
export function whyNotFound(numbers: readonly number[]): string {
  return `its row is not found, and may be row ${firstFew(numbers)}: write its ID into the right one, or correct these rows`;
}

export function missingRows({ input: { base }, rowByUuid }: Matching): MissingRows {
  const missing = [...base.links].filter(([uuid, link]) => link.standing === undefined && !rowByUuid.has(uuid));
  return new Map(
    missing.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([uuid, link]) => [uuid, unpack(lastSeen(link, 'sheet'))]),
  );
}

/**
 * Contacts whose missing row shared a value with this row. A row that lost its ID and its keys, or never had a key, cannot
 * be told from a new row; so these contacts' rows may not be gone (L7). What leadsheet wrote counts too: nothing else is
 * left in a row that people emptied and filled anew.
 */
export function missingLike({ keys }: Matching, values: readonly Reading[], missing: MissingRows): readonly string[] {
  const alike = new Set(missingAlike(values, missing));
  return [...missing].flatMap(([uuid, before]) => (alike.has(uuid) || keys.of(before).length === 0 ? [uuid] : []));
}

export function missingAlike(
  values: readonly Reading[],
  missing: MissingRows,
  least: 'one' | 'half' = 'one',
): readonly string[] {
  return [...missing].flatMap(([uuid, before]) => (isAlike(before, values, least) ? [uuid] : []));
}

/** `half`: a company or a first name says little of a person, so that half of what the row held has to be the same. */
export function isAlike(before: readonly Reading[], values: readonly Reading[], least: 'one' | 'half'): boolean {
  const texts = before.flatMap((value, index) => (typeof value === 'string' ? [value === values[index]] : []));
  const same = texts.filter(Boolean).length;
  return same > 0 && (least === 'one' || same * 2 >= texts.length);
}

/**
 * The rows that have half of what some of `contents` held; if there is none, those that have anything of it. Of rows that came
 * when another one went, a company alone says more than of any row.
 */
export function mostAlike(contents: readonly (readonly Reading[])[], rows: readonly RowRecord[]): readonly RowRecord[] {
  const alike = (least: 'one' | 'half') =>
    rows.filter(({ values }) => contents.some((before) => isAlike(before, unpack(values), least)));
  const half = alike('half');
  return half.length > 0 ? half : alike('one');
}
