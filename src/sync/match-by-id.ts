// Rows that have an ID: I1, I4, I5, I9.
import { lastSeen, type Link, unknownIdKey } from './base.ts';
import { answeredBefore, doubt, keepAnswer, type Matching } from './matching.ts';
import type { RowRecord } from './record.ts';

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function matchById(matching: Matching): void {
  const { input, contactByUuid, rowByUuid, rowsWithoutId } = matching;
  const { links } = input.base;
  const copies = new Map<string, RowRecord[]>();
  for (const row of input.sheet.rows) {
    if (row.id === '') rowsWithoutId.push(row);
    else if (rowByUuid.has(row.id)) copies.set(row.id, [...(copies.get(row.id) ?? []), row]);
    else rowByUuid.set(row.id, row);
  }
  for (const [id, more] of copies) {
    const rows = [rowByUuid.get(id)!, ...more];
    const keeper = keeperOf(rows, links.get(id));
    rowByUuid.set(id, keeper);
    const others = rows.filter((row) => row !== keeper);
    for (const copy of others) doubt(matching, copy, 'I4', copyReason(keeper));
    matching.copies.set(
      id,
      others.map(({ number }) => number),
    );
  }
  rowByUuid.forEach((row, id) => {
    if (links.has(id) || contactByUuid.has(id) || isContinued(matching, id)) return;
    rowByUuid.delete(id);
    adoptUnknownId(matching, id, row);
  });
  rowsWithoutId.sort((a, b) => a.number - b.number);
}

/** I4: the row that is as the base knows it, else the upper one. */
function keeperOf(rows: readonly RowRecord[], link: Link | undefined): RowRecord {
  const upperFirst = rows.toSorted((a, b) => a.number - b.number);
  const known = link && lastSeen(link, 'sheet');
  return upperFirst.find(({ values }) => values === known) ?? upperFirst[0]!;
}

function copyReason(keeper: RowRecord): string {
  return `copy of row ${keeper.number}: clear its ID to make it a new contact`;
}

/** A crash may fall between the new uuid in the row and the link that says so: then the row is right already (I10). */
function isContinued({ input: { answers }, hereByAnswer, contactByUuid }: Matching, id: string): boolean {
  const answer = answers.contacts.get(id);
  if (answer?.kind !== 'here') return false;
  hereByAnswer.push(answer.contact);
  contactByUuid.set(id, answer.contact);
  return true;
}

function adoptUnknownId(matching: Matching, id: string, row: RowRecord): void {
  if (!uuidForm.test(id)) {
    return doubt(
      matching,
      row,
      'I5',
      `its ID "${shortened(id)}" is no contact ID: put the right one back, or clear it`,
    );
  }
  const { answers, crm } = matching.input;
  const key = unknownIdKey(id);
  const answer = answers.contacts.get(id) ?? answeredBefore(matching, key);
  if (answer === undefined) matching.questions.push({ kind: 'contact', uuid: id, rule: 'I5' });
  else if (answer.kind === 'gone' || answer.kind === 'elsewhere') keepAnswer(matching, key, answer);
  const reasons = {
    gone: 'no contact has its ID: put the right one back, or clear it to make a new contact',
    elsewhere: `its contact is ${answer?.kind === 'elsewhere' ? answer.where : ''}, not in ${crm.scope}`,
    unanswered: `its ID could not be looked up: ${answer?.kind === 'unanswered' ? answer.why : ''}`,
    here: '',
    asked: 'its ID is being looked up',
  };
  doubt(matching, row, 'I5', reasons[answer?.kind ?? 'asked']);
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
