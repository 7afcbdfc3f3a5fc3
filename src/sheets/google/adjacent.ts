/** Adjacent indexes. End exclusive. */
export interface Run {
  readonly start: number;
  readonly end: number;
}

/** Ascending indexes (repeats allowed) as runs; a gap of at most `gapMax` does not end one. */
export function toRuns(indexes: readonly number[], gapMax = 0): Run[] {
  const runs: Run[] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last && index <= last.end + gapMax)
      runs[runs.length - 1] = { start: last.start, end: Math.max(last.end, index + 1) };
    else runs.push({ start: index, end: index + 1 });
  }
  return runs;
}
