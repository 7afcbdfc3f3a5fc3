// Sends calls of the service through `node:http`.
// A page of contacts takes half the processor time it takes through `fetch` (docs/performance.md). The bodies of
// `fetch` pass through web streams, which an answer that is read whole does not need.
import type { IncomingMessage } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { createUnpacking, encodingOf, headersOf, sendRequest } from '../../../lib/http-request.ts';
import { AnswerTooLarge, refusalBytesMax } from '../../../limits/answer-size.ts';
import type { Answer, CallInit } from './exchange.ts';

/**
 * A `Transport`: see `sendRequest`. A body that breaks off gives no answer. Throws AnswerTooLarge for a success of more than
 * `bytesMax`, packed or unpacked, and closes its connection.
 */
export function overHttp(url: string, { method, headers, body, signal, bytesMax }: CallInit): Promise<Answer> {
  return sendRequest(url, { method, headers, body, signal }, (response) => readWhole(response, bytesMax));
}

/** Unpacks in one piece, which is fastest; `maxOutputLength` bounds the result. */
const unpackers: Readonly<Record<string, (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** Must be called within the event that brings the response: later listeners miss its first pieces, or its end. */
async function readWhole(response: IncomingMessage, bytesMax: number): Promise<Answer> {
  const status = response.statusCode!;
  const encoding = encodingOf(response);
  const isSuccess = status >= 200 && status < 300;
  const body = await (isSuccess ? wholeBody(response, encoding, bytesMax) : firstBytes(response, encoding));
  return {
    status,
    headers: new Headers(headersOf(response)),
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
  const unpacking = createUnpacking(encoding);
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
