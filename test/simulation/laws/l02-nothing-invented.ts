import type { Law } from '../oracle/evidence.ts';
import { isMistakable, isServiceForm, storyOf, wentElsewhere } from './records.ts';

/**
 * L2. A field holds its old value or the other side's, to the letter, and never a third. A form that the service stored
 * counts as the service's, because the contact had it before the sheet. A field of a contact is emptied only if the cell was
 * blank, and a cell that merged cells cover is none (V3).
 */
export const nothingInvented: Law = (evidence) =>
  evidence.writes.flatMap((write) => {
    const { side, person, field, before, after, isOfOtherSide, isOfThisSide, isUndo } = write;
    // A key is let go of before it changes hands (I7), and an undo empties what was blank before (S4).
    const isEmptied = after === '' && side === 'crm' && !isUndo && field !== 'email' && field !== 'network_id';
    if (person === undefined || isOfOtherSide || (after === '' ? !isEmptied : isOfThisSide)) return [];
    if (isMistakable(evidence, person) || wentElsewhere(evidence, write)) return [];
    if (side === 'crm' && isServiceForm(evidence, write)) return [];
    // Such a service stores the address anew, in small letters, with whatever call names it.
    const areSmall =
      side === 'crm' && field === 'email' && evidence.setting.switches.normalises?.includes('email_case');
    if (areSmall && before.trim().toLowerCase() === after) return [];
    const text = `${person} ${field} in the ${side} became ${JSON.stringify(after)} (before: ${JSON.stringify(before)}), which nobody ever put on either side of ${person}`;
    return [{ law: 'L2', text: text + storyOf(evidence, person, field) }];
  });
