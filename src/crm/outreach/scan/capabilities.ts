/**
 * The capabilities of the service of this account. None of it is documented reliably, so the scan tries it and keeps the result
 * for a day. The same object serves every scan on a token.
 */
export interface Capabilities {
  /** False: the capability was seen to fail. True: it worked, or was not tried since the last result expired. */
  readonly offers: (capability: Capability) => boolean;
  readonly failed: (capability: Capability) => void;
  /** For a capability whose failure cannot be seen: noted once it surely worked. */
  readonly proved: (capability: Capability) => void;
  readonly isProved: (capability: Capability) => boolean;
}

/**
 * `filter:f`: a filter on field f is accepted; `range:f`: so is `f >= x`, and it is applied; `order:f`: so is ordering
 * by f; `uuids`: so is a filter by a list of uuids.
 */
export type Capability = `filter:${string}` | 'uuids' | `${'range' | 'order'}:${'created_at' | 'updated_at' | 'uuid'}`;

/** The service may change meanwhile; a new try costs one call a day. */
const rememberedMs = 24 * 3_600_000;

export function createCapabilities(now: () => number): Capabilities {
  const failedAt = new Map<Capability, number>();
  const provedAt = new Map<Capability, number>();
  const isFresh = (at = -Infinity) => now() - at < rememberedMs;
  return {
    offers: (capability) => !isFresh(failedAt.get(capability)),
    failed: (capability) => void failedAt.set(capability, now()),
    proved: (capability) => void provedAt.set(capability, now()),
    isProved: (capability) => isFresh(provedAt.get(capability)),
  };
}
