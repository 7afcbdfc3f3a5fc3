// Runs whose worker is gone: when their jobs may begin elsewhere, and with which turn.
import type { Entry, Page } from './book.ts';
import { signOfLifeMs } from './boss.ts';
import { firstTurn, meetTurn, orphanTurn, type Slots, type Turn } from './turn.ts';

/**
 * How long the run of a dead worker may hold the lease yet, in milliseconds; 0 or less: it is over. A worker that was stopped for a
 * while and goes on still has the run: what it writes is refused or not, as its lease says. `id`: of the worker that asks.
 */
export async function stillLeasedMs(page: Page, id: string, leaseMs: number): Promise<number> {
  const { entry } = page;
  if (entry?.turn.phase !== 'running' || entry.turn.worker === null || entry.turn.worker === id) return 0;
  const seen = await page.worker(entry.turn.worker);
  if (!seen) return 0;
  const isFresh = seen.seenMsAgo < 2 * signOfLifeMs;
  if (isFresh) return seen.runs.includes(entry.job) ? 2 * signOfLifeMs : 0;
  return leaseMs - seen.seenMsAgo;
}

/**
 * The turn from which a job goes on, also where nobody knows how its last run ended. A worker that started meanwhile met a job that
 * runs: its schedules count from here on.
 */
export function orphaned(entry: Entry | undefined, at: number, slots: Slots): Turn {
  if (!entry) return firstTurn(at, slots, false);
  return entry.turn.phase === 'running' ? meetTurn(orphanTurn(entry.turn, at), at, slots, undefined) : entry.turn;
}
