import { normalOf, readToken } from '../people/token.ts';
import type { Evidence, Law, Side } from '../oracle/evidence.ts';
import { isMistakable, storyOf } from './records.ts';

/**
 * L3. Both sides held every value of the base.
 *
 * One allowance (docs/testing.md): a sent value of which the service stores another form, until that form is in the sheet
 * (M5). A cell with a formula never takes it.
 */
export const honestBase: Law = (evidence) => {
  const { quiet, setting, mapped, directions, ownerOf, held } = evidence;
  return [...quiet.agreed].flatMap(([uuid, values]) => {
    const person = ownerOf(uuid);
    if (person === undefined || isMistakable(evidence, person)) return [];
    return [...values].flatMap(([field, value]) => {
      if (!mapped.has(field) || value === undefined) return [];
      const isSentOnly = directions(field).has('to_crm');
      const sides: Side[] = isSentOnly ? ['sheet'] : ['crm', 'sheet'];
      const text = value ?? '';
      if (isOfRowWithKeyOf(evidence, person, text)) return [];
      const missing = sides.filter((side) =>
        [...held(side, person, field), ''].every((each) => normalOf(field, each) !== normalOf(field, text)),
      );
      const isLoud = setting.isShouting && field === 'company_name';
      const loud = normalOf(field, text).toUpperCase();
      const isSentForm = isLoud && [...held('crm', person, field)].some((each) => normalOf(field, each) === loud);
      if (missing.length === 0 || (isSentForm && !missing.includes('sheet'))) return [];
      const said = `the base of ${person} ${field} is ${JSON.stringify(value)}, which the ${missing.join(' and the ')} never held`;
      return [{ law: 'L3', text: said + storyOf(evidence, person, field) }];
    });
  });
};

/** The value is of somebody into whose row a person typed an address of this one: a row with no other key is this one's then. */
function isOfRowWithKeyOf({ log }: Evidence, person: string, value: string): boolean {
  const other = readToken(value)?.person;
  if (other === undefined || other === person) return false;
  return log.typed.some(
    (each) => each.side === 'sheet' && each.person === other && readToken(each.text)?.person === person,
  );
}
