// The plan of a person whose contact is there, or was when it was last read: the fields of both sides are merged.
import type { Change, FieldChange, Problem } from '../change.ts';
import { problem } from '../change.ts';
import type { ContactAnswer } from '../input.ts';
import { lastSeen, type Link } from '../record/base.ts';
import { editedAt, linkOf, withContactRead } from '../record/link.ts';
import { isReadFromCrm } from '../record/mapping.ts';
import type { Person } from '../record/person.ts';
import { type ContactRecord, pack, type Packed, type RowRecord, unpack } from '../record/record.ts';
import { pausedBy, refusedSet, withRefusal } from '../record/refusal.ts';
import type { RuleId } from '../rules.ts';
import { mergeRecord } from './merge-record.ts';
import { appendRow } from './new-record.ts';
import type { PersonContext, PersonPlan } from './person-plan.ts';
import type { Reading } from '../value/value.ts';
import { mayHaveRow, planRowGone, planRowGoneAsRead } from './row-gone.ts';

/** The contact was read. */
export function planPresent(context: PersonContext, person: Person, contact: ContactRecord): PersonPlan {
  const { link, row } = person;
  if (row) return mergePresent(context, person, contact.values);
  if (!link) return { link: null, ...appendRow(context, person.uuid, contact.values, 'merge', 'new in the CRM') };
  const isBack = link.standing === 'left' || link.standing === 'contact-gone';
  if (isBack && (mayHaveRow(context) || context.undecidedRows.length > 0)) {
    const { standing: _standing, standsFor: _why, isUndecided: _undecided, ...rest } = link;
    const kept: Link = { ...withContactRead(rest, contact.values), isOpen: true, isBack: true };
    return planRowGone(context, person, kept, 'unchanged');
  }
  if (isBack) return { link: null, ...appendRow(context, person.uuid, contact.values, 'D4', 'back in scope') };
  return planRowGoneAsRead(context, person, link, contact);
}

/** No page showed the contact, and the service answered it when asked. */
export function planAnswered(context: PersonContext, person: Person, contact: ContactRecord): PersonPlan {
  return { ...planPresent(context, person, contact), answered: contact };
}

/** An unread contact counts as last seen. Scans that missed it stay counted (D3). */
export function mergeUnread(
  context: PersonContext,
  person: Person,
  link: Link,
  missedScans: number | undefined,
): PersonPlan {
  const merged = mergePresent(context, person, lastSeen(link, 'crm'));
  return missedScans === undefined || !merged.link ? merged : { ...merged, link: { ...merged.link, missedScans } };
}

/**
 * W4, L3: the outcome of the last write to the contact is unknown, so the last reading may be out of date. An answer
 * counts as a reading (`match.ts`). Until then the fields that were sent are left alone, and a missing row is not judged.
 */
export function planUnsure(context: PersonContext, person: Person, link: Link): PersonPlan {
  const { uuid, row } = person;
  const answer = context.answers.contacts.get(uuid);
  if (answer === undefined) return { link, changes: [], problems: [], question: 'W4' };
  const [kind, reason] = whyUnsure(answer);
  const told = problem(kind, { uuid, row: row?.number ?? null }, 'W4', reason);
  if (!row) return { link, changes: [], problems: [told] };
  const merged = mergeUnread(context, person, link, link.missedScans);
  return { ...merged, problems: [...merged.problems, told] };
}

function whyUnsure(answer: ContactAnswer): readonly ['unknown' | 'waiting', string] {
  switch (answer.kind) {
    case 'here':
      return ['unknown', 'the last write may have been made: the service answered as it was before'];
    case 'unanswered':
      return ['unknown', `the last write may have been made: ${answer.why}`];
    case 'gone':
      return ['waiting', 'not found when it was asked for: a full scan tells whether it is gone'];
    case 'elsewhere':
      return ['waiting', `found ${answer.where}: a full scan tells whether it left`];
  }
}

