// The terms of a lease, as the calls of a run are told them.
import type { AllowMs } from '../limits/time-to-live.ts';
import type { Fence } from '../sheets/port.ts';

/** Told to each call that writes. */
export interface LeaseTerms {
  readonly allowMs: AllowMs;
  /** H4: of a lease that can run out. Left out: no other can take it over while this process lives. */
  readonly fence?: Fence;
}
