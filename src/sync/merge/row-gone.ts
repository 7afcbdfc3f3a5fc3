// The plan of a person whose row was deleted (D1, D2, D5).
import { firstFew, type Problem, problem } from '../change.ts';
import { whyNotFound } from '../match/missing-rows.ts';
import { lastSeen, type Link } from '../record/base.ts';
import { isChangedSince } from '../record/edited-since.ts';
import { withContactRead } from '../record/link.ts';
import type { Person } from '../record/person.ts';
import type { ContactRecord } from '../record/record.ts';
import { pausedBy, refusedBefore } from '../record/refusal.ts';
import type { RuleId } from '../rules.ts';
import { pausedInSync, pauseRows, rowPauses } from '../row-refusal.ts';
import { appendRow } from './new-record.ts';
import type { PersonContext, PersonPlan } from './person-plan.ts';

/** The same when the contact was read in this run. */
export function planRowGoneAsRead(
  context: PersonContext,
  person: Person,
  link: Link,
  contact: ContactRecord,
): PersonPlan {
  const contactIs = isChangedSince(context.mapping, link, contact.values) ? 'changed' : 'unchanged';
  return planRowGone(context, person, withContactRead(link, contact.values), contactIs);
}

/** I2, I5: a row whose ID is in doubt, or that has none, may be the contact's row. */
export function mayHaveRow({ doubtfulRows, isWithheld }: PersonContext): boolean {
  return doubtfulRows.length > 0 || isWithheld;
}

/** I5: a row without an ID that may be the contact's row says so itself. */
export function rowNotFound({ doubtfulRows, isWithheld }: PersonContext, uuid: string): readonly Problem[] {
  return isWithheld ? [] : [problem('held', { uuid }, 'I5', whyNotFound(doubtfulRows))];
}

/** D1, D2: a person deleted the row. */
export function planRowGone(
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
  if (mayHaveRow(context)) {
    // A change of the contact is merged when the row is back, even if a later run does not read the contact.
    return {
      link: contactIs === 'changed' ? { ...link, isOpen: true } : link,
      changes: [],
      problems: rowNotFound(context, uuid),
    };
  }
  // L7: what cannot be taken back waits for the answer about the other rows, or for as long as they settle.
  if (context.undecidedRows.length > 0 && (onRowDeleted !== 'ignore' || link.isBack)) {
    const reason = `its row is not found: nothing is done about it before it is known whose row ${firstFew(context.undecidedRows)} is`;
    const waiting = problem('waiting', { uuid }, 'D1', reason);
    return { link: contactIs === 'changed' ? { ...link, isOpen: true } : link, changes: [], problems: [waiting] };
  }
  if (link.isBack) return restoreIfThere('D4', 'back in scope');
  const about = { uuid, row: null, fields: [] };
  const isModified = op === 'delete' && contactIs === 'changed';
  const what = `its row was deleted, and ${op === 'delete' ? 'deleting' : 'cancelling'} it was refused by the service`;
  const paused = isModified ? undefined : pausedBy(context, refusal, { uuid, row: null }, what);
  if (paused) return { link: { ...link, isOpen: true }, changes: [], problems: [paused] };
  switch (onRowDeleted) {
    case 'ignore':
      return ignored(link);
    case 'restore':
      return restoreIfThere('D1', 'its row was deleted, and rows are restored');
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
      if (context.crm.coverage === 'partial')
        return notYet('its row was deleted; not deleted before every contact was read');
      return contactIs === 'unread' ? askedFirst('its row was deleted; not deleted') : deleted();
  }

  /** D6: a contact that was not read may be gone as well. While the spreadsheet refuses the row, that costs no call (W5). */
  function restoreIfThere(rule: RuleId, reason: string): PersonPlan {
    const restored = restore(rule, reason);
    if (contactIs !== 'unread') return restored;
    const isPaused = pauseRows(rowPauses(context), restored.changes, pausedInSync).problems.length > 0;
    return isPaused ? restored : askedFirst(`${reason}; its row is not made`);
  }

  function deleted(): PersonPlan {
    const change = { side: 'crm', op: 'delete', ...about, rule: 'D1', reason: 'its row was deleted' } as const;
    return { link: { ...link, isOpen: true }, changes: [change], problems: [] };
  }

  /** D5, D6: a contact that was not read is looked at once more. `waiting`: why, and what is not done before. */
  function askedFirst(waiting: string): PersonPlan {
    const answer = context.answers.contacts.get(uuid);
    switch (answer?.kind) {
      case undefined:
        return { link, changes: [], problems: [], question: 'D5' };
      case 'unanswered':
        return notYet(`${waiting} before the service answers for it: ${answer.why}`);
      case 'here':
        return { ...planRowGoneAsRead(context, person, link, answer.contact), answered: answer.contact };
      case 'gone':
      case 'elsewhere':
        return { link: null, changes: [], problems: [] };
    }
  }

  function notYet(reason: string): PersonPlan {
    return { link, changes: [], problems: [problem('waiting', { uuid }, 'D5', reason)] };
  }

  function ignored({ isOpen: _isOpen, ...rest }: Link): PersonPlan {
    const reason = `its row was deleted: left alone until the row is back; for a new row: leadsheet retry ${uuid}`;
    return {
      link: { ...rest, standing: 'row-gone' },
      changes: [],
      problems: [problem('ignored', { uuid }, 'D1', reason)],
    };
  }
}
