// Refuses forms that pages of other sites send (CSRF). Tokens are checked besides.
import type { MiddlewareHandler } from 'hono';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';

/**
 * Behind a proxy with https the origin has another scheme than what reaches us, so the host decides. Browsers say the origin
 * with every POST; `null` is a page without one.
 */
const check = csrf({
  origin: (origin, c) => URL.parse(origin)?.host === (c.req.header('host') ?? new URL(c.req.url).host).toLowerCase(),
});

/** A proxy that passes its own name on in Host has every form refused, so that the answer says what it lacks. */
export const sameOrigin: MiddlewareHandler = async (c, next) => {
  try {
    return await check(c, next);
  } catch (error) {
    if (!(error instanceof HTTPException && error.status === 403)) throw error;
    const [origin, host] = [c.req.header('origin') ?? 'no origin', c.req.header('host') ?? 'no name'];
    const asked = `the form is of a page of ${origin}, and this server was asked as ${host}`;
    const remedy = 'a proxy in front has to pass the name that people typed on in Host (docs/console.md)';
    return c.text(`${asked}: forms of other pages are refused; ${remedy}\n`, 403);
  }
};
