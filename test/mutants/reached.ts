// Tells which files of tests run a mutated place.
import type { Mutant } from './mutate.ts';
import type { Part, Reach } from './reach.ts';

/** Their paths. What runs while modules are loaded is run once a process, and may show in any of them. */
export function testsThatReach(reaches: readonly Reach[], mutant: Mutant): readonly string[] {
  const isRunIn = (partsByFile: Reach['partsByFile']) => innermost(partsByFile[mutant.file] ?? [], mutant)?.isRun;
  const isLoading = reaches.some(({ loadedByFile }) => isRunIn(loadedByFile));
  return reaches.flatMap(({ test, partsByFile }) => (isLoading || isRunIn(partsByFile) ? [test] : []));
}

function innermost(parts: readonly Part[], { start, reachedAt = start }: Mutant): Part | undefined {
  return parts
    .filter((part) => part.start <= reachedAt && reachedAt < part.end)
    .toSorted((a, b) => a.end - a.start - (b.end - b.start))[0];
}
