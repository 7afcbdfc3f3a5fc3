// Under which names the daemon answers: a page in a browser can give its own name this machine's address, and would then
// read what is served here (DNS rebinding).
import { isIP } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import { isLoopback } from '../lib/loopback.ts';

/**
 * Answers 421 to a request whose Host header names anything but this machine, an IP address or one of `names`. An IP address
 * is safe: a page under it comes from there.
 */
export function checkHost(names: readonly string[]): MiddlewareHandler {
  const known = new Set(names.map((name) => name.toLowerCase()));
  return async (c, next) => {
    const host = c.req.header('host');
    // Every browser sends one; a health check in HTTP/1.0 may send none.
    if (host === undefined) return next();
    const name = hostName(host);
    if (name !== undefined && (known.has(name) || isLoopback(name) || isAddress(name))) return next();
    return c.text('nothing is served under this name; if it is one of this machine, add it to server.hosts\n', 421);
  };
}

/** `Box.lan:4000` -> `box.lan`; undefined for what is no host. An IPv6 address keeps its brackets. */
function hostName(header: string): string | undefined {
  return header === '' ? undefined : URL.parse(`http://${header}/`)?.hostname;
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}
