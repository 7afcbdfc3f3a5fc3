// Which wishes are carried out now, which wait, and what each row is told (E rules). Pure; each step is a file.
//
// A wish is carried out once per contact and automation, ever. In doubt it is not carried out (L8).
import { type Change, type Problem, problem } from '../change.ts';
import type { WishTraffic } from '../guard/moved-wishes.ts';
import type { Automation, PlanInput } from '../input.ts';
import { type Ledger, type LedgerEntry, ledgerKey } from '../record/ledger.ts';
import type { LinkedRow } from '../record/person.ts';
import type { RowRecord } from '../record/record.ts';
import { rowKey } from '../record/base.ts';
import type { Matched } from '../match/match.ts';
import { normalText } from '../value/same.ts';
import { carriedOver } from './carried-over.ts';
import { dropCopiedResults } from './copied-results.ts';
import { createDraft, type Draft } from './draft.ts';
import { planNewRowWishes } from './new-rows.ts';
import { planQueue } from './queue.ts';
import { keepProofsOfOthers, provenBy, readRowWishes } from './row-wishes.ts';
import { proofIn, type WishResult } from './wish-result.ts';
import { leftInOtherColumn } from './withdrawn.ts';

export interface EnrolmentPlan extends WishTraffic {
  readonly changes: readonly Change[];
  /**
   * For the ledger, by `ledgerKey`: wishes seen for the first time, with their place in the queue, and wishes that the result
   * column proves to be done. null: the wish was taken back before anything came of it.
   */
  readonly wishes: ReadonlyMap<string, LedgerEntry | null>;
  readonly problems: readonly Problem[];
  /** For the result column, by row number, in the order of the wishes. An empty list empties the cell. */
  readonly results: ReadonlyMap<number, readonly WishResult[]>;
  /** Wishes that only an approval lets through (E6). */
  readonly unapproved: number;
  /** E6: the ledger knows all that was done, as far as the sheet can tell. False while wishes wait for an approval. */
  readonly isTrusted: boolean;
  /** The automation of each new row that is created and enrolled in one call (E2), by `rowKey`. */
  readonly ofNewRows: ReadonlyMap<string, Automation>;
}

/** `linkedRows`: rows of contacts, with or without a wish. `matched`: the rows that become contacts, and the strays. */
export function planEnrolments(
  read: PlanInput,
  linkedRows: readonly LinkedRow[],
  matched: Pick<Matched, 'newRows' | 'strays' | 'relinks'>,
): EnrolmentPlan {
  const left = leftInOtherColumn(read);
  const carried = new Map([...left, ...carriedOver(withLedgerChanges(read, left).ledger, matched.relinks)]);
  const known = withLedgerChanges(read, carried);
  const { automations, ledger, mapping } = known;
  const newRows = matched.newRows.flatMap(({ row, moves }) =>
    moves !== undefined || matched.strays.get(rowKey(row))?.isApart ? [] : [row],
  );
  const named = [...linkedRows, ...matched.newRows];
  if (!mapping.enrolment || !automations) {
    const unjudged = withoutAutomations(known, [...linkedRows.map(({ row }) => row), ...newRows]);
    dropCopiedResults(known, named, unjudged.results);
    return { ...unjudged, wishes: carried };
  }
  const before = createDraft(known, mapping.enrolment, automations);
  const isBehind = linkedRows.some((linked) => isBehindRow(before, linked));
  // E6: words may have stood in the column long before it was the one of wishes.
  const isTrusted = ledger.isTrusted && !isBehind && !read.isWishColumnNew;
  const disowned = isBehind ? withoutOwn(ledger) : new Map<string, LedgerEntry>();
  const input = withLedgerChanges(known, disowned);
  const draft = isBehind ? createDraft(input, mapping.enrolment, automations) : before;
  for (const [key, entry] of [...carried, ...disowned]) draft.wishes.set(key, entry);
  for (const linked of linkedRows) readRowWishes(draft, linked);
  const isSettling = !isTrusted && noteRowsApart(draft, linkedRows, matched);
  const end = planQueue(draft, isTrusted, newRows);
  for (const linked of linkedRows) keepProofsOfOthers(draft, linked);
  const ofNewRows = planNewRowWishes(draft, newRows, isTrusted, end);
  const { changes, problems, wishes, results, appeared } = draft;
  if (isTrusted) dropCopiedResults(input, named, results);
  const { unapproved, isApproved } = end;
  const isComplete = isTrusted || isApproved || (unapproved === 0 && !isSettling);
  return {
    changes,
    problems,
    wishes,
    results,
    appeared,
    left: draft.left,
    unapproved,
    isTrusted: isComplete,
    ofNewRows,
  };
}

