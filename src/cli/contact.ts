// Finds the daemon that runs on a state, over its local socket.
import { localFolder } from '../app-state.ts';
import type { Config } from '../config/config.ts';
import type { DaemonLookout, DaemonReply } from '../daemon/view.ts';
import { daemonSocketPaths } from '../lib/daemon-socket.ts';
import { machineName } from '../lib/machine.ts';
import { askSocket, NoAnswer } from '../lib/socket-http.ts';
import { daemonTold, type DaemonTold, protocolTold } from '../operator/answers/live.ts';
import type { CliWorld } from './world.ts';

export interface Contact {
  /** The path of the socket. */
  readonly path: string;
  readonly told: DaemonTold;
}

export type ContactReply = Exclude<DaemonReply, { kind: 'told' }> | ({ readonly kind: 'told' } & Contact);

/** `silentMs`: how long the daemon may take to answer. Throws the signal's reason. */
export async function contactDaemon(
  { state }: Pick<Config, 'state'>,
  { silentMs, signal }: { readonly silentMs: number; readonly signal: AbortSignal },
): Promise<ContactReply> {
  let none: ContactReply = { kind: 'absent' };
  for (const path of daemonSocketPaths(localFolder({ state }))) {
    const reply = await contactAt(path, silentMs, signal);
    if (reply.kind === 'refused') none = reply;
    else if (reply.kind !== 'absent') return reply;
  }
  return none;
}

async function contactAt(path: string, silentMs: number, signal: AbortSignal): Promise<ContactReply> {
  try {
    const { lines } = await askSocket({ path, method: 'GET', target: '/v1/daemon', silentMs, signal });
    const answer = parsed((await Array.fromAsync(lines)).join('\n'));
    const told = daemonTold.safeParse(answer).data;
    if (told) return { kind: 'told', path, told };
    return { kind: 'other-version', version: protocolTold.safeParse(answer).data?.version };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return error.kind === 'silent' ? { kind: 'silent', why: error.message } : { kind: error.kind };
  }
}

/** Undefined: it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A person who looks does not wait long: the heartbeat is there. */
export const lookMs = 3_000;

export function createLookout(config: Pick<Config, 'state'>, world: CliWorld): DaemonLookout {
  return {
    async ask() {
      const reply = await contactDaemon(config, { silentMs: lookMs, signal: world.stop });
      return reply.kind === 'told' ? { kind: 'told', told: reply.told.heartbeat } : reply;
    },
    isRunning(pid) {
      try {
        world.process.probe(pid);
        return true;
      } catch (error) {
        // EPERM: it exists, under another account.
        return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
      }
    },
    machine: machineName(),
  };
}
