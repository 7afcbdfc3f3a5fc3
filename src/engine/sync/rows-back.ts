// D5: rows that people put back after the run read the tab. What is done to a contact whose row is gone cannot be taken back.
import { AuthenticationError } from '../../crm/errors.ts';
import { SheetsError } from '../../sheets/errors.ts';
import type { Snapshot } from '../../sheets/port.ts';
import type { Change } from '../../sync/change.ts';
import type { Outcome } from '../../sync/outcome.ts';
import { sheetCall } from '../read-calls.ts';
import type { RunContext } from './context.ts';

/** Why nothing is to be done to the contact; undefined: its row is still gone. */
export type KeptBack = (change: Change) => Outcome | undefined;

/** One read of the tab for all of these changes. If it fails, none of them is made (L4). An undo looks by itself (S7). */
export async function lookForRowsBack(
  context: RunContext,
  { fingerprint }: Snapshot,
  changes: readonly Change[],
): Promise<KeptBack> {
  if (changes.every(({ rule }) => rule !== 'D1') || context.request.signal.aborted) return () => undefined;
  try {
    const seen = await context.table.read({ ...sheetCall(context), unless: fingerprint });
    if (seen === 'unchanged') return () => undefined;
    const ids = new Set(seen.rows.map(({ id }) => id));
    const isBack = ({ rule, uuid }: Change) => rule === 'D1' && uuid !== null && ids.has(uuid);
    return (change) => (isBack(change) ? { kind: 'moved', message: 'its row is back: planned again' } : undefined);
  } catch (error) {
    if (error instanceof AuthenticationError || !(error instanceof SheetsError)) throw error;
    const message = `its row was deleted; nothing is done about that before it is known that it is not back: ${error.message}`;
    return ({ rule }) => (rule === 'D1' ? { kind: 'failed', message } : undefined);
  }
}
