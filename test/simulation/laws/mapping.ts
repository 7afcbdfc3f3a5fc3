import type { Law } from '../oracle/evidence.ts';
import { storyOf } from './records.ts';

/** M9. A column that has left the mapping is written on neither side. */
export const mapping: Law = (evidence) =>
  evidence.writes.flatMap(({ side, person, field, before, after, isUnmapped }) => {
    if (!isUnmapped) return [];
    const text = `${person} ${field} in the ${side} became ${JSON.stringify(after)} instead of ${JSON.stringify(before)}, and ${field} is not mapped`;
    return [{ law: 'M9', text: text + storyOf(evidence, person, field) }];
  });
