// Calls of the service through `node:http`. A page of contacts takes half the processor time it takes through `fetch`
// (docs/performance.md), whose bodies pass through web streams: of no use for an answer that is read whole.
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { finished, type Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress, createGunzip, createInflate, gunzip, inflate } from 'node:zlib';
import { AnswerTooLarge, refusalBytesMax } from '../../../limits/answer-size.ts';
import { type Answer, type CallInit, NotConnectedError } from './exchange.ts';

/** As long as `fetch` gives a connection to come about. */
const connectMsMax = 10_000;

class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
  readonly code = 'ERR_CONNECT_TIMEOUT';
}

/**
 * A `Transport`. Connections are kept and shared by Node's own agents, so that what is set for Node, as a proxy or further
 * certificates, holds here too. A redirect is an answer like any other. Throws NotConnectedError as long as nothing was
 * sent, and later what Node throws, with its `code`; of a body that breaks off there is no answer. Throws AnswerTooLarge for a
 * success of more than `bytesMax`, packed or unpacked, and closes its connection.
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

/** What `fetch` asks for over TLS. */
const acceptedEncodings = 'gzip, deflate, br';

/** All at once, which takes the least time; `maxOutputLength` holds what comes out. */
const unpackers: Readonly<Record<string, (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** Piece by piece, where the rest is of no use. */
const unpackingStreams: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** To be called within the event that brings the response: whoever listens later misses its first pieces, or its end. */
async function readWhole(response: IncomingMessage, bytesMax: number): Promise<Answer> {
  const status = response.statusCode!;
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? '';
  const isSuccess = status >= 200 && status < 300;
  const body = await (isSuccess ? wholeBody(response, encoding, bytesMax) : firstBytes(response, encoding));
  return {
    status,
    headers: new Headers(Object.entries(response.headersDistinct).flatMap(eachValue)),
    // Leaves out a byte order mark, as `fetch` does.
    text: async () => new TextDecoder().decode(body),
  };
}

/** Throws AnswerTooLarge for more than `bytesMax`, packed or unpacked; the connection is closed then. */
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

/** The beginning of an answer that is no success: the status says what counts. */
async function firstBytes(response: IncomingMessage, encoding: string): Promise<Buffer> {
  const unpacking = unpackingStreams[encoding]?.();
  // `pipeline` would throw what ends it early; what befalls the response is seen by the one that unpacks.
  if (unpacking) response.on('error', (error) => unpacking.destroy(error)).pipe(unpacking);
  const { pieces } = await collect(unpacking ?? response, refusalBytesMax);
  if (!response.complete) response.destroy();
  return Buffer.concat(pieces).subarray(0, refusalBytesMax);
}

/** By its events: an asynchronous iteration costs more than all the rest. Stops, and destroys the stream, beyond `bytesMax`. */
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
