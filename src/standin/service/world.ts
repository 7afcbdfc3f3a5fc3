import type { Random } from './random.ts';
import type { Switches } from './switches.ts';

/** What every part of the stand-in is given: nothing below reads a clock, rolls a die or keeps settings of its own. */
export interface World {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: Random;
  readonly switches: Switches;
  readonly teamId: number;
  readonly userId: number;
}

/** As the service writes instants: UTC, whole seconds, six decimals. Texts of this form sort like the instants. */
export function instantText(epochMs: number): string {
  return `${new Date(Math.floor(epochMs / 1000) * 1000).toISOString().slice(0, 19)}.000000Z`;
}
