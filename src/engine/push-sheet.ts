// What goes into the sheet, in pinned batches: cells, new rows, status sentences; and, last of all, rows that go (W2, D5).
import type {
  AppendOutcome,
  CellInput,
  ColumnKey,
  Displaced,
  NewRow,
  RemoveOutcome,
  Row,
  RowChange,
  RowOutcome,
  Snapshot,
} from '../sheets/port.ts';
import type { Change, Problem } from '../sync/change.ts';
import type { Outcome } from '../sync/outcome.ts';
import { inSync, statusByRow } from '../sync/status.ts';
import { type RunContext, sheetCall } from './context.ts';
import { resultKey, statusKey } from './shape.ts';

type Results = Map<Change, Outcome>;

export interface SheetPush {
  /** What `resume` made of the plan, in its order. */
  readonly changes: readonly Change[];
  /** All that is open so far: the status column says it. */
  readonly problems: readonly Problem[];
  /** For the result column, by row number. */
  readonly wishResults: ReadonlyMap<number, string>;
}

export async function pushToSheet(context: RunContext, snapshot: Snapshot, push: SheetPush): Promise<Results> {
  const results: Results = new Map();
  if (context.request.signal.aborted && !push.changes.some(({ op }) => op === 'set')) return results;
  await setCells(context, snapshot, push, results);
  if (!context.request.signal.aborted) await appendRows(context, snapshot, push, results);
  for (const [change, outcome] of results) {
    context.emit({ type: 'change-done', sync: context.config.name, run: context.run, change, outcome });
  }
  return results;
}

/** D5. The snapshot is of before the other writes, and `remove` finds each row again by its ID. */
export async function removeRows(
  context: RunContext,
  snapshot: Snapshot,
  removes: readonly Change[],
): Promise<Results> {
  const results: Results = new Map();
  const rows = rowsByNumber(snapshot);
  const targets = removes.flatMap((change) => {
    const row = rows.get(change.row ?? 0);
    return row ? [{ change, row }] : [];
  });
  if (targets.length === 0 || context.request.signal.aborted) return results;
  const outcomes = await context.table.remove(
    snapshot,
    targets.map(({ row }) => row),
    sheetCall(context),
  );
  for (const [index, { change }] of targets.entries()) {
    const outcome = fromRemove(outcomes[index]!);
    results.set(change, outcome);
    context.emit({ type: 'change-done', sync: context.config.name, run: context.run, change, outcome });
  }
  return results;
}

async function setCells(
  context: RunContext,
  snapshot: Snapshot,
  { changes, problems, wishResults }: SheetPush,
  results: Results,
): Promise<void> {
  const sets = new Map(changes.flatMap((change) => (change.op === 'set' ? [[change.row, change] as const] : [])));
  const statuses = statusTexts(context, snapshot, problems);
  const wishTexts = resultTexts(context, snapshot, wishResults);
  const rowChanges: { readonly change: Change | undefined; readonly row: RowChange }[] = [];
  const isUsed = (key: ColumnKey) => snapshot.columns.some((column) => column.key === key && isThere(column.kind));
  for (const row of snapshot.rows) {
    const change = sets.get(row.number);
    const status = statuses?.get(row.number);
    const result = wishTexts?.get(row.number);
    if (!change && status === undefined && result === undefined) continue;
    const set: Record<ColumnKey, CellInput> = {
      ...(change && context.shape.toCells(change.fields)),
      ...(status !== undefined && isUsed(statusKey) && { [statusKey]: status }),
      ...(result !== undefined && isUsed(resultKey) && { [resultKey]: result }),
    };
    const id = change?.op === 'set' ? change.id : undefined;
    if (Object.keys(set).length === 0 && id === undefined) continue;
    // A copied row is told that it is one; nothing else is ever written into it (I4).
    const isCopy = !change && row.id !== '';
    rowChanges.push({
      change,
      row: { row, set, ...(id !== undefined && { id }), ...(isCopy && { isKnownDuplicate: true as const }) },
    });
  }
  if (rowChanges.length === 0) return;
  const outcomes = await context.table.update(
    snapshot,
    rowChanges.map(({ row }) => row),
    sheetCall(context),
  );
  for (const [index, { change }] of rowChanges.entries()) {
    if (change) results.set(change, fromUpdate(context, outcomes[index]!));
  }
  context.emit({
    type: 'progress',
    sync: context.config.name,
    step: 'sheet',
    done: rowChanges.length,
    total: rowChanges.length,
  });
}

