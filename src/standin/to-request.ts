// Makes the request that a stand-in gets without a socket.
import { createTextRequest } from './text-bodies.ts';

/** A request that is one already stays as it is. */
export function toRequest(input: string | URL | Request, init?: RequestInit): Request {
  if (input instanceof Request && init === undefined) return input;
  const body = init?.body ?? undefined;
  const isText = body === undefined || typeof body === 'string';
  return input instanceof Request || !isText ? new Request(input, init) : createTextRequest(input, init);
}
