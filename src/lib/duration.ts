// Durations as people write them: 30s, 45m, 2h, 3d, 1w.
const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Milliseconds; undefined: the text is no duration, or it is none at all (`0m`). */
export function durationToMs(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (amount === undefined || Number(amount) === 0) return undefined;
  return Number(amount) * unitsMs[unit as keyof typeof unitsMs];
}
