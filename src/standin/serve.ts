// Serves a stand-in on the loopback interface.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Server } from 'node:http';
import { refuseOtherSites } from './cross-site.ts';
import { toTransferred, type Transfer } from './transfer.ts';

/** Anything that answers requests, such as a Hono app. */
export interface Served {
  fetch(request: Request, bindings: { readonly dropConnection: () => void }): Response | Promise<Response>;
}

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Closes connections that have no request under way, as servers do after a while. */
  closeIdle(): void;
  /** Ends the server and all its connections, idle or waiting. May be called twice. */
  close(): Promise<void>;
}

/** Another process listens on the port. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
  readonly code = 'port_taken';
  readonly port: number;

  constructor(port: number, options: ErrorOptions) {
    super(
      `port ${port} is taken by another process; end that one, or choose another port (--help names the options; 0 takes any free one)`,
      options,
    );
    this.port = port;
  }
}

/** Serves on the loopback interface, and refuses pages of other sites; port 0 takes any free one. Throws PortTaken. */
export async function serve(served: Served, port: number, transfer: Transfer = {}): Promise<RunningServer> {
  const hostname = '127.0.0.1';
  const server = createAdaptorServer({
    fetch: async (request, { incoming }) => {
      const dropConnection = () => void ('socket' in incoming && incoming.socket.destroy());
      const answer = refuseOtherSites(request) ?? (await served.fetch(request, { dropConnection }));
      return toTransferred(request, answer, transfer, dropConnection);
    },
    hostname,
  }) as Server;
  server.listen(port, hostname);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      throw new PortTaken(port, { cause: error });
    throw error;
  }
  const { port: actual } = server.address() as AddressInfo;
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const closeIdle = () => server.closeIdleConnections();
  return { url: `http://${hostname}:${actual}`, port: actual, closeIdle, close, [Symbol.asyncDispose]: close };
}
