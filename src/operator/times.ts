// Reads durations and instants that a person wrote.
import * as z from 'zod';
import { OperatorError } from './errors.ts';

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Milliseconds of `30s`, `45m`, `2h`, `3d` or `1w`. `option` is for the message. Throws OperatorError. */
export function readDuration(text: string, option: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (amount === undefined || Number(amount) === 0) {
    throw new OperatorError('invalid', `${option} ${text} is no duration: write 30m, 2h, 3d or 1w`);
  }
  return Number(amount) * unitsMs[unit as keyof typeof unitsMs];
}

const instant = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** Epoch milliseconds of an ISO instant with its zone, or of the beginning of a day in UTC. Throws OperatorError. */
export function readInstant(text: string, option: string): number {
  if (!instant.safeParse(text).success) {
    throw new OperatorError('invalid', `${option} ${text} is no time: write 2026-11-21, or 2026-11-21T09:00Z`);
  }
  return Date.parse(text);
}
