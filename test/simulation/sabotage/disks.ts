// Sabotages that only stories with a disk that lies notice.
import type { Sabotage } from './sabotage.ts';

export const lying: readonly Sabotage[] = [
  {
    name: 'bytes of a batch whose sync failed are not cut off',
    file: 'state/file/journal.ts',
    text: 'await cutTo(file, start);\n        throw',
    instead: 'throw',
  },
  {
    name: 'what a failed sync of a killed process left is synced again and relied on',
    file: 'state/file/journal.ts',
    text: `        // No later sync writes the data of a failed one: Linux counts them as written (fsync(2), "ERRORS").
        unsure = true;`,
    instead: '',
  },
  {
    name: 'a file is set aside at its first wrong reading',
    file: 'state/file/reading.ts',
    text: 'const readAttemptsMax = 5;',
    instead: 'const readAttemptsMax = 1;',
  },
];
