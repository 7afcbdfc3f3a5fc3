// P3: one message sent, the intent written down before the call and what came of it after. Nothing here is ever repeated.
import { AuthenticationError, isRefusal, OutcomeUnknownError, ServiceError } from '../../crm/errors.ts';
import { callsOf, type Message } from '../../sync/outbox/message.ts';
import type { Outcome } from '../../sync/outcome.ts';
import type { Due } from '../../sync/outbox/judge.ts';
import { editCall, isUnbegun } from '../stop.ts';
import { changeLines } from '../history.ts';
import { messagesOf, type OutboxRun } from './context.ts';
import type { OutboxBook } from './ledger.ts';

export interface SendOutcome {
  /** Left out: not begun, because the end was asked for (W8). */
  readonly outcome?: Outcome;
  /** The token was refused: no other call would do better (W6). */
  readonly stop?: AuthenticationError;
}

export async function sendOne(context: OutboxRun, book: OutboxBook, due: Due): Promise<SendOutcome> {
  const { crm, run, config } = context;
  const { id, said, key, change } = due;
  const at = crm.now();
  const earlier = callsOf(due.message, at);
  const { to, name, uuid, before, uuidsBefore = [] } = due.message;
  const about = {
    run,
    said,
    key,
    ...(to !== undefined && { to }),
    ...(name !== undefined && { name }),
    // Of the time before it was asked for again: the row may still say so.
    ...(uuid !== undefined && { uuid, uuidsBefore: [...new Set([...uuidsBefore, uuid])] }),
    ...(before && { before }),
  };
  // The instant after the answer is what counts for the cap: then no sixty minutes of the service's clock hold more.
  await book.put(new Map([[id, { ...about, state: 'intended', at, calls: [...earlier, at] }]]));
  try {
    const queued = await messagesOf(context).send(config.resource, due.payload, editCall(context));
    const now = crm.now();
    return await settle({ ...about, state: 'sent', at: now, ...queued, calls: [...earlier, now] }, { kind: 'done' });
  } catch (error) {
    const asBefore = { ...due.message, state: 'waiting', said, calls: earlier } as const;
    if (isUnbegun(error, context)) {
      await book.put(new Map([[id, asBefore]]));
      return {};
    }
    if (!(error instanceof ServiceError)) throw error;
    const { message } = error;
    if (error instanceof OutcomeUnknownError) {
      const calls = [...earlier, crm.now()];
      return settle({ ...about, state: 'unknown', at, calls }, { kind: 'unknown', message });
    }
    if (isRefusal(error)) {
      const refused = { ...about, state: 'refused', at: due.message.at, message, calls: earlier } as const;
      return settle(refused, { kind: 'refused', message });
    }
    // Surely not carried out: it keeps its place.
    const settled = await settle(asBefore, { kind: 'failed', message });
    return error instanceof AuthenticationError ? { ...settled, stop: error } : settled;
  }

  async function settle(message: Message, outcome: Outcome): Promise<SendOutcome> {
    await book.settle(new Map([[id, message]]), changeLines(context, change, outcome));
    context.emit({ type: 'change-done', sync: config.name, run, change, outcome });
    return { outcome };
  }
}
