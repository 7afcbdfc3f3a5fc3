// The context of every function of the operator layer: configuration, store and clock.
import type { Config } from '../config/config.ts';
import type { WorkerTold } from '../daemon/queue/postgres/workers.ts';
import type { Trends } from '../daemon/trends.ts';
import type { DaemonLookout, DaemonView } from '../daemon/view.ts';
import type { Store } from '../state/port.ts';

export interface Operator {
  readonly config: Config;
  readonly store: Store;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Asks the daemon of this state. Left out: only its heartbeat is read. */
  readonly lookout?: DaemonLookout;
  /** What the daemon measured. Left out: this process is not the daemon. */
  readonly trends?: Pick<Trends, 'read'>;
  /** Calls of the last minute over the credentials of these accounts, and their limits. Left out: this process is not the daemon. */
  readonly budgetOf?: (accounts: readonly string[]) => DaemonView['budget'];
  /** Of trouble that undoes nothing of what a person decided. Left out: nobody is told. */
  readonly warn?: (message: string) => void;
  /** The workers of the database. Left out: the state is on files. */
  readonly workers?: () => Promise<readonly WorkerTold[]>;
  /**
   * The person may not see names and addresses, so contacts are found by uuid and row alone: an answer would tell whether
   * an address is known.
   */
  readonly areNamesHidden?: boolean;
}
