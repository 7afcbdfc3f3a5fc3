// Rows whose keys name no contact in scope: they become new contacts, or a problem says why not (I2, I3, I6, W5, W10, E2,
// E3).
import { lastSeen, rowKey, type Stray, wrongAnswerReason } from '../record/base.ts';
import { type Problem, problem, firstFew } from '../change.ts';
import { type Index, computeOnce, addToIndex } from './key-index.ts';
import { isNoKey, keyLookupOf, whyNoKey } from '../record/keys.ts';
import { isWritable, type Mapping } from '../record/mapping.ts';
import type { UnmatchedRow } from './by-key.ts';
import { missingAlike, missingLike, type MissingRows } from './missing-rows.ts';
import type { UnnamedRows } from './unnamed-rows.ts';
import {
  earlierAnswer,
  forgetAnswer,
  keepAnswer,
  type Matching,
  quarantineRow,
  rememberStray,
  sameKeyReason,
  keepRowWaiting,
  whyFiltered,
} from './matching.ts';
import { type ContactRecord, type RowRecord, unpack } from '../record/record.ts';
import { isBlank, type Reading } from '../value/value.ts';

export interface NewRow {
  readonly row: RowRecord;
  /** The uuid of the contact that is moved here from another list (I2). */
  readonly moves?: string;
  /** That contact, as it was answered. */
  readonly contact?: ContactRecord;
  /**
   * E2: the row was not looked up. The call that creates and enrols leaves existing contacts alone. If that call is not
   * made, the row has to be looked up first.
   */
  readonly isUnasked?: true;
}

export function findNewRows(
  matching: Matching,
  unmatched: readonly UnmatchedRow[],
  missing: () => MissingRows,
  unnamed: UnnamedRows,
): NewRow[] {
  if (unmatched.length === 0) return [];
  const { keys, rowByUuid, rowsWithoutId } = matching;
  // Rows that are quarantined for another reason count too: they name the same person (I6).
  const linkedNow = new Set(rowByUuid.values());
  const rowsByKey = new Map<string, RowRecord[]>();
  for (const row of rowsWithoutId) if (!linkedNow.has(row)) addToIndex(rowsByKey, keys.of(unpack(row.values)), row);
  const linkedRows = computeOnce(() => indexLinkedRows(matching));
  const rowless = computeOnce(() => indexRowlessLinks(matching));
  const sharing = unmatched.map((each) => {
    const own = keys.of(each.values);
    const group = new Set(own.flatMap((key) => rowsByKey.get(key) ?? []));
    const linked = own.flatMap((key) => linkedRows().get(key) ?? [])[0];
    return { each, own, group, linked, isApart: group.size <= 1 && !linked };
  });
  // The service is not asked for rows that have the same key. A copy has also what was answered for the row before it was copied.
  const answered = groupByAnswer(
    matching,
    sharing.flatMap(({ each, isApart }) => (isApart ? [each] : [])),
  );
  return sharing.flatMap(({ each, own, group, linked, isApart }) => {
    const { row, values } = each;
    if (own.length === 0) return waitForKey(matching, each, missing);
    if (!isApart) {
      const same = linked
        ? `has the same ${keys.text} as row ${linked.number}: keep one of the rows`
        : sameKeyReason(row, [...group]);
      return quarantineRow(matching, row, 'I6', `${same}${withholdAlike(matching, values, missing)}`);
    }
    withholdRowless(
      matching,
      row,
      own.flatMap((key) => rowless().get(key) ?? []),
    );
    const contenders = answered.get(rowKey(row)) ?? [];
    if (contenders.length > 1) return quarantineContender(matching, row, contenders);
    if (hasUnreadableKey(matching, row)) return waitForCell(matching, row);
    return waitForId(matching, row, unnamed.get(row)) ?? judgeUnmatchedRow(matching, each, missing);
  });
}

function indexLinkedRows({ rowByUuid, keys }: Matching): Index<RowRecord> {
  const index = new Map<string, RowRecord[]>();
  for (const row of [...rowByUuid.values()].toSorted((a, b) => a.number - b.number))
    addToIndex(index, keys.of(unpack(row.values)), row);
  return index;
}

