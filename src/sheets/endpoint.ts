// Where calls go. Google's client fixes the hosts of Sheets and of tokens (a key file's `token_uri` is ignored), so both
// are sent elsewhere at the one place everything passes: fetch.
import { BadEndpointError } from './errors.ts';

/** The part of `fetch` that Google's client needs: in-process servers and recorders fit as well as the network. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

const googleHost = /(?:^|\.)googleapis\.com$/;
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const sheetsHost = 'sheets.googleapis.com';

/** A token call has no timeout of its own in Google's client. */
const tokenTimeoutMs = 30_000;

/** https, or http to this very machine. */
function parseEndpoint(endpoint: string): URL {
  if (!URL.canParse(endpoint)) throw new BadEndpointError(endpoint, 'is not a URL');
  const url = new URL(endpoint);
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHost.test(url.hostname));
  if (!isAllowed) throw new BadEndpointError(endpoint, 'must be https, unless it is this machine (127.0.0.1)');
  return url;
}

/**
 * A fetch for Google's client. Calls to Google hosts go to `endpoint`, below its path, if one is given; other hosts (an
 * identity provider named in an external account file) are left alone. Only what a request consists of is passed on.
 */
export function createEndpointFetch(fetch: Fetch, endpoint?: string) {
  const base = endpoint === undefined ? undefined : parseEndpoint(endpoint);
  return (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const timeout = url.hostname === sheetsHost ? undefined : AbortSignal.timeout(tokenTimeoutMs);
    const signals = [init.signal, timeout].filter((signal) => signal !== null && signal !== undefined);
    const { method, headers, body } = init;
    return fetch(base && googleHost.test(url.hostname) ? rebase(url, base) : url, {
      ...(method !== undefined && { method }),
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body }),
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
      redirect: 'error',
    });
  };
}

function rebase(url: URL, base: URL): URL {
  return new URL(base.pathname.replace(/\/$/, '') + url.pathname + url.search, base.origin);
}
