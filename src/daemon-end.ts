// The end of the daemon (W8): what is under way is finished, what is left is named, and everything is closed, in ten seconds.
import delay from 'delay';
import { closeState } from './app-state.ts';
import type { Alerts } from './daemon/alerts.ts';
import type { Daemon } from './daemon/daemon.ts';
import type { Log } from './log/logger.ts';

export interface DaemonEndDep {
  readonly log: Log;
  readonly daemon: Pick<Daemon, 'drain'>;
  readonly alerts: Pick<Alerts, 'settled'>;
  /** Whether another worker lives. */
  readonly hasOthers: () => Promise<boolean>;
  /** No run goes on any more. */
  readonly onDrained: () => void;
  /** Says to others that nobody runs the jobs. */
  readonly endHeartbeat: () => Promise<void>;
  /** Server, socket and queue, and whatever else is open. */
  readonly open: AsyncDisposable;
}

/** W8 gives ten seconds, after which main.ts cuts the process off; the last one is for reporting and closing. */
const drainMs = 9_000;
/** At least. What the drain leaves of its time is added. */
const lastWordsMs = 600;
/** What is not delivered by then, the next process tells. */
const alertsMs = 500;

const gaveUp = 'gave up on runs that did not come to their end; the next start settles what they had in flight';

/** Returns the jobs that were given up on. What cannot be closed in time stays open: the process ends. */
export async function endDaemon(dep: DaemonEndDep): Promise<readonly string[]> {
  const { log, daemon, alerts, hasOthers, onDrained, endHeartbeat, open } = dep;
  let unfinished: readonly string[] = [];
  // A database that does not answer keeps the process no longer than its runs do.
  await atMost(drainMs + lastWordsMs, drainAndClose());
  log.info('leadsheet ended');
  return unfinished;

  async function drainAndClose(): Promise<void> {
    unfinished = await daemon.drain(drainMs);
    if (unfinished.length > 0) log.error({ syncs: unfinished, waited_secs: drainMs / 1_000 }, gaveUp);
    onDrained();
    // The others tell of all jobs; an end would say that nobody runs them.
    const isLast = !(await hasOthers());
    await atMost(alertsMs, alerts.settled());
    if (isLast) await endHeartbeat();
    await open[Symbol.asyncDispose]();
    await closeState();
  }
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, delay(ms, { signal: done.signal }).catch(() => undefined)]);
  done.abort();
}
