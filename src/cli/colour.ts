// Decides whether an output gets colour: the option --color, then the environment, then whether it is a terminal.
import type { CliWorld, Output } from './world.ts';

export const colourModes = ['auto', 'always', 'never'] as const;
export type ColourMode = (typeof colourModes)[number];

/**
 * `auto`: FORCE_COLOR outweighs NO_COLOR, as in Node. Without either a terminal gets colour, unless it is a dumb one.
 * Sources: no-color.org, and `getColorDepth` of node:tty.
 */
export function hasColour(mode: ColourMode, { isTTY }: Output, { env }: Pick<CliWorld, 'env'>): boolean {
  if (mode !== 'auto') return mode === 'always';
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: terminal } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (refused !== undefined && refused !== '') return false;
  return isTTY === true && terminal !== 'dumb';
}
