import type { Evidence, Law, Removal, Violation } from '../oracle/evidence.ts';
import { readToken } from '../people/token.ts';
import { areNamesKeys, type FieldName, nameFields } from '../world/setting.ts';
import type { RowView } from '../world/view.ts';
import { isMistakable, storyOf } from './records.ts';

const keyFields: readonly FieldName[] = ['email', 'network_id'];

/**
 * L7. A record that no person deleted exists on both sides afterwards, or its row or contact is named. leadsheet removes no
 * record from one side that no person removed from the other.
 */
export const nobodyVanishes: Law = (evidence) => [
  ...evidence.removals.flatMap((removal) => judgeRemoval(evidence, removal)),
  ...(evidence.quiet.isHeld ? [] : [...evidence.log.people.keys()]).flatMap((person) => judgePerson(evidence, person)),
];

function judgeRemoval(evidence: Evidence, removal: Removal): readonly Violation[] {
  const { side, person, isWanted, isOtherThere, isIdThere, isUndo, uuid } = removal;
  // S7 says which records an undo may remove. What comes into a row after the last look goes with it (docs/testing.md).
  if (isUndo || isInPlaceOfAnother(evidence, removal)) return [];
  const { policies, log } = evidence;
  const isPolicy = policies.some(({ onRowDeleted, onContactDeleted }) =>
    side === 'crm' ? onRowDeleted === 'delete_contact' : onContactDeleted === 'delete_row',
  );
  const { tangles } = (person !== undefined && log.people.get(person)) || { tangles: new Set() };
  // A cleared or overwritten ID makes no record gone (I5); of a duplicate, one record may be removed.
  const isPlain = isOtherThere && [...tangles].every((each) => each === 'ID');
  if ((isWanted || (tangles.size > 0 && !isPlain)) && isPolicy && !isIdThere) return [];
  if (isPolicy && side === 'crm' && tangles.has('ID') && isNamedAnew(evidence, person)) return [];
  // S3: a state of before an undo takes the row that it removed for one that a person deleted.
  if (evidence.isStateTampered && isPolicy && !isIdThere && wasUndone(evidence, removal)) return [];
  const what = side === 'crm' ? 'contact' : 'row';
  const why = isPolicy ? 'nobody had taken it off the other side' : 'no policy asks for it';
  return [
    { law: 'L7', text: `the ${what} of ${person} (${uuid}) was deleted, and ${why}${storyOf(evidence, person)}` },
  ];
}

/** I5, I8: the name is the only key of the person, since no address or profile counts, and it was changed in the sheet: somebody else. */
function isNamedAnew({ log, setting }: Evidence, person: string | undefined): boolean {
  const typed = log.typed.filter((each) => each.person === person);
  const isNoKey = (text: string) => text.trim() === '' || text.includes('example.com');
  const isRenamed = typed.some(({ seq, side, field, text, isRetyped }) => {
    const isOfName = side === 'sheet' && (nameFields as readonly FieldName[]).includes(field) && !isRetyped;
    return isOfName && typed.some((each) => each.seq < seq && each.field === field && each.text !== text);
  });
  return (
    areNamesKeys(setting) && isRenamed && typed.every(({ field, text }) => !keyFields.includes(field) || isNoKey(text))
  );
}

/** Another row was to be deleted, and a restored version put this one there in between. */
function isInPlaceOfAnother({ history }: Evidence, { uuid, isUnderRestored }: Removal): boolean {
  const removed = history.filter(({ op, outcome }) => op === 'remove' && outcome === 'done');
  return isUnderRestored && removed.length > 0 && !removed.some(({ contact }) => contact === uuid);
}

function wasUndone({ removals }: Evidence, { seq, side, person, uuid }: Removal): boolean {
  return removals.some(
    (each) => each.isUndo && each.side !== side && each.seq < seq && (each.uuid === uuid || each.person === person),
  );
}

function judgePerson(evidence: Evidence, person: string): readonly Violation[] {
  const { setting, quiet, log, ownerOf, personOf } = evidence;
  const { deletedIn, tangles } = log.people.get(person)!;
  const contacts = quiet.contacts.filter(({ uuid }) => ownerOf(uuid) === person);
  const here = contacts.filter(quiet.isInScope);
  const rows = quiet.rows.filter((row) => (personOf(row) ?? readToken(row.value('email'))?.person) === person);
  const isUndone = evidence.removals.some((removal) => removal.isUndo && removal.person === person);
  if (deletedIn.size > 0 || isUndone || isMistakable(evidence, person)) return [];
  // Typed over a copy, and emptied of every key again: the row is that of its ID's contact (I1).
  const hasKey = (row: RowView) => keyFields.some((field) => readToken(row.value(field))?.person === person);
  if (tangles.has('copied') && rows.every((row) => row.id !== '' && !hasKey(row))) return [];
  // Entered, and emptied or merged away before any run: a row without an ID that shows nothing is a blank one (V3).
  const isBlank = (row: RowView) =>
    row.id === '' && setting.fields.every(({ field }) => row.value(field).trim() === '');
  if (contacts.length === 0 && rows.length > 0 && rows.every(isBlank)) return [];
  const isNamed = quiet.problems.some(
    ({ uuid, row, reason }) =>
      contacts.some((contact) => contact.uuid === uuid || reason.includes(contact.uuid)) ||
      rows.some(({ number }) => number === row),
  );
  if (isNamed) return [];
  // People deleted one of two contacts, also one that they entered again after, and the row of the other one, which went because
  // of that (D1, D3).
  const isTakenApart = evidence.removals.some(
    (each) => each.person === person && each.side === 'crm' && !each.isIdThere,
  );
  const areTwo = tangles.has('duplicate') || tangles.has('recreated');
  if (contacts.length === 0 && isTakenApart && areTwo && tangles.has('second row')) return [];
  if (contacts.length === 0) return [violation(evidence, person, 'has no contact', tangles)];
  if (here.length > 0 && rows.length === 0) return [violation(evidence, person, 'has no row', tangles)];
  return [];
}

function violation(evidence: Evidence, person: string, what: string, tangles: ReadonlySet<string>): Violation {
  const more = tangles.size === 0 ? '' : ` (people: ${[...tangles].join(', ')})`;
  return {
    law: 'L7',
    text: `${person} ${what}, nobody deleted ${person}, and nothing is said of it${more}${storyOf(evidence, person)}`,
  };
}
