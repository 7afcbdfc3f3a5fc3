// Who is who: rows to contacts, by ID first and by key where there is none. All I rules but I3 (an answer's), I7 (a key
// that changes) and the deletions that follow from what is missing.
import { type Base, lastSeen, rowKey, type Stray, unknownIdKey } from './base.ts';
import { problem, type Problem, type Question } from './change.ts';
import type { PlanInput } from './input.ts';
import type { Keys } from './keys.ts';
import { type ContactRecord, type RowRecord, unpack } from './record.ts';
import type { RuleId } from './rules.ts';

export interface Matched {
  /** In scope and read, each once (I8). */
  readonly contactByUuid: ReadonlyMap<string, ContactRecord>;
  /** Living rows, by ID or by key. A row here whose `id` is not the uuid gets it written. */
  readonly rowByUuid: ReadonlyMap<string, RowRecord>;
  /** New uuid -> the uuid of the link it continues (I10). */
  readonly relinks: ReadonlyMap<string, string>;
  /** Rows that become contacts. */
  readonly newRows: readonly NewRow[];
  /** Contacts that get a row. */
  readonly newContacts: readonly ContactRecord[];
  /** What is remembered of rows that are nobody's contact yet. */
  readonly strays: ReadonlyMap<string, Stray>;
  readonly problems: readonly Problem[];
  readonly questions: readonly Question[];
  /** Contacts that a quarantined row may be the row of: they get none, and theirs is not gone either (I2, L7). */
  readonly withheld: ReadonlySet<string>;
  /** Of these, whom a row matches that the service is being asked about. */
  readonly sought: ReadonlySet<string>;
  /** False while some row's ID is in doubt: then a missing row means nothing (I5). */
  readonly areAbsentRowsGone: boolean;
  /** Contacts whose row was copied -> the numbers of the copies: which of them a write would meet nobody knows (I4). */
  readonly copies: ReadonlyMap<string, readonly number[]>;
  /** Contacts that were answered as they were before our own last write: neither read nor missed. */
  readonly stale: ReadonlySet<string>;
}

