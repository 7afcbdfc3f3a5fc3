import type { Enrolment, Evidence, Law, Violation } from '../oracle/evidence.ts';
import { storyOf } from './records.ts';

const hourMs = 3_600_000;

/** Two clocks count the hour. */
const slackMs = 5_000;

/** E4. No contact is enrolled that was vetoed before the run began, and no hour has more enrolments than the cap. */
export const wishes: Law = (evidence) => [
  ...vetoedAndTooMany(evidence),
  ...cancelledCovered(evidence),
  ...cancelledAgainstPolicy(evidence),
];

/** E5. Under `on_clear: ignore` a cell takes nobody out. */
function cancelledAgainstPolicy({ policies, cellCancels, ownerOf }: Evidence): readonly Violation[] {
  if (policies.some(({ automation }) => automation?.onClear === 'cancel')) return [];
  return cellCancels.map(({ uuid, automation }) => ({
    law: 'E5',
    text: `${ownerOf(uuid)} was taken out of ${automation}, and no policy asks for it`,
  }));
}

/** E5, V3. Of a covered wish nobody knows what it says, and nobody took it out. */
function cancelledCovered(evidence: Evidence): readonly Violation[] {
  return evidence.cancelledCovered.map(({ person, automation }) => ({
    law: 'E5',
    text: `${person} was taken out of ${automation}, while merged cells covered the wish${storyOf(evidence, person)}`,
  }));
}

function vetoedAndTooMany(evidence: Evidence): readonly Violation[] {
  const { enrolments, policies, isStateTampered } = evidence;
  const cap = Math.max(...policies.map(({ automation }) => automation?.cap ?? Infinity));
  const vetoed = enrolments.flatMap(({ person, wasVetoed }) =>
    wasVetoed
      ? [{ law: 'E4', text: `${person} was enrolled, and had been vetoed before${storyOf(evidence, person)}` }]
      : [],
  );
  if (isStateTampered) return vetoed;
  const counted = enrolments.filter((enrolment) => !isDisproven(evidence, enrolment));
  const tooMany = counted.flatMap(({ at }, index) => {
    const first = counted[index - cap];
    if (!first || at - first.at >= hourMs - slackMs) return [];
    return [{ law: 'E4', text: `${cap + 1} were enrolled within an hour, and the cap is ${cap}` }];
  });
  return [...vetoed, ...tooMany];
}

/**
 * E3: a call without an answer, whose contact a person deleted before any run saw it. The service shows the same as if the
 * call had not been made, which counts as proof of that. A contact that a run saw is in the history. A search
 * that lags may show it once it is deleted: then the first run that names it began after that.
 */
function isDisproven({ log, quiet, history, runs, ownerOf }: Evidence, { uuid, seq }: Enrolment): boolean {
  const wasDeleted = log.people.get(ownerOf(uuid) ?? '')?.deletedIn.has('crm') === true;
  const isThere = quiet.contacts.some((contact) => contact.uuid === uuid);
  const told = new Set(history.flatMap(({ contact, run }) => (contact === uuid ? [run] : [])));
  const firstTold = Math.min(Infinity, ...runs.filter(({ run }) => told.has(run)).map((run) => run.seq));
  return wasDeleted && !isThere && log.contactDeletions.some((at) => at > seq && at < firstTold);
}
