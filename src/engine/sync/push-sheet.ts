// Writes the sheet in pinned batches: cells, new rows, status sentences, and, last of all, deletions of rows (W2, D5).
import type { ColumnKey, NewRow, Row, Snapshot } from '../../sheets/port.ts';
import type { Change, Problem } from '../../sync/change.ts';
import type { Outcome } from '../../sync/outcome.ts';
import { inSync, saysInSync, statusByRow, statusByUuid, undoneStatus } from '../../sync/status.ts';
import type { RunContext } from './context.ts';
import type { Journal } from './commit.ts';
import { tellDone } from '../events.ts';
import { type OwnCells, type OwnedWrite, writeRows } from '../own-cells.ts';
import { fromAppend, fromRemove, fromUpdate } from '../row-outcome.ts';
import { resultKey } from './shape.ts';
import { statusKey } from '../status-column.ts';
import { isUnbegunRow, sheetWrite } from '../stop.ts';

type Results = Map<Change, Outcome>;

export interface SheetPush {
  /** The changes of the sheet that follow from the answers of the service, in the order of the plan. */
  readonly changes: readonly Change[];
  /** All that is open so far: the status column says it. */
  readonly problems: readonly Problem[];
  /** For the result column, by row number. */
  readonly wishResults: ReadonlyMap<number, string>;
  /** Numbers of rows that the spreadsheet refused to write: left alone, their status cells too, until the pause is over (W5). */
  readonly refusedRows: ReadonlySet<number>;
  /**
   * W3, G6: numbers of rows of records that this run was not to change. Without a problem they keep their status: they are not in
   * sync before a later run has done what is planned for them.
   */
  readonly unchosenRows: ReadonlySet<number>;
  /** V3: numbers of the rows that count as blank. Without a problem they have no status. */
  readonly blankRows: ReadonlySet<number>;
  /** Statuses and results of wishes: with pauses of their own (W5). */
  readonly own: OwnCells;
  /** S8: of an undo, by row number: the status of each row without a problem. Other rows keep theirs. */
  readonly undone?: ReadonlyMap<number, string>;
  /** S7: numbers of rows that an undo deletes next. They get no status, because only a row that is as it was read is deleted. */
  readonly leaving?: ReadonlySet<number>;
}

/** Rows between two looks at the signal; as many as the adapter writes at once. */
const chunkRows = 1_000;

/** W8: uuids of contacts that were made go into their rows also after the end was asked for; nothing else is begun then. */
export async function pushToSheet(
  context: RunContext,
  snapshot: Snapshot,
  push: SheetPush,
  journal: Journal,
): Promise<Results> {
  const sets = await setCells(context, snapshot, push, journal);
  const results = new Map([...sets, ...(await appendRows(context, snapshot, push, journal))]);
  for (const [change, outcome] of results) {
    tellDone(context, change, outcome);
  }
  return results;
}

/** D5. The snapshot is of before the other writes, and `remove` finds each row again by its ID. */
export async function removeRows(
  context: RunContext,
  snapshot: Snapshot,
  removes: readonly Change[],
  journal: Journal,
): Promise<Results> {
  const results: Results = new Map();
  if (removes.length === 0) return results;
  const rows = rowsByNumber(snapshot);
  const targets = removes.flatMap((change) => {
    const row = rows.get(change.row ?? 0);
    return row ? [{ change, row }] : [];
  });
  if (targets.length === 0 || context.request.signal.aborted) return results;
  await journal.intend(targets.map(({ change }) => change));
  const outcomes = await context.table.remove(
    snapshot,
    targets.map(({ row }) => row),
    // S7: an undo deletes no cell that it did not write.
    { ...sheetWrite(context), ...(context.undoes !== undefined && { onlyBare: true as const }) },
  );
  for (const [index, { change }] of targets.entries()) {
    if (isUnbegunRow(outcomes[index]!)) continue;
    const outcome = fromRemove(outcomes[index]!);
    results.set(change, outcome);
    tellDone(context, change, outcome);
  }
  await journal.tell(results);
  return results;
}

