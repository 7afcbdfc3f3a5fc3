// Checks the Host header. A page in a browser can give its own name this machine's address, and would then read what is
// served (DNS rebinding).
import { isIP } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import { isLoopback } from '../lib/loopback.ts';

/**
 * Answers 421 if the Host header does not name this machine, an IP address or one of `names`. An IP address is safe: a page under
 * it comes from that address.
 */
export function checkHost(names: readonly string[]): MiddlewareHandler {
  const known = new Set(names.map((name) => name.toLowerCase()));
  return async (c, next) => {
    const host = c.req.header('host');
    // Every browser sends the header; a health check in HTTP/1.0 may not.
    if (host === undefined) return next();
    const name = hostName(host);
    if (name !== undefined && (known.has(name) || isLoopback(name) || isAddress(name))) return next();
    return c.text('nothing is served under this name; if it is one of this machine, add it to server.hosts\n', 421);
  };
}

/** `Box.lan:4000` -> `box.lan`; undefined if it is no host. An IPv6 address keeps its brackets. */
function hostName(header: string): string | undefined {
  return header === '' ? undefined : URL.parse(`http://${header}/`)?.hostname;
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}
