// Rows that people emptied down to the hidden ID, and rows into which they moved these people: nothing is written to their contacts (I2).
import { lastSeen } from '../record/base.ts';
import { isWritable } from '../record/mapping.ts';
import { type RowRecord, unpack } from '../record/record.ts';
import { addToIndex, computeOnce, type Index } from './key-index.ts';
import { type LinkedRow, type Matching, rowsWithId, withholdRow } from './matching.ts';
import { isMovedFrom } from './moved-person.ts';

/** Fewer are edits of a row that had little in it. */
const emptiedCellsMin = 2;

/**
 * L7: rows of which nothing is left but the ID, which people hide: somebody cut what they see of the person and pasted it into
 * another tab, or cleared it to delete the row. Cell by cell that would leave a contact without name and keys. A single cell, and a
 * row of columns whose blanks are ignored, is emptied or filled as M3 says. A contact that is blank as well, is gone or left loses
 * nothing. The ID says whose row it is, so that the missing rows of others are not in doubt (I5).
 */
export function withholdEmptied(matching: Matching): void {
  const { input, keys, contactByUuid } = matching;
  const { mapping, base } = input;
  const editedByKey = computeOnce(() => indexEdited(matching));
  const sent = mapping.fields.flatMap((field, index) => (isWritable(field, 'crm') ? [{ field, index }] : []));
  for (const [uuid, row] of rowsWithId(matching)) {
    const link = base.links.get(uuid);
    const before = link && lastSeen(link, 'sheet');
    if (before === undefined || before === row.values) continue;
    const [held, now] = [unpack(before), unpack(row.values)];
    if (!sent.every(({ index }) => now[index] === null) || keys.of(held).length === 0) continue;
    const contact = contactByUuid.get(uuid);
    if (!contact && (link?.standing === 'contact-gone' || link?.standing === 'left')) continue;
    const inCrm = unpack(contact?.values ?? lastSeen(link!, 'crm'));
    const emptied = sent.filter(({ field, index }) => {
      // M4: what a column that is only sent has in the contact is not read.
      const isBlank = field.direction === 'both' && inCrm[index] === null;
      return field.blank === 'sync' && held[index] != null && !isBlank;
    });
    if (emptied.length < emptiedCellsMin) continue;
    const taker = findTaker(matching, [uuid, row], editedByKey());
    const remedy = taker ? `undo that, or ${clearFirst(taker, row)}` : 'delete the whole row, or put its cells back';
    const reasons = {
      ofRow: `nothing is left of it but its ID, and its contact is not emptied: ${remedy}`,
      ofContact: `of its row ${row.number} nothing is left but the ID: ${remedy}`,
    };
    // Cells that are put back one by one, or are typed for somebody else, leave the others blank for a while.
    withholdRow(matching, [uuid, row], reasons, [row.values]);
    withholdTakers(matching, [uuid, row], editedByKey);
  }
}

/** L9: with the row of the ID gone, the row that holds the person would be an edit of somebody else. */
function clearFirst([, { number }]: LinkedRow, { number: emptied }: RowRecord): string {
  return `first clear the ID of row ${number}, which holds what row ${emptied} held, then delete the whole row ${emptied}`;
}

/**
 * L9: the person of an emptied row stands in a row that has the ID of somebody else, whose person may stand in the next one: somebody
 * deleted the cells of a person, and those below moved up.
 */
function withholdTakers(matching: Matching, emptied: LinkedRow, editedByKey: () => Index<LinkedRow>): void {
  for (let from: LinkedRow | undefined = emptied; from;) {
    const [, { number: before }] = from;
    const taker = findTaker(matching, from, editedByKey());
    if (taker) {
      const [, { number, values }] = taker;
      const remedy = `undo that, or clear the ID of row ${number}`;
      const reasons = {
        ofRow: `holds what row ${before} held, and its ID did not move along: ${remedy}`,
        ofContact: `its row ${number} holds what row ${before} held: nothing is written for it; ${remedy}`,
      };
      // People may delete the emptied row first.
      withholdRow(matching, taker, reasons, [values]);
    }
    from = taker;
  }
}

function findTaker(matching: Matching, [uuid, left]: LinkedRow, editedByKey: Index<LinkedRow>): LinkedRow | undefined {
  const { input, keys, rowByUuid, loneDoubts } = matching;
  const link = input.base.links.get(uuid);
  const had = link ? keys.of(unpack(lastSeen(link, 'sheet'))) : [];
  return had
    .flatMap((key) => editedByKey.get(key) ?? [])
    .find(
      ([other, row]) =>
        (rowByUuid.get(other) ?? loneDoubts.get(other)) === row && isMovedFrom(matching, uuid, left, row),
    );
}

/** Rows with an ID that people edited, by the keys that they show now. */
function indexEdited(matching: Matching): Index<LinkedRow> {
  const { input, keys } = matching;
  const { base } = input;
  const index = new Map<string, LinkedRow[]>();
  for (const [uuid, row] of rowsWithId(matching)) {
    const link = base.links.get(uuid);
    if (!link || lastSeen(link, 'sheet') === row.values) continue;
    addToIndex(index, keys.of(unpack(row.values)), [uuid, row]);
  }
  return index;
}
