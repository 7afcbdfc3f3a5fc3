// Sends rows in small batches: ask both sides, judge, send one row after the other, read the tab again.
import { AuthenticationError, ServiceError } from '../../crm/errors.ts';
import { type Change, type Problem, problem } from '../../sync/change.ts';
import type { OutboxInput } from '../../sync/outbox/input.ts';
import { type OutboxPlan, planOutbox } from '../../sync/outbox/outbox.ts';
import type { Due } from '../../sync/outbox/judge.ts';
import type { Outcome } from '../../sync/outcome.ts';
import { RunFailed } from '../errors.ts';
import { createAsking } from './questions.ts';
import type { OutboxRun, OutboxTab } from './context.ts';
import { inputOf } from './input.ts';
import type { OutboxBook, OutboxMemory } from './ledger.ts';
import { isSameMessage, type SavedMessages } from './saved.ts';
import { sendOne } from './send.ts';
import { readAgain } from './tab.ts';

/**
 * Rows that are judged on one reading of both sides and then sent in turn. A small number notices a person's edits soon.
 */
const batchMax = 10;

export interface Batches {
  readonly memory: OutboxMemory;
  readonly tab: OutboxTab;
  /** As in the first plan. */
  readonly isTrusted: boolean;
  /** As in the first plan. */
  readonly edited: ReadonlySet<string>;
  /** Left out: all due rows are sent. */
  readonly saved: SavedMessages | undefined;
}

export interface BatchesSent {
  /** The tab as it was read last. */
  readonly tab: OutboxTab;
  /** The cells that remain to be written after the last message. */
  readonly plan: OutboxPlan;
  readonly outcomes: ReadonlyMap<Change, Outcome>;
  readonly problems: readonly Problem[];
  /** The service refused the token: no further call can succeed (W6). */
  readonly stop?: AuthenticationError;
}

export async function sendBatches(
  context: OutboxRun,
  book: OutboxBook,
  { memory, tab: read, isTrusted: wasTrusted, edited: wasEdited, saved }: Batches,
): Promise<BatchesSent> {
  const { config, emit } = context;
  const { signal } = context.request;
  const asking = createAsking(context);
  const outcomes = new Map<Change, Outcome>();
  const tried = new Map<string, string>();
  const problems: Problem[] = [];
  let tab = read;
  /** V3: the rows of the tab as they were judged last. */
  let judgedRows: OutboxInput['rows'] | undefined;
  let isTrusted = wasTrusted;
  let edited = wasEdited;
  let stop: AuthenticationError | undefined;
  /** Of a saved plan: by ID, the messages that are sent and that were not tried yet. */
  let left: Map<string, Due> | undefined;
  /** Of a saved plan: messages of which the row says something else by now. */
  const edits: Due[] = [];
  const inputNow = (batch: number): OutboxInput => ({
    ...inputOf(context, memory, { ...tab, isIdColumnLost: false }),
    ...(judgedRows && { rows: judgedRows }),
    messages: book.messages,
    // The first plan carried the retries out; a second time would send again.
    retried: new Map(),
    edited,
    isTrusted,
    // P8: the first plan spent it. What moves later is another matter.
    ...(memory.isTrusted && { approved: 0 }),
    tried,
    ...(left && { only: new Set(left.keys()) }),
    batchMax: batch,
  });
  const lookAgain = async () => {
    tab = await readAgain(context, tab);
    judgedRows = undefined;
  };
  const judge = async (batch: number): Promise<OutboxPlan> => {
    const { plan, rows } = await asking.until(inputNow(batch));
    judgedRows = rows;
    ({ isTrusted, edited } = plan);
    // P6, L10: what an approval lets through is let through before the first message, whatever else says yes after a crash.
    const approves = isTrusted && !(book.isTrustedNow ?? memory.isTrusted) && plan.due.length > 0;
    await book.put(plan.messages, {
      ...((approves || !isTrusted) && { isTrusted }),
      ...(approves && { doneRequests: memory.requests.approve }),
    });
    return plan;
  };
  try {
    if (saved && !signal.aborted) {
      // Others may be due before those of the saved plan. Which of all rows are in it, only all of them tell.
      const { due } = await judge(Infinity);
      left = new Map(saved.choose(due).map((each) => [each.id, each]));
      if (left.size > batchMax) await lookAgain();
    }
    while (!signal.aborted && !stop) {
      const { due: judged } = await judge(batchMax);
      if (judged.length === 0) break;
      const due = judged.filter((each) => {
        const chosen = left?.get(each.id);
        if (!chosen || isSameMessage(chosen, each)) return true;
        edits.push(chosen);
        left?.delete(each.id);
        return false;
      });
      for (const each of due) {
        // W8: a message in flight is finished; none begins after the stop.
        if (signal.aborted || stop) break;
        left?.delete(each.id);
        const sent = await sendOne(context, book, each);
        if (sent.isCancelled) continue;
        if (!sent.outcome) break;
        outcomes.set(each.change, sent.outcome);
        if (sent.outcome.kind === 'failed') tried.set(each.id, sent.outcome.message);
        ({ stop } = sent);
        emit({ type: 'progress', sync: config.name, step: 'crm', done: outcomes.size });
      }
      if (!signal.aborted) await lookAgain();
    }
  } catch (error) {
    // Sent messages are still written into their rows; nothing else is. A list of sender profiles that is not whole fails a run only
    // where it sent nothing yet.
    const isOfSenders = error instanceof RunFailed && outcomes.size > 0;
    if (!(error instanceof ServiceError) && !isOfSenders && !signal.aborted) throw error;
    if (error instanceof AuthenticationError) stop = error;
    else if (!signal.aborted)
      problems.push(problem('failed', {}, 'P4', `nothing is sent: ${(error as Error).message}`));
  }
  if (left && !signal.aborted && !stop) saved?.giveBack([...edits, ...left.values()]);
  const plan = planOutbox(inputNow(0));
  await book.put(plan.messages, plan.isTrusted ? {} : { isTrusted: false });
  return { tab, plan, outcomes, problems, ...(stop && { stop }) };
}
