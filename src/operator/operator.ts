// The context of every function of the operator layer: configuration, store and clock.
import type { Config } from '../config/config.ts';
import type { Store } from '../state/port.ts';

export interface Operator {
  readonly config: Config;
  readonly store: Store;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
