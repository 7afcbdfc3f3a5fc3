import type { Kind } from '../kind.ts';

/**
 * One collection of the service, mirrored into a tab. Plans are not saved: what a feed writes is in the service and can be
 * had again, and a wish to start or stop stands in its cell.
 */
export const feedKind: Kind = {
  name: 'feed',
  one: 'a feed',
  many: 'feeds',
  fullScans: 'always',
  isSaved: false,
  takesDecisions: false,
  words: {
    linked: (count) => `${count} linked`,
    records: 'automations',
    // On the service's side a feed starts and stops automations, and changes nothing else (E7).
    update: { one: 'automation to start or stop', many: 'automations to start or stop' },
    approved: 'the wishes through',
  },
};
