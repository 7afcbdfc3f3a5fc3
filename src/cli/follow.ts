// Has a running daemon do a run, and follows it to its end.
import type { Config } from '../config/config.ts';
import { configDigest } from '../config/digest.ts';
import { askSocket, NoAnswer } from '../lib/socket-http.ts';
import {
  protocolVersion,
  type RunMessage,
  runMessage,
  type RunRefused,
  runRefused,
  type RunWanted,
} from '../operator/answers/live.ts';
import type { RunAnswer } from '../operator/answers/runs.ts';
import { type Contact, contactDaemon, parsed } from './contact.ts';
import { CommandFailed } from './errors.ts';
import type { Narrator } from './narrate.ts';
import type { CliWorld } from './world.ts';

/** As long as a command waits for the state (W7). */
const contactMs = 10_000;
/** The daemon says something every five seconds, and is silent while it plans for many records. */
const silentMs = 30_000;

/**
 * The daemon that takes requests for runs of this configuration. Undefined: the command runs by itself, and the narrator has
 * said why if a daemon is there. Throws CommandFailed while the daemon ends.
 */
export async function findDaemon(config: Config, narrator: Narrator, { stop }: CliWorld): Promise<Contact | undefined> {
  const reply = await contactDaemon(config, { silentMs: contactMs, signal: stop });
  const byItself = 'this command does it by itself, and waits while the daemon has the state';
  switch (reply.kind) {
    case 'absent':
    case 'refused':
      return undefined;
    case 'silent':
      narrator.say('warn', '', `the daemon ${reply.why}: ${byItself}`);
      return undefined;
    case 'other-version': {
      const which = reply.version === undefined ? 'another version' : `leadsheet ${reply.version}`;
      narrator.say('warn', '', `the daemon is of ${which}: ${byItself}. Restart it: leadsheet run`);
      return undefined;
    }
    case 'told': {
      const { heartbeat, config: known } = reply.told;
      const { pid } = heartbeat;
      if (heartbeat.state !== 'running') {
        throw new CommandFailed(
          `the daemon (process ${pid}) is ending, and begins nothing new: nothing was done. Ask again when it has ended: leadsheet status`,
        );
      }
      if (known.digest === configDigest(config, known.salt)) return reply;
      const why = `the daemon (process ${pid}) runs with another configuration than ${config.path} has now`;
      narrator.say('warn', '', `${why}: ${byItself}. To have the daemon take it: leadsheet reload`);
      return undefined;
    }
  }
}

export interface Followed {
  readonly narrator: Narrator;
  /** Ends following, and not the run. */
  readonly stop: AbortSignal;
  readonly isFull: boolean;
  readonly evenIfPaused: boolean;
  /** Each change is narrated, too. */
  readonly changes: boolean;
}

/** Following ended before the run did. The message says how the run stood. */
export class Unfollowed extends Error {
  override readonly name = 'Unfollowed';
}

/** A person paused the job before the turn of the run came (W13). The command goes on with the jobs after it. */
export class PausedBeforeTurn extends Error {
  override readonly name = 'PausedBeforeTurn';
}

/**
 * Resolves with what the run came to. Throws Unfollowed at the stop, PausedBeforeTurn, and CommandFailed if the daemon refuses,
 * ends or goes silent.
 */
export async function runInDaemon({ path, told }: Contact, name: string, followed: Followed): Promise<RunAnswer> {
  const { narrator, stop, isFull, evenIfPaused, changes } = followed;
  const who = `the daemon (process ${told.heartbeat.pid})`;
  let place = `${who} has the request`;
  const body: RunWanted = { protocol: protocolVersion, name, full: isFull, even_if_paused: evenIfPaused, changes };
  try {
    const { status, lines } = await askSocket({
      path,
      method: 'POST',
      target: '/v1/runs',
      body,
      silentMs,
      signal: stop,
    });
    for await (const line of lines) {
      if (status !== 200) throw new CommandFailed(refusalText(line, who, name));
      const message = messageIn(line, who);
      switch (message.type) {
        case 'accepted':
          place = message.answer === 'queued' ? `${who} runs ${name} next` : `${who} goes on with ${name}`;
          tellAccepted(message, name, who, narrator);
          break;
        case 'event':
          if (message.event.type === 'run-started') place = `${who} goes on with ${name}, run ${message.event.run}`;
          narrator.emit(message.event);
          break;
        case 'alive':
          break;
        case 'ended':
          return message.run;
        case 'crashed':
          throw new CommandFailed(
            `${name}: a fault of leadsheet ended the run, and its log has more: ${message.reason}`,
          );
        case 'not-run':
          throw new CommandFailed(`${name} was not run: ${who} is ending`);
        case 'paused':
          throw new PausedBeforeTurn(
            `${name} was not run: somebody paused it before its turn came. To run it all the same: leadsheet sync ${name} --even-if-paused`,
          );
      }
    }
    throw new NoAnswer('silent', 'ended before the run did');
  } catch (error) {
    if (stop.aborted && error === stop.reason) throw new Unfollowed(`${place}; leadsheet status shows it`);
    if (!(error instanceof NoAnswer)) throw error;
    const remedy = `how it stands: leadsheet status; to go on: leadsheet sync ${name}`;
    throw new CommandFailed(`${name}: ${who} ${error.message}; ${remedy}`, { cause: error });
  } finally {
    narrator[Symbol.dispose]();
  }
}

function tellAccepted(
  { answer, phase, run, reason }: RunMessage & { readonly type: 'accepted' },
  name: string,
  who: string,
  narrator: Narrator,
): void {
  if (answer === 'queued') {
    narrator.say('info', name, `a run is under way (${run ?? 'it begins'}): ${who} queued this one behind it`);
  }
  const why = reason === null ? '' : `: ${reason}`;
  if (phase === 'stopped') narrator.say('warn', name, `had stopped${why}. It is tried once more`);
  if (phase === 'backing-off') narrator.say('info', name, `was pausing after a failure${why}. It is tried now`);
}

function messageIn(line: string, who: string): RunMessage {
  const message = runMessage.safeParse(parsed(line)).data;
  if (!message) throw new CommandFailed(`${who} said something that this leadsheet cannot read: leadsheet status`);
  return message;
}

const refusals: Readonly<Record<RunRefused['why'], string>> = {
  ending: 'is ending, and begins nothing new: ask again when it has ended',
  unknown: 'does not have it: after a change of the configuration: leadsheet reload',
  'too-many': 'has too many followers: ask again later',
  invalid: 'does not understand the request: restart leadsheet run after an upgrade',
};

function refusalText(line: string, who: string, name: string): string {
  const why = runRefused.safeParse(parsed(line)).data?.why ?? 'invalid';
  return `${name} was not run: ${who} ${refusals[why]}`;
}
