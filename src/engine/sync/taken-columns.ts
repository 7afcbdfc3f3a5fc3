// Columns that leadsheet is told to fill, and in which people write (G1).
import type { Snapshot } from '../../sheets/port.ts';
import type { TakenColumn } from '../../sync/input.ts';
import { isWishResult } from '../../sync/enrolment/wish-result.ts';
import { isContactId } from '../../sync/match/by-id.ts';
import { isStatus } from '../../sync/status.ts';
import { isColumnNew } from '../columns.ts';
import { statusKey } from '../status-column.ts';
import type { Memory } from './memory.ts';
import { resultKey } from './shape.ts';

const ownColumns = [
  { key: statusKey, use: 'the statuses', option: 'status_column', isOurs: isStatus },
  { key: resultKey, use: 'what came of the wishes', option: 'result_column', isOurs: isWishResult },
];

/**
 * L1: a column that joins as one of ours may be one that people fill. Its cells would be written over, in no history. Where most
 * rows of a tab that was never synced have numbers of people as their IDs, each contact would get a second row below.
 */
export function takenColumns(
  { base, facts }: Pick<Memory, 'base' | 'facts'>,
  snapshot: Snapshot,
): readonly TakenColumn[] {
  const { columns, rows, idColumn } = snapshot;
  const taken = ownColumns.flatMap(({ key, use, option, isOurs }): TakenColumn[] => {
    const column = columns.find((each) => each.key === key);
    if (!column || column.kind === 'missing' || !isColumnNew(facts, key)) return [];
    const filled = rows.filter(({ own: { [key]: cell } }) => cell != null && cell !== '');
    // A sentence of ours: the column was ours, and the state was lost. What somebody typed over another one is no reason to stop.
    const wasOurs = filled.some(({ own: { [key]: cell } }) => typeof cell === 'string' && isOurs(cell));
    if (wasOurs || filled.length === 0) return [];
    return [{ header: column.header, use, option, rows: filled.map(({ number }) => number) }];
  });
  if (base.links.size > 0) return taken;
  const numbered = rows.flatMap(({ id, number }) => (id === '' || isContactId(id) ? [] : [number]));
  if (numbered.length * 2 <= rows.length) return taken;
  const use = 'the IDs of the contacts';
  return [...taken, { header: idColumn.header, use, option: 'id_column', rows: numbered }];
}
