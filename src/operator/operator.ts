// What every function of this layer works on, and for whom a decision is recorded.
import type { Config } from '../config/config.ts';
import type { Store } from '../state/port.ts';

export interface Operator {
  readonly config: Config;
  readonly store: Store;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
