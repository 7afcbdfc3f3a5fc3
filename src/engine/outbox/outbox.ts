// One run of one outbox: read the tab, give rows their IDs, ask and send in small batches, tell the rows. A table of
// contents; each step is a file.
import type { RunLease } from '../decisions-told.ts';
import { lastRunOf } from '../next-run.ts';
import type { Facts } from '../stored/facts.ts';
import type { Problem } from '../../sync/change.ts';
import type { Stray } from '../../sync/record/base.ts';
import { type OutboxPlan, planOutbox } from '../../sync/outbox/outbox.ts';
import { columnFacts, lostStatus } from '../columns.ts';
import { factChanges, tabNamed } from '../facts.ts';
import { runUnderLease } from '../frame.ts';
import type { HeldFact } from '../stored/facts.ts';
import { changeLines } from '../history.ts';
import { type RunRequest, toJobRun } from '../job.ts';
import type { Ending, RunReport } from '../report.ts';
import { readOutbox } from '../stored/stored.ts';
import { statusWhenStopped, stoppedSending } from '../stop.ts';
import { heldMessages } from './approval.ts';
import { sendBatches } from './batches.ts';
import type { OutboxContext, OutboxRun, OutboxTab } from './context.ts';
import { recoverUnknown, seeDeliveries } from './deliveries.ts';
import { endingOf } from './ending.ts';
import { assertSame, identitiesOf, inputOf, lostHeaders } from './input.ts';
import { openBook, type OutboxBook, type OutboxMemory, recallOutbox, tellNoted } from './ledger.ts';
import { replacing } from '../map-changes.ts';
import type { OwnCells } from '../own-cells.ts';
import { rowsSeen } from '../rows-seen.ts';
import { createIdCells, nameRows, pausesOf, pauseTold, tellRows, untold } from './rows.ts';
import type { SavedMessages } from './saved.ts';
import { readAgain, readTab } from './tab.ts';

/** One run. `saved`: left out, all that is due is sent. */
export function runOutbox(outbox: OutboxContext, request: RunRequest, saved?: SavedMessages): Promise<RunReport> {
  return runUnderLease(outbox, request, readOutbox, async (run, lease, stored, asked) => {
    const memory = recallOutbox(stored);
    const context = { ...outbox, ...toJobRun(outbox, asked, run, memory.facts) };
    await tellNoted(lease, memory);
    const tab = await readTab(context, memory.facts, true);
    assertSame(context, memory.facts, tab);
    saved?.assertSame(identitiesOf(context, tab));
    return carryOut(context, lease, memory, tab, saved);
  });
}

async function carryOut(
  context: OutboxRun,
  lease: RunLease,
  memory: OutboxMemory,
  read: OutboxTab,
  saved: SavedMessages | undefined,
): Promise<Ending> {
  const { signal } = context.request;
  const book = openBook(lease, { ...memory, notes: new Map() }, context.run);
  await recoverUnknown(context, book);
  const problems: Problem[] = [
    ...lostHeaders(read),
    ...lostStatus(read.snapshot),
    ...(await seeDeliveries(context, book, read)),
  ];
  const pauses = pausesOf(context, memory);
  const ids = createIdCells(context, pauses);
  const { tab: named, isTrusted, edited, hasTaken } = await giveIds(context, lease, { memory, book, tab: read, ids });
  const sent = await sendBatches(context, book, { memory, tab: named, isTrusted, edited, saved });
  const { tab, plan, stop } = sent;
  problems.push(...sent.problems);
  const isNothingBegun = signal.aborted && sent.outcomes.size === 0;
  const paused = pauseTold(pauses, plan);
  const told = isNothingBegun ? untold(memory) : await tellRows(context, tab.snapshot, paused, pauses);
  const lines = [...told.outcomes].flatMap(([change, outcome]) => changeLines(context, change, outcome));
  if (lines.length > 0) await book.settle(new Map(), lines);
  problems.push(...ids.problems(), ...told.problems);
  const outcomes = new Map([...sent.outcomes, ...told.outcomes]);
  const left = saved?.left(book.messages);
  const all = [...problems, ...paused.problems, ...(left?.problems ?? [])];
  const held = heldMessages(memory.facts.held, context, plan);
  if (!plan.isTrusted || plan.unapproved > 0) lease.holdsAgain();
  const natural = endingOf(plan, all, outcomes, held);
  const stopped = stoppedSending(context, plan.problems, outcomes);
  const alreadyDone = left && left.alreadyDone > 0 && { alreadyDone: left.alreadyDone };
  const ending = { ...natural, status: statusWhenStopped(natural.status, stopped), ...stopped, ...alreadyDone };
  const strays = new Map([...told.strays, ...ids.strays(signal.aborted)]);
  await save(context, book, memory, tab, plan, { ending, held, strays, hasWritten: outcomes.size > 0 || hasTaken });
  await lease.noteRows(rowsSeen(tab.snapshot, new Map(), context.config.sheet));
  // W6: what came through before the token was refused is saved all the same.
  if (stop) throw stop;
  return ending;
}

