// Reads how each job stands before a person asks, in parts: a store that remembers what it read answers the first page sooner.
import delay from 'delay';
import { jobsIn } from '../config/jobs.ts';
import { readBriefs } from '../engine/standing.ts';
import type { Config } from '../config/config.ts';
import type { Store } from '../state/port.ts';

/** A part of so many jobs takes this process some ten milliseconds. */
const partJobs = 20;
/** Runs and requests go on in between: 500 jobs are read within a second. */
const pauseMs = 20;

/** Ends when the signal aborts, and where the state cannot be read: the page that needs it says why. */
export async function readAhead(
  { config, store }: { readonly config: Config; readonly store: Pick<Store, 'lastRuns' | 'loadSomeOf'> },
  signal: AbortSignal,
): Promise<void> {
  const names = jobsIn(config).map(({ name }) => name);
  try {
    for (let start = 0; start < names.length && !signal.aborted; start += partJobs) {
      const jobs = names.slice(start, start + partJobs);
      await store.lastRuns({ jobs, limit: 1 });
      await readBriefs(store, jobs);
      await delay(pauseMs, { signal });
    }
  } catch {
    // Said by the page, as above.
  }
}
