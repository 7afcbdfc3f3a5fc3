import type { Addition, Evidence, Law, Violation } from '../oracle/evidence.ts';
import { storyOf } from './records.ts';

/** L8. No contact is created twice, no row appended twice, and no contact enrolled more often than wished. */
export const once: Law = (evidence) => [
  ...evidence.additions.flatMap((addition) => judgeAddition(evidence, addition)),
  ...judgeEnrolments(evidence),
];

function judgeAddition(evidence: Evidence, { side, person, uuid, twins }: Addition): readonly Violation[] {
  if (twins.length === 0) return [];
  const tangles = (person !== undefined && evidence.log.people.get(person)?.tangles) || new Set<string>();
  // Duplicates that people made cannot be told apart by counting.
  if (tangles.size > 0) return [];
  const what = side === 'crm' ? 'a second contact' : 'a second row';
  return [
    {
      law: 'L8',
      text: `${what} of ${person} (${uuid}) was made beside ${twins.join(', ')}${storyOf(evidence, person)}`,
    },
  ];
}

function judgeEnrolments(evidence: Evidence): readonly Violation[] {
  const counts = new Map<string, number>();
  for (const { uuid, automation } of evidence.enrolments) {
    const key = `${uuid} ${automation}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].flatMap(([key, count]) => {
    const [uuid = ''] = key.split(' ');
    const person = evidence.ownerOf(uuid);
    const wished = Math.max(1, ...(evidence.log.people.get(person ?? '')?.wishes.values() ?? []));
    const retries = evidence.log.story.filter((line) => line.includes('"kind":"retry"')).length;
    const mayRepeat = evidence.policies.some(({ automation }) => automation?.onClear === 'cancel') ? wished : 1;
    if (count <= mayRepeat + retries || evidence.isStateTampered) return [];
    return [{ law: 'L8', text: `${person} was put into one automation ${count} times${storyOf(evidence, person)}` }];
  });
}
