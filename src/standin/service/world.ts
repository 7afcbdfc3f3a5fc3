// The clock, randomness and settings that all parts share.
import { notFound, Refusal } from './refusal.ts';
import type { Random } from './random.ts';
import type { Switches } from './switches.ts';

/**
 * The environment of every part of the stand-in: no part reads a clock, draws random numbers or keeps settings of its
 * own.
 */
export interface World {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: Random;
  readonly switches: Switches;
  readonly teamId: number;
  readonly userId: number;
  /** Uuids of records that exist in another team. */
  readonly foreignUuids: Set<string>;
}

/** The service's form of instants: UTC, whole seconds, six decimals. Texts of this form sort like the instants. */
export function instantText(epochMs: number): string {
  return `${new Date(Math.floor(epochMs / 1000) * 1000).toISOString().slice(0, 19)}.000000Z`;
}

/** The refusal of a uuid that the team does not have; `what` names the kind: 'The list'. */
export function missing({ foreignUuids, switches }: World, what: string, uuid: string): Refusal {
  if (!foreignUuids.has(uuid) || switches.foreignUuid === 'not_found') return notFound(what);
  return new Refusal({ status: 403, reason: 'access_denied', message: 'You have no access to this record.' });
}
