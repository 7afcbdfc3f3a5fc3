// A person whose contact was not shown by a whole scan, or is known to be gone or in another list (D3, D4, D6).
import { type Change, problem } from '../change.ts';
import type { ContactAnswer } from '../input.ts';
import type { Link } from '../record/base.ts';
import { whyRowIsKept } from '../record/edited-since.ts';
import type { Person } from '../record/person.ts';
import type { PersonContext, PersonPlan } from './person-plan.ts';
import { mergeUnread, planAnswered, planUnsure } from './present.ts';
import { mayHaveRow, rowNotFound } from './row-gone.ts';

/** D3, D4, D6: a whole scan did not show the contact. */
export function planAbsent(context: PersonContext, person: Person, link: Link): PersonPlan {
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
      const reason = `not known whether its contact is still there, is asked again: ${answer.why}`;
      return { link, changes: [], problems: [problem('waiting', { uuid, row: row?.number ?? null }, 'D3', reason)] };
    }
    case 'here':
      return planAnswered(context, person, answer.contact);
    case 'elsewhere':
      return leaveRowAlone(context, person, link, 'left', answer.where);
    case 'gone':
      return planContactGone(context, person, link);
  }
}

function planContactGone(context: PersonContext, person: Person, link: Link): PersonPlan {
  const { uuid, row } = person;
  if (!row) return { link: null, changes: [], problems: [] };
  // I4: of two rows with one ID it is not known which one would be deleted.
  const kept = whyRowIsKept(context.mapping, link, row) ?? (context.isCopied ? 'copied here since' : undefined);
  if (context.mapping.onContactDeleted !== 'delete_row' || kept !== undefined) {
    return leaveRowAlone(context, person, link, 'contact-gone', kept);
  }
  const about = { uuid, row: row.number, fields: [], rule: 'D3' } as const;
  const remove: Change = { side: 'sheet', op: 'remove', ...about, reason: 'the contact was deleted in the CRM' };
  // Not open: until the next scan that sees every contact there is nothing to look at (W9).
  return { link, changes: [remove], problems: [] };
}

/** An earlier run found that the contact is gone or left. The row stays as it is. */
export function planWithoutContact(context: PersonContext, person: Person, link: Link): PersonPlan {
  const { standing: _standing, isUndecided, ...rest } = link;
  // I4: it was found gone while its row was in doubt. What is done about that was not decided then.
  if (isUndecided) return planContactGone(context, person, rest);
  return leaveRowAlone(context, person, link, link.standing === 'left' ? 'left' : 'contact-gone', link.standsFor);
}

/**
 * The row stays and says why. Nothing that is typed there is sent. Without a row the link ends. It stays while some row
 * may be the row of a contact in another list, and move the contact here again (I2): without the base an emptied field
 * would be filled again (L1).
 */
function leaveRowAlone(
  context: PersonContext,
  { uuid, row }: Person,
  link: Link,
  standing: 'left' | 'contact-gone',
  more: string | undefined,
): PersonPlan {
  const { mapping, crm } = context;
  const { isOpen: _isOpen, isUnsure: _unsure, missedScans: _missed, standsFor: _why, ...rest } = link;
  const stands = { standing, ...(more !== undefined && { standsFor: more }) };
  if (!row) {
    const isKept = standing === 'left' && mayHaveRow(context);
    return isKept
      ? { link: { ...rest, ...stands }, changes: [], problems: rowNotFound(context, uuid) }
      : { link: null, changes: [], problems: [] };
  }
  const detail = more === undefined ? '' : `: ${more}`;
  const reason =
    standing === 'left' ? `no longer in ${crm.scope}${detail}` : `deleted in the CRM${detail}; the row is left alone`;
  const isSilent = standing === 'contact-gone' && mapping.onContactDeleted === 'ignore';
  const said = problem('ignored', { uuid, row: row.number }, standing === 'left' ? 'D4' : 'D3', reason);
  return { link: { ...rest, ...stands }, changes: [], problems: isSilent ? [] : [said] };
}
