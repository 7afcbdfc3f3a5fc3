// Reads both sides once more, just before the calls that enrol (E4).
import { AuthenticationError, ServiceError } from '../../crm/errors.ts';
import type { Contact } from '../../crm/port.ts';
import { SheetsError } from '../../sheets/errors.ts';
import type { Row, Snapshot } from '../../sheets/port.ts';
import type { RowRecord } from '../../sync/record/record.ts';
import type { RunContext } from '../sync/context.ts';
import { sheetCall } from '../read-calls.ts';
import { editCall } from '../stop.ts';
import type { Due } from './due.ts';

export type Look =
  | {
      readonly kind: 'seen';
      readonly contacts: ReadonlyMap<string, Contact>;
      /** The row of a change as it is now; undefined: it is gone, or differs from the planned row. */
      readonly rowOf: (change: Due, planned: RowRecord) => RowRecord | undefined;
    }
  | { readonly kind: 'failed'; readonly message: string };

/** Reads again. A failed reading holds these changes and does not end the run (L4). */
export async function lookAgain(context: RunContext, snapshot: Snapshot, batch: readonly Due[]): Promise<Look> {
  const uuids = batch.flatMap((change) => (change.op === 'enrol' ? [change.uuid!] : []));
  try {
    const seen = await context.table.read({ ...sheetCall(context), unless: snapshot.fingerprint });
    const contacts = await context.contacts.get(uuids, editCall(context));
    return {
      kind: 'seen',
      contacts,
      rowOf: seen === 'unchanged' ? (_change, planned) => planned : finderIn(seen.rows),
    };
  } catch (error) {
    const isExpected = error instanceof ServiceError || error instanceof SheetsError;
    if (error instanceof AuthenticationError || !isExpected) throw error;
    return { kind: 'failed', message: error.message };
  }

  function finderIn(rows: readonly Row[]): Extract<Look, { kind: 'seen' }>['rowOf'] {
    const records = rows.map((row) => context.shape.fromRow(row, new Set()));
    const byId = new Map(records.map((row) => [row.id, row]));
    const byValues = new Map(records.map((row) => [row.values, row]));
    return (change, planned) => {
      if (planned.id !== '') return byId.get(planned.id);
      // A row without an ID is identified by its values.
      const row = byValues.get(planned.values);
      return row?.id === '' || row?.id === change.uuid ? row : undefined;
    };
  }
}
