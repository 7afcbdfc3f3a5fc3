// Keeps a run from sending anything that could arrive after its lease (H3, H5).
import { callMsWithin, LeaseRanOut, type AllowMs } from '../limits/time-to-live.ts';
import { LeaseLostError, LeaseOverError, type StateError } from '../state/errors.ts';
import type { RunLease } from './decisions-told.ts';
import type { RunRequest } from './job.ts';

/** What each call that writes is told of the lease. */
export interface LeaseTerms {
  readonly allowMs: AllowMs;
  /** H4: of a lease that can run out. Left out: no other can take it over while this process lives. */
  readonly epoch?: number;
}

export interface GuardedRun extends Disposable {
  /** Its signal also aborts when the lease is over. */
  readonly request: RunRequest;
  readonly lease: RunLease;
  /** Why the lease was over before the run was; undefined: it was not. */
  over(): StateError | undefined;
}

/**
 * The end of the lease stops the run like a person does (W8): no call begins after it. `timeoutMs` of a call is checked when the
 * call is sent, not when it begins to wait for the budget.
 */
export function guardRun(lease: RunLease, request: RunRequest, job: string): GuardedRun {
  const stop = new AbortController();
  let over: StateError | undefined;
  const end = (error: StateError) => {
    over ??= error;
    stop.abort(over);
  };
  const follow = () => stop.abort(request.signal.reason);
  if (request.signal.aborted) follow();
  else request.signal.addEventListener('abort', follow, { once: true });

  const watched = async <Result>(write: Promise<Result>): Promise<Result> => {
    try {
      return await write;
    } catch (error) {
      if (error instanceof LeaseLostError) end(error);
      throw error;
    }
  };
  const allowMs: AllowMs = (timeoutMs) => {
    const callMs = over ? undefined : callMsWithin(lease.remainingMs(), timeoutMs);
    if (callMs !== undefined) return callMs;
    end(new LeaseOverError(job));
    throw new LeaseRanOut();
  };
  const terms: LeaseTerms = { allowMs, ...(lease.remainingMs() !== Infinity && { epoch: lease.epoch }) };
  return {
    request: { ...request, signal: stop.signal, lease: terms },
    lease: {
      ...lease,
      load: () => watched(lease.load()),
      commit: (batch) => watched(lease.commit(batch)),
      appendHistory: (lines) => watched(lease.appendHistory(lines)),
      appendRun: (record) => watched(lease.appendRun(record)),
    },
    over: () => over,
    [Symbol.dispose]: () => request.signal.removeEventListener('abort', follow),
  };
}
