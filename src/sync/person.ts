// One person, whoever is there of contact, row and link: merged, mourned, or left alone. The D rules are here.
import { lastSeen, type Link } from './base.ts';
import { type Change, type FieldChange, type Problem, problem, type Question } from './change.ts';
import type { ContactAnswer, PlanInput } from './input.ts';
import { isChangedSince, whyKept } from './edited-since.ts';
import { isTooLong, tooLong } from './kinds.ts';
import { isReadFromCrm, isWritable } from './mapping.ts';
import { editedAt, linkOf, seenAs } from './link.ts';
import { listed } from './matching.ts';
import { mergeRecord } from './merge-record.ts';
import { type ContactRecord, pack, type Packed, type RowRecord, unpack } from './record.ts';
import { pausedBy, refusedBefore, refusedSet, withRefusal } from './refusal.ts';
import type { RuleId } from './rules.ts';
import { isBlank } from './value.ts';

export interface Person {
  readonly uuid: string;
  readonly link: Link | undefined;
  /** `unread`: not read this run, and not missed either. `absent`: a whole scan did not show it. */
  readonly contact: ContactRecord | 'unread' | 'absent';
  readonly row: RowRecord | undefined;
}

export interface PersonPlan {
  /** As it becomes if none of the changes succeeds; null: there is nothing left to remember. */
  readonly link: Link | null;
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
  /** The contact is to be asked for before anything is concluded; the rule that wants it (D3, D5, W4). */
  readonly question?: 'D3' | 'D5' | 'W4';
  /** What else is to be asked before the plan is final (V2). */
  readonly keyQuestions?: readonly Question[];
  /** As it was answered to such a question, where the plan was made from that. */
  readonly answered?: ContactRecord;
}

interface PersonContext extends PlanInput {
  /** Numbers of rows whose ID is in doubt: while there are any, no row that is missing is gone (I5). */
  readonly doubtfulRows: readonly number[];
  /** A row without an ID may be this contact's, and says so: the contact's row is not gone (I2, L7). */
  readonly isWithheld: boolean;
  /** Another row has the same ID (I4). */
  readonly isCopied: boolean;
}

/** Nothing to look at: both sides are as they were left, and nothing is open. The one test that every record passes. */
export function isUntouched(
  link: Link,
  contact: ContactRecord | undefined,
  row: RowRecord | undefined,
  coverage: PlanInput['crm']['coverage'],
): boolean {
  return (
    row !== undefined &&
    (contact === undefined ? coverage !== 'whole' : contact.values === (link.crm ?? link.agreed)) &&
    row.values === (link.sheet ?? link.agreed) &&
    link.isOpen === undefined &&
    link.standing === undefined &&
    link.missedScans === undefined &&
    row.unreadable === undefined
  );
}

export function planPerson(context: PersonContext, person: Person): PersonPlan {
  const { link, contact, row } = person;
  if (typeof contact === 'object') return planPresent(context, person, contact);
  if (link === undefined) return { link: null, changes: [], problems: [] };
  if (link.standing === 'left' || link.standing === 'contact-gone') return planWithoutContact(context, person, link);
  if (contact === 'absent') return planAbsent(context, person, link);
  if (link.isUnsure) return planUnsure(context, person, link);
  return row ? mergeUnread(context, person, link, link.missedScans) : planRowGone(context, person, link, 'unread');
}

/**
 * W4, L3: the last write to it has no outcome that anybody saw, so that what was last seen may be older than what the
 * service holds. Who answers counts as read (`match.ts`); until then what was sent is left alone, and so is a row that is gone.
 */
