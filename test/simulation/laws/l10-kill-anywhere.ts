import type { Law } from '../oracle/evidence.ts';

/** L10. Two runs after a kill, nothing of it is left: no note of a step in progress, no mark in the sheet. */
export const killAnywhere: Law = ({ quiet }) => [
  ...quiet.openNotes
    .filter((note) => /^\d{8}-/.test(note))
    .map((note) => ({ law: 'L10', text: `the outbox still has the step ${note}` })),
  // Until somebody puts right what stops the sync (G1), no run writes into the tab, its marks included.
  ...(quiet.report.holds.some(({ fails }) => fails) ? [] : quiet.leftovers).map((mark) => ({
    law: 'L10',
    text: `the mark ${mark} is left in the sheet`,
  })),
];
