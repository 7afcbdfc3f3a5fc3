// The daemon on a state, as far as another process can tell that there is one.
import type { Store } from '../state/port.ts';
import { type Heartbeat, heartbeatEveryMs, readHeartbeat } from './heartbeat.ts';

export type DaemonView = Heartbeat;

/** Undefined: none is known to run. It writes at least once a minute; three missed ones, and it is taken for gone. */
export async function readDaemonView(
  store: Pick<Store, 'readHeartbeat'>,
  now: number,
): Promise<DaemonView | undefined> {
  const read = await readHeartbeat(store);
  if (!read || read.state === 'ended') return undefined;
  return now - Date.parse(read.written_at) < 3 * heartbeatEveryMs ? read : undefined;
}
