// The cookies of the console: the session, and the mark of a browser that has logged in to an account before.
import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { deleteCookie, getCookie, getSignedCookie, setCookie, setSignedCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import { userKey } from '../../../config/users.ts';

export interface Cookies {
  readSession(c: Context, isSecure: boolean): string | undefined;
  setSession(c: Context, isSecure: boolean, cookie: string): void;
  clearSession(c: Context, isSecure: boolean): void;
  /** A random id, if the browser has logged in to this account before. */
  readKnown(c: Context, isSecure: boolean, name: string): Promise<string | undefined>;
  setKnown(c: Context, isSecure: boolean, name: string): Promise<void>;
}

const sessionName = 'leadsheet';
const knownName = 'leadsheet-known';
const knownSecs = 90 * 24 * 3_600;

/**
 * Pages of other sites never send them (SameSite), and scripts do not see them (HttpOnly). By https the name begins with
 * `__Host-`: a browser takes such a cookie from this very host by https alone, so that no other one can plant it.
 */
export function createCookies(secret: string, lastsMs: number): Cookies {
  const options = (isSecure: boolean, maxAge: number): CookieOptions => ({
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    maxAge,
    ...(isSecure && { prefix: 'host', secure: true }),
  });
  const prefixOf = (isSecure: boolean) => (isSecure ? 'host' : undefined);
  return {
    readSession: (c, isSecure) => getCookie(c, sessionName, prefixOf(isSecure)),
    setSession: (c, isSecure, cookie) =>
      setCookie(c, sessionName, cookie, options(isSecure, Math.floor(lastsMs / 1_000))),
    clearSession: (c, isSecure) => void deleteCookie(c, sessionName, options(isSecure, 0)),
    async readKnown(c, isSecure, name) {
      const value = (await getSignedCookie(c, secret, knownName, prefixOf(isSecure))) || '';
      const [id, of] = value.split('.');
      return of === textOf(name) ? id : undefined;
    },
    async setKnown(c, isSecure, name) {
      const value = `${randomBytes(9).toString('base64url')}.${textOf(name)}`;
      await setSignedCookie(c, knownName, value, secret, options(isSecure, knownSecs));
    },
  };
}

function textOf(name: string): string {
  return Buffer.from(userKey(name)).toString('base64url');
}
