// Writes the rows of an outbox by the pinned protocol: IDs before anything is sent, and outcomes after. A row that the
// spreadsheet refuses waits until its pause is over (W5).
import type { Row, Snapshot } from '../../sheets/port.ts';
import { type Change, type Problem, problemId } from '../../sync/change.ts';
import type { Message } from '../../sync/outbox/message.ts';
import type { Outcome } from '../../sync/outcome.ts';
import type { OutboxPlan } from '../../sync/outbox/outbox.ts';
import type { Naming } from '../../sync/outbox/draft.ts';
import type { Stray } from '../../sync/record/base.ts';
import { failedRow, pausedElsewhere, pauseRows, type RowPauses, settleRows } from '../../sync/row-refusal.ts';
import type { OutboxRun } from './context.ts';
import type { OutboxBook, OutboxMemory } from './ledger.ts';
import { tellDone } from '../events.ts';
import { createOwnCells, type OwnCells, writeRows } from '../own-cells.ts';
import { refusalIn } from '../refused-batch.ts';
import { fromOwnUpdate } from '../row-outcome.ts';
import { rowWrites } from '../row-writes.ts';
import { statusKey } from '../status-column.ts';
import { sheetWrite } from '../stop.ts';

/** `leadsheet retry` is about messages, and never about cells: the last pause is repeated. */
export function pausesOf({ crm }: Pick<OutboxRun, 'crm'>, { strays: known }: OutboxMemory): RowPauses {
  return { known, retry: undefined, now: crm.now() };
}

export function createIdCells({ config }: OutboxRun, pauses: RowPauses): OwnCells {
  return createOwnCells(pauses, () => config.sheet.idHeader, 'id');
}

/**
 * In the ledger first: an ID that a row has and the ledger does not would look like a ledger that was lost (P6). A row that
 * could not be written has no ID, and is not sent. Returns whether anything was written.
 */
export async function nameRows(
  context: OutboxRun,
  snapshot: Snapshot,
  namings: readonly Naming[],
  ids: OwnCells,
  book: OutboxBook,
): Promise<boolean> {
  const { table, randomId, config, emit } = context;
  const rowByNumber = new Map(snapshot.rows.map((row) => [row.number, row]));
  // Which ID it is to get differs from run to run: what was refused is known by the row.
  const cellsOf = (row: Row) => ({ id: JSON.stringify(row.cells) });
  const due = namings.flatMap((naming) => {
    const row = rowByNumber.get(naming.row)!;
    return Object.keys(ids.due(row, cellsOf(row))).length > 0 ? [{ ...naming, row }] : [];
  });
  if (due.length === 0) return false;
  const messages = new Map<string, Message>();
  const writes = due.map(({ row, id = randomId(), message }) => {
    if (message) messages.set(id, message);
    // Which of several rows with one ID is meant was decided by the plan (P2).
    return { row, set: {}, id, isKnownDuplicate: true as const };
  });
  await book.put(messages);
  const outcomes = await table.update(snapshot, writes, sheetWrite(context));
  for (const [index, { row }] of writes.entries()) {
    const message = refusalIn(outcomes[index]!);
    if (message !== undefined) ids.refuse(row, cellsOf(row), message);
    else if (outcomes[index]!.kind === 'written') ids.written(row);
  }
  emit({ type: 'progress', sync: config.name, step: 'sheet', done: writes.length, total: writes.length });
  return true;
}

type Told = Pick<OutboxPlan, 'sets' | 'statuses' | 'problems'>;

/** Without what waits, which is told instead; `strays`: what stays known of refusals. */
export function pauseTold(
  pauses: RowPauses,
  { sets, statuses, problems }: Told,
): Told & { readonly strays: ReadonlyMap<string, Stray> } {
  const paused = pauseRows(pauses, sets, pausedElsewhere);
  const waiting = new Set(paused.problems.map(({ row }) => row));
  const due = new Set(paused.changes);
  return {
    sets: sets.filter((set) => due.has(set)),
    statuses: new Map([...statuses].filter(([row]) => !waiting.has(row))),
    problems: [...problems, ...paused.problems.map(ofRow)],
    strays: paused.strays,
  };
}

/** Of a row: a contact may have several messages. */
function ofRow(told: Problem): Problem {
  return { ...told, uuid: null, id: problemId(null, told.row, told.field) };
}

export interface ToldRows {
  readonly outcomes: ReadonlyMap<Change, Outcome>;
  /** Sentences that the rows were not told, and why. */
  readonly problems: readonly Problem[];
  readonly strays: ReadonlyMap<string, Stray>;
}

/** Of a run that was stopped before it told anything. */
export function untold({ strays }: OutboxMemory): ToldRows {
  return { outcomes: new Map(), problems: [], strays };
}

/** Also when the end was asked for: what was sent is told in its row (W8). */
export async function tellRows(
  context: OutboxRun,
  snapshot: Snapshot,
  { sets, statuses, strays: kept }: ReturnType<typeof pauseTold>,
  pauses: RowPauses,
): Promise<ToldRows> {
  const { shape, table } = context;
  const statusOf = ({ cells }: Row) => cells[statusKey] ?? '';
  const writes = rowWrites(snapshot, { sets, statuses, toCells: shape.toCells, statusOf });
  const outcomes = new Map<Change, Outcome>();
  const own = createOwnCells(pauses, shape.headerOf);
  const rows = writes.map(({ write }) => write);
  const written = await writeRows(table, snapshot, rows, own);
  for (const [index, { change, write }] of writes.entries()) {
    if (!change || !written[index]) continue;
    const outcome = fromOwnUpdate(write.set, written[index]);
    outcomes.set(change, outcome);
    tellDone(context, change, outcome);
  }
  const strays = settleRows(pauses, kept, outcomes, pausedElsewhere);
  const failures = [...outcomes].flatMap(([change, outcome]) =>
    outcome.kind === 'done' ? [] : [ofRow(failedRow(pauses, strays, change, outcome))],
  );
  return {
    outcomes,
    problems: [...failures, ...own.problems()],
    strays: new Map([...strays, ...own.strays(false)]),
  };
}
