// Picks something of a list by a number of the story, and tells runs that did nothing.
import type { RunReport } from '../../src/engine/report.ts';

/** `part`: 0 to 999. */
export function pick<Item>(items: readonly Item[], part: number): Item | undefined {
  return items[Math.floor((part * items.length) / 1000)];
}

export function didNothing({ counts, problems }: RunReport): boolean {
  // A change of that moment is planned again.
  if (problems.some(({ rule }) => rule === 'W3')) return false;
  const { created, updated, appended, set, deleted, removed, enrolled, cancelled } = counts;
  return created + updated + appended + set + deleted + removed + enrolled + cancelled === 0;
}
