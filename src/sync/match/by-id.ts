// Rows that have an ID (I1, I4, I5, I9).
import { type Base, lastSeen, unknownIdKey } from '../record/base.ts';
import { problem, firstFew } from '../change.ts';
import { judgeSharedId, type KnownContact } from './copies.ts';
import { earlierAnswer, quarantineDoubtful, keepAnswer, type Matching, whyFiltered } from './matching.ts';
import type { RowRecord } from '../record/record.ts';
import type { RuleId } from '../rules.ts';

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function matchById(matching: Matching): void {
  const { input, contactByUuid, rowByUuid, rowsWithoutId } = matching;
  const { links } = input.base;
  const doubled = new Map<string, RowRecord[]>();
  const successors = indexSuccessors(input.base);
  for (const row of input.sheet.rows) {
    const id = successors.get(row.id) ?? row.id;
    if (id === '') rowsWithoutId.push(row);
    else if (rowByUuid.has(id)) doubled.set(id, [...(doubled.get(id) ?? []), row]);
    else rowByUuid.set(id, row);
  }
  rowByUuid.forEach((row, id) => {
    const link = links.get(id);
    const isKnown = link !== undefined || contactByUuid.has(id) || isFoundByAnswer(matching, id);
    const more = doubled.get(id) ?? [];
    if (more.length > 0 || link?.copies) judgeRowsOfId(matching, id, [row, ...more]);
    if (isKnown) return;
    const upper = rowByUuid.get(id)!;
    rowByUuid.delete(id);
    judgeUnknownId(matching, id, upper);
  });
  rowsWithoutId.sort((a, b) => a.number - b.number);
}

/** I10: by the ID of a contact that is gone, the contact whose ID could not be written over it yet. */
function indexSuccessors({ links }: Base): ReadonlyMap<string, string> {
  const successors = new Map<string, string>();
  links.forEach(({ rowId }, uuid) => {
    if (rowId !== undefined && rowId !== '') successors.set(rowId, uuid);
  });
  return successors;
}

/** I4: several rows have this ID, or had it when a run last looked. */
function judgeRowsOfId(matching: Matching, id: string, rows: readonly RowRecord[]): void {
  const shared = judgeSharedId(rows, knownContact(matching, id), matching.input.mapping);
  const { keeper, others } = shared;
  matching.sharedIds.set(id, shared);
  if (keeper) {
    matching.rowByUuid.set(id, keeper);
    const reason = `copy of row ${keeper.number}: clear its ID to make it a new contact`;
    for (const copy of others) quarantineDoubtful(matching, copy, 'I4', reason);
    return;
  }
  matching.rowByUuid.delete(id);
  matching.withheld.add(id);
  if (others.length === 1) return void matching.loneDoubts.set(id, others[0]!);
  for (const row of others) {
    const same = firstFew(others.filter((each) => each !== row).map(({ number }) => number));
    const reason = `has the same ID as row ${same}, and cannot be told from a copy: clear the ID in the rows that are copies`;
    quarantineDoubtful(matching, row, 'I4', reason);
  }
  const numbers = firstFew(others.map(({ number }) => number));
  const reason = `its row cannot be told from a copy of it (row ${numbers}): nothing is written for it until one row is left that has its ID`;
  matching.problems.push(problem('held', { uuid: id }, 'I4', reason));
}

/** I4: rows of which no other rule says whom they show. */
export function quarantineLoneDoubts(matching: Matching): void {
  for (const [uuid, row] of matching.loneDoubts) {
    const { isStillEmptied, left } = matching.sharedIds.get(uuid) ?? {};
    const [rule, ofRow, ofContact] = isStillEmptied
      ? whyStillEmptied(row)
      : left
        ? whyLeft(row, firstFew(left.map(({ header }) => header)))
        : whySomebodyElse(row);
    quarantineDoubtful(matching, row, rule, ofRow);
    matching.problems.push(problem('held', { uuid }, rule, ofContact));
  }
}