/**
 * E6: notes the rows that have a wish and are neither linked nor new: a later run may find that one of them is the row of
 * a contact that was enrolled before the state was lost. Returns whether one of them waits to settle (W10): most of these
 * are new rows, so nobody is asked to approve them, and the ledger is not trusted until they are judged.
 */
function noteRowsApart(
  { input, readWish, unjudgedRows }: Draft,
  linkedRows: readonly LinkedRow[],
  { newRows, strays }: Pick<Matched, 'newRows' | 'strays'>,
): boolean {
  const judged = new Set([...linkedRows, ...newRows].map(({ row }) => row.number));
  let isSettling = false;
  for (const row of input.sheet.rows) {
    if (judged.has(row.number) || normalText(row.wish ?? '') === '') continue;
    const { automations, unknown } = readWish(row.wish ?? '');
    // The sentence in the row says that its wishes were carried out: there is nothing to approve, whoever its contact is.
    if (unknown.length === 0 && automations.every((each) => proofIn(row.wishResult, each))) continue;
    const since = row.id === '' ? strays.get(rowKey(row))?.since : undefined;
    const waitsToSettle = input.waitsToSettle && since !== undefined && input.now - since < input.mapping.settleMs;
    if (waitsToSettle) isSettling = true;
    else unjudgedRows.add(row.number);
  }
  return isSettling;
}

/**
 * E6, S3: whether the row proves more than the ledger knows, so that this ledger is older than the sheet. A ledger that is not
 * trusted is so only where it has the wish itself: what it does not have at all may be from before the state was lost.
 */
function isBehindRow(draft: Draft, linked: LinkedRow): boolean {
  const { entries, isTrusted } = draft.input.ledger;
  const proven = provenBy(draft, linked);
  return proven.some(([automation]) => isTrusted || entries.has(ledgerKey(linked.uuid, automation.uuid)));
}

/** Of a restored ledger: a wish for a contact that a run made may have been carried out since. It waits like the others. */
function withoutOwn({ entries }: Ledger): ReadonlyMap<string, LedgerEntry> {
  return new Map([...entries].flatMap(([key, { isOurs, ...entry }]) => (isOurs ? [[key, entry] as const] : [])));
}

function withLedgerChanges(input: PlanInput, changes: ReadonlyMap<string, LedgerEntry | null>): PlanInput {
  if (changes.size === 0) return input;
  const entries = new Map(input.ledger.entries);
  for (const [key, entry] of changes) {
    if (entry === null) entries.delete(key);
    else entries.set(key, entry);
  }
  return { ...input, ledger: { ...input.ledger, entries } };
}

/** Nothing is concluded about wishes when the automations were not read. */
function withoutAutomations(
  { automationsUnread, ledger, mapping }: PlanInput,
  rows: readonly RowRecord[],
): Omit<EnrolmentPlan, 'wishes' | 'results'> & Pick<Draft, 'results'> {
  const isWished = rows.some(({ wish }) => normalText(wish ?? '') !== '');
  const problems =
    automationsUnread !== undefined && isWished
      ? [problem('failed', {}, 'E4', `nobody is enrolled: the automations could not be read: ${automationsUnread}`)]
      : [];
  return {
    changes: [],
    problems,
    results: new Map(),
    appeared: [],
    left: [],
    unapproved: 0,
    // Without enrolment rules an empty ledger is complete, unless it lost what it had. What one lacks, it lacks also once the rules are
    // there again.
    isTrusted:
      ledger.isTrusted || (mapping.enrolment === undefined && ledger.entries.size === 0 && !ledger.isIncomplete),
    ofNewRows: new Map(),
  };
}
