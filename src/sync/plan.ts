// The plan of one run, as a table of contents: guards, matching, people, keys, enrolments, limits.
import { type Change, compareRecords, compareTexts, opOrder, type Problem, type Question } from './change.ts';
import { type EnrolmentPlan, planEnrolments } from './enrolment/enrolment.ts';
import { countChanges, noteCounted } from './guard/counted.ts';
import {
  type Found,
  guardCounts,
  guardEdits,
  guardReadings,
  guardSides,
  guardWishes,
  hasContact,
  hasRow,
  type Hold,
} from './guard/guard.ts';
import { findMovedWishes } from './guard/moved-wishes.ts';
import { type Suspects, unjudged } from './record/suspects.ts';
import type { PlanCounts, PlanInput } from './input.ts';
import { planUpdates, rememberTaken } from './keys/updates.ts';
import { match, type Matched } from './match/match.ts';
import type { NewRow } from './match/new-rows.ts';
import { createContact } from './merge/new-record.ts';
import { planMovedHere, planPeople } from './merge/people.ts';
import { type Base, type Link, rowKey, type Stray } from './record/base.ts';
import { compileKeys } from './record/keys.ts';
import { enrolmentIdToKey, readLedgerKey, type WishInRow } from './record/ledger.ts';
import type { LinkedRow, Person } from './record/person.ts';
import { unpack } from './record/record.ts';
import { isRemovalUnjudged, pausedInSync, pauseRows, rowPauses } from './row-refusal.ts';

export interface Plan {
  /** If any: no change of the plan may be carried out, and nothing of the plan is stored (G1, G2). */
  readonly holds: readonly Hold[];
  /** If any: the plan is not final. Answer them and plan again. */
  readonly questions: readonly Question[];
  /** In the order in which they are to be carried out. */
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
  /** The links to store if no change succeeds: only those that differ from the base. null: forget the link. */
  readonly links: ReadonlyMap<string, Link | null>;
  readonly strays: ReadonlyMap<string, Stray>;
  /** By uuid: the people that changes or problems are about. `settle` needs them. */
  readonly people: ReadonlyMap<string, Person>;
  /** For the ledger: wishes that are new, proven by the result column, or taken back. */
  readonly wishes: EnrolmentPlan['wishes'];
  /** G1: those of them that other rows seem to have passed on. */
  readonly movedWishes: readonly WishInRow[];
  /** G1: what the next plan holds as well, as long as it shows the same. */
  readonly suspects: Suspects;
  /** I10: contacts that were deleted and entered again: new uuid -> old uuid. */
  readonly relinks: ReadonlyMap<string, string>;
  /** For the result column, by row number. */
  readonly wishResults: EnrolmentPlan['results'];
  /** V3: numbers of the rows that count as blank. */
  readonly blankRows: ReadonlySet<number>;
  /** E1: contacts of which a person wants an enrolment tried again, and whose cells this run read for wishes. */
  readonly readForRetries: ReadonlySet<string>;
  /** E6: the ledger knows all that was done. */
  readonly isLedgerTrusted: boolean;
  readonly counts: PlanCounts;
  /** Links at the end of the run if every change succeeds. */
  readonly linked: number;
  /** S8: it takes a run back, and carries over nothing else of its records. Left out: the plan of a run. */
  readonly isUndo?: true;
}

export function plan(input: PlanInput): Plan {
  const readings = guardReadings(input);
  if (readings.holds.length > 0) return heldPlan(readings.holds, 0, withMoved(input, readings.suspects));
  const keys = compileKeys(input.mapping);
  const matched = match(input, keys);
  const sides = guardSides(input, countFound(matched, input.base));
  if (sides.holds.length > 0) return heldPlan(sides.holds, sides.missing, withMoved(input, readings.suspects));
  const people = planPeople(input, matched);
  const movedHere = planMovedHere(input, matched.newRows);
  const updates = planUpdates(input, matched.contactByUuid, [...people.changes, ...movedHere.changes]);
  const wishers = [...people.wishers, ...movedHere.wishers].toSorted((a, b) => a.row.number - b.row.number);
  const enrolments = planEnrolments(input, wishers, matched);
  const isPostponed = ({ row, isUnasked }: NewRow) => isUnasked === true && !enrolments.ofNewRows.has(row.values);
  const newRows = matched.newRows.filter((each) => !isPostponed(each));
  /** A contact that left the list and is moved back may still have its link. */
  const hasLink = (uuid: string) =>
    people.links.has(uuid) ? people.links.get(uuid) !== null : input.base.links.has(uuid);
  const unasked = matched.newRows.filter(isPostponed).map(({ row }): Question => {
    return { kind: 'lookup', key: rowKey(row), row: row.number, values: unpack(row.values) };
  });
  const creates = newRows.map(({ row, moves }): Change => {
    const enrol = moves === undefined ? enrolments.ofNewRows.get(row.values) : undefined;
    const create = createContact(input, row, moves);
    if (enrol === undefined) return create;
    return { ...create, enrol: enrol.uuid, reason: `${create.reason}, and into ${enrol.name}` };
  });
  const others = people.changes.filter(({ op }) => op !== 'update');
  const all = orderChanges([...creates, ...updates.changes, ...enrolments.changes, ...others]);
  const paused = pauseRows(rowPauses(input), all, pausedInSync, (uuid, row) => isRemovalUnjudged(input, uuid, row));
  const { changes } = paused;
  const counted = countChanges(input, changes);
  const movedWishes = findMovedWishes(enrolments, input.suspects);
  const edits = guardEdits(input, counted, changes);
  const wishes = guardWishes(input, movedWishes);
  const holds = [...guardCounts(input, counted, changes), ...edits.holds, ...wishes.holds];
  // An approval has to name all that the run would do: also wishes that were approved, where something else holds it now.
  const unapproved = Math.max(enrolments.unapproved, holds.length > 0 ? movedWishes.length : 0);
  const counts = { ...counted, missing: sides.missing, enrolments: unapproved };
  const links = rememberTaken(people.links, input.base, updates.taken);
  const noted = noteCounted(input, holds.length === 0 ? changes : [], links, matched.strays);
  return {
    holds,
    questions: [...matched.questions, ...unasked, ...people.questions, ...updates.questions].toSorted((a, b) =>
      compareTexts(subjectOf(a), subjectOf(b)),
    ),
    changes,
    problems: orderProblems([
      ...matched.problems,
      ...people.problems,
      ...updates.problems,
      ...enrolments.problems,
      ...paused.problems,
    ]),
    links: noted.links,
    strays: paused.strays.size > 0 ? new Map([...noted.strays, ...paused.strays]) : noted.strays,
    people: new Map([...people.people, ...movedHere.people]),
    wishes: enrolments.wishes,
    movedWishes,
    suspects: new Map([...unreadWishes(input), ...edits.suspects, ...wishes.suspects]),
    relinks: matched.relinks,
    wishResults: enrolments.results,
    blankRows: matched.blankRows,
    readForRetries: findRead(input, wishers),
    isLedgerTrusted: enrolments.isTrusted,
    counts,
    linked: people.linked + newRows.filter(({ moves }) => moves === undefined || !hasLink(moves)).length,
  };
}

