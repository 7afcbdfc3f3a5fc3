import type { Law } from '../oracle/evidence.ts';
import { differences, linkedPairs, storyOf } from './records.ts';

/** L4. If one field is in conflict, held, parked, refused or unreadable, all other fields of the record are equal. */
export const frozenConflicts: Law = (evidence) =>
  linkedPairs(evidence).flatMap((pair) => {
    const { contact, row, person } = pair;
    const ofRecord = evidence.quiet.problems.filter(
      ({ uuid, row: number }) => uuid === contact.uuid || number === row.number,
    );
    const frozen = new Set(ofRecord.map(({ field }) => field));
    if (frozen.size === 0 || frozen.has(null)) return [];
    return differences(evidence, pair)
      .filter((field) => !frozen.has(field))
      .map((field) => ({
        law: 'L4',
        text: `${person} ${field} differs although only ${[...frozen].join(', ')} is frozen${storyOf(evidence, person, field)}`,
      }));
  });
