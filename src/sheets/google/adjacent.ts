/** A range of adjacent indexes. End exclusive. */
export interface IndexRange {
  readonly start: number;
  readonly end: number;
}

/** Ascending indexes (repeats allowed) as ranges; a gap of at most `gapMax` does not end one. */
export function toIndexRanges(indexes: readonly number[], gapMax = 0): IndexRange[] {
  const ranges: IndexRange[] = [];
  for (const index of indexes) {
    const last = ranges.at(-1);
    if (last && index <= last.end + gapMax)
      ranges[ranges.length - 1] = { start: last.start, end: Math.max(last.end, index + 1) };
    else ranges.push({ start: index, end: index + 1 });
  }
  return ranges;
}
