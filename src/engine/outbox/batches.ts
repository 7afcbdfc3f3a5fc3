// Rows sent in small batches: ask both sides, judge, send one after the other, and read the tab again.
import { AuthenticationError, ServiceError } from '../../crm/errors.ts';
import { type Change, type Problem, problem } from '../../sync/change.ts';
import type { OutboxInput } from '../../sync/outbox/input.ts';
import { type OutboxPlan, planOutbox } from '../../sync/outbox/outbox.ts';
import type { Outcome } from '../../sync/outcome.ts';
import { createAsking } from './questions.ts';
import type { OutboxRun, OutboxTab } from './context.ts';
import { inputOf } from './input.ts';
import type { OutboxBook, OutboxMemory } from './ledger.ts';
import type { SavedMessages } from './saved.ts';
import { sendOne } from './send.ts';
import { readAgain } from './tab.ts';

/** Rows judged on one look at both sides, and then sent one after the other: what a person changes meanwhile is seen soon. */
const batchMax = 10;

export interface Batches {
  readonly memory: OutboxMemory;
  readonly tab: OutboxTab;
  /** As the first plan has it. */
  readonly isTrusted: boolean;
  /** Left out: all that is due is sent. */
  readonly saved: SavedMessages | undefined;
}

export interface BatchesSent {
  /** As it was read last. */
  readonly tab: OutboxTab;
  /** What is left to tell the rows, now that nothing more is sent. */
  readonly plan: OutboxPlan;
  readonly outcomes: ReadonlyMap<Change, Outcome>;
  readonly problems: readonly Problem[];
  /** The token was refused: no other call would do better (W6). */
  readonly stop?: AuthenticationError;
}

export async function sendBatches(
  context: OutboxRun,
  book: OutboxBook,
  { memory, tab: read, isTrusted: wasTrusted, saved }: Batches,
): Promise<BatchesSent> {
  const { config, emit } = context;
  const { signal } = context.request;
  const asking = createAsking(context);
  const outcomes = new Map<Change, Outcome>();
  const tried = new Map<string, string>();
  const problems: Problem[] = [];
  let tab = read;
  let isTrusted = wasTrusted;
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
  try {
    while (!signal.aborted && !stop) {
      const plan = await asking.until(inputNow(saved ? Infinity : batchMax));
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
  const plan = planOutbox(inputNow(0));
  await book.put(plan.messages);
  return { tab, plan, outcomes, problems, ...(stop && { stop }) };
}
