// Refuses forms that pages of other sites send (CSRF). Tokens are checked besides.
import { csrf } from 'hono/csrf';

/**
 * Behind a proxy with https the origin has another scheme than what reaches us, so the host decides. Browsers say the origin
 * with every POST; `null` is a page without one.
 */
export const sameOrigin = csrf({
  origin: (origin, c) => URL.parse(origin)?.host === (c.req.header('host') ?? new URL(c.req.url).host).toLowerCase(),
});
