import { boundResponse, findTooLarge, refusalBytesMax } from '../../../limits/answer-size.ts';

/**
 * Where requests go: `overHttp`, `fetch`, or an app that answers in-process. Without an answer it throws what failed, with its
 * `code` somewhere among the causes; NotConnectedError, where it knows that nothing was sent. Reads no more of the answer than
 * `bytesMax` allows; one that hands out a `Response` leaves that to `exchange`.
 */
export type Transport = (url: string, init: CallInit) => Answer | Promise<Answer>;

/** Of what `fetch` takes, what a call needs. */
export interface CallInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
  /** Bytes of a success, unpacked: beyond them AnswerTooLarge is thrown. Of any other answer the first 64 kB are read. */
  readonly bytesMax: number;
}

/** Of what `fetch` answers, what a call needs. */
export type Answer = Pick<Response, 'status' | 'headers' | 'text'>;

/** One request and what came of it. The outcomes differ in what may be done next, so none of them is an exception. */
export type Exchange =
  | { readonly outcome: 'answered'; readonly status: number; readonly headers: Headers; readonly text: string }
  /** More than any honest answer of this kind, so that it was not kept. Whether a write was carried out is unknown. */
  | { readonly outcome: 'too-large'; readonly why: string; readonly cause: unknown }
  /** Surely never reached the service. */
  | { readonly outcome: 'not-sent'; readonly why: string; readonly cause: unknown }
  /** Was sent, or may have been; whether it was carried out is unknown. */
  | { readonly outcome: 'no-answer'; readonly why: string; readonly cause: unknown; readonly aborted: boolean };

export interface ExchangeOptions {
  readonly transport: Transport;
  /** For the whole exchange, the body of the answer included. */
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
  // A plain timer and not AbortSignal.timeout: tests move this one by hand.
  const timer = setTimeout(() => stop.abort(new Error('timeout')), timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    // A redirect would repeat the call elsewhere, or send the token to another host.
    const response = await transport(url, { ...init, redirect: 'manual', signal: stop.signal, bytesMax });
    const text = await (isWhole(response) ? bounded(response, bytesMax) : response).text();
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
 * A Response of `fetch`, whose body is not bounded yet. `instanceof Response` does not tell: the adapter of a server that
 * runs in this process has replaced the global class.
 */
function isWhole(answer: Answer): answer is Response {
  return 'body' in answer;
}

function bounded(response: Response, bytesMax: number): Response {
  return response.ok ? boundResponse(response, bytesMax, 'fail') : boundResponse(response, refusalBytesMax, 'cut');
}

/** No connection came about, so that nothing was sent. A transport that knows throws this, and what failed as its cause. */
export class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError';
}

/** Failures before the first byte of a request, as Node and undici name them, whatever transport throws them. */
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

/** undefined: it may have been sent. */
function whyUnsent(error: unknown): string | undefined {
  const code = errorCode(error) ?? '';
  if (Object.hasOwn(reasons, code)) return reasons[code];
  if (/CERT|UNABLE_TO_VERIFY/.test(code)) return `the certificate of the host is not trusted: ${code}`;
  if (!(error instanceof NotConnectedError)) return undefined;
  // What TLS stumbled over stands in the message alone.
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