function planUnsure(context: PersonContext, person: Person, link: Link): PersonPlan {
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

/** What was not read is as it was last seen; scans that missed it stay counted (D3). */
function mergeUnread(context: PersonContext, person: Person, link: Link, missedScans: number | undefined): PersonPlan {
  const merged = mergePresent(context, person, lastSeen(link, 'crm'));
  return missedScans === undefined || !merged.link ? merged : { ...merged, link: { ...merged.link, missedScans } };
}

/** The contact is there. */
function planPresent(context: PersonContext, person: Person, contact: ContactRecord): PersonPlan {
  const { link, row } = person;
  if (row) return mergePresent(context, person, contact.values);
  if (!link) return { link: null, ...appendRow(context, person.uuid, contact.values, 'merge', 'new in the CRM') };
  const isBack = link.standing === 'left' || link.standing === 'contact-gone';
  if (isBack) return { link: null, ...appendRow(context, person.uuid, contact.values, 'D4', 'back in scope') };
  const contactIs = isChangedSince(context.mapping, link, contact.values) ? 'changed' : 'unchanged';
  return planRowGone(context, person, seenAs(link, contact.values), contactIs);
}

/** No page showed it, and there it is. */
function planAnswered(context: PersonContext, person: Person, contact: ContactRecord): PersonPlan {
  return { ...planPresent(context, person, contact), answered: contact };
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
    base: link ? unpack(link.agreed) : fields.map(() => undefined),
    crm: fields.map((field, index) => (isReadFromCrm(field) ? values[index] : undefined)),
    sheet: unpack(row.values),
    notes: link?.notes ?? {},
    ...(updatedAt !== undefined && { updatedAt }),
  });
  const problems = [...merged.problems];
  const about = { uuid, row: row.number };
  const changes: Change[] = [];
  const refusal = link?.refusal?.sheet === row.values ? link.refusal : undefined;
  const refused = pausedBy(context, refusal, about, 'refused');
  if (refused && merged.toCrm.length > 0) {
    problems.push(refused);
  } else if (merged.toCrm.length > 0) {
    changes.push({ side: 'crm', op: 'update', ...about, fields: merged.toCrm, ...whole(merged.toCrm) });
  }
  const id = row.id === uuid ? undefined : uuid;
  const ofSheet = merged.toSheet.length > 0 || id !== undefined ? refusedSet(link, row.values, crm) : undefined;
  const refusedBySheet = pausedBy(context, ofSheet, about, 'refused');
  if (refusedBySheet) problems.push(refusedBySheet);
  else if (merged.toSheet.length > 0 || id !== undefined) {
    const why =
      id === undefined ? whole(merged.toSheet) : { rule: idRule(link, row), reason: 'the row is this contact’s' };
    const set = { side: 'sheet', op: 'set', ...about, fields: merged.toSheet, ...why } as const;
    changes.push(id === undefined ? set : { ...set, id });
  }
  const merging = linkOf({
    agreed: pack(merged.agreed),
    crm,
    sheet: row.values,
    notes: merged.notes,
    isOpen: changes.length > 0 || problems.length > 0,
    writtenAt: link?.writtenAt,
    updatedAt,
    refusal,
    isUnsure: typeof contact === 'object' ? undefined : link?.isUnsure,
    // G2: what was refused was let through, and is the same change when it is its turn again.
    counted: [...(refused ? merged.toCrm : []), ...(refusedBySheet ? merged.toSheet : [])],
  });
  return {
    link: withRefusal(merging, ofSheet),
    changes,
    problems,
    ...(merged.questions.length > 0 && { keyQuestions: merged.questions }),
  };
}

/** Why an ID is written: it was emptied, it is another one now, or the row was found by its key. */
function idRule(link: Link | undefined, row: RowRecord): RuleId {
  if (link) return 'I5';
  return row.id === '' ? 'I2' : 'I10';
}

/** A change as a whole has the reason of its first field. */
function whole([first]: readonly FieldChange[]): Pick<Change, 'rule' | 'reason'> {
  return { rule: first?.rule ?? 'merge', reason: first?.reason ?? '' };
}

