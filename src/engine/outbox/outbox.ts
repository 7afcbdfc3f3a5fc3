// One run of one outbox: read the tab, give rows their IDs, ask and send in small batches, tell the rows. Reports as a run of
// a sync does, so that schedules, commands and pages treat all alike.
import { nearestWord } from '../../config/nearest.ts';
import { AuthenticationError, ServiceError } from '../../crm/errors.ts';
import type { Lease } from '../../state/port.ts';
import type { Change, Problem } from '../../sync/change.ts';
import { problem } from '../../sync/change.ts';
import { estimate } from '../../sync/estimate.ts';
import type { Message } from '../../sync/message.ts';
import type { Outcome } from '../../sync/outcome.ts';
import { type OutboxPlan, planOutbox } from '../../sync/outbox.ts';
import type { OutboxAnswers, OutboxInput, RecipientAnswer, Sender } from '../../sync/outbox-input.ts';
import { type RunRequest, sheetCall } from '../context.ts';
import { RunFailed } from '../errors.ts';
import { changeLines } from '../history.ts';
import { incomplete } from '../incomplete.ts';
import type { Facts } from '../memory.ts';
import { askDeliveries, askRecipients, askSenders } from './ask.ts';
import type { OutboxContext, OutboxRun, OutboxTab } from './context.ts';
import { digest } from './digest.ts';
import { asUnknown, openBook, type OutboxBook, type OutboxMemory, recallOutbox, tellNoted } from './ledger.ts';
import { createIdCells, nameRows, pausesOf, pauseTold, tellRows, untold } from './rows.ts';
import { approvalOf, identitiesOf, save, tabNamed } from './save.ts';
import type { SavedMessages } from './saved.ts';
import { sendOne } from './send.ts';
import { missingIn, readTab } from './tab.ts';
import { countRun, type PlanReport, type RunReport, statusOf } from '../report.ts';
import { added, begin, end, type Ending, failure, nothingPlanned } from '../run.ts';
import { statusWhenStopped, stoppedSending } from '../stop.ts';
import { type SavedPlan, toSavedMessages } from '../saved-plan.ts';

/** Rows judged on one look at both sides, and then sent one after the other: what a person changes meanwhile is seen soon. */
const batchMax = 10;

/** One run. Expected failures end as a report that says `failed`; only faults of the program are thrown. */
export async function runOutbox(outbox: OutboxContext, request: RunRequest, saved?: SavedMessages): Promise<RunReport> {
  const started = begin(outbox, request);
  try {
    await using lease = await outbox.state.acquireLease({ signal: request.signal });
    const memory = recallOutbox(await lease.load());
    for (const message of memory.notices) outbox.emit({ type: 'notice', sync: outbox.config.name, message });
    const context = inRun(outbox, request, started.run, memory);
    await tellNoted(lease, memory);
    const tab = await readTab(context, memory.facts, true);
    assertSame(context, memory.facts, tab);
    saved?.assertSame(identitiesOf(context, tab));
    const { ending, stop } = await carryOut(context, lease, memory, tab, saved);
    return end(outbox, started, stop ? { ...failure(stop, request), ...ofOutbox } : ending);
  } catch (error) {
    return end(outbox, started, { ...failure(error, request), ...ofOutbox });
  }
}