async function setCells(
  context: RunContext,
  snapshot: Snapshot,
  { changes, problems, wishResults, refusedRows, unchosenRows, blankRows, own, undone, leaving }: SheetPush,
  journal: Journal,
): Promise<Results> {
  const all: Results = new Map();
  const sets = new Map(changes.flatMap((change) => (change.op === 'set' ? [[change.row, change] as const] : [])));
  const statuses = statusTexts(context, snapshot, {
    problems,
    unchosenRows,
    blankRows,
    written: sets,
    ...(undone && { undone }),
  });
  const wishTexts = resultTexts(context, snapshot, wishResults);
  if (sets.size + (statuses?.size ?? 0) + (wishTexts?.size ?? 0) === 0) return all;
  const writes: { readonly change: Change | undefined; readonly write: OwnedWrite }[] = [];
  const isUsed = (key: ColumnKey) => snapshot.columns.some((column) => column.key === key && isThere(column.kind));
  for (const row of snapshot.rows) {
    if (leaving?.has(row.number)) continue;
    const change = sets.get(row.number);
    const status = statuses?.get(row.number);
    const result = wishTexts?.get(row.number);
    if (!change && ((status === undefined && result === undefined) || refusedRows.has(row.number))) continue;
    const set = change ? context.shape.toCells(change.fields) : {};
    const owned = {
      ...(status !== undefined && isUsed(statusKey) && { [statusKey]: status }),
      ...(result !== undefined && isUsed(resultKey) && { [resultKey]: result }),
    };
    const id = change?.op === 'set' ? change.id : undefined;
    if (Object.keys(set).length + Object.keys(owned).length === 0 && id === undefined) continue;
    // A copied row is told that it is one; nothing else is ever written into it (I4).
    const isCopy = !change && row.id !== '';
    const known = { ...(id !== undefined && { id }), ...(isCopy && { isKnownDuplicate: true as const }) };
    writes.push({ change, write: { row, set, own: owned, ...known } });
  }
  // A write that was begun is finished (W8): the outcome of one that is cut short is unknown.
  const withIds = writes.filter(({ write }) => write.id !== undefined);
  const others = writes.filter(({ write }) => write.id === undefined);
  let done = 0;
  for (const chunk of [...inChunks(withIds), ...inChunks(others)]) {
    const hasIds = chunk[0]?.write.id !== undefined;
    if (context.request.signal.aborted && !hasIds) break;
    const results: Results = new Map();
    await journal.intend(chunk.flatMap(({ change }) => change ?? []));
    const outcomes = await writeRows(
      context.table,
      snapshot,
      chunk.map(({ write }) => write),
      own,
      hasIds ? {} : sheetWrite(context),
    );
    for (const [index, { change }] of chunk.entries()) {
      const outcome = outcomes[index];
      if (change && outcome && !isUnbegunRow(outcome)) results.set(change, fromUpdate(context, outcome));
    }
    await keepRows(journal, results);
    for (const [change, outcome] of results) all.set(change, outcome);
    done += chunk.length;
    tellProgress(context, done, writes.length);
  }
  return all;
}

/** Rows whose status cell says something else than it should; undefined where no status is kept. */
function statusTexts(
  { config, request }: RunContext,
  { rows }: Snapshot,
  {
    problems,
    unchosenRows,
    blankRows,
    written,
    undone,
  }: Pick<SheetPush, 'problems' | 'unchosenRows' | 'blankRows' | 'undone'> & {
    readonly written: ReadonlyMap<number | null, Change>;
  },
): ReadonlyMap<number, string> | undefined {
  if (config.sheet.statusHeader === undefined || request.signal.aborted) return undefined;
  const wanted = statusByRow(problems);
  const texts = new Map<number, string>();
  for (const row of rows) {
    const { number } = row;
    if (!wanted.has(number) && (unchosenRows.has(number) || (undone && !undone.has(number)))) continue;
    const text = wanted.get(number) ?? undone?.get(number) ?? (blankRows.has(number) ? '' : inSync);
    const now = row.own[statusKey] ?? (text === '' ? '' : null);
    if (now === text || (text === inSync && saysInSync(now) && !written.has(number))) continue;
    texts.set(number, text);
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
    if (text !== undefined && (row.own[resultKey] ?? '') !== text) texts.set(row.number, text);
  }
  return texts;
}

