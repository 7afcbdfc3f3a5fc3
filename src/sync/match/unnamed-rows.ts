// Rows without an ID that may be the row of a contact which leadsheet made or found for a row, and whose ID could not be written
// into that row (I5, L8). A second contact would be made of such a row.
import { problem } from '../change.ts';
import { addToIndex } from './key-index.ts';
import { rowKey, type Stray } from '../record/base.ts';
import { isAlike, mostAlike, type MissingRows, whyNotFound } from './missing-rows.ts';
import { type Matching, rememberStray } from './matching.ts';
import { type Packed, type RowRecord, unpack } from '../record/record.ts';

/** The uuids of such contacts, sorted, by the rows that may be theirs. */
export type UnnamedRows = ReadonlyMap<RowRecord, readonly string[]>;

/**
 * Any row may be that of such a contact if it has half of what the row held when the contact was known: a company or a first name
 * alone says little. A row that no earlier run saw is also compared with what earlier runs noted of such rows and no row holds any
 * more, as people correct a row cell by cell; where none has half, one that has anything is enough. What is found is noted
 * with the row for the next run.
 */
export function findUnnamedRows(matching: Matching, missing: () => MissingRows): UnnamedRows {
  const { input, rowByUuid, rowsWithoutId } = matching;
  const { links, strays } = input.base;
  const linked = new Set(rowByUuid.values());
  const rows = rowsWithoutId.filter((row) => !linked.has(row));
  const found = new Map<RowRecord, string[]>();
  if (rows.length === 0) return found;
  const unnamed = [...missing()].filter(([uuid]) => links.get(uuid)?.rowId === '');
  const standing = new Set(rows.map(rowKey));
  const fresh = rows.filter((row) => isSeenFirst(strays.get(rowKey(row))));
  for (const [uuid, before] of unnamed) {
    const noted = [...strays].flatMap(([key, { mayBeOf }]) => (mayBeOf?.includes(uuid) ? [key] : []));
    const gone = noted.filter((key) => !standing.has(key)).map((key) => unpack(key as Packed));
    const known = rows.filter((row) => noted.includes(rowKey(row)) || isAlike(before, unpack(row.values), 'half'));
    const corrected = known.length > 0 && gone.length === 0 ? [] : mostAlike([before, ...gone], fresh);
    for (const row of new Set([...known, ...corrected])) found.set(row, [...(found.get(row) ?? []), uuid]);
  }
  for (const row of rows) noteUnnamed(matching, row, found.get(row) ?? []);
  return found;
}

/** A row that this run looks for a lost create of was noted before it was planned. */
function isSeenFirst(stray: Stray | undefined): boolean {
  return stray === undefined || stray.sent !== undefined;
}

function noteUnnamed(matching: Matching, row: RowRecord, uuids: readonly string[]): void {
  const key = rowKey(row);
  if (uuids.length === 0 && !matching.input.base.strays.get(key)?.mayBeOf) return;
  const { mayBeOf: _before, ...stray } = rememberStray(matching, row);
  matching.strays.set(key, { ...stray, ...(uuids.length > 0 && { mayBeOf: uuids }) });
}

/** I5, L7: such a contact has not lost its row, whatever else is said of the row. One that no row names is named itself. */
export function withholdUnnamed({ withheld, doubtfulRows, problems }: Matching, unnamed: UnnamedRows): void {
  // While a row is in doubt, each contact whose row is missing is named (`rowNotFound`).
  if (doubtfulRows.length > 0) return;
  const rowsOf = new Map<string, number[]>();
  for (const [{ number }, uuids] of unnamed) {
    for (const uuid of uuids) if (!withheld.has(uuid)) addToIndex(rowsOf, [uuid], number);
  }
  for (const [uuid, numbers] of rowsOf) {
    withheld.add(uuid);
    problems.push(problem('held', { uuid }, 'I5', whyNotFound(numbers.toSorted((a, b) => a - b))));
  }
}
