// Chooses which acts, faults, events and habits of the service a story does without (swarm testing).
import { hash } from 'node:crypto';

/**
 * Each name of an area is left out with probability one half, the same way for the whole story. What is left comes more
 * often, and without what would end it or hide it.
 */
export interface Swarm {
  /** How many times as often as in a story that has everything: over many stories, each thing comes as often as before. */
  readonly times: 1 | 2;
  readonly has: (area: Area, name: string) => boolean;
  /** Those of `all` that the story has, in their order; may be empty. */
  readonly kept: <Item extends string | number>(area: Area, all: readonly Item[]) => readonly Item[];
}

/** `crm`, `sheet`: acts of people there. `service fault`, `sheet fault`: what fails. `on`: the calls that fail. */
export type Area = 'crm' | 'sheet' | 'event' | 'end' | 'service fault' | 'sheet fault' | 'on' | 'habit';

/** Each name by itself, so that a new one leaves the others as they were. */
export function createSwarm(seed: number): Swarm {
  const has: Swarm['has'] = (area, name) =>
    Number.parseInt(hash('sha256', `${seed} ${area} ${name}`)[0]!, 16) % 2 === 0;
  return { times: 2, has, kept: (area, all) => all.filter((name) => has(area, String(name))) };
}

/** The story has everything. */
export const everything: Swarm = { times: 1, has: () => true, kept: (_area, all) => all };
