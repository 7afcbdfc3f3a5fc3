// Sends calls of the service through `node:http`.
// A page of contacts takes half the processor time it takes through `fetch` (docs/performance.md). The bodies of
// `fetch` pass through web streams, which an answer that is read whole does not need.
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { finished, type Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress, createGunzip, createInflate, gunzip, inflate } from 'node:zlib';
import { AnswerTooLarge, refusalBytesMax } from '../../../limits/answer-size.ts';
import { type Answer, type CallInit, NotConnectedError } from './exchange.ts';

/** The time `fetch` gives a connection too. */
const connectMsMax = 10_000;

class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
  readonly code = 'ERR_CONNECT_TIMEOUT';
}

/**
 * A `Transport`. Node's own agents keep and share the connections, so settings of Node (a proxy, further certificates)
 * apply. A redirect is returned like any answer. Throws NotConnectedError while nothing was sent, and later the errors
 * of Node with their `code`. A body that breaks off gives no answer. Throws AnswerTooLarge for a success of more than
 * `bytesMax`, packed or unpacked, and closes its connection.
 */
export function overHttp(url: string, { method, headers, body, signal, bytesMax }: CallInit): Promise<Answer> {
  const isSecure = url.startsWith('https:');
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = { method, headers: { 'accept-encoding': acceptedEncodings, ...headers }, signal };
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
  request.on('response', (response) => resolve(readWhole(response, bytesMax)));
  request.end(body);
  return promise;
}

/** The protocols `fetch` offers over TLS. */
const acceptedEncodings = 'gzip, deflate, br';

/** Unpacks in one piece, which is fastest; `maxOutputLength` bounds the result. */
const unpackers: Readonly<Record<string, (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** Unpacks piece by piece, where the rest is not needed. */
const unpackingStreams: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Must be called within the event that brings the response: later listeners miss its first pieces, or its end. */
async function readWhole(response: IncomingMessage, bytesMax: number): Promise<Answer> {
  const status = response.statusCode!;
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? '';
  const isSuccess = status >= 200 && status < 300;
  const body = await (isSuccess ? wholeBody(response, encoding, bytesMax) : firstBytes(response, encoding));
  return {
    status,
    headers: new Headers(Object.entries(response.headersDistinct).flatMap(eachValue)),
    // Omits a byte order mark, as `fetch` does.
    text: async () => new TextDecoder().decode(body),
  };
}

/** Throws AnswerTooLarge for more than `bytesMax`, packed or unpacked, and closes the connection. */
async function wholeBody(response: IncomingMessage, encoding: string, bytesMax: number): Promise<Buffer> {
  if (Number(response.headers['content-length']) > bytesMax) {
    response.destroy();
    throw new AnswerTooLarge(bytesMax);
  }
  const { pieces, isCut } = await collect(response, bytesMax);
  if (isCut) throw new AnswerTooLarge(bytesMax);
  const unpack = unpackers[encoding];
  if (!unpack) return Buffer.concat(pieces);
  try {
    return await unpack(Buffer.concat(pieces), { maxOutputLength: bytesMax });
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? new AnswerTooLarge(bytesMax) : error;
  }
}

/** The beginning of an answer that is no success; only its status counts. */
async function firstBytes(response: IncomingMessage, encoding: string): Promise<Buffer> {
  const unpacking = unpackingStreams[encoding]?.();
  // `pipeline` would throw when the stream is ended early. The unpacking stream sees failures of the response.
  if (unpacking) response.on('error', (error) => unpacking.destroy(error)).pipe(unpacking);
  const { pieces } = await collect(unpacking ?? response, refusalBytesMax);
  if (!response.complete) response.destroy();
  return Buffer.concat(pieces).subarray(0, refusalBytesMax);
}

/**
 * Uses events: an asynchronous iteration costs more than all the rest. Stops, and destroys the stream, beyond
 * `bytesMax`.
 */
function collect(stream: Readable, bytesMax: number): Promise<{ readonly pieces: Buffer[]; readonly isCut: boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ pieces: Buffer[]; isCut: boolean }>();
  const pieces: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (piece: Buffer) => {
    if (bytes > bytesMax) return;
    pieces.push(piece);
    bytes += piece.length;
    if (bytes <= bytesMax) return;
    resolve({ pieces, isCut: true });
    stream.destroy();
  });
  finished(stream, (error) => (error ? reject(error) : resolve({ pieces, isCut: false })));
  return promise;
}

function eachValue([name, values = []]: [string, string[] | undefined]): [string, string][] {
  return values.map((value) => [name, value]);
}
