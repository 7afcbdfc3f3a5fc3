// Limits the calls of a token, and builds the headers of a 429.
import type { RateLimitHeaders, Switches } from './switches.ts';

type RateWindow = Switches['rateLimits'][number];

export interface Admission {
  readonly admitted: boolean;
  /** Milliseconds until the next call is admitted; 0: this one was. */
  readonly waitMs: number;
  /** The tightest window, for the headers; undefined: there is no limit. */
  readonly window?: { readonly calls: number; readonly remaining: number };
}

/** Sliding windows per token: a call is admitted when every window has room, and only then counted. */
export class RateLimiter {
  readonly #timesByToken = new Map<string, number[]>();

  admit(token: string, windows: readonly RateWindow[], now: number): Admission {
    if (windows.length === 0) return { admitted: true, waitMs: 0 };
    const longest = Math.max(...windows.map(({ windowMs }) => windowMs));
    const times = (this.#timesByToken.get(token) ?? []).filter((time) => time > now - longest);
    const states = windows.map(({ calls, windowMs }) => {
      const inside = times.filter((time) => time > now - windowMs);
      // The call that has to leave the window before the next one fits.
      const blocking = inside.at(-calls);
      const waitMs = inside.length < calls || blocking === undefined ? 0 : blocking + windowMs - now;
      return { calls, remaining: Math.max(0, calls - inside.length), waitMs };
    });
    const waitMs = Math.max(...states.map((state) => state.waitMs));
    const admitted = waitMs === 0;
    this.#timesByToken.set(token, admitted ? [...times, now] : times);
    const { calls, remaining } = states.reduce((a, b) => (b.remaining < a.remaining ? b : a));
    return { admitted, waitMs, window: { calls, remaining: admitted ? remaining - 1 : 0 } };
  }
}

/** The headers of a 429 that ends in `waitMs`, in the requested form. */
export function waitHeaders(form: RateLimitHeaders, waitMs: number, now: number): Record<string, string> {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const over = new Date(now + seconds * 1000);
  switch (form) {
    case 'seconds':
      return { 'retry-after': String(seconds), 'x-ratelimit-reset': String(seconds) };
    case 'http_date':
      return { 'retry-after': over.toUTCString() };
    case 'human_date':
      return { 'x-ratelimit-reset': over.toString() };
    case 'unix':
      return { 'x-ratelimit-reset': String(Math.floor(over.getTime() / 1000)) };
    case 'none':
      return {};
  }
}
