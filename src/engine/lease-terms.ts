// What the calls of a run are told of its lease.
import type { AllowMs } from '../limits/time-to-live.ts';
import type { Fence } from '../sheets/port.ts';

/** What each call that writes is told of the lease. */
export interface LeaseTerms {
  readonly allowMs: AllowMs;
  /** H4: of a lease that can run out. Left out: no other can take it over while this process lives. */
  readonly fence?: Fence;
}
