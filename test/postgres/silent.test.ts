// A database that takes connections and does not answer: statements fail by name, and the next ones go on.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { addressOf, openDatabase, servePostgres } from '../support/postgres.ts';

const server = servePostgres();

async function listening(
  answer: (socket: Socket) => void,
): Promise<{ readonly port: number; readonly sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const proxy: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    answer(socket);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return { port: (proxy.address() as AddressInfo).port, sockets };
}

test('a server that accepts a connection and says nothing is named after connect_timeout_secs', async () => {
  const { port, sockets } = await listening(() => {});
  const database = openDatabase(addressOf(port, 'any'), { connectTimeoutMs: 100 });
  onTestFinished(() => database.end());
  await expect(database.query('SELECT 1')).rejects.toMatchObject({
    code: 'database_unavailable',
    retryable: true,
    isOutcomeUnknown: false,
    message: expect.stringContaining('no connection was made in time') as string,
  });
  expect(sockets).toHaveLength(1);
});

test('a connection that falls silent fails its statement with an unknown outcome, and is not used again', async () => {
  const url = new URL(await server().createDatabase());
  const pipes: (() => void)[] = [];
  const { port, sockets } = await listening((socket) => {
    const behind = connect(server().port, '127.0.0.1');
    behind.on('error', () => {});
    socket.pipe(behind).pipe(socket);
    socket.on('close', () => behind.destroy());
    pipes.push(() => behind.unpipe(socket));
  });
  url.port = String(port);
  const database = openDatabase(url.href, { poolMax: 1, statementTimeoutMs: 100 });
  onTestFinished(() => database.end());
  await database.query('CREATE TABLE t (n int)');
  for (const silence of pipes) silence();
  const error: unknown = await database.query('INSERT INTO t VALUES (1)').catch((failed: unknown) => failed);
  expect(error).toMatchObject({
    code: 'database_unavailable',
    retryable: true,
    isOutcomeUnknown: true,
    message: expect.stringContaining('a statement got no answer in time') as string,
  });
  // The statement was carried out, and its answer is lost.
  expect(await database.query('SELECT n FROM t')).toEqual([{ n: 1 }]);
  expect(sockets).toHaveLength(2);
});
