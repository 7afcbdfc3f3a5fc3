// Rows that people emptied down to the hidden ID: their contacts are not emptied (I2).
import { lastSeen } from '../record/base.ts';
import { problem } from '../change.ts';
import { isWritable } from '../record/mapping.ts';
import { unpack } from '../record/record.ts';
import type { Matching } from './matching.ts';

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
  const sent = mapping.fields.flatMap((field, index) => (isWritable(field, 'crm') ? [{ field, index }] : []));
  for (const [uuid, row] of matching.rowByUuid) {
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
    matching.rowByUuid.delete(uuid);
    matching.withheld.add(uuid);
    matching.sharedIds.set(uuid, { keeper: undefined, others: [row], copies: [] });
    const reason = `nothing is left of it but its ID, and its contact is not emptied: delete the whole row, or put its cells back`;
    matching.problems.push(problem('quarantined', { row: row.number }, 'I2', reason));
    matching.problems.push(
      problem(
        'held',
        { uuid },
        'I2',
        `of its row ${row.number} nothing is left but the ID: delete the whole row, or put its cells back`,
      ),
    );
  }
}