/** Contacts whose row is missing, by the keys that either side held last. */
function indexRowlessLinks({ input: { base }, rowByUuid, keys }: Matching): Index<string> {
  const index = new Map<string, string[]>();
  for (const [uuid, link] of base.links) {
    if (rowByUuid.has(uuid)) continue;
    const own = (['crm', 'sheet'] as const).flatMap((side) => keys.of(unpack(lastSeen(link, side))));
    addToIndex(index, [...new Set(own)], uuid);
  }
  return index;
}

/**
 * The row may be the row of these contacts, and of the one that it was found to name. None of them counts as having lost
 * its row while this one is here: it may have to wait before it is linked (W5, W10).
 */
function withholdRowless({ input: { base }, withheld }: Matching, row: RowRecord, uuids: readonly string[]): void {
  for (const uuid of uuids) withheld.add(uuid);
  const answered = base.strays.get(rowKey(row))?.answered;
  if (answered?.kind === 'elsewhere' && answered.uuid !== undefined) withheld.add(answered.uuid);
}

function waitForKey(matching: Matching, { row, values }: UnmatchedRow, missingByUuid: () => MissingRows): [] {
  if (row.unreadable) return waitForCell(matching, row);
  // L7: formulas may have made most of what the row of a contact held.
  if (row.isBare && missingAlike(values, missingByUuid(), 'half').length === 0) {
    matching.blankRows.push(row);
    return [];
  }
  const whose = withhold(matching, missingLike(matching, values, missingByUuid()));
  const noKey = matching.input.mapping.fields.findIndex((field, index) => isNoKey(field, values[index]));
  const why =
    noKey === -1
      ? ''
      : ` (${String(values[noKey])} ${whyNoKey(matching.input.mapping.fields[noKey]!, String(values[noKey]))})`;
  return keepRowWaiting(matching, row, 'I2', `has no match key yet: fill ${matching.keys.text}${why}${whose}`);
}

/** For people: whose row it may be. */
function withhold({ withheld }: Matching, uuids: readonly string[]): string {
  for (const uuid of uuids) withheld.add(uuid);
  return uuids.length > 0 ? `; if it is the row of ${firstFew(uuids)}, write that ID into it` : '';
}

/**
 * L7: the service is not asked for rows that have the same key. One of them may be a row that lost its ID and got another
 * key of its contact. Only what cannot be taken back waits for that.
 */
function withholdAlike(matching: Matching, values: readonly Reading[], missing: () => MissingRows): string {
  if (matching.input.mapping.onRowDeleted === 'ignore') return '';
  return withhold(matching, missingAlike(values, missing()));
}

/** What such a cell held may name a contact, whatever the other keys of the row are. */
function hasUnreadableKey({ keys, input: { mapping } }: Matching, { unreadable }: RowRecord): boolean {
  return (
    unreadable !== undefined && mapping.fields.some(({ name }, at) => keys.positions.has(at) && name in unreadable)
  );
}

function waitForCell(matching: Matching, row: RowRecord): [] {
  const unreadable = Object.entries(row.unreadable ?? {}).map(([field, shown]) => `${field} shows ${shown}`);
  // L7: the row may belong to any contact whose row is missing.
  matching.doubtfulRows.push(row);
  return keepRowWaiting(matching, row, 'I2', `its contact is not known: ${unreadable.join(', ')}; repair the cell`);
}

/** I5: the contact of a new row was made, and its ID is not in the row yet. undefined: it is no such row. */
function waitForId(matching: Matching, row: RowRecord, uuids: readonly string[] | undefined): [] | undefined {
  if (!uuids) return undefined;
  for (const uuid of uuids) matching.withheld.add(uuid);
  const reason = `may be the row of ${firstFew(uuids)}, whose ID could not be written into its row: write that ID into it, or delete the contact`;
  return quarantineRow(matching, row, 'I5', reason);
}

/** By `rowKey`: rows without a common key whose lookups found the same contact in another list. */
function groupByAnswer(matching: Matching, unmatched: readonly UnmatchedRow[]): Index<RowRecord> {
  const byUuid = new Map<string, RowRecord[]>();
  for (const { row } of unmatched) {
    const uuid = answeredUuid(matching, row);
    if (uuid !== undefined) addToIndex(byUuid, [uuid], row);
  }
  return new Map([...byUuid.values()].flatMap((group) => group.map((row) => [rowKey(row), group] as const)));
}

