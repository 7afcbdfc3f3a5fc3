// Sends one request through `node:http`, and tells a failure before the first byte from a later one.
// `fetch` costs more: with its first connection Node compiles a parser, and bodies pass through web streams.
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, type ZlibOptions } from 'node:zlib';
import { NotConnectedError } from './not-connected.ts';

/** The time `fetch` gives a connection too. */
const connectMsMax = 10_000;

class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
  readonly code = 'ERR_CONNECT_TIMEOUT';
}

/** The protocols `fetch` offers over TLS. */
const acceptedEncodings = 'gzip, deflate, br';

export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Node's own agents keep and share the connections, so settings of Node (a proxy, further certificates) apply. A redirect is
 * an answer like any other. `take` is called within the event that brings the response: later listeners miss its first
 * pieces, or its end. Throws NotConnectedError while nothing was sent, and later the errors of Node with their `code`.
 */
export function sendRequest<Taken>(
  url: string,
  { method, headers, body, signal }: HttpRequest,
  take: (response: IncomingMessage) => Taken | Promise<Taken>,
): Promise<Taken> {
  const isSecure = url.startsWith('https:');
  const { promise, resolve, reject } = Promise.withResolvers<Taken>();
  const options = { method, headers: { 'accept-encoding': acceptedEncodings, ...headers }, ...(signal && { signal }) };
  const request = isSecure ? requestSecure(url, options) : requestPlain(url, options);
  let isConnected = false;
  request.on('error', (error) => {
    reject(isConnected ? error : new NotConnectedError('no connection', { cause: error }));
  });
  request.on('socket', (socket) => {
    if (!socket.connecting) {
      isConnected = true;
      return;
    }
    const tooLong = setTimeout(() => request.destroy(new ConnectTimeout('connect timeout')), connectMsMax);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      isConnected = true;
      clearTimeout(tooLong);
    });
    socket.once('close', () => clearTimeout(tooLong));
  });
  request.on('response', (response) => {
    try {
      resolve(take(response));
    } catch (error) {
      response.destroy();
      reject(error);
    }
  });
  request.end(body);
  return promise;
}

/** As pairs, since a header may have several values. */
export function headersOf({ headersDistinct }: IncomingMessage): [string, string][] {
  return Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
}

/** The encoding of the body, in small letters; blank: it is not packed. */
export function encodingOf({ headers }: IncomingMessage): string {
  return headers['content-encoding']?.toLowerCase() ?? '';
}

const unpackingStreams: Readonly<Record<string, (options?: ZlibOptions) => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Unpacks piece by piece. Undefined: a body of this encoding is taken as it is. */
export function createUnpacking(encoding: string, options?: ZlibOptions): Transform | undefined {
  return unpackingStreams[encoding]?.(options);
}