/** G1: a tab that is held for something else, as for its headers, may show nothing of what had moved. */
function withMoved({ suspects = new Map() }: PlanInput, moved: Suspects): Suspects {
  return moved.size > 0 ? new Map([...unjudged(suspects, ['moved']), ...moved]) : suspects;
}

/** E4: nothing is concluded about wishes while the automations could not be read. */
function unreadWishes({ suspects, automationsUnread }: PlanInput): Suspects {
  if (automationsUnread === undefined) return new Map();
  return unjudged(suspects, ['moved', 'column', 'replaced', 'filled']);
}

function findRead({ requests, automations }: PlanInput, wishers: readonly LinkedRow[]): ReadonlySet<string> {
  if (!automations || requests.retry.size === 0) return new Set();
  const retried = new Set([...requests.retry].map((id) => readLedgerKey(enrolmentIdToKey(id)).uuid));
  return new Set(wishers.flatMap(({ uuid, row }) => (row.wish !== undefined && retried.has(uuid) ? [uuid] : [])));
}

/** The plan of a run that a guard stops. */
export function heldPlan(holds: readonly Hold[], missing: number, suspects: Suspects): Plan {
  return {
    holds,
    questions: [],
    changes: [],
    problems: [],
    links: new Map(),
    strays: new Map(),
    people: new Map(),
    wishes: new Map(),
    movedWishes: [],
    suspects,
    relinks: new Map(),
    wishResults: new Map(),
    blankRows: new Set(),
    readForRetries: new Set(),
    isLedgerTrusted: false,
    counts: { creates: 0, changes: 0, blanks: 0, deletes: 0, missing, enrolments: 0 },
    linked: 0,
  };
}

/**
 * Counted as found: a row that the service is asked about, until it has answered; a row that may be that of a contact whose ID could
 * not be written; a row that cannot be told from its copies; and a contact whose reading was too old.
 */
export function countFound(
  { rowByUuid, relinks, beingLookedUp, unnamed, sharedIds, contactByUuid, stale }: Matched,
  { links }: Base,
): Found {
  let [rows, contacts] = [0, 0];
  // I10: the row of a contact that was deleted and made again is the row of the new one. If it was copied, both have it.
  const continued = new Set(relinks.values());
  // `forEach` and not entries: arrays for a hundred thousand links cost as much time as the counting.
  links.forEach((link, uuid) => {
    const mayBeThere = beingLookedUp.has(uuid) || unnamed.has(uuid);
    const isThere = rowByUuid.has(uuid) || mayBeThere || sharedIds.has(uuid) || continued.has(uuid);
    if (hasRow(link) && isThere) rows += 1;
    if (hasContact(link) && (contactByUuid.has(uuid) || stale.has(uuid))) contacts += 1;
  });
  return { rows, contacts };
}

/** The order of work, then the order of the sheet. `updates` keep the order in which keys change hands (I7). */
export function orderChanges<Some extends Change>(changes: readonly Some[]): Some[] {
  return changes.toSorted(
    (a, b) => opOrder.indexOf(a.op) - opOrder.indexOf(b.op) || (a.op === 'update' ? 0 : compareRecords(a, b)),
  );
}

/** In the order of the rows (L11). */
export function orderProblems(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((a, b) => compareRecords(a, b) || compareTexts(a.id, b.id));
}

function subjectOf(question: Question): string {
  return question.kind === 'contact' ? question.uuid : question.key;
}