/** D1, D2: a person deleted the row. */
function planRowGone(
  context: PersonContext,
  person: Person,
  link: Link,
  contactIs: 'changed' | 'unchanged' | 'unread',
): PersonPlan {
  const { uuid } = person;
  const crm = lastSeen(link, 'crm');
  const restore = (rule: RuleId, reason: string): PersonPlan => ({
    link: { ...link, isOpen: true },
    ...appendRow(context, uuid, crm, rule, reason),
  });
  const { onRowDeleted } = context.mapping;
  const op = onRowDeleted === 'delete_contact' ? 'delete' : 'cancel';
  const refusal = refusedBefore(link, op);
  if (context.requests.retry.has(uuid) && !refusal) return restore('D1', 'asked for again');
  if (link.standing === 'row-gone') return ignored(link);
  const { doubtfulRows, isWithheld } = context;
  if (doubtfulRows.length > 0 || isWithheld) {
    const reason = `its row is not found, and may be row ${listed(doubtfulRows)}: write its ID into the right one, or settle what these rows say`;
    // What changed meanwhile is still to be merged when the row turns up, whatever was last seen then.
    return {
      link: contactIs === 'changed' ? { ...link, isOpen: true } : link,
      changes: [],
      problems: isWithheld ? [] : [problem('held', { uuid }, 'I5', reason)],
    };
  }
  const about = { uuid, row: null, fields: [] };
  const isModified = op === 'delete' && contactIs === 'changed';
  const what = `its row was deleted, and ${op === 'delete' ? 'deleting' : 'cancelling'} it was refused by the service`;
  const paused = isModified ? undefined : pausedBy(context, refusal, { uuid, row: null }, what);
  if (paused) return { link: { ...link, isOpen: true }, changes: [], problems: [paused] };
  switch (onRowDeleted) {
    case 'ignore':
      return ignored(link);
    case 'restore':
      return restore('D1', 'its row was deleted, and rows are restored');
    case 'cancel_automations':
      return {
        link: { ...link, isOpen: true },
        changes: [{ side: 'crm', op: 'cancel', ...about, automation: null, rule: 'D1', reason: 'its row was deleted' }],
        problems: [],
      };
    case 'delete_contact':
      if (contactIs === 'changed') {
        return restore('D2', 'modified beat deleted: the contact changed while its row was deleted');
      }
      if (context.crm.coverage === 'partial') return notYet('not deleted before every contact was read');
      return contactIs === 'unread' ? askedFirst() : deleted();
  }

  function deleted(): PersonPlan {
    const change = { side: 'crm', op: 'delete', ...about, rule: 'D1', reason: 'its row was deleted' } as const;
    return { link: { ...link, isOpen: true }, changes: [change], problems: [] };
  }

  /** D5: what only was not seen to change is looked at once more before it is gone for good. */
  function askedFirst(): PersonPlan {
    const answer = context.answers.contacts.get(uuid);
    switch (answer?.kind) {
      case undefined:
        return { link, changes: [], problems: [], question: 'D5' };
      case 'unanswered':
        return notYet(`not deleted before it was looked at: ${answer.why}`);
      case 'here':
        return planAnswered(context, person, answer.contact);
      case 'gone':
      case 'elsewhere':
        return { link: null, changes: [], problems: [] };
    }
  }

  function notYet(reason: string): PersonPlan {
    return { link, changes: [], problems: [problem('waiting', { uuid }, 'D5', `its row was deleted; ${reason}`)] };
  }

  function ignored({ isOpen: _isOpen, ...rest }: Link): PersonPlan {
    const reason = 'its row was deleted: left alone until the row is back, or retry is said';
    return {
      link: { ...rest, standing: 'row-gone' },
      changes: [],
      problems: [problem('ignored', { uuid }, 'D1', reason)],
    };
  }
}

/** D3, D4, D6: a whole scan did not show the contact. */
function planAbsent(context: PersonContext, person: Person, link: Link): PersonPlan {
  const { uuid, row } = person;
  const answer: ContactAnswer | undefined = context.answers.contacts.get(uuid);
  const isProvenAbsent = !context.crm.isDrifted || (link.missedScans ?? 0) > 0;
  if (!isProvenAbsent) {
    if (link.isUnsure) return planUnsure(context, person, { ...link, missedScans: 1 });
    return row
      ? mergeUnread(context, person, link, 1)
      : { link: { ...link, missedScans: 1 }, changes: [], problems: [] };
  }
  switch (answer?.kind) {
    case undefined:
      return { link, changes: [], problems: [], question: 'D3' };
    case 'unanswered': {
      const reason = `is it still there? ${answer.why}`;
      return { link, changes: [], problems: [problem('waiting', { uuid, row: row?.number ?? null }, 'D3', reason)] };
    }
    case 'here':
      return planAnswered(context, person, answer.contact);
    case 'elsewhere':
      return row ? standApart(context, person, link, 'left', answer.where) : { link: null, changes: [], problems: [] };
    case 'gone':
      return planContactGone(context, person, link);
  }
}

