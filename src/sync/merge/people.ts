// Plans every person of a sync: linked people, people that were matched in this run, and contacts that get a row.
import { type Change, type Problem, problem, type Question } from '../change.ts';
import type { PlanInput } from '../input.ts';
import type { SharedId } from '../match/copies.ts';
import type { Matched } from '../match/match.ts';
import type { NewRow } from '../match/new-rows.ts';
import type { Link } from '../record/base.ts';
import { isSameLink, withCopies } from '../record/link.ts';
import type { LinkedRow, Person } from '../record/person.ts';
import type { ContactRecord, RowRecord } from '../record/record.ts';
import { planRowInDoubt } from './in-doubt.ts';
import { isUntouched, planPerson } from './person.ts';
import type { PersonPlan } from './person-plan.ts';

export interface PeoplePlan {
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
  readonly questions: readonly Question[];
  readonly links: ReadonlyMap<string, Link | null>;
  readonly people: ReadonlyMap<string, Person>;
  readonly wishers: readonly LinkedRow[];
  readonly linked: number;
}

export function planPeople(input: PlanInput, matched: Matched): PeoplePlan {
  const { base, crm, mapping } = input;
  const { contactByUuid, rowByUuid, sharedIds } = matched;
  const changes: Change[] = [];
  const problems: Problem[] = [];
  const questions: Question[] = [];
  const links = new Map<string, Link | null>();
  const people = new Map<string, Person>();
  const wishers: LinkedRow[] = [];
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
    else planOne(uuid, link, contact, row);
  });
  rowByUuid.forEach((row, uuid) => {
    if (base.links.has(uuid) || !contactByUuid.has(uuid)) return;
    if (mapping.enrolment) wishers.push({ uuid, row });
    planOne(uuid, undefined, contactByUuid.get(uuid), row);
  });
  for (const contact of matched.newContacts) planOne(contact.uuid, undefined, contact, undefined);
  wishers.sort((a, b) => a.row.number - b.row.number);
  return { changes, problems, questions, links, people, wishers, linked };

  function planOne(
    uuid: string,
    link: Link | undefined,
    contact: ContactRecord | undefined,
    row: RowRecord | undefined,
  ): void {
    const absence = crm.coverage === 'whole' && !matched.stale.has(uuid) ? 'absent' : 'unread';
    const person: Person = { uuid, link, contact: contact ?? absence, row };
    const planned = planWithCopies(person);
    changes.push(...planned.changes);
    problems.push(...planned.problems);
    if (isLinkedAfter(planned)) linked += 1;
    questions.push(...(planned.keyQuestions ?? []));
    if (planned.question) questions.push({ kind: 'contact', uuid, rule: planned.question });
    if (!isSameLink(planned.link, link)) links.set(uuid, planned.link);
    if (planned.changes.length > 0 || planned.problems.length > 0) {
      people.set(uuid, { ...person, contact: planned.answered ?? person.contact });
    }
  }

  function planWithCopies(person: Person): PersonPlan {
    const shared = sharedIds.get(person.uuid);
    const isWithheld = matched.withheld.has(person.uuid);
    const isCopied = shared !== undefined && shared.others.length > 0;
    const { doubtfulRows, undecidedRows } = matched;
    const planned =
      shared && !shared.keeper
        ? planRowInDoubt(input, person)
        : planPerson({ ...input, doubtfulRows, undecidedRows, isWithheld, isCopied }, person);
    const { link } = planned;
    if (!shared || !link) return withoutWritesToCopiedRow(planned, shared);
    return withoutWritesToCopiedRow({ ...planned, link: withCopies(link, shared.copies) }, shared);
  }
}

/**
 * I2: contacts that are moved here from another list are merged and enrolled as if they were here already. One whose link
 * is known is merged with its base: a field that a person emptied is not filled again (L1). What goes into their rows is
 * planned once they are here (`planSheetChanges`).
 */
export function planMovedHere(
  input: PlanInput,
  newRows: readonly NewRow[],
): {
  readonly changes: readonly Change[];
  readonly people: ReadonlyMap<string, Person>;
  readonly wishers: readonly LinkedRow[];
} {
  const changes: Change[] = [];
  const people = new Map<string, Person>();
  const wishers: LinkedRow[] = [];
  for (const { row, moves: uuid, contact } of newRows) {
    if (uuid === undefined) continue;
    if (input.mapping.enrolment) wishers.push({ uuid, row });
    if (!contact) continue;
    const person: Person = { uuid, link: input.base.links.get(uuid), contact, row };
    people.set(uuid, person);
    const planned = planPerson(
      { ...input, doubtfulRows: [], undecidedRows: [], isWithheld: false, isCopied: false },
      person,
    );
    changes.push(...planned.changes.filter(({ op }) => op === 'update'));
  }
  return { changes, people, wishers };
}

/**
 * I4: a copied row is not written until one of the rows with its ID is gone. The ID does not tell it from the copy, so
 * the spreadsheet side would refuse the write in every run.
 */
function withoutWritesToCopiedRow(planned: PersonPlan, shared: SharedId | undefined): PersonPlan {
  const copies = shared?.others ?? [];
  const held = copies.length > 0 && planned.changes.find(({ op }) => op === 'set');
  if (!held) return planned;
  const numbers = copies.map(({ number }) => number).join(', ');
  const reason = `its row was copied to row ${numbers}: nothing is written into it until the copy is gone`;
  return {
    ...planned,
    changes: planned.changes.filter(({ op }) => op !== 'set'),
    problems: [...planned.problems, problem('held', { uuid: held.uuid, row: held.row }, 'I4', reason)],
  };
}

function isLinkedAfter({ link, changes }: PersonPlan): boolean {
  if (changes.some(({ op }) => op === 'append')) return true;
  return link !== null && !changes.some(({ op }) => op === 'delete' || op === 'remove');
}
