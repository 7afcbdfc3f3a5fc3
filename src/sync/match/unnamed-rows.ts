// Rows without an ID that may be the row of a contact which leadsheet made or found for a row, and whose ID could not be written
// into that row (I5, L8). A second contact would be made of such a row.
import { firstFew, problem } from '../change.ts';
import { addToIndex } from './key-index.ts';
import { rowKey } from '../record/base.ts';
import { isAlike, missingAlike, type MissingRows } from './missing-rows.ts';
import { type Matching, rememberStray } from './matching.ts';
import { type Packed, type RowRecord, unpack } from '../record/record.ts';

/** The uuids of such contacts, sorted, by the rows that may be theirs. */
export type UnnamedRows = ReadonlyMap<RowRecord, readonly string[]>;

/**
 * Half of what the row held when its contact was known, or of what a row that may be it held when a run last looked,
 * has to be in the row: people correct a row cell by cell, and a company or a first name alone says little. The next run finds
 * noted what each held.
 */
export function findUnnamedRows(matching: Matching, missing: () => MissingRows): UnnamedRows {
  const { input, rowByUuid, rowsWithoutId } = matching;
  const { links, strays } = input.base;
  const found = new Map<RowRecord, readonly string[]>();
  const linked = new Set(rowByUuid.values());
  const rows = rowsWithoutId.filter((row) => !linked.has(row));
  if (rows.length === 0) return found;
  const unnamed = new Map([...missing()].filter(([uuid]) => links.get(uuid)?.rowId === ''));
  const edited = editedRows(matching, rows);
  for (const row of rows) {
    const values = unpack(row.values);
    const noted = [
      ...(strays.get(rowKey(row))?.mayBeOf ?? []),
      ...edited.flatMap(({ before, mayBeOf }) => (isAlike(before, values, 'half') ? mayBeOf : [])),
    ];
    const named = noted.filter((uuid) => unnamed.has(uuid));
    const uuids = [...new Set([...named, ...missingAlike(values, unnamed, 'half')])].toSorted();
    if (uuids.length > 0) found.set(row, uuids);
    noteUnnamed(matching, row, uuids);
  }
  return found;
}

/** What such rows held when a run last looked, and hold no more. A row that still holds it has the note itself. */
function editedRows({ input: { base } }: Matching, rows: readonly RowRecord[]) {
  const standing = new Set(rows.map(rowKey));
  return [...base.strays].flatMap(([key, { mayBeOf }]) =>
    mayBeOf && !standing.has(key) ? [{ before: unpack(key as Packed), mayBeOf }] : [],
  );
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
    const rows = firstFew(numbers.toSorted((a, b) => a - b));
    const reason = `its row is not found, and may be row ${rows}: write its ID into the right one, or correct these rows`;
    problems.push(problem('held', { uuid }, 'I5', reason));
  }
}
