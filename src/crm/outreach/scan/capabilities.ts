/**
 * What this account's service turned out to be able to do. Nothing of it is promised, and the descriptions of the service
 * disagree, so it is tried in use and remembered for a day. The same object serves every scan on a token.
 */
export interface Capabilities {
  /** False once the capability has been seen to fail; true when it worked, or was not tried since it expired. */
  readonly offers: (capability: Capability) => boolean;
  readonly failed: (capability: Capability) => void;
  /** For what cannot be seen to fail: noted once it was seen to work beyond doubt. */
  readonly proved: (capability: Capability) => void;
  readonly isProved: (capability: Capability) => boolean;
}

/**
 * `filter:f`: a filter on field f is accepted; `range:f`: so is `f >= x`, and honoured; `order:f`: so is ordering by f;
 * `uuids`: so is a filter by a list of uuids.
 */
export type Capability = `filter:${string}` | 'uuids' | `${'range' | 'order'}:${'created_at' | 'updated_at' | 'uuid'}`;

/** The service may be mended or upgraded meanwhile; asking again once a day costs one call. */
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
