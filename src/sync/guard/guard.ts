// The guards (G rules): what must be true before anything is written. No guard needs a reset: once its cause is gone, the
// next run goes on (G4).
import type { Link } from '../record/base.ts';
import { type Change, firstFew } from '../change.ts';
import { countApproved, isCellCancel, type Limited } from './counted.ts';
import { whyMoved } from './moved.ts';
import { whyColumnMoved } from './moved-column.ts';
import { whyWishesMoved } from './moved-wishes.ts';
import { whyReplaced } from './replaced.ts';
import type { Suspects, Suspicion } from '../record/suspects.ts';
import type { PlanCounts, PlanInput } from '../input.ts';
import { isDone, type WishInRow } from '../record/ledger.ts';
import type { Limit } from '../record/mapping.ts';
import type { RuleId } from '../rules.ts';

/** `fails`: no approval helps, something has to be repaired. Otherwise `leadsheet approve` lets the plan through. */
export interface Hold {
  readonly rule: RuleId;
  readonly reason: string;
  readonly fails: boolean;
}

/** With fewer links a share means nothing (G2), and two missing records may be right (G1). */
const linksForShares = 5;
const linksForEmptySide = 2;
const foundShareMin = 0.1;

/** Holds, and what of the plan is suspect from now on. */
export interface Suspected {
  readonly holds: readonly Hold[];
  readonly suspects: Suspects;
}

/** G1: checks the readings before anything is concluded from them. */
export function guardReadings(input: PlanInput): Suspected {
  const { base, identities, sheet, mapping } = input;
  const holds: Hold[] = [];
  const fail = (reason: string) => holds.push({ rule: 'G1', reason, fails: true });
  for (const side of ['crm', 'sheet'] as const) {
    const { known, now } = identities;
    if (known && known[side] !== now[side]) {
      fail(
        `this is another ${side === 'crm' ? 'list or account' : 'tab'} than before (${now[side]}; the state is of ${known[side]}): put the setting back, or give the sync a new name`,
      );
    }
  }
  const { elsewhere = [] } = sheet;
  const twice = sheet.doubled.filter((header) => !elsewhere.includes(header));
  if (twice.length > 0) fail(`header there twice: ${twice.join(', ')}; rename one of them`);
  // One column that two fields claim, by its header and by its anchor, stands here as both of their headers.
  if (elsewhere.length > 0) {
    fail(
      `header above another column than before: ${elsewhere.join(', ')}; put it back, or, if the mapping gave a header to another field, take these columns out of it for one run`,
    );
  }
  for (const { header, use, option, rows } of sheet.taken ?? []) {
    fail(
      `the column "${header}" is to take ${use}, and holds texts of people in ${firstFew(rows.map((row) => `row ${row}`))}: name another header as ${option}, or clear these cells`,
    );
  }
  const hasRun = base.links.size > 0;
  if (hasRun && sheet.missing.length === mapping.fields.length) {
    fail(
      'none of the mapped headers is in the header row: if a row was inserted or deleted above it, undo that or correct header_row; if a sort took it along, undo the sort',
    );
  }
  const moved = whyMoved(input);
  if (moved !== undefined) fail(moved.reason);
  return { holds, suspects: moved?.suspects ?? new Map() };
}

/** How many of the people in the base were found on each side. */
export interface Found {
  readonly rows: number;
  /** Used only when every contact was read. */
  readonly contacts: number;
}

/** G1, after matching: whether these are still the same sides. `missing` is the count that an approval has to cover. */
export function guardSides(
  { base, crm, sheet, requests }: PlanInput,
  found: Found,
): { readonly holds: readonly Hold[]; readonly missing: number } {
  let [rowsExpected, contactsExpected] = [0, 0];
  base.links.forEach((link) => {
    if (hasRow(link)) rowsExpected += 1;
    if (hasContact(link)) contactsExpected += 1;
  });
  const isWhole = crm.coverage === 'whole';
  const foundContacts = isWhole ? found.contacts : contactsExpected;
  const missing = rowsExpected - found.rows + contactsExpected - foundContacts;
  if (requests.approved && missing <= requests.approved.missing) return { holds: [], missing };
  const reason =
    whyDoubtful(found.rows, rowsExpected, sheet.rows.length, 'rows', 'the tab') ??
    whyDoubtful(
      foundContacts,
      contactsExpected,
      isWhole ? crm.contacts.length : foundContacts,
      'contacts',
      crm.scope,
      crm.isFiltered,
    );
  return { holds: reason === undefined ? [] : [{ rule: 'G1', reason, fails: false }], missing };
}

/** Whether the person of a link has a row, as far as the base knows. */
export function hasRow({ standing }: Pick<Link, 'standing'>): boolean {
  return standing !== 'row-gone';
}

