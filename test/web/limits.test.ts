import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createWeb } from '../../src/web/app.ts';
import { listen } from '../../src/web/listen.ts';
import { createDaemonTrial } from '../support/daemon.ts';

/* Limits of connections, at the socket: slow and idle clients, and headers and bodies that are too long. */

async function open() {
  const web = createWeb({
    host: '127.0.0.1',
    metrics: { render: () => Promise.resolve('up 1\n'), contentType: 'text/plain' },
    status: () => [],
    isDraining: () => false,
    stalledMs: () => 0,
  });
  const limits = { headersMs: 200, requestMs: 400, idleMs: 300, lookMs: 50, headerBytes: 4_096 };
  const server = await listen(web, { host: '127.0.0.1', port: 0 }, limits);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return Number(new URL(server.url).port);
}

async function dial(port: number): Promise<{ readonly socket: Socket; readonly ended: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  let told = '';
  socket.on('data', (chunk) => (told += chunk.toString()));
  // A socket that the server ends while the client still writes is reset.
  socket.on('error', () => {}).on('close', () => resolve(told));
  return { socket, ended };
}

test('headers that never end, or come byte by byte, are cut off', async () => {
  const port = await open();
  const [silent, slow] = [await dial(port), await dial(port)];
  silent.socket.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n');
  slow.socket.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ');
  const drip = setInterval(() => slow.socket.writable && slow.socket.write('a'), 20);
  onTestFinished(() => clearInterval(drip));
  for (const { ended } of [silent, slow]) expect(await ended).toMatch(/^HTTP\/1\.1 408 |^$/);
});

test('a body that never ends is cut off', async () => {
  const { socket, ended } = await dial(await open());
  socket.write('POST /do/pause HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\njob=');
  expect(await ended).toMatch(/^HTTP\/1\.1 4\d\d |^$/);
});

test('a connection without a request is closed', async () => {
  const { socket, ended } = await dial(await open());
  socket.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  expect(await ended).toMatch(/^HTTP\/1\.1 200 /);
});

test('long headers are answered with 431', async () => {
  const { socket, ended } = await dial(await open());
  socket.write(`GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\ncookie: ${'a'.repeat(8_000)}\r\n\r\n`);
  expect(await ended).toMatch(/^HTTP\/1\.1 431 /);
});

test('200 idle connections do not keep others out, and long forms are answered with 413', async () => {
  const trial = createDaemonTrial({
    file: { server: { listen: '127.0.0.1:0', console: 'write', password: 'p'.repeat(20) } },
  });
  const { url } = await trial.begin();
  const port = Number(new URL(url!).port);
  const idle = await Promise.all(Array.from({ length: 200 }, () => dial(port)));
  for (const { socket } of idle) socket.write('GET / HTTP/1.1\r\n');
  await sleep(0);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const post = (path: string, bytes: number) =>
    fetch(url + path, {
      method: 'POST',
      headers: { origin: url! },
      body: new URLSearchParams({ password: 'a'.repeat(bytes) }),
    });
  expect((await post('/login', 20_000)).status).toBe(413);
  expect((await post('/logout', 20_000)).status).toBe(413);
});
