// Listens on a port for the HTTP server.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import type { ListenAddress } from '../config/address.ts';
import { ListenError } from './errors.ts';

/** Limits of one connection, in milliseconds and bytes. */
export interface ConnectionLimits {
  /** For all headers of a request. */
  readonly headersMs: number;
  /** For a whole request, its body included. */
  readonly requestMs: number;
  /** Without a request. */
  readonly idleMs: number;
  /** How often connections are looked at. */
  readonly lookMs: number;
  /** The most bytes that the headers of a request have together; beyond: 431. */
  readonly headerBytes: number;
}

/** A slow client, or one that sends a byte now and then, must not hold a connection for ever. */
const limitsDefault: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 15_000,
  lookMs: 2_000,
  headerBytes: 16 * 1_024,
};

export interface Listening extends AsyncDisposable {
  readonly url: string;
}

/** Throws ListenError. Disposing ends every connection. */
export async function listen(
  app: Hono,
  { host, port }: ListenAddress,
  { headersMs, requestMs, idleMs, lookMs, headerBytes }: ConnectionLimits = limitsDefault,
): Promise<Listening> {
  const serverOptions = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: lookMs,
    maxHeaderSize: headerBytes,
  };
  const server = createAdaptorServer({ fetch: app.fetch, hostname: host, serverOptions }) as Server;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ListenError(why(error, host, port), { cause: error });
  }
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function why(error: unknown, host: string, port: number): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  switch (code) {
    case 'EADDRINUSE':
      return `server.listen: port ${port} of ${host} is taken by another process; end that one, or set another port`;
    case 'EACCES':
      return `server.listen: port ${port} may not be used by this account; set one above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `server.listen: ${host} is no address of this machine (${code})`;
    default:
      return `server.listen: ${host}:${port} cannot be listened on (${code})`;
  }
}
