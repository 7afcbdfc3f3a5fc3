import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { PortTaken, serve } from '../../src/standin/serve.ts';

const app = new Hono().get('/', (c) => c.text('here'));

test('an app is served on a free loopback port until it is closed', async () => {
  const server = await serve(app, 0);
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  expect(await (await fetch(server.url)).text()).toBe('here');
  await server.close();
  await server.close();
  await expect(fetch(server.url)).rejects.toThrow('fetch failed');
});

test('a port that is taken is a typed error', async () => {
  await using first = await serve(app, 0);
  await expect(serve(app, first.port)).rejects.toThrow(PortTaken);
  await expect(serve(app, first.port)).rejects.toMatchObject({ code: 'port_taken', port: first.port });
});

test('closing ends idle connections and waiting requests', async () => {
  const { promise: never } = Promise.withResolvers<Response>();
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<AbortSignal>();
  const waiting = new Hono()
    .get('/', (c) => c.text('here'))
    .get('/wait', (c) => {
      arrive(c.req.raw.signal);
      return never;
    });
  const server = await serve(waiting, 0);
  const agent = new Agent({ keepAlive: true });
  const idle = request(`${server.url}/`, { agent }).end();
  const [answer] = (await once(idle, 'response')) as [NodeJS.ReadableStream];
  answer.resume();
  await once(answer, 'end');

  const hanging = fetch(`${server.url}/wait`);
  const signal = await arrived;
  await server.close();
  await expect(hanging).rejects.toThrow('fetch failed');
  expect(signal.aborted).toBe(true);
  agent.destroy();
});