/** An answer of an earlier run counts as one of this run. With `move_to_list` every run asks again. */
function answeredUuid(matching: Matching, row: RowRecord): string | undefined {
  const key = rowKey(row);
  const { answers, mapping } = matching.input;
  const answer = answers.lookups.get(key) ?? (mapping.moveToList ? undefined : earlierAnswer(matching, key));
  return answer?.kind === 'elsewhere' ? answer.uuid : undefined;
}

function quarantineContender(matching: Matching, row: RowRecord, contenders: readonly RowRecord[]): [] {
  const uuid = answeredUuid(matching, row)!;
  const answer = matching.input.answers.lookups.get(rowKey(row));
  if (answer?.kind === 'elsewhere') keepAnswer(matching, rowKey(row), answer);
  matching.withheld.add(uuid);
  return quarantineRow(matching, row, 'I6', `matches ${uuid}; ${sameKeyReason(row, contenders)}`);
}

function judgeUnmatchedRow(matching: Matching, { row, values }: UnmatchedRow, missing: () => MissingRows): NewRow[] {
  const { input, questions, withheld, undecided } = matching;
  const { mapping, answers, now } = input;
  const key = rowKey(row);
  const stray = rememberStray(matching, row);
  if (input.ledger.inFlight?.has(key)) return leaveToLookup(matching, row);
  if (stray.mistakenFor !== undefined) {
    withheld.add(stray.mistakenFor);
    const reason = wrongAnswerReason(stray.mistakenFor, stray.mistake ?? 'check its identifiers');
    return quarantineRow(matching, row, 'I3', reason);
  }
  if (input.waitsToSettle && now - stray.since < mapping.settleMs) {
    undecided.push(row);
    return keepRowWaiting(matching, row, 'W10', 'new: waits to settle');
  }
  if (stray.refusal && !isDue(matching, stray.refusal.retryAt, row)) return keepRefused(matching, row, stray.refusal);
  const known = earlierAnswer(matching, key);
  if (!answers.lookups.has(key) && known?.kind === 'elsewhere' && !mapping.moveToList) {
    return quarantineRow(
      matching,
      row,
      'I2',
      takenReason(matching, known.uuid) ?? elsewhereReason(matching, known.where, known.isFiltered),
    );
  }
  const answer = answers.lookups.get(key);
  const lacking = lackingReason(mapping, values);
  if (lacking && (answer ?? known)?.kind === 'gone') {
    keepAnswer(matching, key, { kind: 'gone' });
    return quarantineRow(matching, row, lacking.rule, lacking.reason);
  }
  if (answer?.kind === 'elsewhere') keepAnswer(matching, key, answer);
  const mayAskByCreate = stray.wish !== undefined && !stray.isApart && !stray.isUnknown && !lacking;
  switch (answer?.kind) {
    case undefined:
      // With `move_to_list` the row is looked up first: the call that creates and enrols leaves contacts of other lists
      // alone.
      if (mayAskByCreate && input.automations && !mapping.moveToList) {
        // A deletion comes after that call, and waits for its answer (D5).
        if (mapping.onRowDeleted !== 'delete_contact') undecided.push(row);
        return [{ row, isUnasked: true }];
      }
      undecided.push(row);
      questions.push({ kind: 'lookup', key, row: row.number, values });
      return keepRowWaiting(matching, row, 'I2', 'new: is being looked up');
    case 'unanswered': {
      // L14: one row that the service will never answer for keeps no other one from being judged.
      if (!answer.isRefused) undecided.push(row);
      const whose = answer.isRefused ? withholdAlike(matching, values, missing) : '';
      return keepRowWaiting(matching, row, 'I2', `new: could not be looked up: ${answer.why}${whose}`);
    }
    case 'gone':
      // It said so before the row had all that it needs.
      forgetAnswer(matching, key);
      return [{ row }];
    // `findMatches` returned these contacts already, so the row is not unmatched.
    case 'several':
    case 'here':
      return [];
    case 'elsewhere': {
      const taken = takenReason(matching, answer.uuid);
      if (taken !== undefined) return quarantineRow(matching, row, 'I2', taken);
      withheld.add(answer.uuid);
      return mapping.moveToList && !answer.isFiltered
        ? [{ row, moves: answer.uuid, ...(answer.contact && { contact: answer.contact }) }]
        : quarantineRow(matching, row, 'I2', elsewhereReason(matching, answer.where, answer.isFiltered));
    }
  }
}

