import type { Law } from '../oracle/evidence.ts';
import { contactValue } from '../world/view.ts';
import { differences, linkedPairs, namedReason, storyOf } from './records.ts';

/**
 * L5. Every difference that is left once all is quiet is named: as a conflict, quarantined, held, waiting, parked or
 * failed.
 */
export const maximal: Law = (evidence) =>
  linkedPairs(evidence).flatMap((pair) =>
    differences(evidence, pair)
      .filter((field) => namedReason(evidence, pair, field) === undefined)
      .map((field) => {
        const { contact, row, person } = pair;
        const [a, b] = [contactValue(contact, field), row.value(field)];
        const text = `${person} ${field} is ${JSON.stringify(a)} in the CRM and ${JSON.stringify(b)} in row ${row.number}, and nothing is said of it`;
        return { law: 'L5', text: text + storyOf(evidence, person, field) };
      }),
  );
