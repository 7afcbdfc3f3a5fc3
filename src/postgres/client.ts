// One connection to PostgreSQL, which is given up if it takes too long to make. Time in which this process was stopped does not count.
import { Client, type ClientConfig } from 'pg';
import { afterRunning } from '../lib/running-time.ts';

/** For a pool: `connectionTimeoutMillis` of `pg` is a plain timer. */
export function clientWithin(connectMs: number): typeof Client {
  return class extends Client {
    constructor(config?: string | ClientConfig) {
      super(config);
      // The stream of an encrypted connection is another one later.
      const timer = afterRunning(connectMs, () => this.connection.stream.destroy(new Error('timeout expired')));
      for (const event of ['connect', 'end'] as const) this.once(event, () => timer.end());
    }
  };
}
