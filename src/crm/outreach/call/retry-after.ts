/** The shortest pause after a 429: a header that names the past, or 0, must not become a loop. */
const pauseMsMin = 1_000;
/** The longest: no window of calls that a service counts is longer than a day (docs/service.md). A broken header is no end. */
const pauseMsMax = 24 * 3_600_000;

/**
 * How long a 429 asks to wait, in milliseconds, at least one second and at most a day; undefined when it names no time. Understood are
 * Retry-After in seconds or as an HTTP date, and, where that is missing, X-RateLimit-Reset as seconds from now, as unix
 * time (seconds or milliseconds) or as a date people can read. Dates are read against the service's own Date header, so
 * that a clock that is off here neither floods nor sleeps.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const said = headers.get('retry-after') ?? headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset');
  if (said === null || said.trim() === '') return undefined;
  const waitMs = waitFor(said.trim(), serviceTime(headers) ?? now);
  return waitMs === undefined ? undefined : Math.min(pauseMsMax, Math.max(pauseMsMin, waitMs));
}

/** The instant of the service's clock when it answered, epoch milliseconds; whole seconds by its format. */
export function serviceTime(headers: Headers): number | undefined {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? undefined : date;
}

function waitFor(said: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(said)) {
    const figure = Number(said);
    if (figure > 1e12) return figure - now;
    if (figure > 1e9) return figure * 1_000 - now;
    return figure * 1_000;
  }
  const date = Date.parse(said);
  return Number.isNaN(date) ? undefined : date - now;
}

/** Backoff where the service names no time: 2, 4, 8 .. 60 s, the upper half of each drawn at random. */
export function backoffMs(failures: number, random: () => number): number {
  const full = Math.min(60_000, 1_000 * 2 ** Math.max(1, failures));
  return full / 2 + (full / 2) * random();
}