export interface NewRow {
  readonly row: RowRecord;
  /** The contact to be moved here from another list, if it is one already (I2). */
  readonly moves?: string;
  /**
   * E2: was not looked up. The call that creates and enrols it spares those who are there already; without that call, it
   * has to be looked up first.
   */
  readonly isUnasked?: true;
}

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function match(input: PlanInput, keys: Keys): Matched {
  const { base, crm, sheet, answers, mapping, now } = input;
  const problems: Problem[] = [];
  const questions: Question[] = [];
  const strays = new Map<string, Stray>();
  const { contactByUuid, stale } = dedupe(crm.contacts, base);
  const rowByUuid = new Map<string, RowRecord>();
  const rowsWithoutId: RowRecord[] = [];
  const doubtfulRows: RowRecord[] = [];
  const hereByAnswer: ContactRecord[] = [];
  const withheld = new Set<string>();
  const sought = new Set<string>();
  const copyNumbers = new Map<string, readonly number[]>();
  const isAskedAgain = input.requests.retry.size > 0;

  byId();
  const candidates = lazily(() => indexCandidates(contactByUuid, input, keys));
  const rowlessByContents = lazily(() => indexRowlessLinks(rowByUuid, base));
  const newRows = byKey();
  for (const contact of hereByAnswer) contactByUuid.set(contact.uuid, contact);
  return {
    contactByUuid,
    rowByUuid,
    newRows,
    ...unlinkedContacts(),
    strays,
    problems,
    questions,
    withheld,
    sought,
    areAbsentRowsGone: doubtfulRows.length === 0,
    copies: copyNumbers,
    stale,
  };

  /** I1, I4, I5, I9. */
  function byId(): void {
    const copies = new Map<string, RowRecord[]>();
    for (const row of sheet.rows) {
      if (row.id === '') rowsWithoutId.push(row);
      else if (rowByUuid.has(row.id)) copies.set(row.id, [...(copies.get(row.id) ?? []), row]);
      else rowByUuid.set(row.id, row);
    }
    for (const [id, more] of copies) {
      const rows = [rowByUuid.get(id)!, ...more];
      const keeper = keeperOf(rows, base.links.get(id));
      rowByUuid.set(id, keeper);
      const others = rows.filter((row) => row !== keeper);
      for (const copy of others) doubt(copy, 'I4', copyReason(keeper));
      copyNumbers.set(
        id,
        others.map(({ number }) => number),
      );
    }
    for (const [id, row] of rowByUuid) {
      if (base.links.has(id) || contactByUuid.has(id)) continue;
      if (isContinued(id)) continue;
      rowByUuid.delete(id);
      adoptUnknownId(id, row);
    }
    rowsWithoutId.sort((a, b) => a.number - b.number);
  }

  /** A crash may fall between the new uuid in the row and the link that says so: then the row is right already (I10). */
  function isContinued(id: string): boolean {
    const answer = answers.contacts.get(id);
    if (answer?.kind !== 'here') return false;
    hereByAnswer.push(answer.contact);
    contactByUuid.set(id, answer.contact);
    return true;
  }

  function adoptUnknownId(id: string, row: RowRecord): void {
    if (!uuidForm.test(id)) {
      return doubt(row, 'I5', `its ID "${shortened(id)}" is no contact ID: put the right one back, or clear it`);
    }
    const key = unknownIdKey(id);
    const answer = answers.contacts.get(id) ?? remembered(key);
    if (answer === undefined) questions.push({ kind: 'contact', uuid: id, rule: 'I5' });
    else if (answer.kind === 'gone' || answer.kind === 'elsewhere') keep(key, answer);
    const reasons = {
      gone: 'no contact has its ID: put the right one back, or clear it to make a new contact',
      elsewhere: `its contact is ${answer?.kind === 'elsewhere' ? answer.where : ''}, not in ${crm.scope}`,
      unanswered: `its ID could not be looked up: ${answer?.kind === 'unanswered' ? answer.why : ''}`,
      here: '',
      asked: 'its ID is being looked up',
    };
    doubt(row, 'I5', reasons[answer?.kind ?? 'asked']);
  }

  /** What does not change from run to run is asked at full scans only: a hundred such rows would eat the budget. */
  function remembered(key: string): Stray['answered'] {
    const stray = base.strays.get(key);
    return crm.coverage === 'whole' || isAskedAgain ? undefined : stray?.answered;
  }

  function keep(key: string, answer: NonNullable<Stray['answered']>): void {
    const answered = answer.kind === 'gone' ? { kind: answer.kind } : { kind: answer.kind, where: answer.where };
    strays.set(key, { ...(strays.get(key) ?? base.strays.get(key) ?? { since: now }), answered });
  }

  function doubt(row: RowRecord, rule: RuleId, reason: string): void {
    doubtfulRows.push(row);
    problems.push(problem('quarantined', { row: row.number }, rule, reason));
  }

  /** I2, I6, I8. */
  function byKey(): NewRow[] {
    const claims = new Map<string, RowRecord[]>();
    const strangers: { row: RowRecord; values: ReturnType<typeof unpack> }[] = [];
    for (const row of rowsWithoutId) {
      const values = unpack(row.values);
      const hits = hitsOf(row, values);
      if (hits === undefined) continue;
      if (hits.length === 0) {
        strangers.push({ row, values });
      } else if (hits.length > 1) {
        quarantineAmbiguous(row, hits);
      } else {
        claims.set(hits[0]!, [...(claims.get(hits[0]!) ?? []), row]);
      }
    }
    for (const [uuid, rows] of claims) claim(uuid, rows);
    return strangersToNew(strangers);
  }

  function quarantineAmbiguous(row: RowRecord, uuids: readonly string[]): [] {
    for (const uuid of uuids) withheld.add(uuid);
    const shown = listed(uuids.toSorted());
    return quarantine(row, 'I2', `matches ${uuids.length} contacts: ${shown}; write the ID of the right one into it`);
  }

  /**
   * In scope, whether read or answered. undefined: the service has to say first. A contact that has no link is not known
   * unless it was read, so that after an incremental pull the only one that matches may not be the only one there is.
   */
  function hitsOf(row: RowRecord, values: ReturnType<typeof unpack>): readonly string[] | undefined {
    const answer = answers.lookups.get(rowKey(row));
    if (answer?.kind === 'several') return answer.uuids;
    if (answer?.kind === 'here') {
      // The search lags behind writes, and a lookup does not: of the two the later one counts (I8).
      const read = contactByUuid.get(answer.contact.uuid);
      if (!read || isLater(answer.contact, read)) hereByAnswer.push(answer.contact);
      return [answer.contact.uuid];
    }
    const hits = firstHits(row, values);
    // Whoever has a row already is not this one's, however many others match.
    const isTaken = hits.length === 1 && rowByUuid.has(hits[0]!);
    if (
      hits.length !== 1 ||
      isTaken ||
      crm.coverage === 'whole' ||
      answer?.kind === 'gone' ||
      answer?.kind === 'elsewhere'
    ) {
      return hits;
    }
    // Its row is here, if only it is known to be its row (L7).
    withheld.add(hits[0]!);
    if (answer === undefined) sought.add(hits[0]!);
    if (answer === undefined) questions.push({ kind: 'lookup', key: rowKey(row), row: row.number, values });
    waitFor(
      row,
      'I2',
      `matches ${hits[0]}: ${answer ? `could not be looked up: ${answer.why}` : 'is being looked up'}`,
    );
    return undefined;
  }

  /** One key a lookup, the first that somebody has decides. Without any key, what the row held last tells (I5). */
  function firstHits(row: RowRecord, values: ReturnType<typeof unpack>): readonly string[] {
    for (const read of keys.readers) {
      const key = read(values);
      const hits = key === undefined ? undefined : candidates().get(key);
      if (hits) return hits;
    }
    return keys.of(values).length === 0 ? (rowlessByContents().get(row.values) ?? []) : [];
  }

  function claim(uuid: string, rows: readonly RowRecord[]): void {
    const living = rowByUuid.get(uuid);
    if (living) {
      for (const row of rows) quarantine(row, 'I2', `matches ${uuid}, already in row ${living.number}`);
    } else if (rows.length > 1) {
      withheld.add(uuid);
      for (const row of rows) quarantine(row, 'I6', `matches ${uuid}; ${sameKeyReason(row, rows)}`);
    } else {
      rowByUuid.set(uuid, rows[0]!);
    }
  }

  function strangersToNew(strangers: readonly { row: RowRecord; values: ReturnType<typeof unpack> }[]): NewRow[] {
    // Also those that are quarantined for another reason: they name the same person all the same (I6).
    const linkedNow = new Set(rowByUuid.values());
    const rowsByKey = new Map<string, RowRecord[]>();
    for (const row of rowsWithoutId) if (!linkedNow.has(row)) put(rowsByKey, keys.of(unpack(row.values)), row);
    const linkedRows = lazily(() => indexLinkedRows(rowByUuid, keys));
    const answered = groupByAnswer(strangers.map(({ row }) => row));
    return strangers.flatMap(({ row, values }) => {
      const own = keys.of(values);
      const group = new Set(own.flatMap((key) => rowsByKey.get(key) ?? []));
      const linked = own.flatMap((key) => linkedRows().get(key) ?? [])[0];
      if (own.length === 0) return waitForKey(row);
      if (group.size > 1) return quarantine(row, 'I6', sameKeyReason(row, [...group]));
      if (linked) return quarantine(row, 'I6', `has the same ${keys.text} as row ${linked.number}`);
      const contenders = answered.get(rowKey(row)) ?? [];
      if (contenders.length > 1) return quarantineContender(row, contenders);
      return strangerToNew(row, values);
    });
  }

  /** By `rowKey`, those whose lookups found the same contact elsewhere: each by another key, else they were one group already. */
  function groupByAnswer(rows: readonly RowRecord[]): ReadonlyMap<string, readonly RowRecord[]> {
    const byUuid = new Map<string, RowRecord[]>();
    for (const row of rows) {
      const uuid = answeredUuid(row);
      if (uuid !== undefined) put(byUuid, [uuid], row);
    }
    return new Map([...byUuid.values()].flatMap((group) => group.map((row) => [rowKey(row), group] as const)));
  }

  function answeredUuid(row: RowRecord): string | undefined {
    const answer = answers.lookups.get(rowKey(row));
    return answer?.kind === 'elsewhere' ? answer.uuid : undefined;
  }

  function quarantineContender(row: RowRecord, contenders: readonly RowRecord[]): [] {
    const uuid = answeredUuid(row)!;
    withheld.add(uuid);
    return quarantine(row, 'I6', `matches ${uuid}; ${sameKeyReason(row, contenders)}`);
  }

  function strangerToNew(row: RowRecord, values: ReturnType<typeof unpack>): NewRow[] {
    const key = rowKey(row);
    const stray = remember(row);
    if (input.ledger.inFlight?.has(key)) return leaveToLookup(row);
    if (stray.mistakenFor !== undefined) {
      return quarantine(
        row,
        'I3',
        `the service answered somebody else for it, ${stray.mistakenFor}: check its identifiers`,
      );
    }
    if (input.waitsToSettle && now - stray.since < mapping.settleMs) return waitFor(row, 'W10', 'new: waits to settle');
    if (stray.refusal && !isDue(stray.refusal.retryAt, row)) {
      return stray.refusal.retryAt === null
        ? quarantine(row, 'W5', `refused: ${stray.refusal.message}`)
        : refuse(row, stray.refusal.message);
    }
    const known = remembered(key);
    if (!answers.lookups.has(key) && known?.kind === 'elsewhere' && !mapping.moveToList) {
      return quarantine(row, 'I2', elsewhereReason(known.where));
    }
    const answer = answers.lookups.get(key);
    if (answer?.kind === 'elsewhere') keep(key, answer);
    switch (answer?.kind) {
      case undefined:
        if (stray.wish !== undefined && !stray.isApart && !stray.isUnknown && input.automations) {
          return [{ row, isUnasked: true }];
        }
        questions.push({ kind: 'lookup', key, row: row.number, values });
        return waitFor(row, 'I2', 'new: is being looked up');
      case 'unanswered':
        return waitFor(row, 'I2', `new: could not be looked up: ${answer.why}`);
      case 'gone':
        return [{ row }];
      // Was among the hits already.
      case 'several':
      case 'here':
        return [];
      case 'elsewhere': {
        const living = rowByUuid.get(answer.uuid);
        if (living) return quarantine(row, 'I2', `matches ${answer.uuid}, already in row ${living.number}`);
        return mapping.moveToList
          ? [{ row, moves: answer.uuid }]
          : quarantine(row, 'I2', elsewhereReason(answer.where));
      }
    }
  }

  function elsewhereReason(where: string): string {
    return `is ${where}, not in ${crm.scope}; move_to_list: true would move it`;
  }

  function isDue(retryAt: number | null, row: RowRecord): boolean {
    return input.requests.retry.has(`row:${row.number}`) || (retryAt !== null && now >= retryAt);
  }

  function remember(row: RowRecord): Stray {
    const key = rowKey(row);
    const wish = mapping.enrolment && row.wish?.trim() ? row.wish : undefined;
    const known = base.strays.get(key);
    const stray = strays.get(key) ?? (known && known.wish === wish ? known : strayWith(known, wish));
    strays.set(key, stray);
    return stray;
  }

  /** W10: a wish is an edit, too. */
  function strayWith(known: Stray | undefined, wish: string | undefined): Stray {
    const { wish: _before, ...rest } = known ?? {};
    return { ...rest, since: now, ...(wish !== undefined && { wish }) };
  }

  /** E3: it may be a contact by now, and enrolled. */
  function leaveToLookup(row: RowRecord): [] {
    const reason = 'it may have been created and enrolled: is looked up, look in the service if it stays so';
    problems.push(problem('unknown', { row: row.number }, 'E3', reason));
    return [];
  }

  function quarantine(row: RowRecord, rule: RuleId, reason: string): [] {
    remember(row);
    problems.push(problem('quarantined', { row: row.number }, rule, reason));
    return [];
  }

  function refuse(row: RowRecord, message: string): [] {
    problems.push(problem('refused', { row: row.number }, 'W5', `refused, is tried again: ${message}`));
    return [];
  }

  function waitFor(row: RowRecord, rule: RuleId, reason: string): [] {
    remember(row);
    problems.push(problem('waiting', { row: row.number }, rule, reason));
    return [];
  }

  function waitForKey(row: RowRecord): [] {
    const unreadable = Object.entries(row.unreadable ?? {}).map(([field, shown]) => `${field} shows ${shown}`);
    if (unreadable.length === 0) return waitFor(row, 'I2', `names nobody yet: needs ${keys.text}`);
    // It may be the row of anybody whose row seems to be gone (L7).
    doubtfulRows.push(row);
    return waitFor(row, 'I2', `cannot be told who it is: ${unreadable.join(', ')}`);
  }

  /** I2, I10: contacts without a row, but for those somebody has to decide about first. */
  function unlinkedContacts(): Pick<Matched, 'newContacts' | 'relinks'> {
    const unlinked = [...contactByUuid.values()].filter(
      ({ uuid }) => !base.links.has(uuid) && !rowByUuid.has(uuid) && !withheld.has(uuid),
    );
    unlinked.sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
    if (unlinked.length === 0 || base.links.size === 0) return { newContacts: unlinked, relinks: new Map() };
    return continueLinks(unlinked);
  }

  /** A contact that was deleted and made anew holds the key of the old one: the link goes on with the new uuid. */
  function continueLinks(unlinked: readonly ContactRecord[]): Pick<Matched, 'newContacts' | 'relinks'> {
    const linksByKey = indexUnreadLinks(contactByUuid, base, keys);
    const heirs = new Map<string, ContactRecord[]>();
    const undecided = new Set<ContactRecord>();
    for (const contact of unlinked) {
      const sharing = new Set(keys.of(unpack(contact.values)).flatMap((key) => linksByKey.get(key) ?? []));
      for (const uuid of sharing) {
        const answer = answers.contacts.get(uuid);
        if (answer?.kind === 'gone') heirs.set(uuid, [...(heirs.get(uuid) ?? []), contact]);
        else if (answer === undefined) questions.push({ kind: 'contact', uuid, rule: 'I10' });
        if (answer === undefined || answer.kind === 'unanswered') undecided.add(contact);
      }
    }
    const relinks = new Map<string, string>();
    for (const [uuid, [heir, ...more]] of heirs) {
      const row = rowByUuid.get(uuid);
      if (!heir || more.length > 0 || !row || relinks.has(heir.uuid)) continue;
      relinks.set(heir.uuid, uuid);
      rowByUuid.delete(uuid);
      rowByUuid.set(heir.uuid, row);
    }
    const newContacts = unlinked.filter((contact) => !relinks.has(contact.uuid) && !undecided.has(contact));
    for (const { uuid } of undecided) {
      problems.push(
        problem('waiting', { uuid }, 'I10', 'shares a key with a contact that may be gone: is being looked up'),
      );
    }
    return { newContacts, relinks };
  }
}

