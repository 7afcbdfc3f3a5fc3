// The limits of a run by default (docs/configuration.md), written without the program's code.

/** Of fewer links, or enrolments in effect, a share says nothing (G2). */
export const countForShares = 5;

/** Shares of the links, in one run; of deletions also of the enrolments in effect (E5). */
export const deletesShare = 0.2;
export const changesShare = 0.5;
export const blanksShare = 0.2;