/** What a run would do, each message in full; writes nothing anywhere. */
export async function planOutboxRun(
  outbox: OutboxContext,
  request: RunRequest,
): Promise<{ readonly report: PlanReport; readonly saved?: SavedPlan }> {
  const started = begin(outbox, request);
  const nothing = { changes: [], estimate: { crmCalls: 0, sheetReads: 0, sheetWrites: 0, seconds: 0 } };
  try {
    const memory = recallOutbox(await outbox.state.load());
    const context = inRun(outbox, request, started.run, memory);
    const tab = await readTab(context, memory.facts, false);
    assertSame(context, memory.facts, tab);
    const known = new Map([...memory.messages, ...asUnknown(memory.messages)]);
    const { heard, notice } = await askDeliveries(context, inTab(tab, known), known);
    const messages = new Map([...known, ...heard]);
    const asking = createAsking(context);
    const judged = { ...inputOf(context, memory, tab), messages, batchMax: Infinity, isDryRun: true };
    const plan = await asking.until(judged);
    const { sets, problems: ofRows } = pauseTold(pausesOf(context, memory), plan);
    const changes = [...plan.due.map(({ change }) => change), ...sets];
    const preview =
      plan.unapproved === 0 ? undefined : await previewApproval(asking, judged, { ...plan, problems: ofRows });
    const problems = [...lostHeaders(tab), ...unlisted(notice), ...(preview?.problems ?? ofRows)];
    const report = end(outbox, started, {
      ...endingOf(plan, problems, new Map()),
      ...approvalOf(context, memory, plan),
    });
    const cost = added(
      report.cost,
      estimate(changes, [], outbox.budgets, () => false),
    );
    return {
      report: {
        ...report,
        changes,
        estimate: cost,
        ...(preview && { onceApproved: preview.onceApproved }),
      },
      saved: toSavedMessages(outbox.config.name, started.run, identitiesOf(context, tab), changes),
    };
  } catch (error) {
    return { report: { ...end(outbox, started, { ...failure(error, request), ...ofOutbox }), ...nothing } };
  }
}

/** P6: what an approval would let through. What not even then is sent says why, rather than that it is held. */
async function previewApproval(
  asking: Asking,
  judged: OutboxInput,
  { unapproved, problems }: OutboxPlan,
): Promise<{ readonly problems: readonly Problem[]; readonly onceApproved: readonly Change[] }> {
  const approved = await asking.until({ ...judged, approved: unapproved });
  const refusals = new Map(approved.problems.flatMap((each) => (each.kind === 'refused' ? [[each.id, each]] : [])));
  return {
    problems: problems.map((each) => refusals.get(each.id) ?? each),
    onceApproved: approved.due.map(({ change }) => change),
  };
}

const ofOutbox = { isOutbox: true, isFull: false } as const;

function inRun(outbox: OutboxContext, request: RunRequest, run: string, { facts }: OutboxMemory): OutboxRun {
  const isSameTab = (facts.tab ?? tabNamed(outbox)) === tabNamed(outbox);
  return { ...outbox, run, request, table: outbox.openTable(isSameTab ? facts.table : undefined) };
}

/** G1: the ledger is of one account and one tab. */
function assertSame(context: OutboxRun, { identities: known }: Facts, tab: OutboxTab): void {
  const now = identitiesOf(context, tab);
  if (!known || (known.crm === now.crm && known.sheet === now.sheet)) return;
  const what = known.crm === now.crm ? 'tab' : 'account or resource';
  throw new RunFailed(
    `this is another ${what} than before, and what was sent is known of that one: put the setting back, or give the ` +
      'outbox a new name; then what its rows say is held until you approve it',
  );
}

function inputOf({ config, shape, client, request }: OutboxRun, memory: OutboxMemory, tab: OutboxTab): OutboxInput {
  const { isTrusted, retried, approved, messages } = memory;
  return {
    kind: config.resource,
    fields: shape.fields,
    headers: config.headers,
    rows: tab.snapshot.rows.map(shape.fromRow),
    missing: tab.missing,
    messages,
    isTrusted: isTrusted && !tab.isIdColumnLost,
    retried,
    approved,
    answers: { recipients: new Map() },
    perHour: config.sendsPerHour,
    batchMax: 0,
    tried: new Map(),
    now: client.serviceNow(),
    ...(!request.isAsked && { settleMs: config.settleMs }),
    isDryRun: false,
    digest,
    nearest: nearestWord,
  };
}

/** Of a tab that is watched only what still has a row: nobody sees the rest. */
function inTab({ snapshot }: OutboxTab, messages: ReadonlyMap<string, Message>): ReadonlyMap<string, Message> {
  return new Map(
    snapshot.rows.flatMap(({ id }) => {
      const message = messages.get(id);
      return message ? [[id, message] as const] : [];
    }),
  );
}