/** I8. Of two readings the later one counts. One that is older than our own last write is stale, and counts as not read. */
function dedupe(
  contacts: readonly ContactRecord[],
  { links }: Base,
): { readonly contactByUuid: Map<string, ContactRecord>; readonly stale: ReadonlySet<string> } {
  const byUuid = new Map<string, ContactRecord>();
  const stale = new Set<string>();
  for (const contact of contacts) {
    const writtenAt = links.get(contact.uuid)?.writtenAt;
    if (writtenAt !== undefined && contact.updatedAt !== undefined && contact.updatedAt < writtenAt) {
      stale.add(contact.uuid);
      continue;
    }
    const known = byUuid.get(contact.uuid);
    if (known === undefined || isLater(contact, known)) byUuid.set(contact.uuid, contact);
  }
  return { contactByUuid: byUuid, stale };
}

/** Any order of the same readings must give the same one (L11). */
function isLater(a: ContactRecord, b: ContactRecord): boolean {
  const [atA, atB] = [a.updatedAt ?? 0, b.updatedAt ?? 0];
  return atA === atB ? a.values > b.values : atA > atB;
}

/** I4: the row that is as the base knows it, else the upper one. */
function keeperOf(rows: readonly RowRecord[], link: Parameters<typeof lastSeen>[0] | undefined): RowRecord {
  const upperFirst = rows.toSorted((a, b) => a.number - b.number);
  const known = link && lastSeen(link, 'sheet');
  return upperFirst.find(({ values }) => values === known) ?? upperFirst[0]!;
}

