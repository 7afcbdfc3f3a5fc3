// The plan of one run, as a table of contents: who is who, what each person's two sides become, what may not be.
import { type Base, lastSeen, type Link, rowKey, type Stray } from './base.ts';
import { type Change, compareRecords, compareTexts, opOrder, problem, type Problem, type Question } from './change.ts';
import { untangle, type Untangled } from './collisions.ts';
import { soleKeyNames, type TakenField } from './key-edits.ts';
import { planInDoubt, type SharedId, withCopies } from './copies.ts';
import { type EnrolmentPlan, planEnrolments, type Wisher } from './enrolment.ts';
import { countChanges, noteCounted } from './counted.ts';
import { type Found, guardCounts, guardReadings, guardSides, hasContact, hasRow, type Hold } from './guard.ts';
import type { ContactAnswer, PlanCounts, PlanInput } from './input.ts';
import { compileKeys } from './keys.ts';
import { match, type Matched } from './match.ts';
import { createContact, isUntouched, type Person, planPerson, type PersonPlan } from './person.ts';
import { type ContactRecord, type RowRecord, unpack } from './record.ts';
import { isRemovalUnjudged, pausedInSync, pauseRows, rowPauses } from './row-refusal.ts';
import type { NewRow } from './strangers.ts';
import type { Reading } from './value.ts';

export interface Plan {
  /** Not empty: nothing of the plan may be carried out, and nothing of it remembered (G1, G2). */
  readonly holds: readonly Hold[];
  /** Answer these, and plan again; while there are any, the plan is not final. */
  readonly questions: readonly Question[];
  /** In the order in which they are to be carried out. */
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
  /** What is remembered if no change succeeds: only what differs from the base. null: forgotten. */
  readonly links: ReadonlyMap<string, Link | null>;
  readonly strays: ReadonlyMap<string, Stray>;
  /** The people whom changes or problems are about, by uuid: what `settle` needs to know of them. */
  readonly people: ReadonlyMap<string, Person>;
  /** Wishes seen for the first time, proven by the result column, or taken back: for the ledger. */
  readonly wishes: EnrolmentPlan['wishes'];
  /** For the result column, by row number. */
  readonly wishResults: EnrolmentPlan['results'];
  /** E6. */
  readonly isLedgerTrusted: boolean;
  readonly counts: PlanCounts;
  /** Links at the end of the run, if all succeeds. */
  readonly linked: number;
}

