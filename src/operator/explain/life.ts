// Reads the lines of the history about one contact in one sync.
import type { HistoryLine } from '../../state/port.ts';
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
  const undos = await readUndos({ store }, sync, lines);
  return { lines, undos, beginsAt: oldest?.time, isCut: isOld || next !== undefined };
}

/** A run writes the decision for an undo before anything else, so that it is among the first lines of the run. */
const linesBeforeDecision = 20;

/** The decision names the run that is taken back and no contact. */
async function readUndos(
  { store }: Pick<Operator, 'store'>,
  sync: string,
  lines: readonly HistoryLine[],
): Promise<Life['undos']> {
  const runs = new Set(lines.flatMap(({ run, rule }) => (rule === 'S4' ? [run] : [])));
  const undos = new Map<string, { by: string; at: string }>();
  for (const run of runs) {
    const page = await store.historyPage({ sync, run, limit: linesBeforeDecision });
    const decision = page.lines.find((line) => line['decision'] === 'undo');
    const [by, at] = [decision?.['by'], decision?.['decided_at']];
    if (typeof by === 'string' && typeof at === 'string') undos.set(run, { by, at });
  }
  return undos;
}