interface Unnamed {
  readonly memory: OutboxMemory;
  readonly book: OutboxBook;
  readonly tab: OutboxTab;
  readonly ids: OwnCells;
}

interface Named {
  readonly tab: OutboxTab;
  readonly isTrusted: boolean;
  readonly edited: ReadonlySet<string>;
  /** Requests of people, or what rows say by now, were taken up. */
  readonly hasTaken: boolean;
}

/** P2: every row that says yes gets an ID, and its place in the queue with it, before anything is sent. */
async function giveIds(context: OutboxRun, lease: RunLease, { memory, book, tab, ids }: Unnamed): Promise<Named> {
  const { messages, namings, isTrusted, moved, isMovedApproved, edited, voided, postponed } = planOutbox({
    ...inputOf(context, memory, tab),
    messages: book.messages,
  });
  lease.makesVoid(voided);
  const taken = memory.requests.retry.filter((key) => !postponed.includes(key));
  // P8, L10: that an approval is spent is stored with what it lets through, or a run after a crash would let through what moved since.
  const spent = memory.isTrusted && isTrusted ? memory.requests.approve : [];
  if (moved.size > 0 && !isMovedApproved) lease.holdsAgain();
  await book.put(messages, { doneRequests: [...taken, ...spent], ...(!isTrusted && { isTrusted }) });
  const isNamed = !context.request.signal.aborted && (await nameRows(context, tab.snapshot, namings, ids, book));
  const hasTaken = taken.length > 0 || messages.size > 0;
  return { tab: isNamed ? await readAgain(context, tab) : tab, isTrusted, edited, hasTaken };
}

interface Saved {
  readonly ending: Ending;
  readonly held: HeldFact | undefined;
  /** Rows that the spreadsheet refused (W5). */
  readonly strays: ReadonlyMap<string, Stray>;
  readonly hasWritten: boolean;
}

/** W9: what only passes goes along when something else is written. */
async function save(
  context: OutboxRun,
  book: OutboxBook,
  memory: OutboxMemory,
  tab: OutboxTab,
  { isTrusted }: OutboxPlan,
  { ending, held, strays: known, hasWritten }: Saved,
): Promise<void> {
  const { facts, requests } = memory;
  const strays = replacing(memory.strays, known);
  const lasting = {
    identities: identitiesOf(context, tab),
    tab: tabNamed(context.config),
    isLedgerTrusted: isTrusted,
    ...columnFacts(facts, tab.snapshot),
    ...(held ? { held } : facts.held && { held: null }),
  };
  const stored = book.isTrustedNow === undefined ? facts : { ...facts, isLedgerTrusted: book.isTrustedNow };
  const changed = factChanges(stored, lasting);
  const lastRun = lastRunOf(context, ending);
  // `status` tells what is open; what only waits is different in every run.
  const openIn = (run: Facts['lastRun']) =>
    JSON.stringify(run?.problems.filter(({ kind }) => kind !== 'waiting') ?? []);
  const isNews = facts.lastRun?.status !== ending.status || openIn(facts.lastRun) !== openIn(lastRun);
  const isWritten = hasWritten || strays.isChanged || changed.size > 0 || isNews || requests.approve.length > 0;
  const passing = isWritten ? factChanges(facts, { table: tab.snapshot.memory, lastRun }) : new Map<string, never>();
  const refused = strays.isChanged ? strays.changes : undefined;
  await book.end(new Map([...changed, ...passing]), refused, requests.approve);
}
