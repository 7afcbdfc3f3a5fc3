// D5: rows that people put back after the run read the tab. What is done to a contact whose row is gone cannot be taken back.
import { AuthenticationError } from '../../crm/errors.ts';
import { SheetsError } from '../../sheets/errors.ts';
import type { Row, Snapshot } from '../../sheets/port.ts';
import { type Change, firstFew } from '../../sync/change.ts';
import type { Outcome } from '../../sync/outcome.ts';
import { type Base, rowKey } from '../../sync/record/base.ts';
import { sheetCall } from '../read-calls.ts';
import type { RunContext } from './context.ts';
import { wishKey } from './shape.ts';

/** V3: also for the cell of the result. */
export const coveredWish =
  'merged cells cover the cell of its wish, so that nobody took it out: undo the merge, or unmerge them and type the wish again';

/** V3: of a row whose cells are all covered, nothing is left that tells which one it was. */
function coveredRows(rows: readonly number[]): string {
  return `its row is not there any more, and merged cells cover IDs below row ${firstFew(rows)}: undo the merge, and it is there again; after unmerging alone, the blank row counts as deleted`;
}

/** Why nothing is to be done to the contact; undefined: its row is still gone. */
export type KeptBack = (change: Change) => Outcome | undefined;

/**
 * One read of the tab for all of these changes, and one of what is merged there. If one fails, none of them is made (L4). An undo
 * looks by itself (S7).
 */
export async function lookForRowsBack(
  context: RunContext,
  { fingerprint, rows }: Snapshot,
  { links }: Base,
  changes: readonly Change[],
): Promise<KeptBack> {
  const isOfRow = changes.some(({ rule }) => rule === 'D1');
  if ((!isOfRow && changes.every(({ rule }) => rule !== 'E5')) || context.request.signal.aborted)
    return () => undefined;
  try {
    const seen = isOfRow ? await context.table.read({ ...sheetCall(context), unless: fingerprint }) : 'unchanged';
    const covered = await context.table.covered?.(sheetCall(context));
    const ids = new Set(seen === 'unchanged' ? [] : seen.rows.map(({ id }) => id));
    const known = new Set(withoutId(rows));
    const isUndecided = seen !== 'unchanged' && withoutId(seen.rows).some((key) => !known.has(key));
    return ({ rule, uuid, row }) => {
      // V3: nobody took the wish out of its cell.
      if (rule === 'E5' && row !== null && covered?.isCovered(row, wishKey))
        return { kind: 'failed', message: coveredWish, isCovered: true };
      if (rule !== 'D1' || uuid === null) return undefined;
      // I10: its row may still have the ID of the contact whose link it continues.
      const rowId = links.get(uuid)?.rowId ?? '';
      if (ids.has(uuid) || (rowId !== '' && ids.has(rowId)))
        return { kind: 'moved', message: 'its row is back: planned again' };
      // I5: nobody has asked the service yet whose row that is.
      const message = 'a row without an ID came meanwhile, and may be its row: planned again';
      if (isUndecided) return { kind: 'moved', message };
      return covered && covered.idRows.length > 0
        ? { kind: 'failed', message: coveredRows(covered.idRows), isCovered: true }
        : undefined;
    };
  } catch (error) {
    if (error instanceof AuthenticationError || !(error instanceof SheetsError)) throw error;
    const rowGone = `its row was deleted; nothing is done about that before it is known that it is not back: ${error.message}`;
    const wishGone = `nothing is cancelled before it is known that no merged cells cover its wish: ${error.message}`;
    return ({ rule }) => {
      if (rule !== 'D1' && rule !== 'E5') return undefined;
      return { kind: 'failed', message: rule === 'D1' ? rowGone : wishGone };
    };
  }

  function withoutId(read: readonly Row[]): readonly string[] {
    return read.flatMap((row) => (row.id === '' ? [rowKey(context.shape.fromRow(row, new Set()))] : []));
  }
}
