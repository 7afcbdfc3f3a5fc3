// D5: rows that people put back after the run read the tab. What is done to a contact whose row is gone cannot be taken back.
import { AuthenticationError } from '../../crm/errors.ts';
import { SheetsError } from '../../sheets/errors.ts';
import type { Row, Snapshot } from '../../sheets/port.ts';
import type { Change } from '../../sync/change.ts';
import type { Outcome } from '../../sync/outcome.ts';
import { type Base, rowKey } from '../../sync/record/base.ts';
import { sheetCall } from '../read-calls.ts';
import type { RunContext } from './context.ts';

/** Why nothing is to be done to the contact; undefined: its row is still gone. */
export type KeptBack = (change: Change) => Outcome | undefined;

/** One read of the tab for all of these changes. If it fails, none of them is made (L4). An undo looks by itself (S7). */
export async function lookForRowsBack(
  context: RunContext,
  { fingerprint, rows }: Snapshot,
  { links }: Base,
  changes: readonly Change[],
): Promise<KeptBack> {
  if (changes.every(({ rule }) => rule !== 'D1') || context.request.signal.aborted) return () => undefined;
  try {
    const seen = await context.table.read({ ...sheetCall(context), unless: fingerprint });
    if (seen === 'unchanged') return () => undefined;
    const ids = new Set(seen.rows.map(({ id }) => id));
    const known = new Set(withoutId(rows));
    const isUndecided = withoutId(seen.rows).some((key) => !known.has(key));
    return ({ rule, uuid }) => {
      if (rule !== 'D1' || uuid === null) return undefined;
      // I10: its row may still have the ID of the contact whose link it continues.
      const rowId = links.get(uuid)?.rowId ?? '';
      if (ids.has(uuid) || (rowId !== '' && ids.has(rowId)))
        return { kind: 'moved', message: 'its row is back: planned again' };
      // I5: nobody has asked the service yet whose row that is.
      const message = 'a row without an ID came meanwhile, and may be its row: planned again';
      return isUndecided ? { kind: 'moved', message } : undefined;
    };
  } catch (error) {
    if (error instanceof AuthenticationError || !(error instanceof SheetsError)) throw error;
    const message = `its row was deleted; nothing is done about that before it is known that it is not back: ${error.message}`;
    return ({ rule }) => (rule === 'D1' ? { kind: 'failed', message } : undefined);
  }

  function withoutId(read: readonly Row[]): readonly string[] {
    return read.flatMap((row) => (row.id === '' ? [rowKey(context.shape.fromRow(row, new Set()))] : []));
  }
}
