// Listens on a port for the HTTP server.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import type { ListenAddress } from '../config/address.ts';
import { ListenError } from './errors.ts';

export interface Listening extends AsyncDisposable {
  readonly url: string;
}

/** Throws ListenError. Disposing ends every connection. */
export async function listen(app: Hono, { host, port }: ListenAddress): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch, hostname: host }) as Server;
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
