// Draws a change of the mapping.
import type { Random } from '../../../src/standin/service/random.ts';
import type { Remap } from './scenario.ts';

export function drawRemap(random: Random): Remap {
  const what = random.pick([undefined, undefined, 'direction', 'direction', 'keys', 'policy', 'policy'] as const);
  return { column: random.integer(0, 5), ...(what && { what, turn: random.integer(0, 23) }) };
}
