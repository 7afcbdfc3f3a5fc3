// What the daemon on this state tells other processes of itself, as far as a person at a terminal wants to know it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const used = z.object({ used: z.number(), per_minute: z.number() });

const view = z.object({
  written_at: z.string(),
  state: z.enum(['running', 'draining', 'ended']),
  syncs: z.array(
    z.object({
      name: z.string(),
      last_run: z
        .object({ run: z.string(), status: z.string(), ended_at: z.string(), reason: z.string().nullable() })
        .nullable(),
      last_success_at: z.string().nullable(),
      next_run_at: z.string().nullable(),
    }),
  ),
  budget: z.object({ crm: used, sheet_reads: used, sheet_writes: used }),
});

export type DaemonView = z.output<typeof view>;

/** It writes at least once a minute; three missed ones, and it is taken for gone. */
const goneAfterMs = 180_000;

/** The daemon's file lies beside the folders of the syncs. Undefined: none is known to run. Never throws. */
export async function readDaemonView(folder: string, now: number): Promise<DaemonView | undefined> {
  try {
    const read = view.parse(JSON.parse(await readFile(join(folder, '.daemon.json'), 'utf8')));
    const isAlive = read.state !== 'ended' && now - Date.parse(read.written_at) < goneAfterMs;
    return isAlive ? read : undefined;
  } catch {
    return undefined;
  }
}
