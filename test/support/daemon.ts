// The daemon in one process between both stand-ins, on the real clock: it waits for files and schedules of a second.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { onTestFinished, vi } from 'vitest';
import { readSoundConfigFile } from '../../src/app-config.ts';
import { type DaemonWorld, type RunningDaemon, startDaemon } from '../../src/daemon.ts';
import { createSyncTrial, type TrialOptions } from './app.ts';
import { keptLogins } from './logins.ts';

export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

export interface DaemonTrialOptions extends TrialOptions {
  /** Sections of the file, beside or instead of the trial's own. */
  readonly file?: Readonly<Record<string, unknown>>;
  /** Further syncs, each over the trial's own. */
  readonly others?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Answers requests to the webhook. */
  readonly webhook?: (body: Record<string, unknown>) => Response | Promise<Response>;
}

export const webhookUrl = 'https://alerts.test/hook';

export function createDaemonTrial(options: DaemonTrialOptions = {}) {
  const trial = createSyncTrial({ ...options, sync: { schedule: '* * * * * *', settle_secs: 0, ...options.sync } });
  vi.useRealTimers();
  const file = parse(readFileSync(trial.configFile, 'utf8')) as { syncs: Record<string, Record<string, unknown>> };
  const others = Object.entries(options.others ?? {}).map(([name, sync]) => [
    name,
    { ...file.syncs['prospects'], ...sync },
  ]);
  writeFileSync(
    trial.configFile,
    stringify(
      {
        ...file,
        log: { level: 'debug' },
        ...options.file,
        syncs: { ...file.syncs, ...Object.fromEntries(others) },
      },
      // Many syncs share their columns: an alias for each is more than a file may have.
      { aliasDuplicateObjects: false },
    ),
  );
  const stateFolder = join(trial.folder, 'state');
  const { password } = (options.file?.['server'] ?? {}) as { readonly password?: string };
  if (password !== undefined) {
    mkdirSync(stateFolder, { mode: 0o700 });
    writeFileSync(join(stateFolder, '.logins.json'), JSON.stringify(keptLogins(password)), { mode: 0o600 });
  }
  const lines: LogLine[] = [];
  let chance = 0.5;
  const alerts: Record<string, unknown>[] = [];
  const transport = async (url: string, init: RequestInit) => {
    if (url !== webhookUrl) return trial.transport(url, init);
    const body = JSON.parse(init.body as string) as Record<string, unknown>;
    alerts.push(body);
    return options.webhook ? options.webhook(body) : new Response();
  };

  /** Begins a process; `stop` is its signal. `world`: further parts of what comes from outside. */
  async function begin(
    world: Pick<DaemonWorld, 'memoryUsage' | 'store'> = {},
  ): Promise<RunningDaemon & { readonly stop: () => Promise<readonly string[]> }> {
    const stop = new AbortController();
    const read = () =>
      readSoundConfigFile(trial.configFile, { env: {}, readFile: (path) => readFileSync(path, 'utf8') });
    const config = read();
    const running = await startDaemon(config, {
      transport,
      stop: stop.signal,
      reread: read,
      rereadUsers: () => read().server?.users ?? [],
      out: { write: (line) => lines.push(JSON.parse(line) as LogLine) },
      now: () => Date.now(),
      elapsed: () => performance.now(),
      random: () => (chance = (chance * 16_807 + 0.123) % 1),
      randomId: randomUUID,
      process: { pid: process.pid, probe: (pid) => process.kill(pid, 0) },
      ...world,
    });
    let ended: Promise<readonly string[]> | undefined;
    const end = () => {
      stop.abort(new Error('stopped by SIGTERM'));
      return (ended ??= running.end());
    };
    onTestFinished(async () => void (await end()));
    return { ...running, stop: end };
  }

  const said = (msg: string, sync?: string) =>
    lines.filter((line) => line.msg === msg && (sync === undefined || line['sync'] === sync));

  return { ...trial, begin, lines, said, alerts, stateFolder };
}

/** Waits for a condition; if it does not come, the error says which. */
export function until(what: () => unknown): Promise<unknown> {
  return vi.waitFor(
    () => {
      const found = what();
      if (!found) throw new Error(`still waiting for ${what.toString()}`);
      return found;
    },
    { timeout: 100_000, interval: 20 },
  );
}
