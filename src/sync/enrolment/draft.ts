// The plan of enrolments while it is made. Each step of `enrolment.ts` adds to it; nothing outside this folder sees it.
import { type Change, type Problem, problem } from '../change.ts';
import type { AppearedWish } from '../guard/moved-wishes.ts';
import type { Automation, PlanInput } from '../input.ts';
import {
  type EntryOf,
  enrolmentId,
  groupEntries,
  namesOf,
  type LedgerEntry,
  type WishInRow,
} from '../record/ledger.ts';
import type { EnrolmentRules } from '../record/mapping.ts';
import type { LinkedRow } from '../record/person.ts';
import type { RowRecord } from '../record/record.ts';
import type { RuleId } from '../rules.ts';
import { type ReadWish, readerOf, type UnknownWish } from './wish.ts';
import { problemText, type WishResult } from './wish-result.ts';

/** A contact that its row wishes to be in this automation. `entry`: what the ledger has of it. */
export interface Wish extends LinkedRow {
  readonly automation: Automation;
  readonly entry: LedgerEntry | undefined;
}

/** Fields of the same names as in `EnrolmentPlan` mean the same. */
export interface Draft {
  readonly input: PlanInput;
  readonly rules: EnrolmentRules;
  readonly readWish: (text: string) => ReadWish;
  readonly entriesByUuid: ReturnType<typeof groupEntries>;
  /** Whether a sentence with this name is about the automation of this entry, which may have been renamed since. */
  readonly isNamed: (of: EntryOf, name: string) => boolean;
  readonly changes: Change[];
  readonly problems: Problem[];
  readonly wishes: Map<string, LedgerEntry | null>;
  readonly results: Map<number, WishResult[]>;
  /** Wishes that are not carried out yet, in the order of the rows. */
  readonly due: Wish[];
  /** E6: numbers of rows with a wish that this run cannot judge. It may be due in a later run. */
  readonly unjudgedRows: Set<number>;
  /** G1: as in `WishTraffic`. */
  readonly appeared: AppearedWish[];
  readonly left: WishInRow[];
  /** Contacts that the service refused to take out of an automation: their other wishes wait (E5). */
  readonly uncancelled: Set<string>;
}

/** The automation of a wish, by uuid; null: the sentence names none. */
type AutomationId = string | null;

export function createDraft(input: PlanInput, rules: EnrolmentRules, automations: readonly Automation[]): Draft {
  const nameByUuid = new Map(automations.map(({ uuid, name }) => [uuid, name]));
  return {
    input,
    rules,
    readWish: readerOf(automations),
    entriesByUuid: groupEntries(input.ledger),
    isNamed: (of, name) => namesOf(of, nameByUuid).has(name),
    changes: [],
    problems: [],
    wishes: new Map(),
    results: new Map(),
    due: [],
    unjudgedRows: new Set(),
    appeared: [],
    left: [],
    uncancelled: new Set(),
  };
}

/** Adds a sentence to the result column of a row. */
export function addResult({ results }: Draft, { number }: RowRecord, automation: AutomationId, text: string): void {
  results.set(number, [...(results.get(number) ?? []), { automation, text }]);
}

/** A wish that waits, is held or is left alone: the row is told, and a problem says why. */
export function addOpenWish(
  draft: Draft,
  { uuid, row, automation }: Wish,
  kind: 'held' | 'waiting' | 'ignored',
  rule: RuleId,
  reason: string,
): void {
  addResult(draft, row, automation.uuid, reason);
  draft.problems.push(problem(kind, { uuid, row: row.number }, rule, problemText(kind, reason)));
}

export function addRefusedWish(draft: Draft, { uuid, row }: LinkedRow, automation: AutomationId, reason: string): void {
  addResult(draft, row, automation, `refused: ${reason}`);
  const refused = problem('refused', { uuid, row: row.number }, 'E4', `enrolment: ${reason}`);
  draft.problems.push(automation === null ? refused : { ...refused, id: enrolmentId(uuid, automation) });
}

/** The same for a row that has no contact yet. */
export function addWishOfNewRow(
  draft: Draft,
  row: RowRecord,
  kind: Problem['kind'],
  automation: AutomationId,
  text: string,
): void {
  addResult(draft, row, automation, text);
  draft.problems.push(problem(kind, { row: row.number }, 'E4', problemText(kind, text)));
}

/** Whether a person asked by command for this enrolment to be tried again. */
export function isRetried({ input }: Draft, { uuid, automation }: Pick<Wish, 'uuid' | 'automation'>): boolean {
  return input.requests.retry.has(enrolmentId(uuid, automation.uuid));
}

export function unknownReason({ input }: Draft, { text, reason, isList }: UnknownWish): string {
  // The nearest name would be one of several, and whoever writes it alone takes the others out of the cell (E5).
  if (isList) return `${reason}: "${text}": write a comma between two names`;
  const nearest = input.nearestAutomations?.get(text);
  return `${reason}: "${text}"${nearest === undefined ? '' : `, did you mean "${nearest}"?`}`;
}

export function archivedReason({ name }: Automation): string {
  return `the automation "${name}" is archived`;
}
