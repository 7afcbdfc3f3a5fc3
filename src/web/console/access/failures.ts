// Counts failed logins by address and by account, in bounded memory, and says how long the next try has to wait.

export interface Failures {
  /** Milliseconds until the next try may be checked; 0: now. */
  waitMs(key: string): number;
  count(key: string): number;
  add(key: string): void;
}

/** Typing errors of a person who does not remember. */
const freeFailures = 5;
const waitMsMax = 60_000;
/** Failures are forgotten after this time without another one. */
const keptMs = 15 * 60_000;
/** About 2 MB. The one that failed longest ago makes room. */
const keysMax = 10_000;

export function createFailures(now: () => number): Failures {
  const failuresByKey = new Map<string, { count: number; at: number }>();
  function of(key: string) {
    const found = failuresByKey.get(key);
    return found && now() - found.at < keptMs ? found : undefined;
  }
  return {
    waitMs(key) {
      const found = of(key);
      if (!found || found.count < freeFailures) return 0;
      const wait = Math.min(1_000 * 2 ** (found.count - freeFailures), waitMsMax);
      return Math.max(0, found.at + wait - now());
    },
    count: (key) => of(key)?.count ?? 0,
    add(key) {
      const count = (of(key)?.count ?? 0) + 1;
      failuresByKey.delete(key);
      failuresByKey.set(key, { count, at: now() });
      const [oldest] = failuresByKey.keys();
      if (failuresByKey.size > keysMax && oldest !== undefined) failuresByKey.delete(oldest);
    },
  };
}

/** An IPv6 network of 64 bits is one client: it can choose any address inside. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
