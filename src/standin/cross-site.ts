// Refuses requests from web pages of other sites to a stand-in, parts of which need no token. Such pages reach this
// machine by giving their name its address (DNS rebinding), or by sending a form across sites.
import { isLoopback } from '../lib/loopback.ts';

/** The answer to a request from a page of another site; undefined for any other. */
export function refuseOtherSites({ method, headers }: Pick<Request, 'method' | 'headers'>): Response | undefined {
  const host = headers.get('host');
  if (host !== null && !isLoopback(URL.parse(`http://${host}/`)?.hostname ?? '')) {
    return refusal(421, 'a stand-in answers under the names of this machine alone, such as localhost and 127.0.0.1');
  }
  const origin = headers.get('origin');
  if (origin !== null && URL.parse(origin)?.host !== host) {
    return refusal(403, 'a page of another site may not use a stand-in');
  }
  const site = headers.get('sec-fetch-site');
  // A link from another page may open the grid: that page cannot read what opens.
  const isLink = method === 'GET' && headers.get('sec-fetch-dest') === 'document';
  const isOurs = site === null || site === 'same-origin' || site === 'none';
  return isOurs || isLink ? undefined : refusal(403, 'a page of another site may not use a stand-in');
}

function refusal(status: number, message: string): Response {
  return Response.json({ message }, { status, headers: { connection: 'close' } });
}