interface Asking {
  /** Plans, asks what the plan wants to know, and plans again. Throws ServiceErrors. */
  until(input: OutboxInput): Promise<OutboxPlan>;
}

/** P4: contacts are asked anew for each batch, sender profiles once a run. */
function createAsking(context: OutboxRun): Asking {
  let senders: readonly Sender[] | undefined;
  return {
    async until(input) {
      const recipients = new Map<string, RecipientAnswer>();
      for (;;) {
        const answers: OutboxAnswers = { recipients, ...(senders && { senders }) };
        const plan = planOutbox({ ...input, answers });
        if (plan.questions.recipients.length === 0 && !plan.questions.senders) return plan;
        if (plan.questions.senders) senders = await askSenders(context);
        for (const [asked, answer] of await askRecipients(context, plan.questions.recipients))
          recipients.set(asked, answer);
      }
    },
  };
}

interface Done {
  readonly ending: Ending;
  /** The token was refused; what came through before is told all the same (W6). */
  readonly stop?: AuthenticationError;
}

async function carryOut(
  context: OutboxRun,
  lease: Lease,
  memory: OutboxMemory,
  read: OutboxTab,
  saved: SavedMessages | undefined,
): Promise<Done> {
  const { request, config, emit } = context;
  const { signal } = request;
  const book = openBook(lease, { ...memory, notes: new Map() }, context.run);
  await recoverUnknown(context, book);
  const problems: Problem[] = [...lostHeaders(read)];
  let tab = read;
  await seeDeliveries(context, book, tab, problems);

  // Every row that says yes gets an ID, and its place in the queue with it, before anything is sent (P2).
  const first = planOutbox({ ...inputOf(context, memory, tab), messages: book.messages });
  const retries = tab.missing.length > 0 ? [] : memory.requests.retry;
  await book.put(first.messages, retries);
  const pauses = pausesOf(context, memory);
  const ids = createIdCells(context, pauses);
  if (!signal.aborted && (await nameRows(context, tab.snapshot, first.namings, ids, book))) {
    tab = await readAgain(context, tab);
  }

  const outcomes = new Map<Change, Outcome>();
  const tried = new Map<string, string>();
  const asking = createAsking(context);
  let { isTrusted } = first;
  let stop: AuthenticationError | undefined;
  const inputNow = (batch: number): OutboxInput => ({
    ...inputOf(context, memory, { ...tab, isIdColumnLost: false }),
    messages: book.messages,
    // Carried out with the first plan: said again it would be done again.
    retried: new Map(),
    isTrusted,
    tried,
    batchMax: batch,
  });
  let plan = planOutbox(inputNow(0));
  try {
    while (!signal.aborted && !stop) {
      plan = await asking.until(inputNow(saved ? Infinity : batchMax));
      ({ isTrusted } = plan);
      await book.put(plan.messages);
      const chosen = saved ? saved.choose(plan.due) : plan.due;
      if (chosen.length === 0) break;
      for (const due of chosen) {
        // W8: what was begun is finished, and nothing is begun after the end was asked for.
        if (signal.aborted || stop) break;
        const sent = await sendOne(context, book, due);
        if (!sent.outcome) break;
        outcomes.set(due.change, sent.outcome);
        if (sent.outcome.kind === 'failed') tried.set(due.id, sent.outcome.message);
        ({ stop } = sent);
        emit({ type: 'progress', sync: config.name, step: 'crm', done: outcomes.size });
      }
      if (!signal.aborted) tab = await readAgain(context, tab);
    }
  } catch (error) {
    // What was sent is told in its row all the same; nothing more is.
    if (!(error instanceof ServiceError) && !signal.aborted) throw error;
    if (error instanceof AuthenticationError) stop = error;
    else if (!signal.aborted)
      problems.push(problem('failed', {}, 'P4', `nothing is sent: ${(error as Error).message}`));
  }
  plan = planOutbox(inputNow(0));
  await book.put(plan.messages);
  const paused = pauseTold(pauses, plan);
  const isToTell = !signal.aborted || outcomes.size > 0;
  const told = isToTell ? await tellRows(context, tab.snapshot, paused, pauses) : untold(memory);
  const lines = [...told.outcomes].flatMap(([change, outcome]) => changeLines(context, change, outcome));
  if (lines.length > 0) await book.settle(new Map(), lines);
  for (const [change, outcome] of told.outcomes) outcomes.set(change, outcome);
  problems.push(...ids.problems(), ...told.problems);
  const all = [...problems, ...paused.problems, ...(saved?.left() ?? [])];
  const held = approvalOf(context, memory, plan);
  const natural = endingOf(plan, all, outcomes);
  const stopped = stoppedSending(context, plan.problems, outcomes);
  const ending = { ...natural, status: statusWhenStopped(natural.status, stopped), ...stopped, ...held };
  const strays = new Map([...told.strays, ...ids.strays(signal.aborted)]);
  await save(context, book, memory, tab, { plan, ending, strays, hasWritten: outcomes.size > 0 });
  return { ending, ...(stop && { stop }) };
}

