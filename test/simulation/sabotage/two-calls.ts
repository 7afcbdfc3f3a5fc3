// Sabotages of changes that take two calls: an update of columns, and an upsert of custom fields.
import type { Sabotage } from './sabotage.ts';

export const twoCalls: readonly Sabotage[] = [
  {
    name: 'custom fields go to whoever has the identifier',
    file: 'crm/outreach/contacts/contacts.ts',
    text: 'if (found?.uuid === uuid) return undefined;',
    instead: 'if (found !== null) return undefined;',
  },
  {
    name: 'columns that were written before refused custom fields count as not written',
    file: 'engine/sync/push-update.ts',
    text: 'return contact ? onlyFirst(contact, refused) : refused;',
    instead: 'return refused;',
  },
];