/** Why no contact is made of the row: it would lack what names the person, and the cell would be emptied. */
function lackingReason(mapping: Mapping, values: readonly Reading[]): Pick<Problem, 'rule' | 'reason'> | undefined {
  const nameless = namelessReason(mapping, values);
  if (nameless !== undefined) return { rule: 'M8', reason: nameless };
  const unsent = unsentKeyReason(mapping, values);
  return unsent === undefined ? undefined : { rule: 'M4', reason: unsent };
}

/**
 * M4: an address or profile that stands only in a column which is not sent: its person would be made without it. undefined: it
 * is no such row.
 */
function unsentKeyReason({ fields }: Mapping, values: readonly Reading[]): string | undefined {
  const keys = fields.filter((field, index) => keyLookupOf(field, values[index]));
  const unsent = keys.find(({ kind }) => !keys.some((field) => field.kind === kind && isWritable(field, 'crm')));
  if (!unsent) return undefined;
  const [what, field] = unsent.kind === 'email' ? ['address', 'email'] : ['profile', 'network_id'];
  return `new: ${unsent.header} is only shown and never sent, so that its contact would be made without this ${what}: map a column to ${field} in both directions and put it there, or clear the cell`;
}

/**
 * The service computes `name` and takes its parts alone: a contact made of a row that has just the whole name would have
 * none, and the cell would be emptied. undefined: it is no such row.
 */
function namelessReason({ fields }: Mapping, values: readonly Reading[]): string | undefined {
  const isFilled = (name: string) => {
    const value = values[fields.findIndex((field) => field.name === name)];
    return value !== undefined && !isBlank(value);
  };
  const whole = fields.find((field) => field.name === 'name' && !isWritable(field, 'crm'));
  const sent = fields.filter(
    (field) => (field.name === 'first_name' || field.name === 'last_name') && isWritable(field, 'crm'),
  );
  if (!whole || !isFilled('name') || sent.some(({ name }) => isFilled(name))) return undefined;
  const headers = sent.map(({ header }) => header).join(' and ');
  const remedy = headers === '' ? 'map first_name and last_name to columns, and fill them' : `fill ${headers}`;
  return `new: the service makes ${whole.header} of the first and last name and takes no other, so that its contact would have no name: ${remedy}`;
}

/** A contact in another list may still have a row here (D4), also one that the state does not know. */
function takenReason({ rowByUuid, sharedIds, doubtfulRows }: Matching, uuid: string | undefined): string | undefined {
  if (uuid === undefined) return undefined;
  const holder = rowByUuid.get(uuid);
  // I4, I5: one of the rows with its ID is its row, even if it is not known yet which one.
  const rows = holder ? [holder] : (sharedIds.get(uuid)?.others ?? doubtfulRows.filter(({ id }) => id === uuid));
  if (rows.length === 0) return undefined;
  return `matches ${uuid}, already in row ${firstFew(rows.map(({ number }) => number))}: keep one of the rows`;
}

function elsewhereReason({ input: { crm } }: Matching, where: string, isFiltered = false): string {
  if (isFiltered) return `is ${where}, ${whyFiltered}`;
  return `is ${where}, not in ${crm.scope}; move_to_list: true would move it`;
}

function isDue({ input: { requests, now } }: Matching, retryAt: number | null, row: RowRecord): boolean {
  return requests.retry.has(`row:${row.number}`) || (retryAt !== null && now >= retryAt);
}

function keepRefused(matching: Matching, row: RowRecord, { retryAt, message }: NonNullable<Stray['refusal']>): [] {
  if (retryAt === null) return quarantineRow(matching, row, 'W5', `refused: ${message}`);
  matching.problems.push(problem('refused', { row: row.number }, 'W5', `refused: ${message}`));
  return [];
}

/** E3: the row may be a contact by now, and enrolled. */
function leaveToLookup({ input, problems, undecided }: Matching, row: RowRecord): [] {
  if (input.answers.lookups.get(rowKey(row))?.kind !== 'gone') undecided.push(row);
  const reason = 'it may have been created and enrolled: is looked up, look in the service if it stays so';
  problems.push(problem('unknown', { row: row.number }, 'E3', reason));
  return [];
}
