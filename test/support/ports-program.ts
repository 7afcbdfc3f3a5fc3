// The program of a trial of ports: its configuration file, and a world in which only the sides answer.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { onTestFinished } from 'vitest';
import type { App } from '../../src/app.ts';
import type { AppWorld } from '../../src/app-world.ts';
import type { RunReport } from '../../src/engine/report.ts';

type Options = Readonly<Record<string, unknown>>;

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-ports-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The text of a configuration with one sync, `prospects`, and its state in the folder. */
export function portsFile(
  folder: string,
  { crm, google, sync }: { readonly crm: Options; readonly google: Options; readonly sync: Options },
): string {
  return stringify({
    crm,
    google,
    state: `file:${join(folder, 'state')}`,
    server: null,
    syncs: { prospects: { contacts: { list: 'Prospects' }, ...sync } },
  });
}

/** `sides`: how the program reaches them; nothing else answers. */
export function portsWorld(sides: Partial<AppWorld>): AppWorld {
  let chance = 0.5;
  return {
    transport: (url) => Promise.reject(new Error(`nobody answers at ${url}`)),
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random: () => (chance = (chance * 16_807 + 0.123) % 1),
    randomId: randomUUID,
    process: { pid: 1, probe: () => {} },
    ...sides,
  };
}

export function runProspects({ jobs }: App, isFull = false): Promise<RunReport> {
  return jobs.get('prospects')!.run({ isFull, isAsked: true, signal: new AbortController().signal });
}
