// Rows without an ID: finds the contacts that their keys name (I2, I5, I6, I8). The others are unmatched.
import { lastSeen, rowKey } from '../record/base.ts';
import { type Index, computeOnce, addToIndex } from './key-index.ts';
import { type Matching, quarantineRow, sameKeyReason, keepRowWaiting } from './matching.ts';
import { firstFew } from '../change.ts';
import { type Packed, type RowRecord, unpack } from '../record/record.ts';
import type { Reading } from '../value/value.ts';

/** A row whose keys no contact in scope has. */
export interface UnmatchedRow {
  readonly row: RowRecord;
  readonly values: readonly Reading[];
}

/**
 * The contacts a row may belong to: those whose row held exactly these contents and is missing now, and those with its
 * keys.
 */
interface Candidates {
  readonly byContents: () => Index<string>;
  readonly byKey: () => Index<string>;
}

export function matchByKey(matching: Matching): readonly UnmatchedRow[] {
  const candidates = {
    byContents: computeOnce(() => indexRowlessLinks(matching)),
    byKey: computeOnce(() => indexCandidates(matching)),
  };
  const rowsByUuid = new Map<string, RowRecord[]>();
  const unmatched: UnmatchedRow[] = [];
  for (const row of matching.rowsWithoutId) {
    const values = unpack(row.values);
    const matches = findMatches(matching, candidates, { row, values });
    if (matches === undefined) continue;
    if (matches.length === 0) unmatched.push({ row, values });
    else if (matches.length > 1) quarantineAmbiguous(matching, row, matches);
    else addToIndex(rowsByUuid, matches, row);
  }
  for (const [uuid, rows] of rowsByUuid) linkByKey(matching, uuid, rows);
  return unmatched;
}

/**
 * The contacts in scope that the row may belong to, read or answered. undefined: the service has to be asked first.
 *
 * A row whose ID was cleared still belongs to its contact, even if keys changed hands in the CRM meanwhile: the contents
 * it held last count before its key (I5). After an incremental pull, contacts without a link are known only if they were
 * read: the only match may not be the only one there is.
 */
function findMatches(
  matching: Matching,
  candidates: Candidates,
  { row, values }: UnmatchedRow,
): readonly string[] | undefined {
  const { input, contactByUuid, rowByUuid, sharedIds, hereByAnswer, withheld, beingLookedUp, questions } = matching;
  const lost =
    candidates
      .byContents()
      .get(row.values)
      ?.filter((uuid) => isHere(matching, uuid)) ?? [];
  if (lost.length === 1) return lost;
  const answer = input.answers.lookups.get(rowKey(row));
  if (answer?.kind === 'several') return answer.uuids;
  const matches = matchesOfFirstKey(matching, candidates, values, row);
  if (answer?.kind === 'here') {
    // The search lags behind writes and a lookup does not: of two with one date, or with none, the lookup counts (I8).
    const read = contactByUuid.get(answer.contact.uuid);
    if (!read || (answer.contact.updatedAt ?? 0) >= (read.updatedAt ?? 0)) hereByAnswer.push(answer.contact);
    const missing = matches.filter((uuid) => !rowByUuid.has(uuid) && isHere(matching, uuid));
    return [...new Set([answer.contact.uuid, ...missing])];
  }
  // A contact that has a row already does not get this one, however many others match. Of rows in doubt one is its row (I4).
  const isTaken = matches.length === 1 && (rowByUuid.has(matches[0]!) || sharedIds.has(matches[0]!));
  if (
    matches.length !== 1 ||
    isTaken ||
    input.crm.coverage === 'whole' ||
    answer?.kind === 'gone' ||
    answer?.kind === 'elsewhere'
  ) {
    return matches;
  }
  // The contact's row is here, even if it is not known yet which one it is (L7).
  withheld.add(matches[0]!);
  if (answer === undefined) beingLookedUp.add(matches[0]!);
  if (answer === undefined) questions.push({ kind: 'lookup', key: rowKey(row), row: row.number, values });
  const why = answer ? `could not be looked up: ${answer.why}` : 'is being looked up';
  keepRowWaiting(matching, row, 'I2', `matches ${matches[0]}: ${why}`);
  return undefined;
}

