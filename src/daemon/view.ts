// The view that another process has of the daemon of a state: as the daemon tells now, or as its heartbeat told last.
import type { JobStatus } from '../engine/standing.ts';
import type { MachineName } from '../lib/machine.ts';
import type { Store } from '../state/port.ts';
import { type Heartbeat, heartbeatEveryMs, parseHeartbeat, readHeartbeat, type SyncHeartbeat } from './heartbeat.ts';
import { heartbeatToStatus } from './heartbeat-content.ts';

export { type Heartbeat, parseHeartbeat };

/** The result of asking the daemon of a state. */
export type DaemonReply =
  /** `told`: a heartbeat that it took for this answer. */
  | { readonly kind: 'told'; readonly told: unknown }
  /** No socket is there: no daemon runs, or it could not open one. */
  | { readonly kind: 'absent' }
  /** A socket is there and nothing listens: the process that made it has ended. */
  | { readonly kind: 'refused' }
  /** It did not answer in time, or could not be reached for this reason. */
  | { readonly kind: 'silent'; readonly why: string }
  /** It speaks another version of the protocol. */
  | { readonly kind: 'other-version'; readonly version: string | undefined };

export interface DaemonLookout {
  ask(): Promise<DaemonReply>;
  /** Whether a process of this machine with that id runs. */
  isRunning(pid: number): boolean;
  readonly machine: MachineName;
}

export type RunningTold = NonNullable<SyncHeartbeat['running']>;

export interface DaemonView {
  readonly state: 'running' | 'draining';
  readonly pid: number;
  /** `now`: the daemon answered. `heartbeat`: it is up to a minute old. */
  readonly told: 'now' | 'heartbeat';
  /** ISO instant at which it told this. */
  readonly writtenAt: string;
  readonly budget: Heartbeat['budget'];
  readonly accountBudgets: Heartbeat['account_budgets'];
  readonly configuration: Heartbeat['configuration'];
  readonly jobs: ReadonlyMap<string, JobStatus>;
  readonly running: ReadonlyMap<string, RunningTold>;
}

/** The daemon that ran last, while none runs. `ended`: as asked. `killed`: without a word. */
export interface LastDaemon {
  readonly pid: number;
  readonly end: 'ended' | 'killed';
  /** ISO instant of its end; for a killed one, of its last heartbeat. */
  readonly at: string;
}

export interface DaemonLook {
  readonly view?: DaemonView;
  readonly last?: LastDaemon;
  /** Why the daemon could not be asked, in words for people. */
  readonly notice?: string;
}

/**
 * `lookout`: left out, only the heartbeat is read.
 *
 * A killed daemon is known by its process: nothing listens on its socket, or its id is gone. Only where neither can be
 * told, as from another machine, it counts as gone after three missed heartbeats.
 */
export async function lookAtDaemon(
  store: Pick<Store, 'readHeartbeat'>,
  now: number,
  lookout?: DaemonLookout,
): Promise<DaemonLook> {
  const reply = (await lookout?.ask()) ?? ({ kind: 'absent' } as const);
  if (reply.kind === 'told') {
    const told = parseHeartbeat(reply.told);
    if (told && told.state !== 'ended') return { view: viewOf(told, 'now') };
  }
  const last = await readHeartbeat(store);
  const notice = noticeOf(reply, last);
  if (!last) return notice;
  const { pid, state, written_at: at } = last;
  if (state === 'ended') return { ...notice, last: { pid, end: 'ended', at } };
  if (isGone(reply, last, now, lookout)) return { ...notice, last: { pid, end: 'killed', at } };
  return { ...notice, view: viewOf(last, 'heartbeat') };
}

function isGone(reply: DaemonReply, last: Heartbeat, now: number, lookout?: DaemonLookout): boolean {
  // A process that holds the socket runs, however long it has been silent.
  if (reply.kind !== 'absent' && reply.kind !== 'refused') return false;
  if (now - Date.parse(last.written_at) >= 3 * heartbeatEveryMs) return true;
  if (!lookout) return false;
  const { host, boot } = lookout.machine;
  const isHere = host === last.host;
  // The system closes a socket with its process; containers of one machine see that of each other.
  if (reply.kind === 'refused') return isHere || (boot !== null && boot === last.boot);
  return isHere && !lookout.isRunning(last.pid);
}

function noticeOf(reply: DaemonReply, last: Heartbeat | undefined): Pick<DaemonLook, 'notice'> {
  const who = last ? `the daemon (process ${last.pid})` : 'the daemon';
  const instead = last ? '; this is what it told last' : '';
  switch (reply.kind) {
    case 'silent':
      return { notice: `${who} ${reply.why}${instead}` };
    case 'other-version':
      return { notice: `${who} is ${otherVersion(reply.version)}${instead}. Restart it: leadsheet run` };
    case 'told':
      return { notice: `${who} gave an answer that this leadsheet cannot read${instead}. Restart it: leadsheet run` };
    case 'absent':
    case 'refused':
      return {};
  }
}

function otherVersion(version: string | undefined): string {
  return version === undefined ? 'of another version' : `leadsheet ${version}, another version than this command`;
}

function viewOf(told: Heartbeat, how: DaemonView['told']): DaemonView {
  return {
    state: told.state === 'draining' ? 'draining' : 'running',
    pid: told.pid,
    told: how,
    writtenAt: told.written_at,
    budget: told.budget,
    accountBudgets: told.account_budgets,
    configuration: told.configuration,
    jobs: new Map(told.syncs.map((job) => [job.name, heartbeatToStatus(job)])),
    running: new Map(told.syncs.flatMap(({ name, running }) => (running ? [[name, running] as const] : []))),
  };
}
