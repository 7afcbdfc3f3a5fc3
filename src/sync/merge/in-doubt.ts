// The plan of a contact whose row cannot be told from a copy of it (I4).
import { lastSeen, type Link } from '../record/base.ts';
import { editedAt, withContactRead } from '../record/link.ts';
import type { Person } from '../record/person.ts';
import type { ContactRecord } from '../record/record.ts';
import type { PersonContext, PersonPlan } from './person-plan.ts';

type Context = Pick<PersonContext, 'mapping' | 'crm' | 'answers'>;

const nothing = { changes: [], problems: [] };

/**
 * Nothing is concluded about rows. What is known of the contact is stored, for the run in which one row is left, and for
 * runs between two full scans, which match other rows by its keys.
 */
export function planRowInDoubt(context: Context, { uuid, link, contact }: Person): PersonPlan {
  if (!link || contact === 'unread') return { link: link ?? null, ...nothing };
  return contact === 'absent' ? whileAbsent(context, uuid, link) : asRead(context, link, contact);
}

/** The reading is merged once one row is left, even if that run does not read the contact. */
function asRead({ mapping }: Context, link: Link, contact: ContactRecord): PersonPlan {
  const isBack = link.standing === 'left' || link.standing === 'contact-gone';
  const isNews = contact.values !== lastSeen(link, 'crm') || link.isUnsure || link.missedScans !== undefined || isBack;
  if (!isNews) return { link, ...nothing };
  const { updatedAt: _before, ...seen } = withContactRead(isBack ? here(link) : link, contact.values);
  const updatedAt = editedAt(mapping, link, contact);
  return { link: { ...seen, isOpen: true, ...(updatedAt !== undefined && { updatedAt }) }, ...nothing };
}

/** A whole scan did not show it: as D3 and D4 ask, without what they do with the row. */
function whileAbsent(context: Context, uuid: string, link: Link): PersonPlan {
  if (link.standing === 'left' || link.standing === 'contact-gone') return { link, ...nothing };
  const isProvenAbsent = !context.crm.isDrifted || (link.missedScans ?? 0) > 0;
  if (!isProvenAbsent) return { link: { ...link, missedScans: 1 }, ...nothing };
  const answer = context.answers.contacts.get(uuid);
  const { missedScans: _missed, ...rest } = link;
  switch (answer?.kind) {
    case undefined:
      return { link, ...nothing, question: 'D3' };
    case 'unanswered':
      return { link, ...nothing };
    case 'here':
      return { ...asRead(context, link, answer.contact), answered: answer.contact };
    case 'elsewhere':
      return { link: { ...rest, standing: 'left', standsFor: answer.where }, ...nothing };
    case 'gone':
      // `planWithoutContact` decides about the row, once it can be told from its copies.
      return { link: { ...rest, standing: 'contact-gone', isUndecided: true }, ...nothing };
  }
}

function here({ standing: _standing, standsFor: _why, isUndecided: _undecided, ...link }: Link): Link {
  return link;
}