/**
 * Tries one key after the other: the first that any contact has decides. A row without a key is matched by what it held
 * last (I5).
 */
function matchesOfFirstKey(
  { keys }: Matching,
  { byKey, byContents }: Candidates,
  values: readonly Reading[],
  row: RowRecord,
): readonly string[] {
  for (const read of keys.readers) {
    const key = read(values);
    const matches = key === undefined ? undefined : byKey().get(key);
    if (matches) return matches;
  }
  return keys.of(values).length === 0 ? (byContents().get(row.values) ?? []) : [];
}

function quarantineAmbiguous(matching: Matching, row: RowRecord, uuids: readonly string[]): void {
  for (const uuid of uuids) matching.withheld.add(uuid);
  const shown = firstFew(uuids.toSorted());
  quarantineRow(
    matching,
    row,
    'I2',
    `matches ${uuids.length} contacts: ${shown}; write the ID of the right one into it`,
  );
}

function linkByKey(matching: Matching, uuid: string, rows: readonly RowRecord[]): void {
  const { rowByUuid, withheld, sharedIds } = matching;
  const takenRows = rowByUuid.get(uuid)?.number ?? sharedIds.get(uuid)?.others.map(({ number }) => number);
  if (takenRows !== undefined) {
    const where = firstFew([takenRows].flat());
    for (const row of rows)
      quarantineRow(matching, row, 'I2', `matches ${uuid}, already in row ${where}: keep one of the rows`);
  } else if (rows.length > 1) {
    withheld.add(uuid);
    for (const row of rows) quarantineRow(matching, row, 'I6', `matches ${uuid}; ${sameKeyReason(row, rows)}`);
  } else {
    rowByUuid.set(uuid, rows[0]!);
  }
}

/** Whether the contact is in scope as far as is known: it has no other standing (D1), and a full scan did not miss it. */
function isHere({ input: { base, crm }, contactByUuid }: Matching, uuid: string): boolean {
  return base.links.get(uuid)?.standing === undefined && (contactByUuid.has(uuid) || crm.coverage !== 'whole');
}

/**
 * Contacts by their keys: those that were read, and those that an incremental pull did not need to read. A contact whose
 * row may have lost its ID is also found by the key that this row held last, even if its key in the CRM is another one by
 * now (I5).
 */
function indexCandidates(matching: Matching): Index<string> {
  const { input, contactByUuid, rowByUuid, keys } = matching;
  const { base, crm, answers } = input;
  const index = new Map<string, string[]>();
  // A contact found for one row may be the contact of another row by another key.
  const answered = [...answers.lookups.values()].flatMap((answer) => (answer.kind === 'here' ? [answer.contact] : []));
  const known = new Map([...answered.map((contact) => [contact.uuid, contact] as const), ...contactByUuid]);
  const keysOf = (packed: Packed | undefined) => (packed === undefined ? [] : keys.of(unpack(packed)));
  for (const { uuid, values } of known.values()) if (!base.links.has(uuid)) addToIndex(index, keysOf(values), uuid);
  for (const [uuid, link] of base.links) {
    const isUnread = crm.coverage !== 'whole' && (link.standing === undefined || link.standing === 'row-gone');
    const now = known.get(uuid)?.values ?? (isUnread ? lastSeen(link, 'crm') : undefined);
    const before = !rowByUuid.has(uuid) && isHere(matching, uuid) ? lastSeen(link, 'sheet') : undefined;
    addToIndex(index, [...new Set([...keysOf(now), ...keysOf(before)])], uuid);
  }
  return index;
}

/**
 * Contacts by the contents of their missing row. A contact that is gone is left out: a person who cleared the ID of its
 * row wants a new contact (I5).
 */
function indexRowlessLinks({ input: { base }, rowByUuid }: Matching): Index<string> {
  const index = new Map<string, string[]>();
  for (const [uuid, link] of base.links) {
    if (!rowByUuid.has(uuid) && link.standing !== 'contact-gone') addToIndex(index, [lastSeen(link, 'sheet')], uuid);
  }
  return index;
}
