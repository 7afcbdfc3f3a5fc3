import { normalOf } from '../people/token.ts';
import type { Evidence, Law, Write } from '../oracle/evidence.ts';
import { policyOf } from '../world/setting.ts';
import { hasDecided, isMistakable, storyOf } from './records.ts';

/** M3. Where blanks are ignored, the emptied side is refilled; nothing is emptied because the other side is. */
export const ignoredBlanks: Law = (evidence) =>
  evidence.writes.flatMap((write) => {
    const { side, person, field, before, after } = write;
    const { blank, direction } = policyOf(evidence.setting, field);
    const isEmptied = normalOf(field, before) !== '' && normalOf(field, after) === '';
    if (!isEmptied || blank !== 'ignore' || direction !== 'both' || isExcused(evidence, write)) return [];
    const text = `${person} ${field} in the ${side} was emptied, although blanks are ignored; it was ${JSON.stringify(before)}`;
    return [{ law: 'M3', text: text + storyOf(evidence, person, field) }];
  });

/** Keys that change hands are let go of first (I7); and who resolved a conflict may have said that it is to be blank. */
function isExcused(evidence: Evidence, { person, field }: Write): boolean {
  const isKey = field === 'email' || field === 'network_id';
  return isKey || person === undefined || hasDecided(evidence, 'resolve') || isMistakable(evidence, person);
}
