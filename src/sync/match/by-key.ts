// Rows without an ID, and the contacts they name: I2, I5, I6, I8. Whom they do not name are unmatched.
import { lastSeen, rowKey } from '../record/base.ts';
import { type Index, computeOnce, addToIndex } from './key-index.ts';
import { isLater, type Matching, quarantineRow, sameKeyReason, keepRowWaiting } from './matching.ts';
import { firstFew } from '../change.ts';
import { type Packed, type RowRecord, unpack } from '../record/record.ts';
import type { Reading } from '../value/value.ts';

/** A row whose keys no contact in scope has. */
export interface UnmatchedRow {
  readonly row: RowRecord;
  readonly values: readonly Reading[];
}

/** Who may be meant: by all that a row held last, where no other row is theirs, and by key. */
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
 * Who cleared the ID of a row has not made it another's, even where keys changed hands in the CRM meanwhile: what it held
 * last comes before its key (I5).
 * In scope, whether read or answered. undefined: the service has to say first. A contact that has no link is not known
 * unless it was read, so that after an incremental pull the only one that matches may not be the only one there is.
 */
function findMatches(
  matching: Matching,
  candidates: Candidates,
  { row, values }: UnmatchedRow,
): readonly string[] | undefined {
  const { input, contactByUuid, rowByUuid, hereByAnswer, withheld, beingLookedUp, questions } = matching;
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
    // The search lags behind writes, and a lookup does not: of the two the later one counts (I8).
    const read = contactByUuid.get(answer.contact.uuid);
    if (!read || isLater(answer.contact, read)) hereByAnswer.push(answer.contact);
    const missing = matches.filter((uuid) => !rowByUuid.has(uuid) && isHere(matching, uuid));
    return [...new Set([answer.contact.uuid, ...missing])];
  }
  // Whoever has a row already is not this one's, however many others match.
  const isTaken = matches.length === 1 && rowByUuid.has(matches[0]!);
  if (
    matches.length !== 1 ||
    isTaken ||
    input.crm.coverage === 'whole' ||
    answer?.kind === 'gone' ||
    answer?.kind === 'elsewhere'
  ) {
    return matches;
  }
  // Its row is here, if only it is known to be its row (L7).
  withheld.add(matches[0]!);
  if (answer === undefined) beingLookedUp.add(matches[0]!);
  if (answer === undefined) questions.push({ kind: 'lookup', key: rowKey(row), row: row.number, values });
  const why = answer ? `could not be looked up: ${answer.why}` : 'is being looked up';
  keepRowWaiting(matching, row, 'I2', `matches ${matches[0]}: ${why}`);
  return undefined;
}

/** One key a lookup, the first that somebody has decides. Without any key, what the row held last tells (I5). */
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
    for (const row of rows) quarantineRow(matching, row, 'I2', `matches ${uuid}, already in row ${where}`);
  } else if (rows.length > 1) {
    withheld.add(uuid);
    for (const row of rows) quarantineRow(matching, row, 'I6', `matches ${uuid}; ${sameKeyReason(row, rows)}`);
  } else {
    rowByUuid.set(uuid, rows[0]!);
  }
}

/** Neither known to be somewhere else, nor missed by a full scan, nor left without a row by a person (D1). */
function isHere({ input: { base, crm }, contactByUuid }: Matching, uuid: string): boolean {
  return base.links.get(uuid)?.standing === undefined && (contactByUuid.has(uuid) || crm.coverage !== 'whole');
}

/**
 * Contacts that a row without an ID may be: those read, and those that an incremental pull did not need to read. Whose row
 * may have lost its ID is also known by the key that it had there last, should it be another one in the CRM by now (I5).
 */
function indexCandidates(matching: Matching): Index<string> {
  const { input, contactByUuid, rowByUuid, keys } = matching;
  const { base, crm, answers } = input;
  const index = new Map<string, string[]>();
  // Who was found for one row may be who another row means by another key.
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

/** A contact that is gone is nobody's to be: who cleared the ID of its row wants another one (I5). */
function indexRowlessLinks({ input: { base }, rowByUuid }: Matching): Index<string> {
  const index = new Map<string, string[]>();
  for (const [uuid, link] of base.links) {
    if (!rowByUuid.has(uuid) && link.standing !== 'contact-gone') addToIndex(index, [lastSeen(link, 'sheet')], uuid);
  }
  return index;
}