/** Rows whose status cell says something else than it should; undefined where no status is kept. */
function statusTexts(
  { config, request }: RunContext,
  { rows }: Snapshot,
  problems: readonly Problem[],
): ReadonlyMap<number, string> | undefined {
  if (config.sheet.statusHeader === undefined || request.signal.aborted) return undefined;
  const wanted = statusByRow(problems);
  const texts = new Map<number, string>();
  for (const row of rows) {
    const text = wanted.get(row.number) ?? inSync;
    if ((row.cells[statusKey] ?? null) !== text) texts.set(row.number, text);
  }
  return texts;
}

function resultTexts(
  { config }: RunContext,
  { rows }: Snapshot,
  wishResults: ReadonlyMap<number, string>,
): ReadonlyMap<number, string> | undefined {
  if (config.automation?.resultHeader === undefined) return undefined;
  const texts = new Map<number, string>();
  for (const row of rows) {
    const text = wishResults.get(row.number);
    if (text !== undefined && (row.cells[resultKey] ?? '') !== text) texts.set(row.number, text);
  }
  return texts;
}

async function appendRows(
  context: RunContext,
  snapshot: Snapshot,
  { changes, problems }: SheetPush,
  results: Results,
): Promise<void> {
  const appends = changes.filter(({ op }) => op === 'append');
  if (appends.length === 0) return;
  const hasStatus = snapshot.columns.some(({ key, kind }) => key === statusKey && isThere(kind));
  const open = new Map(problems.map((problem) => [problem.uuid, problem]));
  const rows = appends.map((change): NewRow => {
    const said = open.get(change.uuid);
    const status = said ? `${said.kind}: ${said.reason}` : inSync;
    return {
      id: change.uuid!,
      set: { ...context.shape.toCells(change.fields), ...(hasStatus && { [statusKey]: status }) },
    };
  });
  const outcomes = await context.table.append(snapshot, rows, sheetCall(context));
  for (const [index, change] of appends.entries()) results.set(change, fromAppend(outcomes[index]!));
  context.emit({
    type: 'progress',
    sync: context.config.name,
    step: 'sheet',
    done: appends.length,
    total: appends.length,
  });
}

function isThere(kind: Snapshot['columns'][number]['kind']): boolean {
  return kind === 'found' || kind === 'renamed';
}

function rowsByNumber({ rows }: Snapshot): ReadonlyMap<number, Row> {
  return new Map(rows.map((row) => [row.number, row]));
}

function fromUpdate({ shape }: RunContext, outcome: RowOutcome): Outcome {
  switch (outcome.kind) {
    case 'written':
      return { kind: 'done', stored: shape.fromCells(outcome.stored) };
    case 'changed-meanwhile':
    case 'moved':
    case 'row-gone':
    case 'duplicate-id':
    case 'formula':
      return { kind: 'moved' };
    case 'displaced':
      return { kind: 'failed', message: displacedText(outcome.cells) };
    case 'refused':
      return { kind: 'refused', message: outcome.message };
    case 'failed':
    case 'unknown':
      return { kind: outcome.kind, message: outcome.error.message };
  }
}

function fromAppend(outcome: AppendOutcome): Outcome {
  switch (outcome.kind) {
    case 'appended':
      return { kind: 'done', stored: {} };
    case 'duplicate-id':
    case 'moved':
      return { kind: 'moved' };
    case 'displaced':
      return {
        kind: 'failed',
        message: `it was appended, but columns were moved in that moment: look at ${outcome.columns.join(', ')} of its row`,
      };
    case 'refused':
      return { kind: 'refused', message: outcome.message };
    case 'failed':
    case 'unknown':
      return { kind: outcome.kind, message: outcome.error.message };
  }
}

function fromRemove(outcome: RemoveOutcome): Outcome {
  switch (outcome.kind) {
    case 'removed':
      return { kind: 'done' };
    // Gone is what was wanted, whoever did it.
    case 'row-gone':
      return { kind: 'done' };
    case 'changed-meanwhile':
    case 'moved':
    case 'duplicate-id':
      return { kind: 'moved' };
    case 'displaced':
      return {
        kind: 'failed',
        message: `rows were moved in the moment of deleting: look at row ${outcome.number} in the version history of the sheet`,
      };
    case 'failed':
    case 'unknown':
      return { kind: outcome.kind, message: outcome.error.message };
  }
}

function displacedText(cells: readonly Displaced[]): string {
  const named = cells.map(({ cell, isRestored }) => `${cell}${isRestored ? ' (put back)' : ''}`).join(', ');
  return `cells were moved in the moment of writing; look at ${named}`;
}