function copyReason(keeper: RowRecord): string {
  return `copy of row ${keeper.number}: clear its ID to make it a new contact`;
}

function sameKeyReason(row: RowRecord, rows: readonly RowRecord[]): string {
  const others = rows.filter((each) => each !== row).map(({ number }) => number);
  return `names the same person as row ${listed(others.toSorted((a, b) => a - b))}: keep one of them`;
}

type Index<Item> = ReadonlyMap<string, readonly Item[]>;

/** Contacts that a row without an ID may be: those read, and those that an incremental pull did not need to read. */
function indexCandidates(
  contactByUuid: ReadonlyMap<string, ContactRecord>,
  { base, crm, answers }: PlanInput,
  keys: Keys,
): Index<string> {
  const index = new Map<string, string[]>();
  // Who was found for one row may be who another row means by another key.
  const answered = [...answers.lookups.values()].flatMap((answer) => (answer.kind === 'here' ? [answer.contact] : []));
  const known = new Map([...answered.map((contact) => [contact.uuid, contact] as const), ...contactByUuid]);
  for (const { uuid, values } of known.values()) put(index, keys.of(unpack(values)), uuid);
  if (crm.coverage === 'whole') return index;
  for (const [uuid, link] of base.links) {
    const isHere = link.standing === undefined || link.standing === 'row-gone';
    if (isHere && !known.has(uuid)) put(index, keys.of(unpack(lastSeen(link, 'crm'))), uuid);
  }
  return index;
}

