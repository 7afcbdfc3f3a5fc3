// Reads an instant as people write it: a day, a time, or how long ago.
import { type Input, InputError } from './errors.ts';

const secondMs = 1_000;
const dayMs = 86_400 * secondMs;
const unitsMs = { s: secondMs, m: 60 * secondMs, h: 3_600 * secondMs, d: dayMs, w: 7 * dayMs } as const;

const forms = '2026-01-05, 2026-01-05T09:00Z, today, yesterday, or 30s, 90m, 12h, 7d, 2w';

/**
 * Epoch milliseconds. Days are of UTC, as every time that is printed. `edge`: a day means its first or its last
 * millisecond. `input` is the one that an error is about. Throws InputError.
 */
export function readInstant(input: Input, written: string, now: number, edge: 'start' | 'end'): number {
  const text = written.trim().toLowerCase();
  const [, amount, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * unitsMs[unit as keyof typeof unitsMs];
  const day = dayOf(text, now);
  if (day !== undefined) return edge === 'start' ? day : day + dayMs - 1;
  const time = /^\d{4}-\d{2}-\d{2}t/.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InputError(input, `${written} is no time: write ${forms}`);
  return time;
}

function dayOf(text: string, now: number): number | undefined {
  const today = now - (now % dayMs);
  if (text === 'today') return today;
  if (text === 'yesterday') return today - dayMs;
  return isDay(text) ? Date.parse(text) : undefined;
}

/** `Date.parse` takes the 31st of February for a day in March. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
