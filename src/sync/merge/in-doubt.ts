// The plan of a contact whose row cannot be told from a copy of it (I4).
import type { PlanInput } from '../input.ts';
import { lastSeen } from '../record/base.ts';
import { editedAt, withContactRead } from '../record/link.ts';
import type { Person } from '../record/person.ts';
import type { PersonPlan } from './person-plan.ts';

/**
 * Nothing is concluded. The reading of the contact is stored: it is merged once one row is left, even if a later run does
 * not read the contact.
 */
export function planRowInDoubt({ mapping }: Pick<PlanInput, 'mapping'>, { link, contact }: Person): PersonPlan {
  const nothing = { changes: [], problems: [] };
  if (!link || typeof contact !== 'object') return { link: link ?? null, ...nothing };
  const isNews = contact.values !== lastSeen(link, 'crm') || link.isUnsure || link.missedScans !== undefined;
  if (!isNews) return { link, ...nothing };
  const { updatedAt: _before, ...seen } = withContactRead(link, contact.values);
  const updatedAt = editedAt(mapping, link, contact);
  return { link: { ...seen, isOpen: true, ...(updatedAt !== undefined && { updatedAt }) }, ...nothing };
}
