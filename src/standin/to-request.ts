// Makes the request that a stand-in gets without a socket.

/**
 * The request as a socket would bring it: a body of text has a `content-length`, so that nothing has to read the body to bound
 * it. A request that is one already stays as it is.
 */
export function toRequest(input: string | URL | Request, init?: RequestInit): Request {
  if (input instanceof Request && init === undefined) return input;
  if (typeof init?.body !== 'string') return new Request(input, init);
  const headers = new Headers(init.headers);
  headers.set('content-length', String(Buffer.byteLength(init.body)));
  return new Request(input, { ...init, headers });
}
