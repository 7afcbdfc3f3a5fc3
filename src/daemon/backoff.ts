// Computes the pause of a sync after failures, from its arguments alone.

/** Long enough for a short outage to pass, and short enough not to delay the sync long after it. */
const firstMs = 15_000;
/** The longest time until a run notices that a person removed the cause (G4). */
const longestMs = 10 * 60_000;

/**
 * Milliseconds after the `failures`-th failure in a row (1, 2, …): 15 s, 30 s, 1 min … 10 min. The upper half is random, so
 * that syncs that failed together run at different times. `random` is in [0, 1).
 */
export function failurePauseMs(failures: number, random: () => number): number {
  const longest = Math.min(firstMs * 2 ** (failures - 1), longestMs);
  return Math.round(longest * (0.5 + random() / 2));
}