export function hasContact({ standing }: Pick<Link, 'standing'>): boolean {
  return standing === undefined || standing === 'row-gone';
}

/** With a filter it is not known whether the list is empty: the filter may let nobody through. */
function whyDoubtful(
  found: number,
  expected: number,
  all: number,
  what: string,
  where: string,
  isFiltered = false,
): string | undefined {
  if (expected < linksForEmptySide) return undefined;
  if (all === 0) {
    const nothing = isFiltered ? `the filter lets no contact of ${where} through` : `${where} is empty`;
    return `${nothing}, and ${expected} ${what} were there before`;
  }
  if (found >= expected * foundShareMin) return undefined;
  const question = isFiltered ? 'are list and filter the right ones?' : 'is it the right one?';
  return `only ${found} of ${expected} known ${what} were found in ${where}${isFiltered ? ' with the filter' : ''}: ${question}`;
}

/** G2. A count equal to the limit passes. A person may let these counts through, once. `changes`: those that are counted. */
export function guardCounts(
  input: PlanInput,
  counts: Pick<PlanCounts, Limited>,
  changes: readonly Change[],
): readonly Hold[] {
  const { mapping, base, requests } = input;
  const { letThrough } = requests;
  const approved = countApproved(input, changes);
  const cancels = changes.filter((change) => isCellCancel(input, change)).length;
  const links = letThrough?.links ?? base.links.size;
  const parts = [
    ...limited.map((what) => {
      const count = what === 'deletes' ? counts.deletes - cancels : counts[what];
      return { what, count, name: countNames[what], of: links };
    }),
    // E5: they cannot be taken back either, and their share is one of those that were carried out.
    { what: 'deletes', count: cancels, name: cancelsName, of: cancels === 0 ? 0 : countCarriedOut(input) },
  ] as const;
  return parts.flatMap(({ what, count, name, of }): Hold[] => {
    // G6: approving records one by one must not bring the rest below the limit.
    const before = count > 0 ? (letThrough?.counts[what] ?? 0) : 0;
    const limit = limitOf(mapping.limits[what], of);
    if (count + before <= limit.count || counts[what] <= (approved[what] ?? 0)) return [];
    const also = before > 0 ? `, and ${before} that were approved one by one,` : name === cancelsName ? ',' : '';
    const reason = `${count} ${name}${also} are more than the limit of ${limit.text}: look at the plan, then approve it`;
    return [{ rule: 'G2', reason, fails: false }];
  });
}

/** G1: edits that look like an accident. A person may let them through with the changes of the plan, as a whole. */
export function guardEdits(
  input: PlanInput,
  { changes: count }: Pick<PlanCounts, 'changes'>,
  changes: readonly Change[],
): Suspected {
  const replaced = whyReplaced(input, changes);
  const moved = whyColumnMoved(input, changes);
  if (count <= (countApproved(input, changes).changes ?? 0)) return unsuspected;
  return suspected(replaced ?? moved, [replaced, moved]);
}

const unsuspected: Suspected = { holds: [], suspects: new Map() };

/** `all`: what is suspect, whichever of it is told. */
function suspected(told: Suspicion | undefined, all: readonly (Suspicion | undefined)[]): Suspected {
  if (told === undefined) return unsuspected;
  return {
    holds: [{ rule: 'G1', reason: told.reason, fails: false }],
    suspects: new Map(all.flatMap((each) => [...(each?.suspects ?? [])])),
  };
}

/** G1: wishes that stand in other rows than before. A person may let them through, as a whole. */
export function guardWishes(input: PlanInput, moved: readonly WishInRow[]): Suspected {
  const why = whyWishesMoved(input, moved);
  return suspected(why, [why]);
}

/** Enrolments that are in effect, as far as the ledger tells, and that their cells can cancel. */
function countCarriedOut({ ledger }: PlanInput): number {
  let count = 0;
  ledger.entries.forEach((entry) => {
    if (isDone(entry) && entry.state !== 'cancelling' && !entry.isKeptIn) count += 1;
  });
  return count;
}

const limited = ['creates', 'changes', 'blanks', 'deletes'] as const satisfies readonly Limited[];

const countNames = {
  creates: 'new contacts',
  changes: 'changed records',
  blanks: 'emptied fields',
  deletes: 'deletions',
} as const;
const cancelsName = 'enrolments to cancel, because their wishes left the cells';

function limitOf(limit: Limit, links: number): { readonly count: number; readonly text: string } {
  if ('count' in limit) return { count: limit.count, text: String(limit.count) };
  if (links < linksForShares) return { count: Infinity, text: 'none' };
  const count = Math.floor((links * limit.percent) / 100);
  return { count, text: `${limit.percent}% of ${links}, that is ${count}` };
}
