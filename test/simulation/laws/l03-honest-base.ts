import { normalOf } from '../people/token.ts';
import type { Law, Side } from '../oracle/evidence.ts';
import { policyOf } from '../world/setting.ts';
import { isMistakable, storyOf } from './records.ts';

/** L3. What the state says both sides agreed on, both sides were seen to hold. */
export const honestBase: Law = (evidence) => {
  const { quiet, setting, ownerOf, held } = evidence;
  return [...quiet.agreed].flatMap(([uuid, values]) => {
    const person = ownerOf(uuid);
    if (person === undefined || isMistakable(evidence, person)) return [];
    return [...values].flatMap(([field, value]) => {
      const isKnown = setting.fields.some((each) => each.field === field);
      if (!isKnown || value === undefined) return [];
      const { direction } = policyOf(setting, field);
      const sides: Side[] = direction === 'to_crm' ? ['sheet'] : ['crm', 'sheet'];
      const text = value ?? '';
      const missing = sides.filter((side) =>
        [...held(side, person, field), ''].every((each) => normalOf(field, each) !== normalOf(field, text)),
      );
      if (missing.length === 0) return [];
      const said = `the base of ${person} ${field} is ${JSON.stringify(value)}, which the ${missing.join(' and the ')} never held`;
      return [{ law: 'L3', text: said + storyOf(evidence, person, field) }];
    });
  });
};
