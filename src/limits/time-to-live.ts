// How long a call that writes may take under a lease that can run out (H3).

/**
 * Asked at the instant at which a call that writes is sent: the milliseconds that it may take, at most `timeoutMs`. Throws
 * LeaseRanOut if it must not be sent.
 */
export type AllowMs = (timeoutMs: number) => number;

/** The call waited so long that what it was decided on may be different by now. Nothing was sent. */
export class WaitedTooLong extends Error {
  override readonly name = 'WaitedTooLong';

  constructor() {
    super('the call waited too long since both sides were looked at');
  }
}

/** The lease ends before such a call would surely have ended. Nothing was sent. */
export class LeaseRanOut extends Error {
  override readonly name = 'LeaseRanOut';

  constructor() {
    super('the lease of this run ends too soon for another call');
  }
}

/**
 * Under a lease that can run out, no call that writes waits longer for its answer. It is the default of `crm.timeout_secs`:
 * longer calls would need a longer lease, and the job of a dead worker would wait as long.
 */
const callMsMax = 30_000;

/** What is left of the lease when the longest call ends: for clocks that differ, and for the way of a request. */
const marginMs = 5_000;

/** How long a call may take that is sent now; undefined: the lease ends too soon. */
export function callMsWithin(remainingMs: number, timeoutMs: number): number | undefined {
  if (remainingMs === Infinity) return timeoutMs;
  const callMs = Math.min(timeoutMs, callMsMax);
  return remainingMs > callMs + marginMs ? callMs : undefined;
}
