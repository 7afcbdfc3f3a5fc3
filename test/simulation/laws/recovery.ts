import type { Law } from '../oracle/evidence.ts';

/**
 * G2, G4, L10. If people only entered new records, no limit has anything to count, but a tight one of new contacts. No run is held then, whatever fails and
 * whenever the process dies.
 */
export const recovery: Law = ({ log, reports, setting, isStateTampered }) => {
  const mayCancel = log.wishChanges.length > 0;
  // An undo changes as much as the run that it takes back.
  // Cells that are merged and unmerged before a run looks count as emptied (V3).
  const hasMerged = log.story.some((line) => line.includes(' that covers '));
  if (isStateTampered || setting.limits === 'tight' || log.undos > 0 || hasMerged || !isOnlyEntering(log)) return [];
  return reports.flatMap(({ run, holds }) =>
    holds.flatMap(({ rule, reason }) =>
      rule === 'G2' && !(mayCancel && reason.includes('enrolments to cancel'))
        ? [{ law: 'G4', text: `run ${run} was held, though people only entered others: ${reason}` }]
        : [],
    ),
  );
};

/** All that was typed of each person was typed at once, on one side, and no record was removed, copied or named twice. */
function isOnlyEntering({ typed, people }: Parameters<Law>[0]['log']): boolean {
  const fields = new Set(typed.map(({ person, field }) => `${person} ${field}`));
  const acts = new Set(typed.map(({ person, seq }) => `${person} ${seq}`));
  return (
    fields.size === typed.length &&
    acts.size === new Set(typed.map(({ person }) => person)).size &&
    [...people.values()].every(({ deletedIn, tangles }) => deletedIn.size === 0 && tangles.size === 0)
  );
}
