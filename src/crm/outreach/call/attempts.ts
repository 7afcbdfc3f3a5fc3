// Repeats one call of the service as far as its operation allows.
import delay from 'delay';
import { LeaseRanOut, WaitedTooLong } from '../../../limits/time-to-live.ts';
import { LongPause } from './budget.ts';
import { AuthenticationError, OutcomeUnknownError, RateLimitError, ServiceError, StoppedError } from '../../errors.ts';
import type { FailedCall } from '../../errors.ts';
import { exchange } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { interpret } from './interpret.ts';
import type { Interpretation } from './interpret.ts';
import { maskAll, maskExchange } from './mask.ts';
import type { Operation } from '../operations/define.ts';
import type { CallOptions, ServiceClientOptions } from '../service-client.ts';
import type { ServiceRequest } from './request.ts';

/** The service has answered 500 to a filter that it does not know: more than two repeats are of no use. */
const repeatsOf500 = 2;
/** 429s in a row that one call waits for. Without a Retry-After that is some seven minutes of growing pauses. */
const pausesMax = 10;
/**
 * Delay before the first repeat after a 5xx, a reset or a timeout; doubled for each further repeat, at most half a
 * minute.
 */
const repeatDelayMs = { first: 500, max: 30_000 };

/** The parts of the client that a call needs. */
export interface Caller extends ServiceClientOptions {
  /** Receives the headers of every answer. */
  readonly noteClock: (headers: Headers) => void;
}

/** Makes the attempts at one call, keeps the outcome of the last, and decides whether to make another. */
export function createAttempts<Answer>(
  client: Caller,
  operation: Operation<never, Answer>,
  { signal, stop, allowMs, priority = 'edit', repeat, onLost }: CallOptions,
) {
  /** The instant after which no attempt begins. */
  const mayBegin = stop ?? signal;
  const repeatable = operation.repeat !== 'harmful' && repeat !== false;
  const { budget, transport, timeoutMs } = client;
  const { bytesMax } = operation.answer;
  let failed: { readonly error: ServiceError; readonly again: boolean } | undefined;
  let pauses = 0;
  /** Of attempts at a write that is harmless to repeat, one had no answer. */
  let mayHaveArrived = false;

  async function make(call: FailedCall, { url, init }: ServiceRequest): Promise<Answer> {
    const seen = await inBudget(call, () =>
      budget.run(() => attempt(call, { url, init }), { priority, signal: mayBegin }),
    );
    if ('answer' in seen) return seen.answer;
    failed = seen;
    if (seen.error instanceof OutcomeUnknownError) {
      mayHaveArrived = true;
      onLost?.(seen.error);
    }
    throw seen.error;
  }

  /**
   * Runs as a task of the budget until the outcome is known: a 429 or 401 must reach the budget before the next task
   * starts.
   */
  async function attempt(call: FailedCall, { url, init }: ServiceRequest): Promise<Interpretation<Answer>> {
    // Here and not before the wait for the budget, which may be long (H3).
    const mayTakeMs = operation.repeat === 'read' ? timeoutMs : (allowMs?.(timeoutMs) ?? timeoutMs);
    const received = await exchange(url, init, { transport, timeoutMs: mayTakeMs, bytesMax, signal });
    const result = maskExchange(received, client);
    if (operation.repeat === 'read') signal?.throwIfAborted();
    if (result.outcome === 'answered') client.noteClock(result.headers);
    const seen = { ...call, ...describe(result) };
    client.observe?.({ ...seen, method: operation.method, url, exchange: result });
    const pauseFor = (retryAfterMs: number | undefined) => budget.refused(retryAfterMs);
    const meaningOf = (what: Exchange) => interpret(operation, what, seen, pauseFor, client.now());
    let interpretation = meaningOf(result);
    // A refusal inside a 200 has words too. No other answer is read twice: a second reading would count another 429.
    if ('error' in interpretation && result.outcome === 'answered' && result.status < 300) {
      interpretation = meaningOf(maskAll(received, client));
    }
    const error = 'error' in interpretation ? interpretation.error : undefined;
    if (error instanceof AuthenticationError) budget.close(error);
    if (!(error instanceof RateLimitError)) budget.accepted();
    return interpretation;
  }

  return {
    async make(call: FailedCall, request: ServiceRequest): Promise<Answer> {
      try {
        return await make({ ...call, ...(mayHaveArrived && { mayHaveArrived }) }, request);
      } catch (error) {
        // W8: a 429 says that the call was not carried out. So the call was not begun.
        const isUnbegun = failed === undefined || (failed.error instanceof RateLimitError && !mayHaveArrived);
        const isNotSent = error instanceof LeaseRanOut || error instanceof WaitedTooLong;
        const isStopped = isNotSent || (stop?.aborted && error === stop.reason);
        // A look has no outcome: without an answer before the end it is as if it had not begun.
        const isLookOver = operation.repeat === 'read' && stop?.aborted && signal?.aborted && error === signal.reason;
        if ((isStopped && isUnbegun) || isLookOver) {
          const stopped = new StoppedError({ ...call, attempts: call.attempts - 1 });
          failed = { error: stopped, again: false };
          throw stopped;
        }
        // The call was stopped while it waited to repeat a write. The last attempt decides its outcome.
        if (error instanceof ServiceError || failed === undefined || operation.repeat === 'read') throw error;
        failed = { ...failed, again: false };
        throw failed.error;
      }
    },

    async waitForNext(error: Error, repeats: number): Promise<boolean> {
      if (error !== failed?.error || !failed.again || !repeatable) return false;
      // The budget pauses after a 429. A delay here would double that pause.
      if (error instanceof RateLimitError) return ++pauses <= pausesMax;
      if (failed.error.call.status === 500 && repeats >= repeatsOf500) return false;
      const delayMs = Math.min(repeatDelayMs.max, repeatDelayMs.first * 2 ** repeats) * (0.5 + client.random() / 2);
      try {
        await delay(delayMs, mayBegin && { signal: mayBegin });
        return true;
      } catch {
        if (operation.repeat === 'read' && !stop?.aborted) signal?.throwIfAborted();
        return false;
      }
    },
  };
}

/** Turns a rejection of the budget (closed by an earlier 401, or paused for long) into the failure of this call. */
async function inBudget<T>(call: FailedCall, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const unsent = { ...call, attempts: call.attempts - 1 };
    if (error instanceof AuthenticationError) throw new AuthenticationError(unsent, error.said, true);
    throw error instanceof LongPause ? new RateLimitError(unsent, error.pausedMs) : error;
  }
}

/** The part of an answer that an error keeps. */
const bodyKept = 2_048;

function describe(result: Exchange): Pick<FailedCall, 'status' | 'requestId' | 'body'> {
  if (result.outcome !== 'answered') return {};
  const requestId = result.headers.get('x-request-id') ?? result.headers.get('x-correlation-id');
  return {
    status: result.status,
    ...(requestId !== null && { requestId }),
    ...(result.status >= 300 && { body: result.text.slice(0, bodyKept) }),
  };
}
