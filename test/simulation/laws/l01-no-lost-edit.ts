import { normalOf } from '../people/token.ts';
import type { Evidence, Law, Removal, Violation, Write } from '../oracle/evidence.ts';
import { type FieldName, policyOf, segment } from '../world/setting.ts';
import { contactValue } from '../world/view.ts';
import { mayBeNewer } from './newest.ts';
import { hasDecided, isMistakable, isOneSided, normal, storyOf, sentInDoubt } from './records.ts';
import { isAsDecided } from './seen.ts';

/**
 * L1. A value that a person put on a side since the base is overwritten there only if a stated policy says so, and then the
 * history has it.
 *
 * One allowance (docs/testing.md): a value typed after the reading right before a write, or not shown by it because the
 * search lags. Neither API has a compare-and-swap.
 */
export const noLostEdit: Law = (evidence) => [
  ...evidence.writes.flatMap((write) => overwritten(evidence, write)),
  ...lost(evidence),
  ...removed(evidence),
];

/** D2, D3: a record that was edited since the base is not removed because the other side removed it. */
function removed(evidence: Evidence): readonly Violation[] {
  return evidence.removals.flatMap(({ side, person, uuid, edited }) => {
    const notRead = side === 'crm' ? 'to_crm' : 'to_sheet';
    // Who types what the other side held, to end a conflict, agrees with it: also if somebody deletes that record before a run looks.
    const isOfOther = ({ field, text }: { readonly field: FieldName; readonly text: string }) =>
      person !== undefined && evidence.held(side === 'crm' ? 'sheet' : 'crm', person, field).has(text);
    const edit = edited.find(
      (each) =>
        !evidence.directions(each.field).has(notRead) &&
        !(side === 'sheet' && isSentInVain(evidence, each.field)) &&
        !isOfOther(each),
    );
    if (!edit || evidence.isStateTampered || isMistakable(evidence, person)) return [];
    const { field, text } = edit;
    const what = side === 'crm' ? 'contact' : 'row';
    const story = `the ${what} of ${person} (${uuid}) was deleted with ${field} "${text}", typed there and never agreed upon`;
    return [{ law: 'L1', text: story + storyOf(evidence, person, field) }];
  });
}

/** M4: nothing shows that the service ignored a custom field that it was sent. */
function isSentInVain({ setting, directions }: Evidence, field: FieldName): boolean {
  const { customFields, customFieldNames } = setting.switches;
  return (
    field === segment && directions(field).has('to_crm') && (customFields === 'ignored' || Boolean(customFieldNames))
  );
}

function overwritten(evidence: Evidence, write: Write): readonly Violation[] {
  const { side, person, field, before, after } = write;
  const isLoss = write.isTyped && !write.wasAgreed && normalOf(field, before) !== normalOf(field, after);
  if (!isLoss || write.isUnseen || mayGiveWay(evidence, write) || isMistakable(evidence, person)) return [];
  const text = `${person} ${field} in the ${side}: "${before}", typed there and never agreed upon, was overwritten with "${after}", and no policy says so`;
  return [{ law: 'L1', text: text + storyOf(evidence, person, field) }];
}

function mayGiveWay(evidence: Evidence, write: Write): boolean {
  const { setting } = evidence;
  const { side, field, before, after, person, direction } = write;
  // The form that the service stored is set in the sheet (M5).
  const isStoredForm = normalOf(field, before).toUpperCase() === normalOf(field, after);
  if (setting.isShouting && field === 'company_name' && isStoredForm) return true;
  if (isAsDecided(evidence, write)) return true;
  const policies = evidence.policies.map((each) => policyOf(each, field));
  const other = side === 'crm' ? 'sheet' : 'crm';
  const isOfOther = policies.some(({ conflict }) => conflict === other);
  // W4: where the contact shows neither what was sent nor what it held before, nothing is agreed on, and the policy decides.
  if (isOfOther && sentInDoubt(evidence, write).length > 0) return true;
  if (isOneSided(evidence, write)) return direction !== 'both' || hasDecided(evidence, 'resolve');
  if (direction !== 'both' || (policies.some(({ conflict }) => conflict === 'newest') && mayBeNewer(write)))
    return true;
  if (isOfOther) return true;
  if (policies.some(({ blank }) => blank === 'ignore') && after !== '') return true;
  // A person who resolved a conflict, or whose record is another one now, is judged differently.
  return person === undefined || hasDecided(evidence, 'resolve');
}

/** Once all is quiet, the value is there, or was typed over, or went with its record, or the history has it. */
function lost(evidence: Evidence): readonly Violation[] {
  const { log, quiet, history, setting, mapped, directions, isStateTampered, removals, writes } = evidence;
  const fields = [...mapped];
  const present = new Set([
    ...quiet.contacts.flatMap((contact) =>
      fields.map((field) => `${field} ${normalOf(field, contactValue(contact, field))}`),
    ),
    ...quiet.rows.flatMap((row) => fields.map((field) => `${field} ${normalOf(field, row.value(field))}`)),
  ]);
  const told = new Set(history.map(({ side, field, before }) => JSON.stringify([side, field, normal(field, before)])));
  return log.typed.flatMap(({ seq, side, person, field, text, token, isRetyped }) => {
    const isGone = (log.people.get(person)?.deletedIn.size ?? 0) > 0;
    // A column that is only sent is never read, so that its value is never known (M4).
    if (side === 'crm' && directions(field).has('to_crm')) return [];
    if (isRetyped || isGone || isMistakable(evidence, person) || token === undefined || !fields.includes(field))
      return [];
    if (present.has(`${field} ${normalOf(field, text)}`)) return [];
    if (setting.isShouting && present.has(`${field} ${normalOf(field, text).toUpperCase()}`)) return [];
    if (told.has(JSON.stringify([side, field, normal(field, text)]))) return [];
    // A person removed the record from one side, and leadsheet from the other because of that (D1, D3).
    if (removals.some(({ agreed }) => agreed.has(`${field} ${normalOf(field, text)}`))) return [];
    // The service had accepted the deletion and showed the contact for a while: nothing could bring the edit elsewhere.
    const isTooLate = (each: Removal) =>
      each.side === side && each.person === person && each.seq < seq && seq < each.goneSeq;
    if (side === 'crm' && removals.some((each) => isTooLate(each))) return [];
    // It was typed after the look right before the record went (S7, D3).
    const isUnseen = (each: Removal) => each.side === side && each.unseen.has(`${field} ${normalOf(field, text)}`);
    if (removals.some((each) => isUnseen(each))) return [];
    // What the service ignored passes for agreed (M4), and went with the row of a contact that people deleted.
    const wentInVain = (each: Removal) =>
      each.side === 'sheet' && each.person === person && isSentInVain(evidence, field);
    if (side === 'sheet' && removals.some((each) => wentInVain(each))) return [];
    const wasOverwritten = writes.some(
      (write) =>
        write.side === side && write.person === person && write.before === text && (write.isUnseen || isStateTampered),
    );
    if (wasOverwritten) return [];
    const story = `"${text}", typed in the ${side} for ${person} ${field}, is nowhere any more, and the history does not have it`;
    return [{ law: 'L1', text: story + storyOf(evidence, person, field) }];
  });
}
