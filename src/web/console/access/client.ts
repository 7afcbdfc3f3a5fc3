// The client of a request: its address, whether it came by https, and whether a trusted proxy passed it on.
import { isIP } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { TrustedProxyConfig } from '../../../config/config.ts';
import { createAddressCheck, plainAddress } from '../../../lib/addresses.ts';

export interface Client {
  /** Empty: not known. */
  readonly address: string;
  /** The browser uses https. */
  readonly isSecure: boolean;
  /** The proxy that is trusted sent the request. */
  readonly isByProxy: boolean;
}

export type ReadClient = (c: Context) => Client;

/**
 * Headers of a proxy count only if the socket's other end is one of its addresses: anybody can send them. Of
 * X-Forwarded-For the last address that is no proxy counts: what stands before it was sent by the client.
 */
export function createClientReader(proxy: Pick<TrustedProxyConfig, 'from'> | undefined): ReadClient {
  const isProxy = createAddressCheck(proxy?.from ?? []);
  return (c) => {
    const bindings = c.env as Partial<HttpBindings> | undefined;
    const address = plainAddress(bindings?.incoming?.socket.remoteAddress ?? '');
    if (!isProxy(address)) return { address, isSecure: false, isByProxy: false };
    const isSecure = listOf(c.req.header('x-forwarded-proto')).at(-1)?.toLowerCase() === 'https';
    const forwarded = listOf(c.req.header('x-forwarded-for')).map(plainAddress);
    const client = forwarded.findLast((each) => !isProxy(each)) ?? forwarded[0];
    return { address: client !== undefined && isIP(client) !== 0 ? client : address, isSecure, isByProxy: true };
  };
}

function listOf(header: string | undefined): readonly string[] {
  return (header ?? '').split(',').flatMap((part) => part.trim() || []);
}
