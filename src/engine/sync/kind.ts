// The words and abilities of the kind sync.
import type { Kind } from '../kind.ts';

/** Contacts and rows, kept equal in both directions. */
export const syncKind: Kind = {
  name: 'sync',
  one: 'a sync',
  many: 'syncs',
  fullScans: 'when asked',
  isSaved: true,
  takesDecisions: true,
  words: {
    linked: (count) => `${count} linked`,
    records: 'contacts',
    update: { one: 'contact to update in the service', many: 'contacts to update in the service' },
    approved: 'the wishes through',
  },
};
