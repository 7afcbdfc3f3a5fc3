// Sabotages that only a story notices in which some things stay broken and others heal.
import type { Sabotage } from './sabotages.ts';

export const goingOn: readonly Sabotage[] = [
  {
    name: 'what was refused once waits for a person',
    file: 'sync/record/refusal.ts',
    text: ': pausesMs[times - 1];',
    instead: ': undefined;',
  },
];
