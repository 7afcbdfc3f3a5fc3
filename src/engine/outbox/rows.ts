// What an outbox writes into its rows, by the pinned protocol: IDs before anything is sent, and what became of it after.
import type { Row, Snapshot } from '../../sheets/port.ts';
import type { Change } from '../../sync/change.ts';
import type { Message } from '../../sync/outbox/message.ts';
import type { Outcome } from '../../sync/outcome.ts';
import type { OutboxPlan } from '../../sync/outbox/outbox.ts';
import type { Naming } from '../../sync/outbox/draft.ts';
import type { OutboxRun } from './context.ts';
import type { OutboxBook } from './ledger.ts';
import { fromUpdate } from '../row-outcome.ts';
import { rowWrites } from '../row-writes.ts';
import { statusKey } from '../status-column.ts';
import { sheetWrite } from '../stop.ts';

/**
 * In the ledger first: an ID that a row has and the ledger does not would look like a ledger that was lost (P6). A row that
 * could not be written has no ID, and is not sent.
 */
export async function nameRows(
  context: OutboxRun,
  snapshot: Snapshot,
  namings: readonly Naming[],
  book: OutboxBook,
): Promise<void> {
  const { table, randomId, config, emit } = context;
  const rowByNumber = new Map(snapshot.rows.map((row) => [row.number, row]));
  const messages = new Map<string, Message>();
  const writes = namings.map(({ row, id = randomId(), message }) => {
    if (message) messages.set(id, message);
    // Which of several rows with one ID is meant was decided by the plan (P2).
    return { row: rowByNumber.get(row)!, set: {}, id, isKnownDuplicate: true as const };
  });
  await book.put(messages);
  await table.update(snapshot, writes, sheetWrite(context));
  emit({ type: 'progress', sync: config.name, step: 'sheet', done: writes.length, total: writes.length });
}

/** Also when the end was asked for: what was sent is told in its row (W8). */
export async function tellRows(
  context: OutboxRun,
  snapshot: Snapshot,
  { sets, statuses }: OutboxPlan,
): Promise<ReadonlyMap<Change, Outcome>> {
  const { shape, table, config, run, emit } = context;
  const statusOf = ({ cells }: Row) => cells[statusKey] ?? '';
  const writes = rowWrites(snapshot, { sets, statuses, toCells: shape.toCells, statusOf });
  const outcomes = new Map<Change, Outcome>();
  if (writes.length === 0) return outcomes;
  const rows = writes.map(({ row, set }) => ({ row, set, isKnownDuplicate: true as const }));
  const written = await table.update(snapshot, rows);
  for (const [index, { change }] of writes.entries()) {
    if (!change) continue;
    const outcome = fromUpdate({ shape: { fromCells: () => ({}) } }, written[index]!);
    outcomes.set(change, outcome);
    emit({ type: 'change-done', sync: config.name, run, change, outcome });
  }
  return outcomes;
}
