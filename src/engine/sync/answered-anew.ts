// Whether a plan goes by answers of the service that are newer than the stored ones (I2, I7, V2).
import type { PlanInput } from '../../sync/input.ts';
import type { Plan } from '../../sync/plan.ts';
import { rowKey } from '../../sync/record/base.ts';

/**
 * G4: a run that is held stores none of them, and an incremental run, which does not ask again what is stored, would show a
 * plan that nothing holds.
 */
export function isAnsweredAnew({ base, sheet }: PlanInput, { changes, strays }: Plan): boolean {
  // A guard stopped the run before anything was asked.
  if (changes.length === 0) return false;
  const isOfNew = changes.some(({ uuid, fields }) => {
    const notes = base.links.get(uuid ?? '')?.notes;
    return (
      notes !== undefined &&
      fields.some(({ field, after, rule }) => {
        const { taken, conflictSince } = notes[field] ?? {};
        return taken?.value === after || (rule === 'V2' && conflictSince !== undefined);
      })
    );
  });
  if (isOfNew) return true;
  const elsewhere = new Set([...base.strays].flatMap(([key, { answered }]) => (isElsewhere(answered) ? [key] : [])));
  if (elsewhere.size === 0) return false;
  return sheet.rows.some((row) => {
    const key = rowKey(row);
    return elsewhere.has(key) && !isElsewhere(strays.get(key)?.answered);
  });
}

function isElsewhere(answered: { readonly kind: string } | undefined): boolean {
  return answered?.kind === 'elsewhere';
}
