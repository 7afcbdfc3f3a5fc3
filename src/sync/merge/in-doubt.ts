// A contact whose row cannot be told from a copy of it (I4).
import type { PlanInput } from '../input.ts';
import { lastSeen } from '../record/base.ts';
import { editedAt, withContactRead } from '../record/link.ts';
import type { Person } from '../record/person.ts';
import type { PersonPlan } from './person-plan.ts';

/**
 * A contact whose row is in doubt. Nothing is concluded. What was read of the contact is remembered: it is still to be merged
 * once there is one row, whatever is read then.
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
