// The state of matching while it is made. Each step of `match.ts` adds to it; nothing outside this folder sees it.
import { rowKey, type Stray } from '../record/base.ts';
import { type Problem, problem, type Question, firstFew } from '../change.ts';
import type { LookupAnswer, PlanInput } from '../input.ts';
import type { Keys } from '../record/keys.ts';
import type { SharedId } from './copies.ts';
import type { ContactRecord, Packed, RowRecord } from '../record/record.ts';
import type { RuleId } from '../rules.ts';

/** A row with the ID of a contact, or one that its keys led to. */
export type LinkedRow = readonly [uuid: string, row: RowRecord];

/** Fields of the same names as in `Matched` mean the same. */
export interface Matching {
  readonly input: PlanInput;
  readonly keys: Keys;
  readonly contactByUuid: Map<string, ContactRecord>;
  readonly rowByUuid: Map<string, RowRecord>;
  /** Upper ones first. */
  readonly rowsWithoutId: RowRecord[];
  /** Rows that may belong to any contact. While there are any, no row counts as deleted (I5, L7). */
  readonly doubtfulRows: RowRecord[];
  /**
   * Rows without an ID of which the service has not said yet whose they are. It may know a contact by a key that no field
   * shows, its second address: while there are any, no row counts as deleted (L7).
   */
  readonly undecided: RowRecord[];
  readonly blankRows: RowRecord[];
  readonly sharedIds: Map<string, SharedId>;
  /**
   * By uuid: rows that alone have their ID and do not show its contact, where other rows had that ID (I4), or where its row showed
   * somebody else when a run last looked (I2). What is said of them depends on the other rows.
   */
  readonly loneDoubts: Map<string, RowRecord>;
  /** Contacts in scope that the service answered and no page showed. */
  readonly hereByAnswer: ContactRecord[];
  readonly withheld: Set<string>;
  readonly beingLookedUp: Set<string>;
  readonly strays: Map<string, Stray>;
  readonly problems: Problem[];
  readonly questions: Question[];
}

/** One for each ID that names a contact, whether or not the row is known to be the contact's. A copy: both maps may change meanwhile. */
export function rowsWithId({ rowByUuid, loneDoubts }: Matching): readonly LinkedRow[] {
  return [...rowByUuid, ...loneDoubts];
}

/** I8: the result does not depend on the order of the readings (L11). */
export function isLater(a: ContactRecord, b: ContactRecord): boolean {
  const [atA, atB] = [a.updatedAt ?? 0, b.updatedAt ?? 0];
  return atA === atB ? a.values > b.values : atA > atB;
}

/** Quarantines a row whose ID does not say which contact it belongs to. */
export function quarantineDoubtful(
  { doubtfulRows, problems }: Matching,
  row: RowRecord,
  rule: RuleId,
  reason: string,
): void {
  doubtfulRows.push(row);
  problems.push(problem('quarantined', { row: row.number }, rule, reason));
}

/**
 * Quarantines a row that shows somebody else than the contact whose ID it has, and writes nothing to that contact (I2, L9).
 *
 * `copies`: for `Link.copies`, beside those that are known. What stands there keeps the row in doubt, whatever other rows show by
 * then, until it shows the contact.
 */
export function withholdRow(
  { rowByUuid, loneDoubts, withheld, sharedIds, problems }: Matching,
  [uuid, row]: LinkedRow,
  { ofRow, ofContact }: Readonly<Record<'ofRow' | 'ofContact', string>>,
  copies: readonly Packed[] = [],
): void {
  rowByUuid.delete(uuid);
  loneDoubts.delete(uuid);
  withheld.add(uuid);
  const known = sharedIds.get(uuid)?.copies ?? [];
  sharedIds.set(uuid, { keeper: undefined, others: [row], copies: [...new Set([...known, ...copies])].toSorted() });
  problems.push(problem('quarantined', { row: row.number }, 'I2', ofRow), problem('held', { uuid }, 'I2', ofContact));
}

/** Quarantines a row without an ID: a person has to look at it. Returns no new row, like the functions below. */
export function quarantineRow(matching: Matching, row: RowRecord, rule: RuleId, reason: string): [] {
  rememberStray(matching, row);
  matching.problems.push(problem('quarantined', { row: row.number }, rule, reason));
  return [];
}

export function keepRowWaiting(matching: Matching, row: RowRecord, rule: RuleId, reason: string): [] {
  rememberStray(matching, row);
  matching.problems.push(problem('waiting', { row: row.number }, rule, reason));
  return [];
}

/** Since when the row has these contents, and what came of it so far. */
export function rememberStray({ input, strays }: Matching, row: RowRecord): Stray {
  const { base, mapping, now } = input;
  const key = rowKey(row);
  const wish = mapping.enrolment && row.wish?.trim() ? row.wish : undefined;
  const known = withoutOutdated(base.strays.get(key), input.answers.lookups.get(key)?.kind);
  const stray = strays.get(key) ?? (known && known.wish === wish ? known : strayWith(known, wish, now));
  strays.set(key, stray);
  return stray;
}

/**
 * L6: once the service answers that the row is of no contact, or of one that is here, it is not that of one elsewhere any more. A run that
 * goes by the earlier answer would say so.
 */
function withoutOutdated(known: Stray | undefined, answer: LookupAnswer['kind'] | undefined): Stray | undefined {
  if (known?.answered?.kind !== 'elsewhere' || answer === undefined || leavesElsewhere.has(answer)) return known;
  return withoutAnswer(known);
}

function withoutAnswer({ answered: _answered, ...rest }: Stray): Stray {
  return rest;
}

const leavesElsewhere: ReadonlySet<LookupAnswer['kind']> = new Set(['unanswered', 'elsewhere']);

/** W10: an edited wish starts the settle delay again. */
function strayWith(known: Stray | undefined, wish: string | undefined, now: number): Stray {
  const { wish: _before, ...rest } = known ?? {};
  return { ...rest, since: now, ...(wish !== undefined && { wish }) };
}

/**
 * The answer of an earlier run, which counts until the next full scan: asking for a hundred such rows in each run would
 * use up the budget.
 */
export function earlierAnswer({ input: { base, crm, requests } }: Matching, key: string): Stray['answered'] {
  const isAskedAgain = requests.retry.size > 0;
  return crm.coverage === 'whole' || isAskedAgain ? undefined : base.strays.get(key)?.answered;
}

export function keepAnswer(
  { input: { base, now }, strays }: Matching,
  key: string,
  answer: NonNullable<Stray['answered']>,
): void {
  const answered =
    answer.kind === 'gone'
      ? { kind: answer.kind }
      : {
          kind: answer.kind,
          where: answer.where,
          ...(answer.uuid !== undefined && { uuid: answer.uuid }),
          ...(answer.isFiltered && { isFiltered: true as const }),
        };
  strays.set(key, { ...(strays.get(key) ?? base.strays.get(key) ?? { since: now }), answered });
}

/** D4: the end of a sentence about a contact that the filter leaves out; moving it to the list helps nobody. */
export const whyFiltered = 'and the filter of the sync leaves it out: change the contact or contacts.filter';

export function forgetAnswer({ strays }: Matching, key: string): void {
  const stray = strays.get(key);
  if (stray?.answered !== undefined) strays.set(key, withoutAnswer(stray));
}

export function sameKeyReason(row: RowRecord, rows: readonly RowRecord[]): string {
  const others = rows.filter((each) => each !== row).map(({ number }) => number);
  return `names the same person as row ${firstFew(others.toSorted((a, b) => a - b))}: keep one of them`;
}
