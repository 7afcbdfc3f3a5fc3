// Reads durations and instants that a person wrote.
import * as z from 'zod';
import { durationToMs } from '../lib/duration.ts';
import { type Input, InputError } from './errors.ts';

/** Milliseconds of `30s`, `45m`, `2h`, `3d` or `1w`. `input` is the one that an error is about. Throws InputError. */
export function readDuration(text: string, input: Input): number {
  const ms = durationToMs(text);
  if (ms === undefined) throw new InputError(input, `${text} is no duration: write 30m, 2h, 3d or 1w`);
  return ms;
}

const instant = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** Epoch milliseconds of an ISO instant with its zone, or of the beginning of a day in UTC. Throws InputError. */
export function readInstant(text: string, input: Input): number {
  if (!instant.safeParse(text).success) {
    throw new InputError(
      input,
      `${text.trim() === '' ? 'a blank' : text} is no time: write 2026-11-21, or 2026-11-21T09:00Z`,
    );
  }
  return Date.parse(text);
}
