// Sends one message: stores the intent before the call and the outcome after it. No call is repeated (P3).
import { AuthenticationError, isRefusal, OutcomeUnknownError, refusalText, ServiceError } from '../../crm/errors.ts';
import { callsOf, cancelledMessage, type Message } from '../../sync/outbox/message.ts';
import type { Outcome } from '../../sync/outcome.ts';
import type { Due } from '../../sync/outbox/judge.ts';
import { editCall, isUnbegun } from '../stop.ts';
import { tellDone } from '../events.ts';
import { changeLines } from '../history.ts';
import { messagesOf, type OutboxRun } from './context.ts';
import type { OutboxBook } from './ledger.ts';

export interface SendOutcome {
  /** Left out: the call did not begin because the run was stopped (W8). */
  readonly outcome?: Outcome;
  /** A person cancelled it before the call (P7). */
  readonly isCancelled?: true;
  /** The service refused the token: no further call can succeed (W6). */
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
    // The uuid of the earlier sending, which the row may still show.
    ...(uuid !== undefined && { uuid, uuidsBefore: [...new Set([...uuidsBefore, uuid])] }),
    ...(before && { before }),
  };
  // The cap counts from the instant after the answer: then no sixty minutes on the service's clock hold more.
  await book.put(new Map([[id, { ...about, state: 'intended', at, calls: [...earlier, at] }]]));
  const cancels = await book.cancelsOf(id);
  if (cancels.length > 0) {
    const waited = { ...due.message, said, calls: earlier };
    await book.put(new Map([[id, cancelledMessage(waited, at) ?? waited]]), { doneRequests: cancels });
    return { isCancelled: true };
  }
  let queued: { readonly uuid: string; readonly delivery?: string };
  try {
    queued = await messagesOf(context).send(config.resource, due.payload, editCall(context));
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
      const { was, isAgain } = due.message;
      const refused = {
        ...about,
        state: 'refused',
        at: due.message.at,
        message: refusalText(error),
        calls: earlier,
        ...(was && { was }),
        ...(isAgain && { isAgain }),
      } as const;
      return settle(refused, { kind: 'refused', message: refused.message });
    }
    // The call was certainly not carried out: the message keeps its place.
    const settled = await settle(asBefore, { kind: 'failed', message });
    return error instanceof AuthenticationError ? { ...settled, stop: error } : settled;
  }
  // The call was made: when its outcome cannot be stored, the intent stays (P3).
  const now = crm.now();
  return settle({ ...about, state: 'sent', at: now, ...queued, calls: [...earlier, now] }, { kind: 'done' });

  async function settle(message: Message, outcome: Outcome): Promise<SendOutcome> {
    await book.settle(new Map([[id, message]]), changeLines(context, change, outcome));
    tellDone(context, change, outcome);
    return { outcome };
  }
}
