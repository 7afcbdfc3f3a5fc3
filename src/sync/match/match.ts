// Matches rows to contacts: by ID first, by key where there is none. Holds all I rules except I3 (answers) and I7 (keys
// that change). Each step is a file.
import type { Link, Stray } from '../record/base.ts';
import type { Problem, Question } from '../change.ts';
import type { SharedId } from './copies.ts';
import { type ContactsWithoutRow, matchContactsWithoutRow } from './contacts-without-row.ts';
import type { PlanInput } from '../input.ts';
import type { Keys } from '../record/keys.ts';
import { matchById, quarantineLoneDoubts } from './by-id.ts';
import { matchByKey } from './by-key.ts';
import { withholdEmptied } from './emptied-rows.ts';
import { isLater, type Matching } from './matching.ts';
import { withholdFilledOver } from './moved-person.ts';
import type { ContactRecord, RowRecord } from '../record/record.ts';
import { isBeforeShown, isOfSameSecond } from '../record/shown.ts';
import { type NewRow, findNewRows } from './new-rows.ts';
import { missingRows } from './missing-rows.ts';
import { computeOnce } from './key-index.ts';
import { findUnnamedRows, withholdUnnamed } from './unnamed-rows.ts';

export interface Matched extends ContactsWithoutRow {
  /** Contacts in scope that were read, each once (I8). */
  readonly contactByUuid: ReadonlyMap<string, ContactRecord>;
  /** The row of each contact, found by ID or by key. If the row's `id` is not the uuid, the uuid is written into it. */
  readonly rowByUuid: ReadonlyMap<string, RowRecord>;
  /** Rows that become contacts. */
  readonly newRows: readonly NewRow[];
  /** The stored notes about rows that have no contact yet. */
  readonly strays: ReadonlyMap<string, Stray>;
  readonly problems: readonly Problem[];
  readonly questions: readonly Question[];
  /**
   * Contacts that a quarantined row may belong to. They get no new row, and their own row does not count as deleted (I2,
   * L7).
   */
  readonly withheld: ReadonlySet<string>;
  /** Those of them whose ID could not be written, and whose row is there as far as can be told (I5). */
  readonly unnamed: ReadonlySet<string>;
  /** Those of them whose row waits for an answer of the service. */
  readonly beingLookedUp: ReadonlySet<string>;
  /**
   * Numbers of the rows whose ID is in doubt, upper ones first. While there are any, a missing row means nothing (I5).
   */
  readonly doubtfulRows: readonly number[];
  /** Numbers of the rows without an ID of which it is not known yet whose they are, upper ones first (L7). */
  readonly undecidedRows: readonly number[];
  /** Numbers of the rows that count as blank (V3): nothing is told about them, and new rows go above those at the end. */
  readonly blankRows: ReadonlySet<number>;
  /** By uuid: contacts whose ID is in several rows, or was when a run last looked (I4). */
  readonly sharedIds: ReadonlyMap<string, SharedId>;
  /**
   * Contacts that were answered as they were before our own last write, or before a lookup showed them. They count neither as
   * read nor as missed.
   */
  readonly stale: ReadonlySet<string>;
}

export function match(input: PlanInput, keys: Keys): Matched {
  const answered = answeredUnsure(input);
  const read = answered.length > 0 ? [...input.crm.contacts, ...answered] : input.crm.contacts;
  const { contactByUuid, stale } = latestOf(read, input);
  const matching: Matching = {
    input,
    keys,
    contactByUuid,
    rowByUuid: new Map(),
    rowsWithoutId: [],
    doubtfulRows: [],
    undecided: [],
    blankRows: [],
    sharedIds: new Map(),
    loneDoubts: new Map(),
    hereByAnswer: [],
    withheld: new Set(),
    beingLookedUp: new Set(),
    strays: new Map(),
    problems: [],
    questions: [],
  };
  matchById(matching);
  const unmatched = matchByKey(matching);
  const missing = computeOnce(() => missingRows(matching));
  const unnamed = findUnnamedRows(matching, missing);
  const newRows = findNewRows(matching, unmatched, missing, unnamed);
  withholdEmptied(matching);
  withholdFilledOver(matching);
  quarantineLoneDoubts(matching);
  withholdUnnamed(matching, unnamed);
  for (const contact of matching.hereByAnswer) contactByUuid.set(contact.uuid, contact);
  const { rowByUuid, strays, problems, questions, withheld, beingLookedUp, doubtfulRows, undecided } = matching;
  return {
    contactByUuid,
    rowByUuid,
    newRows,
    ...matchContactsWithoutRow(matching),
    strays,
    problems,
    questions,
    withheld,
    unnamed: new Set([...unnamed.values()].flat()),
    beingLookedUp,
    doubtfulRows: numbersOf(doubtfulRows),
    undecidedRows: numbersOf(undecided),
    blankRows: new Set(numbersOf(matching.blankRows)),
    sharedIds: matching.sharedIds,
    stale,
  };
}

function numbersOf(rows: readonly RowRecord[]): readonly number[] {
  return rows.map(({ number }) => number).toSorted((a, b) => a - b);
}

/** W4: a contact whose last write has an unknown outcome counts as read once it has answered, whichever rule asked. */
function answeredUnsure({ answers, base: { links } }: PlanInput): readonly ContactRecord[] {
  return [...answers.contacts].flatMap(([uuid, answer]) =>
    answer.kind === 'here' && links.get(uuid)?.isUnsure ? [answer.contact] : [],
  );
}

/**
 * I8: of two readings the later one counts. A reading older than our own last write, or than what a lookup showed, is stale
 * and counts as not read.
 */
function latestOf(
  contacts: readonly ContactRecord[],
  { base: { links }, mapping, now }: PlanInput,
): { readonly contactByUuid: Map<string, ContactRecord>; readonly stale: ReadonlySet<string> } {
  const byUuid = new Map<string, ContactRecord>();
  const stale = new Set<string>();
  const datedByUuid = new Map<string, Link>();
  links.forEach((link, uuid) => {
    if (link.writtenAt !== undefined || link.shownAt !== undefined) datedByUuid.set(uuid, link);
  });
  for (const contact of contacts) {
    const link = datedByUuid.get(contact.uuid);
    if (link && isStale(link, contact)) {
      stale.add(contact.uuid);
      continue;
    }
    const known = byUuid.get(contact.uuid);
    if (known === undefined || isLater(contact, known)) byUuid.set(contact.uuid, contact);
  }
  return { contactByUuid: byUuid, stale };

  function isStale(link: Link, contact: ContactRecord): boolean {
    const { writtenAt } = link;
    if (writtenAt !== undefined && contact.updatedAt !== undefined && contact.updatedAt < writtenAt) return true;
    return isBeforeShown(link, contact, now) || isOfSameSecond(mapping, link, contact, now);
  }
}
