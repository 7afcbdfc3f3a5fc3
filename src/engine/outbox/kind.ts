// The words and abilities of the kind outbox.
import type { Kind } from '../kind.ts';

/** Rows that are messages or e-mails to send. */
export const outboxKind: Kind = {
  name: 'outbox',
  one: 'an outbox',
  many: 'outboxes',
  fullScans: 'never',
  isSaved: true,
  takesDecisions: true,
  words: {
    linked: (count) => `${count} ${count === 1 ? 'row' : 'rows'} sent`,
    records: 'contacts',
    update: { one: 'contact to update in the service', many: 'contacts to update in the service' },
    approved: 'them be sent',
  },
};
