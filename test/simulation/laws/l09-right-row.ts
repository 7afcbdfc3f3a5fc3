import { normalOf, readToken } from '../people/token.ts';
import type { Law } from '../oracle/evidence.ts';
import { isMistakable, isServiceForm, storyOf, wentElsewhere } from './records.ts';

/** L9. No contact's value or ID is written into another's row, and no row's value into another contact. */
export const rightRow: Law = (evidence) => [
  ...evidence.writes.flatMap((write) => {
    const { side, person, field, after, isOfOtherSide, isOfThisSide } = write;
    const token = readToken(after);
    if (person === undefined || !token || token.person === person || isOfOtherSide || isOfThisSide) return [];
    if ([person, token.person].some((each) => isMistakable(evidence, each)) || wentElsewhere(evidence, write))
      return [];
    // The service stores a form of its own of what people gave to another person.
    if (side === 'crm' && isServiceForm(evidence, write)) return [];
    const held = evidence.held(side === 'crm' ? 'sheet' : 'crm', person, field);
    if ([...held].some((each) => normalOf(field, each) === normalOf(field, after))) return [];
    const text = `${JSON.stringify(after)} of ${token.person} was written into the ${side} of ${person}, ${field}`;
    return [{ law: 'L9', text: text + storyOf(evidence, person, field) }];
  }),
  ...evidence.namings.flatMap(({ uuid, owner, person }) => {
    if (uuid === '' || owner === undefined || person === undefined || owner === person) return [];
    const isTangled = [owner, person].some((each) => (evidence.log.people.get(each)?.tangles.size ?? 0) > 0);
    if (isTangled) return [];
    return [
      {
        law: 'L9',
        text: `the ID ${uuid} of ${owner} was written into the row of ${person}${storyOf(evidence, person)}`,
      },
    ];
  }),
];
