// Calls the stand-in without a socket.
import type { Hono } from 'hono';
import { connectionReset } from './disturbance.ts';
import type { Env } from './env.ts';
import { toRequest } from '../to-request.ts';
import { untilAborted } from '../until-aborted.ts';

/** `fetch` without a socket: honours the signal, and rejects like the real one when a fault loses the answer. */
export function inProcessFetch(
  app: Hono<Env>,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    const request = toRequest(input, init);
    request.signal.throwIfAborted();
    let isLost = false;
    const answer = app.fetch(request, { dropConnection: () => (isLost = true) });
    const response = await untilAborted(answer, request.signal);
    if (isLost) throw connectionReset();
    return response;
  };
}
