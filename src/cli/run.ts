// The command `run`: the daemon.
import { once } from 'node:events';
import type { Config } from '../config/config.ts';
import { startDaemon } from '../daemon.ts';
import { hasColour } from './colour.ts';
import { CommandFailed } from './errors.ts';
import type { GlobalOptions } from './globals.ts';
import { areSame, type FilesRead, readConfig } from './read-config.ts';
import { tokenWarnings } from './token-warning.ts';
import type { CliWorld } from './world.ts';

/** A person has to make the next key. The process runs for months, so that asking once at the start is not enough. */
const tokenLookEveryMs = 24 * 3_600_000;

export async function runDaemon(globals: GlobalOptions, world: CliWorld): Promise<void> {
  let read: FilesRead = new Map();
  const config = withLevel(readConfig(globals, world, read), globals);
  let users = usersOf(config);
  const reread = (into?: FilesRead) => readConfig(globals, { env: world.rereadEnv?.() ?? world.env }, into);
  const { logOutput } = world;
  const out = { write: (text: string) => logOutput.write(text), isTTY: hasColour(globals.color, logOutput, world) };
  const running = await startDaemon(config, {
    ...world,
    out,
    reread: () => withLevel(reread(), globals),
    rereadUsers() {
      // A configuration of 500 jobs takes a second to read, in which nothing else is answered.
      if (areSame(read)) return users;
      const readNow: FilesRead = new Map();
      users = usersOf(reread(readNow));
      read = readNow;
      return users;
    },
  });
  const lookAtToken = () => {
    for (const warning of tokenWarnings(running.config(), world.now())) running.log.warn({ warning }, 'token');
  };
  lookAtToken();
  const timer = setInterval(lookAtToken, tokenLookEveryMs);
  const hangups = world.onHangup?.(() => void running.reload());
  if (!world.stop.aborted) await once(world.stop, 'abort');
  clearInterval(timer);
  hangups?.[Symbol.dispose]();
  const unfinished = await running.end();
  if (unfinished.length > 0) throw new CommandFailed(`gave up on runs that did not end: ${unfinished.join(', ')}`);
}

function usersOf({ server }: Config) {
  return server?.users ?? [];
}

function withLevel(config: ReturnType<typeof readConfig>, { logLevel }: GlobalOptions) {
  return logLevel === undefined ? config : { ...config, log: { ...config.log, level: logLevel } };
}
