// Checks addresses that secrets are sent to: https, or plain http to this machine.

import { isLoopback } from '../lib/loopback.ts';

/**
 * The reason to refuse an address, or undefined. `extras`: a user, query or fragment, if only the address is allowed.
 */
export type AddressFault = 'no-address' | 'plain-http' | 'extras';

export function addressFault(text: string): AddressFault | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'no-address';
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) return 'plain-http';
  return url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '' ? 'extras' : undefined;
}

/** A pattern with `{uuid}` for each contact: an address that a person opens in a browser. It holds no user and no password. */
export function isContactAddress(pattern: string): boolean {
  const [before = '', ...after] = pattern.split('{uuid}');
  if (after.length !== 1) return false;
  const url = URL.parse(pattern.replace('{uuid}', '0'));
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false;
  // The host is not made of a uuid.
  if (!/^https?:\/\/[^/?#]+[/?#]/i.test(before)) return false;
  return url.protocol === 'https:' || isLoopback(url.hostname);
}

/** In the form of a Host header, without the port. */
export function isHostName(text: string): boolean {
  return /^[\w-]{1,63}(?:\.[\w-]{1,63}){0,9}$/.test(text);
}

export interface ListenAddress {
  /** Without brackets, also for IPv6. */
  readonly host: string;
  /** 0: the system chooses a free port. */
  readonly port: number;
}

/** `127.0.0.1:4000`, `localhost:4000`, `[::1]:4000`; undefined for anything else. */
export function parseListen(text: string): ListenAddress | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === undefined || port > 65_535 ? undefined : { host, port };
}
