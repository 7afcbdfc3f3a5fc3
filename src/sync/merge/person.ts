// Decides what happens to one person: merge, delete, restore or leave alone (rules D1 to D6). Each case is a file.
import type { PlanInput } from '../input.ts';
import type { Link } from '../record/base.ts';
import type { Person } from '../record/person.ts';
import type { ContactRecord, RowRecord } from '../record/record.ts';
import { planAbsent, planWithoutContact } from './contact-gone.ts';
import type { PersonContext, PersonPlan } from './person-plan.ts';
import { mergeUnread, planPresent, planUnsure } from './present.ts';
import { planRowGone } from './row-gone.ts';

/** Whether there is nothing to do: both sides are as last seen, and nothing is open. Most records end here. */
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
