import type { Law } from '../oracle/evidence.ts';
import { isWinning, linkedPairs, storyOf } from './records.ts';

/** L6, W9. With a winning policy nothing stays in conflict; and one more run writes nothing, to any side or to the state. */
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

/** What the service refuses or does not answer is tried again by and by: then there is something to do. */
function idleWrites({ quiet }: Parameters<Law>[0]): readonly string[] {
  const isTried = ({ kind, rule }: (typeof quiet.problems)[number]) =>
    kind === 'failed' || kind === 'unknown' || (kind === 'refused' && rule === 'W5');
  return quiet.report.problems.some(isTried) ? [] : quiet.idleWrites;
}
