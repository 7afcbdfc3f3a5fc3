// Makes one HTTP request and classifies its outcome.
import { NotConnectedError } from '../../../lib/not-connected.ts';
import { findTooLarge, refusalBytesMax, textWithin } from '../../../limits/answer-size.ts';

/**
 * Sends a request: `overHttp`, `fetch`, or an app that answers in-process. Without an answer it throws an error with a
 * `code` among its causes, or NotConnectedError if nothing was sent. Reads no more of the answer than `bytesMax`; for a
 * `Response`, `exchange` does that.
 */
export type Transport = (url: string, init: CallInit) => Answer | Promise<Answer>;

/** The part of `fetch`'s arguments that a call needs. */
export interface CallInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
  /** Bytes of a success, unpacked: a larger one throws AnswerTooLarge. Of any other answer the first 64 kB are read. */
  readonly bytesMax: number;
}

/** The part of `fetch`'s answer that a call needs. */
export type Answer = Pick<Response, 'status' | 'headers' | 'text'>;

/** One request and its outcome. The outcomes differ in what may be done next, so none of them is an exception. */
export type Exchange =
  | { readonly outcome: 'answered'; readonly status: number; readonly headers: Headers; readonly text: string }
  /** Larger than any valid answer of this kind, so it was not kept. Whether a write was carried out is unknown. */
  | { readonly outcome: 'too-large'; readonly why: string; readonly cause: unknown }
  /** The request surely never reached the service. */
  | { readonly outcome: 'not-sent'; readonly why: string; readonly cause: unknown }
  /** The request was sent, or may have been. Whether it was carried out is unknown. */
  | { readonly outcome: 'no-answer'; readonly why: string; readonly cause: unknown; readonly aborted: boolean };

export interface ExchangeOptions {
  readonly transport: Transport;
  /** For the whole exchange, including the body of the answer. */
  readonly timeoutMs: number;
  /** Bytes of a success, unpacked. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal | undefined;
}

export async function exchange(
  url: string,
  init: Omit<CallInit, 'redirect' | 'signal' | 'bytesMax'>,
  options: ExchangeOptions,
): Promise<Exchange> {
  const { transport, timeoutMs, bytesMax, signal } = options;
  const stop = new AbortController();
  const abort = () => stop.abort(signal?.reason);
  // A plain timer, not AbortSignal.timeout: tests move this one by hand.
  const timer = setTimeout(() => stop.abort(new Error('timeout')), timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    // Following a redirect would repeat the call elsewhere, or send the token to another host.
    const response = await transport(url, { ...init, redirect: 'manual', signal: stop.signal, bytesMax });
    const text = await (isWhole(response) ? boundedText(response, bytesMax) : response.text());
    return { outcome: 'answered', status: response.status, headers: response.headers, text };
  } catch (cause) {
    if (signal?.aborted)
      return { outcome: 'no-answer', why: 'stopped while waiting for the answer', cause, aborted: true };
    const tooLarge = findTooLarge(cause);
    if (tooLarge) return { outcome: 'too-large', why: tooLarge.message, cause };
    if (stop.signal.aborted) {
      return { outcome: 'no-answer', why: `no answer within ${timeoutMs / 1000} s`, cause, aborted: false };
    }
    const unsent = whyUnsent(cause);
    if (unsent !== undefined) return { outcome: 'not-sent', why: unsent, cause };
    return { outcome: 'no-answer', why: whyBroken(cause), cause, aborted: false };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * A Response of `fetch`, whose body is not bounded yet. `instanceof Response` is no test: the adapter of a server that
 * runs in this process has replaced the global class.
 */
function isWhole(answer: Answer): answer is Response {
  return 'body' in answer;
}

function boundedText(response: Response, bytesMax: number): Promise<string> {
  return response.ok ? textWithin(response, bytesMax, 'fail') : textWithin(response, refusalBytesMax, 'cut');
}

/** Failures before the first byte of a request, by the names of Node and undici, for any transport. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at that address (ECONNREFUSED)',
  ENOTFOUND: 'no such host (ENOTFOUND)',
  EAI_AGAIN: 'the host name could not be looked up (EAI_AGAIN)',
  EHOSTUNREACH: 'no route to the host (EHOSTUNREACH)',
  ENETUNREACH: 'no route to the network (ENETUNREACH)',
  UND_ERR_CONNECT_TIMEOUT: 'the host did not take the connection in time',
  ERR_CONNECT_TIMEOUT: 'the host did not take the connection in time',
  ERR_SSL_WRONG_VERSION_NUMBER: 'TLS is not spoken there: is the address http://, or the port another one?',
};

/** undefined: the request may have been sent. */
function whyUnsent(error: unknown): string | undefined {
  const code = errorCode(error) ?? '';
  if (Object.hasOwn(reasons, code)) return reasons[code];
  if (/CERT|UNABLE_TO_VERIFY/.test(code))
    return `the certificate of the host is not trusted (${code}; for an authority of your own: export NODE_EXTRA_CA_CERTS=/path/to/authority.pem)`;
  if (!(error instanceof NotConnectedError)) return undefined;
  // A failure of TLS is named in the message alone.
  const isTls = code === 'EPROTO' || code.startsWith('ERR_SSL');
  return isTls ? reasons['ERR_SSL_WRONG_VERSION_NUMBER'] : `no connection came about: ${code || describe(error.cause)}`;
}

function whyBroken(error: unknown): string {
  const code = errorCode(error);
  if (code?.startsWith('HPE_'))
    return `HTTP is not spoken there (${code}): is the address https://, or the port another one?`;
  return `the connection broke: ${code ?? describe(error)}`;
}

function errorCode(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