/** Contact and row are there: every field is merged. */
function mergePresent(context: PersonContext, { uuid, link, contact, row }: Person, crm: Packed): PersonPlan {
  if (!row) throw new Error('a person without a row has nothing to merge');
  const values = unpack(crm);
  const { fields } = context.mapping;
  const updatedAt = editedAt(context.mapping, link, contact);
  const merged = mergeRecord(context, {
    uuid,
    row,
    base: link ? unpack(link.agreed) : baseOfNewLink(context, uuid, row),
    crm: fields.map((field, index) => (isReadFromCrm(field) ? values[index] : undefined)),
    sheet: unpack(row.values),
    notes: link?.notes ?? {},
    ...(updatedAt !== undefined && { updatedAt }),
  });
  const problems = [...merged.problems];
  const about = { uuid, row: row.number };
  const changes: Change[] = [];
  const refusal = link?.refusal?.sheet === row.values ? link.refusal : undefined;
  const refused = merged.toCrm.length > 0 ? pausedBy(context, refusal, about, 'refused') : undefined;
  if (merged.toCrm.length > 0 && !refused) {
    changes.push({ side: 'crm', op: 'update', ...about, fields: merged.toCrm, ...ruleAndReason(merged.toCrm) });
  }
  const id = row.id === uuid ? undefined : uuid;
  const isSet = merged.toSheet.length > 0 || id !== undefined;
  const ofSheet = isSet ? refusedSet(link, row.values, crm) : undefined;
  const refusedBySheet = pausedBy(context, ofSheet, about, 'refused');
  problems.push(...refusedOnce(refused, refusedBySheet));
  if (isSet && !refusedBySheet) {
    const why =
      id === undefined
        ? ruleAndReason(merged.toSheet)
        : { rule: idRule(link, row), reason: 'the row is this contact’s' };
    const set = { side: 'sheet', op: 'set', ...about, fields: merged.toSheet, ...why } as const;
    changes.push(id === undefined ? set : { ...set, id });
  }
  const merging = linkOf({
    agreed: pack(merged.agreed),
    crm,
    sheet: row.values,
    notes: merged.notes,
    isOpen: changes.length > 0 || problems.length > 0,
    rowId: id === undefined ? undefined : row.id,
    writtenAt: link?.writtenAt,
    shownAt: link?.shownAt,
    updatedAt,
    refusal,
    isUnsure: typeof contact === 'object' ? undefined : link?.isUnsure,
    // G2: a refused write was allowed. It is the same change when it is tried again.
    counted: [...(refused ? merged.toCrm : []), ...(refusedBySheet ? merged.toSheet : [])],
  });
  return {
    link: withRefusal(merging, ofSheet),
    changes,
    problems,
    ...(merged.questions.length > 0 && { keyQuestions: merged.questions }),
  };
}

/**
 * M4: whoever emptied a cell of a column that is only sent, after a call that made the contact with its value, edited it. Of all else
 * nothing was agreed on yet. L3: a row that an earlier run appended, as its ID tells, was given what the contact held.
 */
function baseOfNewLink({ base, mapping }: PersonContext, uuid: string, row: RowRecord): readonly Reading[] {
  const given = base.appendedOf?.get(uuid);
  if (given !== undefined && row.id === uuid) return unpack(given);
  const made = base.madeOf?.get(uuid);
  const before = made === undefined ? [] : unpack(made);
  const now = unpack(row.values);
  return mapping.fields.map(({ direction }, index) =>
    direction === 'to_crm' && now[index] === null ? before[index] : undefined,
  );
}

/** L12: a record is named once, also if the service and the spreadsheet both refused what was to be written. */
function refusedOnce(byService: Problem | undefined, bySheet: Problem | undefined): readonly Problem[] {
  const both = [byService, bySheet].filter((each) => each !== undefined);
  if (!byService || !bySheet || byService.kind !== bySheet.kind) return both;
  return [{ ...byService, reason: `${byService.reason}; its cells: ${bySheet.reason}` }];
}

/**
 * The rule for writing an ID: the cell was emptied (I5), the contact has another uuid now (I10), or the row was found by
 * its key (I2).
 */
function idRule(link: Link | undefined, row: RowRecord): RuleId {
  if (row.id !== '') return 'I10';
  return link ? 'I5' : 'I2';
}

/** A change has the rule and reason of its first field. */
function ruleAndReason([first]: readonly FieldChange[]): Pick<Change, 'rule' | 'reason'> {
  return { rule: first?.rule ?? 'merge', reason: first?.reason ?? '' };
}