export function plan(input: PlanInput): Plan {
  const failures = guardReadings(input);
  if (failures.length > 0) return heldPlan(failures);
  const keys = compileKeys(input.mapping);
  const matched = match(input, keys);
  const sides = guardSides(input, countFound(matched, input.base));
  if (sides.holds.length > 0) return heldPlan(sides.holds, sides.missing);
  const people = planPeople(input, matched);
  const movedHere = planMovedHere(input, matched.newRows);
  const updates = untangleKeys(input, matched, [...people.changes, ...movedHere.changes]);
  const enrolments = planEnrolments(
    input,
    [...people.wishers, ...movedHere.wishers].toSorted((a, b) => a.row.number - b.row.number),
    matched.newRows.flatMap(({ row, moves }) =>
      moves !== undefined || matched.strays.get(rowKey(row))?.isApart ? [] : [row],
    ),
  );
  const isPostponed = ({ row, isUnasked }: NewRow) => isUnasked === true && !enrolments.ofNewRows.has(row.values);
  const newRows = matched.newRows.filter((each) => !isPostponed(each));
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
  const all = inOrder([...creates, ...updates.changes, ...enrolments.changes, ...others]);
  const paused = pauseRows(rowPauses(input), all, pausedInSync, (uuid, row) => isRemovalUnjudged(input, uuid, row));
  const { changes } = paused;
  const counted = countChanges(input, changes);
  const counts = { ...counted, missing: sides.missing, enrolments: enrolments.unapproved };
  const holds = guardCounts(input, counted);
  const links = withTaken(people.links, input.base, updates.taken);
  const noted = noteCounted(input, holds.length === 0 ? changes : [], links, matched.strays);
  return {
    holds,
    questions: [...matched.questions, ...unasked, ...people.questions, ...updates.questions].toSorted((a, b) =>
      compareTexts(subjectOf(a), subjectOf(b)),
    ),
    changes,
    problems: inRowOrder([
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
    wishResults: enrolments.results,
    isLedgerTrusted: enrolments.isTrusted,
    counts,
    linked: people.linked + newRows.length,
  };
}

function heldPlan(holds: readonly Hold[], missing = 0): Plan {
  return {
    holds,
    questions: [],
    changes: [],
    problems: [],
    links: new Map(),
    strays: new Map(),
    people: new Map(),
    wishes: new Map(),
    wishResults: new Map(),
    isLedgerTrusted: false,
    counts: { creates: 0, changes: 0, blanks: 0, deletes: 0, missing, enrolments: 0 },
    linked: 0,
  };
}

/**
 * A row that the service is asked about counts as found until it has answered; so do one that cannot be told from its
 * copies, and a contact that was read too old.
 */
function countFound({ rowByUuid, relinks, sought, sharedIds, contactByUuid, stale }: Matched, { links }: Base): Found {
  let [rows, contacts] = [relinks.size, 0];
  // Not entry by entry: an array for each of a hundred thousand is garbage that costs as much as the counting.
  links.forEach((link, uuid) => {
    if (hasRow(link) && (rowByUuid.has(uuid) || sought.has(uuid) || sharedIds.has(uuid))) rows += 1;
    if (hasContact(link) && (contactByUuid.has(uuid) || stale.has(uuid))) contacts += 1;
  });
  return { rows, contacts };
}

interface PeoplePlan {
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
  readonly questions: readonly Question[];
  readonly links: ReadonlyMap<string, Link | null>;
  readonly people: ReadonlyMap<string, Person>;
  readonly wishers: readonly Wisher[];
  readonly linked: number;
}

function planPeople(input: PlanInput, matched: Matched): PeoplePlan {
  const { base, crm, mapping } = input;
  const { contactByUuid, rowByUuid, sharedIds } = matched;
  const changes: Change[] = [];
  const problems: Problem[] = [];
  const questions: Question[] = [];
  const links = new Map<string, Link | null>();
  const people = new Map<string, Person>();
  const wishers: Wisher[] = [];
  const continued = new Set(matched.relinks.values());
  let linked = 0;

  base.links.forEach((link, uuid) => {
    if (continued.has(uuid)) return void links.set(uuid, null);
    const contact = contactByUuid.get(uuid);
    const row = rowByUuid.get(uuid);
    if (mapping.enrolment && row && link.standing !== 'left' && link.standing !== 'contact-gone')
      wishers.push({ uuid, row });
    const isAsLeft = row?.id === uuid && isUntouched(link, contact, row, crm.coverage) && !sharedIds.has(uuid);
    if (isAsLeft) linked += 1;
    else take(uuid, link, contact, row);
  });
  rowByUuid.forEach((row, uuid) => {
    if (base.links.has(uuid) || !contactByUuid.has(uuid)) return;
    if (mapping.enrolment) wishers.push({ uuid, row });
    take(uuid, undefined, contactByUuid.get(uuid), row);
  });
  for (const contact of matched.newContacts) take(contact.uuid, undefined, contact, undefined);
  wishers.sort((a, b) => a.row.number - b.row.number);
  return { changes, problems, questions, links, people, wishers, linked };

  function take(
    uuid: string,
    link: Link | undefined,
    contact: ContactRecord | undefined,
    row: RowRecord | undefined,
  ): void {
    const absence = crm.coverage === 'whole' && !matched.stale.has(uuid) ? 'absent' : 'unread';
    const person: Person = { uuid, link, contact: contact ?? absence, row };
    const planned = planShared(person);
    changes.push(...planned.changes);
    problems.push(...planned.problems);
    if (isLinkedAfter(planned)) linked += 1;
    questions.push(...(planned.keyQuestions ?? []));
    if (planned.question) questions.push({ kind: 'contact', uuid, rule: planned.question });
    if (!isSameLink(planned, link)) links.set(uuid, planned.link);
    if (planned.changes.length > 0 || planned.problems.length > 0) {
      people.set(uuid, { ...person, contact: planned.answered ?? person.contact });
    }
  }

  function planShared(person: Person): PersonPlan {
    const shared = sharedIds.get(person.uuid);
    const isWithheld = matched.withheld.has(person.uuid);
    const isCopied = shared !== undefined && shared.others.length > 0;
    const { doubtfulRows } = matched;
    const planned =
      shared && !shared.keeper
        ? planInDoubt(input, person)
        : planPerson({ ...input, doubtfulRows, isWithheld, isCopied }, person);
    const { link } = planned;
    if (!shared || !link) return sparingCopies(planned, shared);
    return sparingCopies({ ...planned, link: withCopies(link, shared.copies) }, shared);
  }
}

/**
 * I2: contacts that come here from another list are merged with their rows and enrolled as if they were here already. What
 * goes into their rows follows once they are (`resume`).
 */
function planMovedHere(
  input: PlanInput,
  newRows: readonly NewRow[],
): {
  readonly changes: readonly Change[];
  readonly people: ReadonlyMap<string, Person>;
  readonly wishers: readonly Wisher[];
} {
  const changes: Change[] = [];
  const people = new Map<string, Person>();
  const wishers: Wisher[] = [];
  for (const { row, moves: uuid, contact } of newRows) {
    if (uuid === undefined) continue;
    if (input.mapping.enrolment) wishers.push({ uuid, row });
    if (!contact) continue;
    const person: Person = { uuid, link: undefined, contact, row };
    people.set(uuid, person);
    const planned = planPerson({ ...input, doubtfulRows: [], isWithheld: false, isCopied: false }, person);
    changes.push(...planned.changes.filter(({ op }) => op === 'update'));
  }
  return { changes, people, wishers };
}

/**
 * I4: a row that was copied is not written until one of them is gone. By its ID it cannot be told from the copy, so that
 * the write would be refused, in this run and in every other.
 */
function sparingCopies(planned: PersonPlan, shared: SharedId | undefined): PersonPlan {
  const copies = shared?.others ?? [];
  const spared = copies.length > 0 && planned.changes.find(({ op }) => op === 'set');
  if (!spared) return planned;
  const numbers = copies.map(({ number }) => number).join(', ');
  const reason = `its row was copied to row ${numbers}: nothing is written into it until the copy is gone`;
  return {
    ...planned,
    changes: planned.changes.filter(({ op }) => op !== 'set'),
    problems: [...planned.problems, problem('held', { uuid: spared.uuid, row: spared.row }, 'I4', reason)],
  };
}

function isLinkedAfter({ link, changes }: PersonPlan): boolean {
  if (changes.some(({ op }) => op === 'append')) return true;
  return link !== null && !changes.some(({ op }) => op === 'delete' || op === 'remove');
}

function isSameLink({ link }: PersonPlan, before: Link | undefined): boolean {
  return linkText(link ?? {}) === linkText(before ?? {});
}

/** In whatever order its parts were put together (W9). */
function linkText(link: object): string {
  return JSON.stringify(Object.entries(link).toSorted(([a], [b]) => compareTexts(a, b)));
}

/** I7: only plans that edit a key need to know who holds which. */
function untangleKeys(
  input: PlanInput,
  { contactByUuid }: Matched,
  changes: readonly Change[],
): Omit<Untangled, 'changes'> & { readonly changes: readonly Change[] } {
  const updates = changes.filter((change) => change.op === 'update').toSorted(compareRecords);
  const keyNames = new Set(soleKeyNames(input.mapping));
  const isKeyEdit = updates.some(({ fields }) => fields.some(({ field }) => keyNames.has(field)));
  if (!isKeyEdit) return { changes: updates, problems: [], questions: [], taken: [] };
  const { base, crm, answers, requests } = input;
  const valuesByUuid = new Map<string, readonly Reading[]>();
  for (const [uuid, link] of base.links) {
    if (link.standing !== 'contact-gone') valuesByUuid.set(uuid, unpack(lastSeen(link, 'crm')));
  }
  for (const { uuid, values } of contactByUuid.values()) valuesByUuid.set(uuid, unpack(values));
  const answerTo = ({ uuid, field, value, lookup }: TakenField): ContactAnswer | undefined => {
    const answer = lookup && answers.keys?.get(lookup.id);
    if (answer !== undefined) return answer;
    const before = base.links.get(uuid)?.notes?.[field]?.taken;
    const isAskedAgain = crm.coverage === 'whole' || requests.retry.size > 0;
    if (!before || before.value !== value || isAskedAgain || contactByUuid.has(before.uuid)) return undefined;
    return { kind: 'elsewhere', uuid: before.uuid, where: before.where };
  };
  const isRead = (uuid: string) => contactByUuid.has(uuid);
  return untangle(input.mapping, updates, { valuesByUuid, isRead, answerTo, scope: crm.scope });
}

/** What is held for somebody else's key is remembered with its field. */
function withTaken(
  links: ReadonlyMap<string, Link | null>,
  base: Base,
  taken: Untangled['taken'],
): ReadonlyMap<string, Link | null> {
  if (taken.length === 0) return links;
  const result = new Map(links);
  for (const { uuid, field, note } of taken) {
    const link = result.get(uuid) ?? base.links.get(uuid);
    if (!link) continue;
    const noted = { ...link, notes: { ...link.notes, [field]: { ...link.notes?.[field], taken: note } } };
    if (linkText(noted) === linkText(base.links.get(uuid) ?? {})) result.delete(uuid);
    else result.set(uuid, noted);
  }
  return result;
}

/** The order of work, and within it of the sheet; `updates` come in an order of their own (I7). */
function inOrder<Some extends Change>(changes: readonly Some[]): Some[] {
  return changes.toSorted(
    (a, b) => opOrder.indexOf(a.op) - opOrder.indexOf(b.op) || (a.op === 'update' ? 0 : compareRecords(a, b)),
  );
}

function inRowOrder(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((a, b) => compareRecords(a, b) || compareTexts(a.id, b.id));
}

function subjectOf(question: Question): string {
  return question.kind === 'contact' ? question.uuid : question.key;
}
