// The view that another process has of the daemon of a state.
import type { JobStatus } from '../engine/standing.ts';
import type { Store } from '../state/port.ts';
import { type Heartbeat, heartbeatEveryMs, readHeartbeat } from './heartbeat.ts';
import { heartbeatToStatus } from './heartbeat-content.ts';

export interface DaemonView {
  readonly state: 'running' | 'draining';
  /** ISO instant of the heartbeat. */
  readonly writtenAt: string;
  readonly budget: Heartbeat['budget'];
  readonly jobs: ReadonlyMap<string, JobStatus>;
}

/**
 * Undefined: no daemon is known to run. A daemon writes at least once a minute; after three missed heartbeats it counts as
 * gone.
 */
export async function readDaemonView(
  store: Pick<Store, 'readHeartbeat'>,
  now: number,
): Promise<DaemonView | undefined> {
  const told = await readHeartbeat(store);
  if (!told || told.state === 'ended') return undefined;
  if (now - Date.parse(told.written_at) >= 3 * heartbeatEveryMs) return undefined;
  return {
    state: told.state,
    writtenAt: told.written_at,
    budget: told.budget,
    jobs: new Map(told.syncs.map((job) => [job.name, heartbeatToStatus(job)])),
  };
}

/** Whether the last daemon neither runs nor ended when asked to: it was killed, or its machine lost power. */
export async function isDaemonLost(store: Pick<Store, 'readHeartbeat'>, now: number): Promise<boolean> {
  const told = await readHeartbeat(store);
  return told !== undefined && told.state !== 'ended' && (await readDaemonView(store, now)) === undefined;
}
