// Carries out the changes of a feed: starts and stops automations (E7), then writes cells, new rows and status sentences, then deletes rows.
import { AuthenticationError, isRefusal, mayHaveArrived, refusalText, ServiceError } from '../../crm/errors.ts';
import type { CollectionRecord } from '../../crm/port.ts';
import type { Lease } from '../../state/port.ts';
import type { Snapshot } from '../../sheets/port.ts';
import type { Change } from '../../sync/change.ts';
import type { ControlAnswer, FeedLink } from '../../sync/feed/input.ts';
import type { FeedPlan } from '../../sync/feed/feed.ts';
import type { Outcome } from '../../sync/outcome.ts';
import { inSync, statusByUuid } from '../../sync/status.ts';
import type { FeedRun } from './context.ts';
import { tellDone } from '../events.ts';
import { changeLines, interrupted } from '../history.ts';
import { type OwnCells, writeRows } from '../own-cells.ts';
import { fromAppend, fromOwnUpdate, fromRemove, mayBeWritten } from '../row-outcome.ts';
import { collectionsOf } from './context.ts';
import { rowWrites } from '../row-writes.ts';
import { editCall, isUnbegun, isUnbegunRow, sheetWrite } from '../stop.ts';
import { asStored } from '../stored/json.ts';
import type { StepNote } from '../stored/records.ts';
import type { StoredFeed } from '../stored/stored.ts';
import { hasStatusColumn, statusKey } from '../status-column.ts';

export interface Controlled {
  readonly outcomes: ReadonlyMap<Change, Outcome>;
  readonly answers: ReadonlyMap<string, ControlAnswer>;
  /** As the service answered them. */
  readonly records: ReadonlyMap<string, CollectionRecord>;
  /** The links that were stored before and after the calls, as the state has them by now. */
  readonly stored: ReadonlyMap<string, FeedLink>;
}

/** The link of a wish once its call is over, if the one from before the call does not stay. `record`: as the service answered it. */
type LinkOnceOver = (
  change: Change,
  answer: ControlAnswer,
  record: CollectionRecord | undefined,
) => FeedLink | undefined;

/**
 * One call a wish, one after the other, each in the history before the next; either is harmless to repeat. Before a call its
 * link of `intents` is stored, with a note of the call: should the process end before the history has the answer, the next
 * run moves the note there (`tellCalls`). After a call its link of `onceOver` is stored, with the next call or at the end.
 * Throws AuthenticationError: no other call would do better.
 */
export async function control(
  context: FeedRun,
  lease: Pick<Lease, 'appendHistory' | 'commit'>,
  changes: readonly Change[],
  intents: ReadonlyMap<string, FeedLink>,
  onceOver: LinkOnceOver = () => undefined,
): Promise<Controlled> {
  const outcomes = new Map<Change, Outcome>();
  const answers = new Map<string, ControlAnswer>();
  const records = new Map<string, CollectionRecord>();
  const stored = new Map<string, FeedLink>();
  /** The note of the last call, which the history has by now or which was not made, and the link that it leaves. */
  let closed: string[] = [];
  let over = new Map<string, FeedLink>();
  const noteOver = (change: Change, answer: ControlAnswer) => {
    const { uuid } = change;
    const link = onceOver(change, answer, records.get(uuid!));
    over = new Map(link && [[uuid!, link]]);
    if (link) stored.set(uuid!, link);
  };
  for (const change of changes) {
    const { op, uuid } = change;
    if (op !== 'update' || uuid === null) continue;
    if (context.request.signal.aborted) break;
    const note = `${context.run} ${uuid}`;
    const link = intents.get(uuid);
    const step: StepNote = { lines: changeLines(context, change, interrupted) };
    await lease.commit({
      links: { put: asStored(new Map([...over, ...(link ? [[uuid, link] as const] : [])])) },
      outbox: { put: new Map([[note, step]]), delete: closed },
    });
    if (link) stored.set(uuid, link);
    const isToStart = change.fields[0]?.after === 'on';
    const answer = await startOrStop(context, uuid, isToStart, records).catch(async (error: unknown) => {
      // The service refused the key at once, so that nothing came of the call. Else the next run tells it as unknown.
      const isRefusedAtOnce = error instanceof AuthenticationError && !mayHaveArrived(error);
      if (isRefusedAtOnce) {
        noteOver(change, { kind: 'failed', message: error.message });
        await lease.commit({ links: { put: asStored(over) }, outbox: { delete: [note] } });
      }
      throw error;
    });
    closed = [note];
    // W8: a call that was not begun asked for nothing either.
    noteOver(change, answer ?? { kind: 'failed', message: 'the end was asked for' });
    if (!answer) break;
    outcomes.set(change, answer);
    answers.set(uuid, answer);
    // L12: once a call is made, no later run finds anything to do about it.
    await lease.appendHistory(changeLines(context, change, answer));
    tellDone(context, change, answer);
  }
  if (closed.length > 0) await lease.commit({ links: { put: asStored(over) }, outbox: { delete: closed } });
  return { outcomes, answers, records, stored };
}

/** L12: calls that were under way when an earlier run ended. The lines come first: a repeat is harmless. */
export async function tellCalls(
  lease: Pick<Lease, 'appendHistory' | 'commit'>,
  { steps }: Pick<StoredFeed, 'steps'>,
): Promise<void> {
  if (steps.size === 0) return;
  await lease.appendHistory([...steps.values()].flatMap(({ lines }) => lines));
  await lease.commit({ outbox: { delete: [...steps.keys()] } });
}

