// Rows without an ID: finds the contacts that their keys name (I2, I5, I6, I8). The others are unmatched.
import { lastSeen, rowKey } from '../record/base.ts';
import { type Index, computeOnce, addToIndex } from './key-index.ts';
import {
  earlierAnswer,
  keepAnswer,
  type Matching,
  quarantineDoubtful,
  quarantineRow,
  sameKeyReason,
  keepRowWaiting,
} from './matching.ts';
import { firstFew, problem } from '../change.ts';
import { isMovedFrom } from './moved-person.ts';
import type { Keys } from '../record/keys.ts';
import { type Packed, type RowRecord, unpack } from '../record/record.ts';
import type { Reading } from '../value/value.ts';

/** A row whose keys no contact in scope has. */
export interface UnmatchedRow {
  readonly row: RowRecord;
  readonly values: readonly Reading[];
}

/**
 * The contacts a row may belong to: those whose row held exactly these contents and is missing now, those with its keys,
 * and those whose missing row held them.
 */
interface Candidates {
  readonly byContents: () => Index<string>;
  readonly byKey: () => Index<string>;
  readonly byEarlierKey: () => Index<string>;
}

export function matchByKey(matching: Matching): readonly UnmatchedRow[] {
  const candidates = {
    byContents: computeOnce(() => indexRowlessLinks(matching)),
    byKey: computeOnce(() => indexContacts(matching)),
    byEarlierKey: computeOnce(() => indexEarlierKeys(matching)),
  };
  const rowsByUuid = new Map<string, RowRecord[]>();
  const doubts = new Map<string, RowRecord[]>();
  const unmatched: UnmatchedRow[] = [];
  for (const row of matching.rowsWithoutId) {
    const values = unpack(row.values);
    const found = findMatches(matching, candidates, { row, values });
    const matches = found && whileThere(matching, row, found);
    if (matches === undefined) continue;
    if (matches.length === 0) unmatched.push({ row, values });
    else if (matches.length === 1) addToIndex(rowsByUuid, matches, row);
    else {
      quarantineAmbiguous(matching, row, matches);
      // Of two contacts that have one key and had no row, a row that names one by another key takes it.
      addToIndex(
        doubts,
        matches.filter((uuid) => matching.input.base.links.has(uuid)),
        row,
      );
    }
  }
  for (const [uuid, rows] of rowsByUuid) linkByKey(matching, uuid, rows, doubts.get(uuid) ?? []);
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
  const matches = matchesOfKeys(matching, candidates, values, row);
  if (answer?.kind === 'here') {
    // The search lags behind writes and a lookup does not: of two with one date, or with none, the lookup counts (I8).
    const read = contactByUuid.get(answer.contact.uuid);
    if (!read || (answer.contact.updatedAt ?? 0) >= (read.updatedAt ?? 0)) hereByAnswer.push(answer.contact);
    const missing = matches.filter((uuid) => !rowByUuid.has(uuid) && isHere(matching, uuid));
    return [...new Set([answer.contact.uuid, ...missing])];
  }
  // The key is not the contact's any more: somebody of another list may have it by now, whom no scan shows.
  const isEarlier = matches.length === 1 && !hasKeyNow(matching, candidates, values, matches[0]!);
  const known = answer ?? (isEarlier ? earlierAnswer(matching, rowKey(row)) : undefined);
  if (isEarlier && known?.kind === 'elsewhere' && known.uuid !== undefined && known.uuid !== matches[0]) {
    keepAnswer(matching, rowKey(row), known);
    return [matches[0]!, known.uuid];
  }
  // A contact that has a row already does not get this one, however many others match. Of rows in doubt one is its row (I4).
  const isTaken = matches.length === 1 && (rowByUuid.has(matches[0]!) || sharedIds.has(matches[0]!));
  if (
    matches.length !== 1 ||
    isTaken ||
    (input.crm.coverage === 'whole' && !isEarlier) ||
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
 * I5: an incremental pull does not show a contact that was deleted. A row is not linked to one that was not read before the
 * service has answered for it: of a contact that is gone, a person typed the row anew. undefined: the service has to be
 * asked first.
 */
function whileThere(matching: Matching, row: RowRecord, matches: readonly string[]): readonly string[] | undefined {
  const { input, contactByUuid, rowByUuid, sharedIds, hereByAnswer, withheld, beingLookedUp, questions } = matching;
  const [uuid, ...more] = matches;
  const isHeldElsewhere = uuid === undefined || rowByUuid.has(uuid) || sharedIds.has(uuid);
  const isRead = uuid === undefined || contactByUuid.has(uuid) || !input.base.links.has(uuid);
  if (more.length > 0 || isHeldElsewhere || isRead || input.crm.coverage === 'whole') return matches;
  // W5: it is known as the row of the contact, and its ID could not be written yet. That costs no call in each run. A row that
  // was deleted since, and is there again, was typed anew.
  const link = input.base.links.get(uuid);
  if (link?.rowId === '' && link.standing === undefined && isAsSeen(matching, uuid, row)) return matches;
  const answered = [...input.answers.lookups.values()].some(
    (each) => each.kind === 'here' && each.contact.uuid === uuid,
  );
  const answer = input.answers.contacts.get(uuid);
  // L1: the search may lag behind this answer, and somebody may have edited the contact since it was last seen.
  if (answer?.kind === 'here') hereByAnswer.push(answer.contact);
  if (answered || answer?.kind === 'here' || answer?.kind === 'elsewhere') return matches;
  if (answer?.kind === 'gone') return [];
  withheld.add(uuid);
  beingLookedUp.add(uuid);
  if (answer === undefined) questions.push({ kind: 'contact', uuid, rule: 'I5' });
  const why = answer ? `could not be looked up: ${answer.why}` : 'is being looked up';
  keepRowWaiting(matching, row, 'I5', `matches ${uuid}: ${why}`);
  return undefined;
}

/**
 * The contacts that have the row's first key that any contact has, as the service would answer, and those whose missing
 * row held the first key that any such row held (I5). A row without a key is matched by what it held last.
 */
function matchesOfKeys(
  { keys }: Matching,
  { byKey, byEarlierKey, byContents }: Candidates,
  values: readonly Reading[],
  row: RowRecord,
): readonly string[] {
  const named = keys.of(values);
  if (named.length === 0) return byContents().get(row.values) ?? [];
  const matchesIn = (index: Index<string>) =>
    named.map((key) => index.get(key)).find((uuids) => uuids !== undefined) ?? [];
  return [...new Set([...matchesIn(byKey()), ...matchesIn(byEarlierKey())])];
}

function hasKeyNow({ keys }: Matching, { byKey }: Candidates, values: readonly Reading[], uuid: string): boolean {
  const named = keys.of(values);
  return named.length === 0 || named.some((key) => byKey().get(key)?.includes(uuid));
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

/** @param doubts Quarantined rows that match this contact, which lost its row, and another one. */
function linkByKey(matching: Matching, uuid: string, rows: readonly RowRecord[], doubts: readonly RowRecord[]): void {
  const { rowByUuid, withheld, sharedIds } = matching;
  const left = rowByUuid.get(uuid);
  const moved = left && rows.filter((row) => isMovedFrom(matching, uuid, left, row));
  if (left && moved && moved.length > 0) {
    const where = firstFew(moved.map(({ number }) => number));
    const remedy = `clear the ID of row ${left.number}, or undo that`;
    rowByUuid.delete(uuid);
    withheld.add(uuid);
    sharedIds.set(uuid, { keeper: undefined, others: [left, ...moved], copies: [] });
    quarantineDoubtful(
      matching,
      left,
      'I2',
      `row ${where} holds what it held, and its ID did not move along: ${remedy}`,
    );
    for (const row of rows)
      quarantineRow(matching, row, 'I2', `matches ${uuid}, whose ID is in row ${left.number}: ${remedy}`);
    // L5: what is changed in the service meanwhile reaches neither row.
    const why = `row ${where} holds what its row ${left.number} held: nothing is written for it; ${remedy}`;
    matching.problems.push(problem('held', { uuid }, 'I2', why));
    return;
  }
  const takenRows = rowByUuid.get(uuid)?.number ?? sharedIds.get(uuid)?.others.map(({ number }) => number);
  if (takenRows !== undefined) {
    const where = firstFew([takenRows].flat());
    for (const row of rows)
      quarantineRow(matching, row, 'I2', `matches ${uuid}, already in row ${where}: keep one of the rows`);
  } else if (rows.length > 1) {
    withheld.add(uuid);
    for (const row of rows) quarantineRow(matching, row, 'I6', `matches ${uuid}; ${sameKeyReason(row, rows)}`);
  } else if (doubts.length > 0 && !isAsSeen(matching, uuid, rows[0]!)) {
    const where = firstFew(doubts.map(({ number }) => number));
    const reason = `matches ${uuid}, as row ${where} does, which may be the row of another contact: write the ID of the right contact into each`;
    quarantineRow(matching, rows[0]!, 'I2', reason);
  } else {
    rowByUuid.set(uuid, rows[0]!);
  }
}

/** I5: a row that holds all that the contact's row held last is that row. */
function isAsSeen({ input: { base } }: Matching, uuid: string, row: RowRecord): boolean {
  const link = base.links.get(uuid);
  return link !== undefined && row.values === lastSeen(link, 'sheet');
}

/**
 * Whether the contact is in scope as far as is known: it has no other standing (D1), and a full scan did not miss it; or it
 * had left, and is back (D4).
 */
function isHere({ input: { base, crm }, contactByUuid }: Matching, uuid: string): boolean {
  const standing = base.links.get(uuid)?.standing;
  if (standing === 'left') return contactByUuid.has(uuid);
  return standing === undefined && (contactByUuid.has(uuid) || crm.coverage !== 'whole');
}

/** Contacts by their keys: those that were read, and those that an incremental pull did not need to read. */
function indexContacts(matching: Matching): Index<string> {
  const { input, contactByUuid, keys } = matching;
  const { base, crm, answers } = input;
  const index = new Map<string, string[]>();
  // A contact found for one row may be the contact of another row by another key.
  const answered = [...answers.lookups.values()].flatMap((answer) => (answer.kind === 'here' ? [answer.contact] : []));
  const known = new Map([...answered.map((contact) => [contact.uuid, contact] as const), ...contactByUuid]);
  for (const { uuid, values } of known.values())
    if (!base.links.has(uuid)) addToIndex(index, keysIn(keys, values), uuid);
  for (const [uuid, link] of base.links) {
    const isUnread = crm.coverage !== 'whole' && (link.standing === undefined || link.standing === 'row-gone');
    const now = known.get(uuid)?.values ?? (isUnread ? lastSeen(link, 'crm') : undefined);
    addToIndex(index, keysIn(keys, now), uuid);
  }
  return index;
}

/**
 * Contacts by the keys that their row held last, where it may have lost its ID: the key in the CRM may be another one by
 * now (I5).
 */
function indexEarlierKeys(matching: Matching): Index<string> {
  const { input, rowByUuid, keys } = matching;
  const index = new Map<string, string[]>();
  for (const [uuid, link] of input.base.links) {
    if (!rowByUuid.has(uuid) && isHere(matching, uuid)) addToIndex(index, keysIn(keys, lastSeen(link, 'sheet')), uuid);
  }
  return index;
}

function keysIn(keys: Keys, packed: Packed | undefined): readonly string[] {
  return packed === undefined ? [] : keys.of(unpack(packed));
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
