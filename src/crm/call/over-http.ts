// Calls of the service through `node:http`. A page of contacts takes half the processor time it takes through `fetch`
// (docs/performance.md), whose bodies pass through web streams: of no use for an answer that is read whole.
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { finished } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
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
 * sent, and later what Node throws, with its `code`; of a body that breaks off there is no answer.
 */
export function overHttp(url: string, { method, headers, body, signal }: CallInit): Promise<Answer> {
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
  request.on('response', (response) => resolve(readWhole(response)));
  request.end(body);
  return promise;
}

/** What `fetch` asks for over TLS. */
const acceptedEncodings = 'gzip, deflate, br';

const unpackers: Readonly<Record<string, (packed: Buffer) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** To be called within the event that brings the response: whoever listens later misses its first pieces, or its end. */
async function readWhole(response: IncomingMessage): Promise<Answer> {
  const packed = await bodyOf(response);
  const unpack = unpackers[response.headers['content-encoding']?.toLowerCase() ?? ''];
  const body = unpack ? await unpack(packed) : packed;
  return {
    status: response.statusCode!,
    headers: new Headers(Object.entries(response.headersDistinct).flatMap(eachValue)),
    // Leaves out a byte order mark, as `fetch` does.
    text: async () => new TextDecoder().decode(body),
  };
}

/** By its events: an asynchronous iteration costs more than all the rest. */
function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const pieces: Buffer[] = [];
  response.on('data', (piece: Buffer) => pieces.push(piece));
  finished(response, (error) => (error ? reject(error) : resolve(Buffer.concat(pieces))));
  return promise;
}

function eachValue([name, values = []]: [string, string[] | undefined]): [string, string][] {
  return values.map((value) => [name, value]);
}
