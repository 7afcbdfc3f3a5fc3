/** The shortest pause after a 429: a header with a past date, or 0, must not cause a loop. */
const pauseMsMin = 1_000;
/**
 * The longest: no service counts calls over more than a day (docs/service.md). A broken header must not stop the calls
 * for good.
 */
const pauseMsMax = 24 * 3_600_000;

/**
 * The pause a 429 asks for, in milliseconds, at least one second and at most a day; undefined: it names no time. Reads
 * Retry-After in seconds or as an HTTP date, else X-RateLimit-Reset. That may be seconds from now, unix time (seconds
 * or milliseconds) or a readable date. Dates are compared with the service's own Date header, so that a wrong clock
 * here causes no flood and no long pause.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const said = headers.get('retry-after') ?? headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset');
  if (said === null || said.trim() === '') return undefined;
  const waitMs = waitFor(said.trim(), serviceTime(headers) ?? now);
  return waitMs === undefined ? undefined : Math.min(pauseMsMax, Math.max(pauseMsMin, waitMs));
}

/** The instant of the service's clock when it answered: epoch milliseconds, in whole seconds by its format. */
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

/** The pause if the service names no time: 2, 4, 8 .. 60 s, the upper half of each drawn at random. */
export function backoffMs(failures: number, random: () => number): number {
  const full = Math.min(60_000, 1_000 * 2 ** Math.max(1, failures));
  return full / 2 + (full / 2) * random();
}
