import type { Law } from '../oracle/evidence.ts';
import { isWinning, linkedPairs, storyOf } from './records.ts';

/** L6, W9. With a winning policy no conflict stays; one more run writes nothing to a side or to the state. */
export const converges: Law = (evidence) => [
  ...idleWrites(evidence).map((text) => ({ law: 'L6', text: `a run with nothing to do wrote ${text}` })),
  ...linkedPairs(evidence).flatMap(({ contact, person }) =>
    evidence.quiet.problems.flatMap(({ kind, uuid, field, reason }) => {
      const found = evidence.setting.fields.find((each) => each.field === field);
      if (kind !== 'conflict' || uuid !== contact.uuid || !found || !isWinning(evidence, found.field)) return [];
      return [
        {
          law: 'L6',
          text: `${person} ${field} is in conflict with a winning policy: ${reason}${storyOf(evidence, person, found.field)}`,
        },
      ];
    }),
  ),
];

/**
 * Writes that the service refused or did not answer are repeated later: then a run has something to do. So has a run after one
 * whose scan was not whole, which chance decides where ties change places (G5): it notes that it read everything.
 */
function idleWrites({ quiet, setting }: Parameters<Law>[0]): readonly string[] {
  const isIncomplete = [quiet.report, ...quiet.idleReports].some(({ problems }) =>
    problems.some(({ kind }) => kind === 'incomplete'),
  );
  if (isIncomplete && setting.switches.tieOrder === 'random') return [];
  const isTried = ({ kind, rule }: (typeof quiet.problems)[number]) =>
    kind === 'failed' || kind === 'unknown' || (kind === 'refused' && rule === 'W5');
  return quiet.report.problems.some(isTried) ? [] : quiet.idleWrites;
}
