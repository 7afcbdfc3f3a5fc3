// Sends calls to Google through `node:http`.
// The first connection of `fetch` costs a command some 80 ms of processor time: Node compiles the WebAssembly of its parser
// (docs/performance.md). Google's client takes any `fetch`.
import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createUnpacking, encodingOf, headersOf, sendRequest } from '../../lib/http-request.ts';

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** A `Response` with such a status has no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** Fewer and larger pieces than Node's 16 kB: an answer has up to 256 MB, and each piece passes through two streams. */
const pieceBytes = 64 * 1_024;

/**
 * The part of `fetch` that Google's client needs; see `sendRequest`. A redirect is a failure: it would repeat the call
 * elsewhere, or send the token to another host. Throws the reason of the signal once it is aborted, as the body does.
 */
export async function fetchOverHttp(url: string, init: RequestInit): Promise<Response> {
  const { method = 'GET', signal } = init;
  signal?.throwIfAborted();
  const { body, type } = await bodyOf(init.body ?? undefined);
  const headers = { ...(type !== null && { 'content-type': type }), ...Object.fromEntries(new Headers(init.headers)) };
  try {
    const request = { method, headers, body, signal: signal ?? undefined };
    return await sendRequest(url, request, (response) => toResponse(response, signal ?? undefined));
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

interface Body {
  readonly body?: string | Uint8Array;
  readonly type: string | null;
}

/** As `fetch` sends it, such as a form of the token calls. */
async function bodyOf(body: RequestInit['body']): Promise<Body> {
  if (body === undefined || body === null) return { type: null };
  if (typeof body === 'string') return { body, type: 'text/plain;charset=UTF-8' };
  // The adapter of the console’s server replaces `Response` by one without `bytes()`.
  const encoded = new Response(body);
  return { type: encoded.headers.get('content-type'), body: new Uint8Array(await encoded.arrayBuffer()) };
}

function toResponse(response: IncomingMessage, signal: AbortSignal | undefined): Response {
  const status = response.statusCode!;
  if (redirects.has(status)) throw new Error(`the answer is a redirect (${status}), which is not followed`);
  const head = { status, statusText: response.statusMessage ?? '', headers: headersOf(response) };
  if (!bodiless.has(status)) return new Response(toBody(response, signal), head);
  response.resume();
  return new Response(null, head);
}

function toBody(response: IncomingMessage, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const unpacking = createUnpacking(encodingOf(response), { chunkSize: pieceBytes });
  // Whoever reads the body hears of the failure.
  const body: Readable = unpacking ? pipeline(response, unpacking, () => {}) : response;
  const abort = () => body.destroy(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal?.addEventListener('abort', abort, { once: true });
  body.once('close', () => signal?.removeEventListener('abort', abort));
  return Readable.toWeb(body) as ReadableStream<Uint8Array>;
}
