// Deletes contacts, and keeps them out of scans until the service has done it.
import type { CallOptions, ServiceClient } from '../service-client.ts';

/** The contacts this process deleted recently. The service still answers them until its job has run. */
export interface Tombstones {
  add(uuid: string): void;
  has(uuid: string): boolean;
  /** Those that still count, for storing over a restart: uuid -> epoch milliseconds on the service's clock. */
  all(): Readonly<Record<string, number>>;
  /** Adds what an earlier process stored. */
  restore(deletedAt: Readonly<Record<string, number>>): void;
}

/** How long a reappearing deleted contact is not taken for a new one. */
const ghostMs = 15 * 60_000;

/** `now`: epoch milliseconds on the service's clock. */
export function createTombstones(now: () => number): Tombstones {
  const deletedAt = new Map<string, number>();
  const prune = () => {
    for (const [old, at] of deletedAt) if (now() - at >= ghostMs) deletedAt.delete(old);
  };
  return {
    add(uuid) {
      prune();
      deletedAt.set(uuid, now());
    },
    all() {
      prune();
      return Object.fromEntries(deletedAt);
    },
    restore(earlier) {
      for (const [uuid, at] of Object.entries(earlier)) deletedAt.set(uuid, at);
    },
    has: (uuid) => now() - (deletedAt.get(uuid) ?? -Infinity) < ghostMs,
  };
}

/**
 * Deletes a contact and stores it, so that no scan takes it for a new one while the service still answers it. `gone`:
 * it did not exist any more. A repeat is harmless.
 */
export async function deleteContact(
  client: ServiceClient,
  tombstones: Tombstones,
  uuid: string,
  options?: CallOptions,
): Promise<'requested' | 'gone'> {
  const outcome = await client.contacts.delete({ uuid }, options);
  tombstones.add(uuid);
  return outcome;
}
