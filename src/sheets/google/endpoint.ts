// Redirects calls to another endpoint. Google's client fixes the hosts of Sheets and of tokens (a key file's
// `token_uri` is ignored), so both are redirected in fetch, which every call uses.
import { z } from 'zod';
import { boundResponse, refusalBytesMax, textWithin } from '../../limits/answer-size.ts';
import { BadEndpointError } from './errors.ts';

/** The part of `fetch` that Google's client needs, so that in-process servers and recorders fit too. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

const googleHost = /(?:^|\.)googleapis\.com$/;
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const sheetsHost = 'sheets.googleapis.com';
const tokenHost = 'oauth2.googleapis.com';

/** A token call has no timeout in Google's client. */
const tokenTimeoutMs = 30_000;

/**
 * Bytes of an answer of Sheets, unpacked. One call reads 2,000,000 cells at most (read.ts), so that this is 128 bytes
 * for each; a measured table of short texts has 22 (docs/performance.md). Google documents no limit.
 */
const sheetsBytesMax = 256_000_000;

/** Bytes of an answer of Drive: a page of 1,000 changes has about 80 kB. */
const driveBytesMax = 1_000_000;

/** Bytes of an answer to a token call: Google's have 1 to 2 kB, those of an identity provider somewhat more. */
const tokenBytesMax = 64_000;

const bytesMaxByHost: ReadonlyMap<string, number> = new Map([
  [sheetsHost, sheetsBytesMax],
  ['www.googleapis.com', driveBytesMax],
]);

/** The login page of a network, a blank page: it says nothing about the credentials, and Google's client would take it for a token. */
export class NoTokenAnswered extends Error {
  override readonly name = 'NoTokenAnswered';
  /** `endpoint`: where the request went, if that is not Google. */
  constructor(endpoint: string | undefined) {
    super(`${whereOf(tokenHost, endpoint)} answered a request for a token with something else`);
  }
}

/** Where a call for this host goes, in words. */
export function whereOf(host: string, endpoint: string | undefined): string {
  return endpoint === undefined || !googleHost.test(host) ? host : `google.endpoint ${endpoint}`;
}

const tokenAnswer = z.looseObject({ access_token: z.string().min(1) });

/** https, or http to this machine. */
function parseEndpoint(endpoint: string): URL {
  if (!URL.canParse(endpoint)) throw new BadEndpointError(endpoint, 'is not a URL');
  const url = new URL(endpoint);
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHost.test(url.hostname));
  if (!isAllowed) throw new BadEndpointError(endpoint, 'must be https, unless it is this machine (127.0.0.1)');
  return url;
}

/**
 * A fetch for Google's client. Calls to Google hosts go to `endpoint`, below its path, if one is given; other hosts (an
 * identity provider in an external account file) are unchanged. Only the parts of a request are passed on. A body
 * beyond its bound fails with AnswerTooLarge, and the body of a refusal ends there; both close the connection. A success
 * of the token endpoint without a token fails with NoTokenAnswered.
 */
export function createEndpointFetch(fetch: Fetch, endpoint?: string) {
  const base = endpoint === undefined ? undefined : parseEndpoint(endpoint);
  return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const timeout = url.hostname === sheetsHost ? undefined : AbortSignal.timeout(tokenTimeoutMs);
    const signals = [init.signal, timeout].filter((signal) => signal !== null && signal !== undefined);
    const { method, headers, body } = init;
    const answer = await fetch(base && googleHost.test(url.hostname) ? rebase(url, base) : url, {
      ...(method !== undefined && { method }),
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body }),
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
      redirect: 'error',
    });
    if (!answer.ok) return boundResponse(answer, refusalBytesMax, 'cut');
    if (url.hostname === tokenHost) return withToken(answer, endpoint);
    return boundResponse(answer, bytesMaxByHost.get(url.hostname) ?? tokenBytesMax, 'fail');
  };
}

async function withToken(answer: Response, endpoint: string | undefined): Promise<Response> {
  const text = await textWithin(answer, tokenBytesMax, 'fail');
  if (!tokenAnswer.safeParse(jsonOf(text)).success) throw new NoTokenAnswered(endpoint);
  const { status, statusText, headers } = answer;
  return new Response(text, { status, statusText, headers });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function rebase(url: URL, base: URL): URL {
  return new URL(base.pathname.replace(/\/$/, '') + url.pathname + url.search, base.origin);
}
