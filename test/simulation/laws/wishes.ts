import type { Law } from '../oracle/evidence.ts';
import { storyOf } from './records.ts';

const hourMs = 3_600_000;

/** Two clocks count the hour. */
const slackMs = 5_000;

/** E4. No contact is enrolled that was vetoed before the run began, and no hour has more enrolments than the cap. */
export const wishes: Law = (evidence) => {
  const { enrolments, setting, isStateTampered } = evidence;
  const cap = setting.automation?.cap ?? Infinity;
  return enrolments.flatMap(({ person, wasVetoed, at }, index) => {
    if (wasVetoed) {
      return [{ law: 'E4', text: `${person} was enrolled, and had been vetoed before${storyOf(evidence, person)}` }];
    }
    const first = enrolments[index - cap];
    if (isStateTampered || !first || at - first.at >= hourMs - slackMs) return [];
    return [{ law: 'E4', text: `${cap + 1} were enrolled within an hour, and the cap is ${cap}` }];
  });
};
