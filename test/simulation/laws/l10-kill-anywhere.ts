import type { Law } from '../oracle/evidence.ts';

/** L10. Of whatever was cut short nothing is left once two runs have ended: no note of a step under way, no mark in the sheet. */
export const killAnywhere: Law = ({ quiet }) => [
  ...quiet.openNotes
    .filter((note) => /^\d{8}-/.test(note))
    .map((note) => ({ law: 'L10', text: `the outbox still has the step ${note}` })),
  ...quiet.leftovers.map((mark) => ({ law: 'L10', text: `the mark ${mark} is left in the sheet` })),
];
