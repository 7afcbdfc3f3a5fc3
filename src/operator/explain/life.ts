// Reads the lines of the history about one contact in one sync.
import type { Operator } from '../operator.ts';
import type { Life } from './origin.ts';

/** More than the fields of a contact change in a year; of a field that flips, the last lines tell. */
const linesMax = 10_000;

/** History files are kept 90 days (docs/state.md): in the last of them a file may have been deleted. */
const keptMs = 89 * 86_400_000;

export async function readLife({ store, now }: Operator, sync: string, contact: string): Promise<Life> {
  const { lines, next } = await store.historyPage({ sync, contact, limit: linesMax, newestFirst: true });
  const [oldest] = (await store.historyPage({ sync, limit: 1 })).lines;
  const isOld = oldest !== undefined && now() - Date.parse(oldest.time) > keptMs;
  return { lines, beginsAt: oldest?.time, isCut: isOld || next !== undefined };
}
