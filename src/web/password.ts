// The password of the server: the right one passes at once, a wrong one waits.
import delay from 'delay';
import type { MiddlewareHandler } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { HTTPException } from 'hono/http-exception';
import type { Secret } from '../lib/secret.ts';
import { isSame } from './same.ts';

/** How long a wrong password waits for its answer: little for a slip, much for a list of a million words. */
const wrongMs = 2_000;
/** So many wait at once; any more are refused at once, so that a flood holds neither memory nor connections. */
const waitingMax = 50;

/**
 * Basic authentication with any user name. A wrong password never keeps the right one out: nothing is locked, and nothing is
 * counted by address, which behind a proxy is the same for all. `onWrong` is called once for each wrong one. A flood gets 429.
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
