// Keeps a run from sending anything that could arrive after its lease (H3, H5).
import { callMsWithin, LeaseRanOut, type AllowMs } from '../limits/time-to-live.ts';
import type { Fence } from '../sheets/port.ts';
import { LeaseLostError, LeaseOverError, type StateError } from '../state/errors.ts';
import type { RunLease } from './decisions-told.ts';
import { RunFailed } from './errors.ts';
import type { RunRequest } from './job.ts';
import type { LeaseTerms } from './lease-terms.ts';

export interface GuardedRun extends Disposable {
  /** Its signal also aborts when the lease is over. */
  readonly request: RunRequest;
  readonly lease: RunLease;
  /** Why the run was over before it came to its end; undefined: it was not. */
  over(): StateError | RunFailed | undefined;
  /** H4: `Facts.epochsBefore`, as soon as it is read. */
  countFrom(epochsBefore: number): void;
  /** H4: the epoch of a later holder that the sheet names; undefined: no write found one. */
  overtakenBy(): number | undefined;
}

/**
 * The end of the lease stops the run like a person does (W8): no call begins after it. `timeoutMs` of a call is checked when the
 * call is sent, not when it begins to wait for the budget.
 */
export function guardRun(lease: RunLease, request: RunRequest, job: string): GuardedRun {
  const stop = new AbortController();
  let over: StateError | RunFailed | undefined;
  let before = 0;
  let later: number | undefined;
  const end = (error: StateError | RunFailed) => {
    // A lost lease says more than what came of it.
    if (!over || error instanceof LeaseLostError) over = error;
    stop.abort(error);
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
  const fence: Fence = {
    get epoch() {
      return before + lease.epoch;
    },
    overtaken(by) {
      later = by;
      end(new RunFailed(sheetIsAhead(by, before + lease.epoch)));
    },
  };
  const terms: LeaseTerms = { allowMs, ...(lease.remainingMs() !== Infinity && { fence }) };
  return {
    request: { ...request, signal: stop.signal, lease: terms },
    lease: {
      ...lease,
      load: () => watched(lease.load()),
      // A lease that was lost stays lost, also if a later look at it finds it again: the steps that follow were stopped.
      commit: (batch) => (over instanceof LeaseLostError ? Promise.reject(over) : watched(lease.commit(batch))),
      appendHistory: (lines) => watched(lease.appendHistory(lines)),
      appendRun: (record) => watched(lease.appendRun(record)),
    },
    over: () => over,
    countFrom: (epochsBefore) => void (before = epochsBefore),
    overtakenBy: () => later,
    [Symbol.dispose]: () => request.signal.removeEventListener('abort', follow),
  };
}

/** Only a holder that was not taken over gets to tell it: any other fails to save first. */
function sheetIsAhead(by: number, epoch: number): string {
  return (
    `the tab was last written under a later lease (${by}) than this one (${epoch}), as with a state that is new or restored: ` +
    'nothing was written, and the next run goes on from there'
  );
}