async function appendRows(
  context: RunContext,
  snapshot: Snapshot,
  { changes, problems, blankRows }: SheetPush,
  journal: Journal,
): Promise<Results> {
  const all: Results = new Map();
  const filled = untilLastFilled(snapshot, blankRows);
  const appends = changes.filter(({ op }) => op === 'append');
  if (appends.length === 0) return all;
  const hasStatus = snapshot.columns.some(({ key, kind }) => key === statusKey && isThere(kind));
  const open = statusByUuid(problems);
  const free = context.undoes === undefined ? inSync : undoneStatus(context.undoes);
  const rows = appends.map((change): NewRow => {
    const status = open.get(change.uuid!) ?? free;
    return {
      id: change.uuid!,
      set: { ...context.shape.toCells(change.fields), ...(hasStatus && { [statusKey]: status }) },
    };
  });
  // Each chunk goes below the last row of the snapshot and pushes down the one before: the last goes first.
  const chunks = inChunks(appends.map((change, index) => ({ change, row: rows[index]! }))).toReversed();
  let done = 0;
  for (const chunk of chunks) {
    if (context.request.signal.aborted) break;
    await journal.intend(chunk.map(({ change }) => change));
    const outcomes = await context.table.append(
      filled,
      chunk.map(({ row }) => row),
      sheetWrite(context),
    );
    const results: Results = new Map(
      chunk.flatMap(({ change }, index) =>
        isUnbegunRow(outcomes[index]!) ? [] : [[change, fromAppend(outcomes[index]!)]],
      ),
    );
    await keepRows(journal, results);
    for (const [change, outcome] of results) all.set(change, outcome);
    done += chunk.length;
    tellProgress(context, done, appends.length);
  }
  return all;
}

/** V3: without the blank rows at the end. New rows go above formulas and boxes that somebody dragged down to row 1000. */
export function untilLastFilled(snapshot: Snapshot, blankRows: ReadonlySet<number>): Snapshot {
  const end = snapshot.rows.findLastIndex(({ number }) => !blankRows.has(number)) + 1;
  return end === snapshot.rows.length ? snapshot : { ...snapshot, rows: snapshot.rows.slice(0, end) };
}

/**
 * L1, L10: the base of what was written is stored at once. If the run ended before, the next one would take these cells for a
 * person's edits, and write over what a person typed back. It would fill a new row that somebody edited from its contact, and append
 * one that somebody deleted again (D1). A first run deletes nothing, so that few steps follow its rows: it would pay for it with a
 * fifth of its time. W9: status sentences alone change no base.
 */
async function keepRows(journal: Journal, results: Results): Promise<void> {
  const isKnown = [...results.keys()].some(({ uuid }) => uuid !== null && journal.isKnown(uuid));
  await (isKnown ? journal.settle(results) : journal.tell(results));
}

function inChunks<Item>(items: readonly Item[]): (readonly Item[])[] {
  const starts = Array.from({ length: Math.ceil(items.length / chunkRows) }, (_, index) => index * chunkRows);
  return starts.map((start) => items.slice(start, start + chunkRows));
}

function tellProgress({ config, emit }: RunContext, done: number, total: number): void {
  emit({ type: 'progress', sync: config.name, step: 'sheet', done, total });
}

function isThere(kind: Snapshot['columns'][number]['kind']): boolean {
  return kind === 'found' || kind === 'renamed';
}

function rowsByNumber({ rows }: Snapshot): ReadonlyMap<number, Row> {
  return new Map(rows.map((row) => [row.number, row]));
}
