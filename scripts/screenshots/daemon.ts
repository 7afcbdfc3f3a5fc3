// A daemon of a setting, in this process, with the lines that it logs.
import { readFileSync } from 'node:fs';
import { readConfigFile } from '../../src/app-config.ts';
import { startDaemon } from '../../src/daemon.ts';

export interface SettingDaemon {
  readonly url: string;
  readonly lines: readonly Record<string, unknown>[];
  readonly end: () => Promise<void>;
}

/** `pid` is what pages show of it. The configuration gives `server.listen`. */
export async function startSettingDaemon(path: string, pid: number, random: () => number): Promise<SettingDaemon> {
  const config = readConfigFile(path, { env: {}, readFile: (file) => readFileSync(file, 'utf8') });
  const stop = new AbortController();
  const lines: Record<string, unknown>[] = [];
  const daemon = await startDaemon(config, {
    transport: fetch,
    stop: stop.signal,
    out: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    now: Date.now,
    elapsed: () => performance.now(),
    random,
    randomId: () => crypto.randomUUID(),
    process: { pid, probe: () => {} },
  });
  const end = async () => {
    stop.abort(new Error('the pictures are taken'));
    await daemon.end();
  };
  return { url: daemon.url!, lines, end };
}