/** Undefined: not begun, because the end was asked for (W8). */
async function startOrStop(
  context: FeedRun,
  uuid: string,
  isToStart: boolean,
  records: Map<string, CollectionRecord>,
): Promise<ControlAnswer | undefined> {
  try {
    const collections = collectionsOf(context);
    const record = await collections.control(context.config.resource, uuid, isToStart, editCall(context));
    const status = record['status'];
    // Nothing is done because nobody says otherwise (L3): the next run sees in the listing what came of it.
    if (status === undefined) return { kind: 'unknown', message: 'the answer does not say whether it is on' };
    records.set(uuid, record);
    const said = typeof status === 'string' ? status : 'blank';
    const isDone = said.toLowerCase() === (isToStart ? 'on' : 'off');
    return isDone ? { kind: 'done' } : { kind: 'refused', message: `the service left it ${said}` };
  } catch (error) {
    if (isUnbegun(error, context)) return undefined;
    if (error instanceof AuthenticationError || !(error instanceof ServiceError)) throw error;
    if (mayHaveArrived(error)) return { kind: 'unknown', message: error.message };
    return isRefusal(error)
      ? { kind: 'refused', message: refusalText(error) }
      : { kind: 'failed', message: error.message };
  }
}

export interface FeedPushed {
  readonly outcomes: ReadonlyMap<Change, Outcome>;
  /** Changes of which something may be in the tab. */
  readonly reached: ReadonlySet<Change>;
  /** Rows of which only the status sentence was written. */
  readonly statuses: number;
}

export async function pushFeed(
  context: FeedRun,
  snapshot: Snapshot,
  plan: FeedPlan,
  own: OwnCells,
): Promise<FeedPushed> {
  const outcomes = new Map<Change, Outcome>();
  const reached = new Set<Change>();
  if (context.request.signal.aborted) return { outcomes, reached, statuses: 0 };
  const statuses = await setCells(context, snapshot, plan, own, { outcomes, reached });
  if (!context.request.signal.aborted) await appendRows(context, snapshot, plan, { outcomes, reached });
  if (!context.request.signal.aborted) await removeRows(context, snapshot, plan, outcomes);
  // W9: in the run that left them.
  if (!context.request.signal.aborted) await context.table.clearMarks();
  for (const [change, outcome] of outcomes) {
    tellDone(context, change, outcome);
  }
  return { outcomes, reached, statuses };
}

interface Results {
  readonly outcomes: Map<Change, Outcome>;
  readonly reached: Set<Change>;
}

async function setCells(
  context: FeedRun,
  snapshot: Snapshot,
  { changes, statuses }: FeedPlan,
  own: OwnCells,
  { outcomes, reached }: Results,
): Promise<number> {
  const { shape, table } = context;
  const writes = rowWrites(snapshot, {
    sets: changes.filter(({ op }) => op === 'set'),
    statuses,
    toCells: shape.toCells,
    statusOf: (row) => row.own[statusKey],
  });
  if (writes.length === 0) return 0;
  const rows = writes.map(({ write }) => write);
  const written = await writeRows(table, snapshot, rows, own, sheetWrite(context));
  for (const [index, { change, write }] of writes.entries()) {
    const outcome = written[index];
    if (!change || !outcome || isUnbegunRow(outcome)) continue;
    if (mayBeWritten(outcome)) reached.add(change);
    outcomes.set(change, fromOwnUpdate(write.set, outcome));
  }
  const done = writes.length;
  context.emit({ type: 'progress', sync: context.config.name, step: 'sheet', done, total: done });
  return writes.filter(({ change }, index) => !change && written[index]).length;
}

async function appendRows(
  context: FeedRun,
  snapshot: Snapshot,
  { changes, problems }: FeedPlan,
  { outcomes, reached }: Results,
): Promise<void> {
  const { shape, table } = context;
  const appends = changes.filter(({ op }) => op === 'append');
  if (appends.length === 0) return;
  const hasStatus = hasStatusColumn(snapshot);
  const open = statusByUuid(problems);
  const rows = appends.map(({ uuid, fields }) => ({
    id: uuid!,
    set: { ...shape.toCells(fields), ...(hasStatus && { [statusKey]: open.get(uuid!) ?? inSync }) },
  }));
  const appended = await table.append(snapshot, rows, sheetWrite(context));
  for (const [index, change] of appends.entries()) {
    const outcome = appended[index]!;
    if (isUnbegunRow(outcome)) continue;
    if (mayBeWritten(outcome)) reached.add(change);
    outcomes.set(change, fromAppend(outcome));
  }
}

async function removeRows(
  context: FeedRun,
  snapshot: Snapshot,
  { changes }: FeedPlan,
  outcomes: Map<Change, Outcome>,
): Promise<void> {
  const rowByNumber = new Map(snapshot.rows.map((row) => [row.number, row]));
  const removes = changes.filter(({ op }) => op === 'remove');
  if (removes.length === 0) return;
  const rows = removes.map(({ row }) => rowByNumber.get(row ?? 0)!);
  const removed = await context.table.remove(snapshot, rows, sheetWrite(context));
  for (const [index, change] of removes.entries()) {
    if (!isUnbegunRow(removed[index]!)) outcomes.set(change, fromRemove(removed[index]!));
  }
}
