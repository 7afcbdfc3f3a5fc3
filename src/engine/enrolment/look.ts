// Reads both sides once more, just before the calls that enrol (E4).
import { AuthenticationError, ServiceError } from '../../crm/errors.ts';
import type { Contact } from '../../crm/port.ts';
import { SheetsError } from '../../sheets/errors.ts';
import type { Row, Snapshot } from '../../sheets/port.ts';
import { compareTexts } from '../../sync/change.ts';
import type { RowRecord } from '../../sync/record/record.ts';
import type { RunContext } from '../sync/context.ts';
import { sheetCall } from '../read-calls.ts';
import { urgentCall } from '../stop.ts';
import type { Due } from './due.ts';

export type Look =
  | {
      readonly kind: 'seen';
      readonly contacts: ReadonlyMap<string, Contact>;
      /** The row of a change as it is now; undefined: it is gone, or differs from the planned row. */
      readonly rowOf: (change: Due, planned: RowRecord) => RowRecord | undefined;
    }
  | { readonly kind: 'failed'; readonly message: string };

/** `rows`: of the plan. Reads again. A failed reading holds these changes and does not end the run (L4). */
export async function lookAgain(
  context: RunContext,
  snapshot: Snapshot,
  rows: readonly RowRecord[],
  batch: readonly Due[],
): Promise<Look> {
  const uuids = batch.flatMap((change) => (change.op === 'enrol' ? [change.uuid!] : []));
  try {
    const seen = await context.table.read({ ...sheetCall(context), unless: snapshot.fingerprint });
    const contacts = await context.contacts.get(uuids, urgentCall(context));
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

  function finderIn(seen: readonly Row[]): Extract<Look, { kind: 'seen' }>['rowOf'] {
    const records = seen.map((row) => context.shape.fromRow(row, new Set()));
    const byId = Map.groupBy(records, ({ id }) => id);
    const byValues = Map.groupBy(records, ({ values }) => values);
    const plannedById = Map.groupBy(rows, ({ id }) => id);
    return (change, planned) => {
      if (planned.id !== '') {
        const [row, ...copies] = byId.get(planned.id) ?? [];
        if (copies.length === 0) return row;
        // The plan knew of copies. If they are as they were, so is the row; else it cannot be told which one is the row.
        return contentsOf(byId.get(planned.id)) === contentsOf(plannedById.get(planned.id)) ? planned : undefined;
      }
      // A row without an ID is identified by its values.
      const [row, ...twins] = byValues.get(planned.values) ?? [];
      return twins.length === 0 && (row?.id === '' || row?.id === change.uuid) ? row : undefined;
    };
  }
}

/** The same for the same rows, wherever they stand. */
function contentsOf(rows: readonly RowRecord[] = []): string {
  return JSON.stringify(rows.map(({ values, wish }) => JSON.stringify([values, wish])).toSorted(compareTexts));
}
