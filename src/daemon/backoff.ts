// How long a sync that failed is left alone: arithmetic on what the caller hands in.

/** Long enough for a passing outage, short enough that nobody waits when it was one. */
const firstMs = 15_000;
/** A cause that a person mended goes unnoticed for at most so long (G4). */
const longestMs = 10 * 60_000;

/**
 * Milliseconds after the `failures`-th failure in a row (1, 2, …): 15 s, 30 s, 1 min … 10 min, the upper half at random, so
 * that syncs which failed together do not come back together. `random` is in [0, 1).
 */
export function failurePauseMs(failures: number, random: () => number): number {
  const longest = Math.min(firstMs * 2 ** (failures - 1), longestMs);
  return Math.round(longest * (0.5 + random() / 2));
}
