// The password of the server: a right one is answered at once, a wrong one late.
import delay from 'delay';
import type { MiddlewareHandler } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { HTTPException } from 'hono/http-exception';
import type { Secret } from '../lib/secret.ts';
import { isSame } from './same.ts';

/** Delay of the answer to a wrong password: short for a typing error, long for a list of a million words. */
const wrongMs = 2_000;
/**
 * Limit of wrong passwords that wait at once. More are refused at once, so that a flood holds neither memory nor
 * connections.
 */
const waitingMax = 50;

/**
 * Basic authentication with any user name. A wrong password never blocks the right one: nothing is locked, and nothing is
 * counted by address, which behind a proxy is the same for all. `onWrong` is called once for each wrong password. A flood
 * gets 429.
 */
export function requirePassword(password: Secret, onWrong: () => void): MiddlewareHandler {
  let waiting = 0;
  return basicAuth({
    async verifyUser(_user, given) {
      if (isSame(given, password.reveal())) return true;
      onWrong();
      if (waiting >= waitingMax) {
        const headers = { 'retry-after': String(wrongMs / 1_000) };
        throw new HTTPException(429, { res: new Response('too many wrong passwords\n', { status: 429, headers }) });
      }
      waiting += 1;
      await delay(wrongMs);
      waiting -= 1;
      return false;
    },
  });
}