function indexLinkedRows(rowByUuid: ReadonlyMap<string, RowRecord>, keys: Keys): Index<RowRecord> {
  const index = new Map<string, RowRecord[]>();
  for (const row of [...rowByUuid.values()].toSorted((a, b) => a.number - b.number))
    put(index, keys.of(unpack(row.values)), row);
  return index;
}

function indexRowlessLinks(rowByUuid: ReadonlyMap<string, RowRecord>, { links }: Base): Index<string> {
  const index = new Map<string, string[]>();
  for (const [uuid, link] of links) if (!rowByUuid.has(uuid)) put(index, [lastSeen(link, 'sheet')], uuid);
  return index;
}

function indexUnreadLinks(
  contactByUuid: ReadonlyMap<string, ContactRecord>,
  { links }: Base,
  keys: Keys,
): Index<string> {
  const index = new Map<string, string[]>();
  for (const [uuid, link] of links) {
    if (!contactByUuid.has(uuid)) put(index, keys.of(unpack(lastSeen(link, 'crm'))), uuid);
  }
  return index;
}

function put<Item>(index: Map<string, Item[]>, texts: readonly string[], item: Item): void {
  for (const text of texts) {
    const items = index.get(text);
    if (items) items.push(item);
    else index.set(text, [item]);
  }
}

function lazily<Result>(compute: () => Result): () => Result {
  let result: { readonly value: Result } | undefined;
  return () => (result ??= { value: compute() }).value;
}

/** As many as a status cell holds. */
function listed(items: readonly (string | number)[]): string {
  const shown = items.slice(0, 3).join(', ');
  return items.length > 3 ? `${shown} and ${items.length - 3} more` : shown;
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