type WhyInDoubt = readonly [rule: RuleId, ofRow: string, ofContact: string];

/** I2: people put its cells back, or type somebody else there. */
function whyStillEmptied({ number }: RowRecord): WhyInDoubt {
  return [
    'I2',
    'was emptied, and most of it is not as it was: put its cells back; or clear the ID, and it is the row of whoever it shows; or delete the whole row',
    `its row ${number} was emptied, and most of it is not as it was: nothing is written for it until its cells are back, or the ID of that row is cleared`,
  ];
}

/** I2: some cells of the contact are back. */
function whyLeft({ number }: RowRecord, headers: string): WhyInDoubt {
  const remedy = 'put that back, or clear the ID, and it is the row of whoever its keys name';
  return [
    'I2',
    `still holds what somebody else has in ${headers}: ${remedy}`,
    `its row ${number} still holds what somebody else has in ${headers}: nothing is written for it until that is put back, or the ID of that row is cleared`,
  ];
}

function whySomebodyElse({ number }: RowRecord): WhyInDoubt {
  return [
    'I4',
    'does not show the person whose ID it has: put its cells back, or clear the ID, and it is the row of whoever it shows',
    `its row ${number} shows somebody else: nothing is written for it until its cells are back, or the ID of that row is cleared`,
  ];
}

function knownContact({ input: { base }, contactByUuid }: Matching, id: string): KnownContact {
  const link = base.links.get(id);
  const contact = contactByUuid.get(id)?.values;
  const seen = link ? [lastSeen(link, 'sheet'), lastSeen(link, 'crm')] : [];
  return {
    last: seen[0] ?? contact,
    copies: link?.copies ?? [],
    contact: contact ?? seen[1],
    agreed: link?.agreed,
    held: contact === undefined ? seen : [...seen, contact],
  };
}

/** I10: a crash may fall between writing a new uuid into the row and storing the link. Then the row is right already. */
function isFoundByAnswer({ input: { answers }, hereByAnswer, contactByUuid }: Matching, id: string): boolean {
  const answer = answers.contacts.get(id);
  if (answer?.kind !== 'here') return false;
  hereByAnswer.push(answer.contact);
  contactByUuid.set(id, answer.contact);
  return true;
}

function judgeUnknownId(matching: Matching, id: string, row: RowRecord): void {
  if (!isContactId(id)) {
    return quarantineDoubtful(
      matching,
      row,
      'I5',
      `its ID "${shortened(id)}" is no contact ID: put the right one back, or clear it`,
    );
  }
  const { answers, crm } = matching.input;
  const key = unknownIdKey(id);
  const answer = answers.contacts.get(id) ?? earlierAnswer(matching, key);
  if (answer === undefined) matching.questions.push({ kind: 'contact', uuid: id, rule: 'I5' });
  else if (answer.kind === 'gone' || answer.kind === 'elsewhere') keepAnswer(matching, key, answer);
  const reasons = {
    gone: 'no contact has its ID: put the right one back, or clear it to make a new contact',
    elsewhere: answer?.kind === 'elsewhere' ? elsewhereReason(crm.scope, answer) : '',
    unanswered: `its ID could not be looked up: ${answer?.kind === 'unanswered' ? answer.why : ''}`,
    here: '',
    asked: 'its ID is being looked up',
  };
  quarantineDoubtful(matching, row, 'I5', reasons[answer?.kind ?? 'asked']);
}

function elsewhereReason(
  scope: string,
  { where, isFiltered }: { readonly where: string; readonly isFiltered?: true },
): string {
  if (!isFiltered) return `its contact is ${where}, not in ${scope}: move the contact, or delete the row`;
  return `its contact is ${where}, ${whyFiltered}, or delete the row`;
}

/** Whether the text of an ID cell may be the uuid of a contact. */
export function isContactId(id: string): boolean {
  return uuidForm.test(id);
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
