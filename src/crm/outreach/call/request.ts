// Builds the HTTP request of an operation from its checked input.
import type { Secret } from '../../../lib/secret.ts';
import { encodeQuery } from '../operations/query.ts';
import type { QueryObject } from '../operations/query.ts';
import type { Operation } from '../operations/define.ts';
import type { CallInit } from './exchange.ts';
import type { CheckedInput } from './input.ts';
import type { ServiceClientOptions } from '../service-client.ts';

/** A request that can be sent several times. */
export interface ServiceRequest {
  readonly url: string;
  readonly init: Pick<CallInit, 'method' | 'headers' | 'body'>;
}

export function buildRequest(
  { baseUrl, token, userAgent, extraHeaders }: ServiceClientOptions,
  operation: Operation,
  { path, query, body }: CheckedInput,
): ServiceRequest {
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const search = query ? encodeQuery(query as QueryObject, operation.filterStyle).toString() : '';
  // An operation without fields has no body. An operation with optional fields sends no body when none is given.
  const hasBody = body !== undefined && (Object.keys(body).length > 0 || operation.method !== 'POST');
  return {
    url: baseUrl.replace(/(?<!\/)\/+$/, '') + filled + (search === '' ? '' : `?${search}`),
    init: {
      method: operation.method,
      headers: {
        ...revealed(extraHeaders),
        accept: 'application/json',
        authorization: `Bearer ${token.reveal()}`,
        'user-agent': userAgent,
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(body) }),
    },
  };
}

function revealed(headers: Readonly<Record<string, Secret>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.reveal()]));
}