/** P3, L12: calls whose end an earlier run did not see. */
async function recoverUnknown(context: OutboxRun, book: OutboxBook): Promise<void> {
  const unknown = asUnknown(book.messages);
  if (unknown.size === 0) return;
  const lines = [...unknown.values()].flatMap(({ run, to = null }) =>
    changeLines({ ...context, run }, lateChange(to, 'begun by a run that ended'), {
      kind: 'unknown',
      message: 'the run ended before the outcome was known',
    }),
  );
  await book.settle(unknown, lines);
}

/** P5: statuses, and outcomes that were unknown. A listing that fails keeps nothing from being sent. */
async function seeDeliveries(context: OutboxRun, book: OutboxBook, tab: OutboxTab, problems: Problem[]): Promise<void> {
  try {
    const { heard, notice } = await askDeliveries(context, inTab(tab, book.messages), book.messages);
    problems.push(...unlisted(notice));
    const found = [...heard].filter(([id]) => book.messages.get(id)?.state === 'unknown');
    const lines = found.flatMap(([, { to = null }]) =>
      changeLines(context, lateChange(to, 'found in the listing'), { kind: 'done' }),
    );
    if (lines.length > 0) await book.settle(heard, lines);
    else await book.put(heard);
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof AuthenticationError) throw error;
    problems.push(problem('failed', {}, 'P5', `statuses could not be read: ${error.message}`));
  }
}

/** L12: a message that was watched may be in what was not listed. */
function unlisted(notice: string | undefined): readonly Problem[] {
  return notice === undefined ? [] : [incomplete('deliveries', `statuses may be old: ${notice}`)];
}

/** Its fields stand in the history already. */
function lateChange(uuid: string | null, reason: string): Change {
  return { side: 'crm', op: 'send', uuid, row: null, fields: [], rule: 'P3', reason, to: '', from: '' };
}

async function readAgain(context: OutboxRun, tab: OutboxTab): Promise<OutboxTab> {
  const snapshot = await context.table.read(sheetCall(context));
  return { ...tab, snapshot, missing: missingIn(snapshot) };
}

/** L12, W11. */
function lostHeaders({ missing }: OutboxTab): readonly Problem[] {
  return missing.map((header) =>
    problem('held', { field: header }, 'W11', `the header "${header}" is not in the tab: nothing is sent`),
  );
}

function endingOf(plan: OutboxPlan, problems: readonly Problem[], outcomes: ReadonlyMap<Change, Outcome>): Ending {
  return {
    ...ofOutbox,
    status: statusOf([], problems),
    counts: countRun(plan.sent, problems, outcomes),
    problems,
    holds: [],
    planned: { ...nothingPlanned, messages: plan.unapproved },
  };
}
