import type { Law } from '../oracle/evidence.ts';

/** L10. Two runs after a kill, nothing of it is left: no note of a step in progress, no mark in the sheet. */
export const killAnywhere: Law = ({ quiet }) => {
  const { holds } = quiet.report;
  // A run that is held has not looked at the rows that were appended, and keeps what they were given (L3).
  const isLeft = ({ isTold }: (typeof quiet.openNotes)[number]) => !isTold || holds.length === 0;
  const steps = quiet.openNotes.filter((note) => /^\d{8}-/.test(note.key) && isLeft(note));
  // Until somebody puts right what stops the sync (G1), no run writes into the tab, its marks included.
  const marks = holds.some(({ fails }) => fails) ? [] : quiet.leftovers;
  return [
    ...steps.map(({ key }) => ({ law: 'L10', text: `the outbox still has the step ${key}` })),
    ...marks.map((mark) => ({ law: 'L10', text: `the mark ${mark} is left in the sheet` })),
  ];
};