function planContactGone(context: PersonContext, person: Person, link: Link): PersonPlan {
  const { uuid, row } = person;
  if (!row) return { link: null, changes: [], problems: [] };
  // I4: which of two rows with one ID would be deleted nobody knows.
  const kept = whyKept(context.mapping, link, row) ?? (context.isCopied ? 'copied here since' : undefined);
  if (context.mapping.onContactDeleted !== 'delete_row' || kept !== undefined) {
    return standApart(context, person, link, 'contact-gone', kept);
  }
  const about = { uuid, row: row.number, fields: [], rule: 'D3' } as const;
  const remove: Change = { side: 'sheet', op: 'remove', ...about, reason: 'the contact was deleted in the CRM' };
  // Not open: until the next scan that sees every contact there is nothing to look at (W9).
  return { link, changes: [remove], problems: [] };
}

/** The contact left before this run; what it was then still holds. */
function planWithoutContact(context: PersonContext, person: Person, link: Link): PersonPlan {
  if (!person.row) return { link: null, changes: [], problems: [] };
  return standApart(context, person, link, link.standing === 'left' ? 'left' : 'contact-gone', link.standsFor);
}

/** The row stays and says why; nothing typed there is sent. */
function standApart(
  { mapping, crm }: PersonContext,
  { uuid, row }: Person,
  link: Link,
  standing: 'left' | 'contact-gone',
  more: string | undefined,
): PersonPlan {
  const { isOpen: _isOpen, isUnsure: _unsure, missedScans: _missed, standsFor: _why, ...rest } = link;
  const detail = more === undefined ? '' : `: ${more}`;
  const reason =
    standing === 'left' ? `no longer in ${crm.scope}${detail}` : `deleted in the CRM${detail}; the row is left alone`;
  const isSilent = standing === 'contact-gone' && mapping.onContactDeleted === 'ignore';
  const said = problem('ignored', { uuid, row: row?.number ?? null }, standing === 'left' ? 'D4' : 'D3', reason);
  const stands = { standing, ...(more !== undefined && { standsFor: more }) };
  return { link: { ...rest, ...stands }, changes: [], problems: isSilent ? [] : [said] };
}

/** A row for a contact that has none: everything that may be shown and is not blank. */
function appendRow(
  { mapping }: Pick<PlanInput, 'mapping'>,
  uuid: string,
  crm: Packed,
  rule: RuleId,
  reason: string,
): Pick<PersonPlan, 'changes' | 'problems'> {
  const values = unpack(crm);
  const fields: FieldChange[] = [];
  const problems: Problem[] = [];
  for (const [index, field] of mapping.fields.entries()) {
    const value = values[index];
    if (!isWritable(field, 'sheet') || value === undefined || isBlank(value)) continue;
    if (isTooLong(value))
      problems.push(problem('refused', { uuid, field: field.name }, 'V6', `${field.header}: ${tooLong}`));
    else fields.push({ field: field.name, before: null, after: value, rule, reason });
  }
  return { changes: [{ side: 'sheet', op: 'append', uuid, row: null, fields, rule, reason }], problems };
}

/**
 * A contact for a row that has none: everything that may be sent and is not blank (I2). One that is only moved is not
 * changed: once it is here, it is merged like any other.
 */
export function createContact(
  { mapping }: Pick<PlanInput, 'mapping'>,
  row: RowRecord,
  moves?: string,
): Extract<Change, { op: 'create' }> {
  const values = unpack(row.values);
  const reason = moves === undefined ? 'new in the sheet' : 'moved here from another list';
  const fields = mapping.fields.flatMap((field, index): FieldChange[] => {
    const value = values[index];
    const isSent = moves === undefined && isWritable(field, 'crm') && value !== undefined && !isBlank(value);
    return isSent ? [{ field: field.name, before: null, after: value, rule: 'I2', reason }] : [];
  });
  return {
    side: 'crm',
    op: 'create',
    uuid: moves ?? null,
    row: row.number,
    fields,
    rule: 'I2',
    reason,
    key: row.values,
    ...(moves !== undefined && { moves }),
  };
}
