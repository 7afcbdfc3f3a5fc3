// Servers of one test on this machine. They end with it.
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** The host and port. */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The URL. */
export async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  onTestFinished(() => server.closeAllConnections());
  return `http://${await listening(server)}/`;
}

/** Accepts a connection, and never answers the greeting of TLS. `taken`: it has one. */
export async function servingNothing(): Promise<{ readonly url: string; readonly taken: Promise<void> }> {
  const { promise: taken, resolve: take } = Promise.withResolvers<void>();
  const server = createSocketServer((socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    take();
  });
  return { url: `https://${await listening(server)}/`, taken };
}
