// The middle of matching: what has been found out so far, and how rows are told and remembered about which nothing can be
// done yet. The steps of `match.ts` each add to it; nobody else sees it.
import { rowKey, type Stray } from '../record/base.ts';
import { type Problem, problem, type Question, firstFew } from '../change.ts';
import type { PlanInput } from '../input.ts';
import type { Keys } from '../record/keys.ts';
import type { SharedId } from './copies.ts';
import type { ContactRecord, RowRecord } from '../record/record.ts';
import type { RuleId } from '../rules.ts';

/** Fields of the same names as in `Matched` mean the same. */
export interface Matching {
  readonly input: PlanInput;
  readonly keys: Keys;
  readonly contactByUuid: Map<string, ContactRecord>;
  readonly rowByUuid: Map<string, RowRecord>;
  /** Upper ones first. */
  readonly rowsWithoutId: RowRecord[];
  /** Rows that may be anybody's: while there are any, nobody's row is gone (I5, L7). */
  readonly doubtfulRows: RowRecord[];
  readonly sharedIds: Map<string, SharedId>;
  /** In scope as the service answered, though no page showed them. */
  readonly hereByAnswer: ContactRecord[];
  readonly withheld: Set<string>;
  readonly beingLookedUp: Set<string>;
  readonly strays: Map<string, Stray>;
  readonly problems: Problem[];
  readonly questions: Question[];
}

/** I8. Any order of the same readings must give the same one (L11). */
export function isLater(a: ContactRecord, b: ContactRecord): boolean {
  const [atA, atB] = [a.updatedAt ?? 0, b.updatedAt ?? 0];
  return atA === atB ? a.values > b.values : atA > atB;
}

/** An ID that says nothing. */
export function quarantineDoubtful(
  { doubtfulRows, problems }: Matching,
  row: RowRecord,
  rule: RuleId,
  reason: string,
): void {
  doubtfulRows.push(row);
  problems.push(problem('quarantined', { row: row.number }, rule, reason));
}

/** A row without an ID that a person has to look at. Gives no new row, like those below. */
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

/** Since when it stands as it stands, and what came of it so far. */
export function rememberStray({ input: { base, mapping, now }, strays }: Matching, row: RowRecord): Stray {
  const key = rowKey(row);
  const wish = mapping.enrolment && row.wish?.trim() ? row.wish : undefined;
  const known = base.strays.get(key);
  const stray = strays.get(key) ?? (known && known.wish === wish ? known : strayWith(known, wish, now));
  strays.set(key, stray);
  return stray;
}

/** W10: a wish is an edit, too. */
function strayWith(known: Stray | undefined, wish: string | undefined, now: number): Stray {
  const { wish: _before, ...rest } = known ?? {};
  return { ...rest, since: now, ...(wish !== undefined && { wish }) };
}

/** What does not change from run to run is asked at full scans only: a hundred such rows would eat the budget. */
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
      : { kind: answer.kind, where: answer.where, ...(answer.uuid !== undefined && { uuid: answer.uuid }) };
  strays.set(key, { ...(strays.get(key) ?? base.strays.get(key) ?? { since: now }), answered });
}

export function sameKeyReason(row: RowRecord, rows: readonly RowRecord[]): string {
  const others = rows.filter((each) => each !== row).map(({ number }) => number);
  return `names the same person as row ${firstFew(others.toSorted((a, b) => a - b))}: keep one of them`;
}
