// Tells which files of tests run a mutated place.
import type { Mutant } from './mutate.ts';
import type { Part, Reach } from './reach.ts';

/** Their paths. What stands outside functions is run once a process, and counts for each file that runs any of that source. */
export function testsThatReach(reaches: readonly Reach[], mutant: Mutant): readonly string[] {
  const inside = reaches.map(({ test, partsByFile }) => {
    const parts = partsByFile[mutant.file] ?? [];
    return { test, parts, around: innermost(parts, mutant) };
  });
  const isOutside = inside.some(({ around }) => around?.start === 0 && around.isRun);
  return inside.flatMap(({ test, parts, around }) => {
    const isReached = isOutside ? parts.some(({ isRun }) => isRun) : around?.isRun === true;
    return isReached ? [test] : [];
  });
}

function innermost(parts: readonly Part[], { start, reachedAt = start }: Mutant): Part | undefined {
  return parts
    .filter((part) => part.start <= reachedAt && reachedAt < part.end)
    .toSorted((a, b) => a.end - a.start - (b.end - b.start))[0];
}
