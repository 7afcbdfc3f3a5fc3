// The words for what became of a change or of a decision. It has no imports: the command line declares them in an option.
/** What became of a change, then of a decision that a run took up. */
export const outcomes = ['done', 'refused', 'moved', 'unknown', 'failed', 'taken', 'void'] as const;
