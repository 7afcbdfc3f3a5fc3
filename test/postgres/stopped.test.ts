// A process that is stopped for a while (SIGSTOP, a debugger, a frozen container): time in which it did not run is no wait.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import delay from 'delay';
import { expect, onTestFinished, test } from 'vitest';
import { addressOf, servePostgres } from '../support/postgres.ts';

const server = servePostgres();
const program = fileURLToPath(new URL('../support/pool-program.ts', import.meta.url));
/** Longer than the limits of the program: 1 s for a connection, 6 s for an answer and for the line. */
const stoppedMs = 6_500;

function start(url: string): { readonly child: ChildProcess; readonly nextLine: () => Promise<string> } {
  const child = spawn(process.execPath, [program, url], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, nextLine: async () => String((await lines.next()).value) };
}

async function stopFor(child: ChildProcess, ms: number): Promise<void> {
  child.kill('SIGSTOP');
  await delay(ms);
  child.kill('SIGCONT');
}

/** The way to the server, and what opens it: until then nothing that the process sends arrives. */
async function slowWay(): Promise<{ readonly port: number; readonly connected: Promise<unknown>; open(): void }> {
  const opens: (() => void)[] = [];
  const proxy = createServer((socket) => {
    socket.on('error', () => {});
    opens.push(() => {
      const behind = connect(server().port, '127.0.0.1');
      behind.on('error', () => {});
      socket.pipe(behind).pipe(socket);
      socket.on('close', () => behind.destroy());
    });
  });
  onTestFinished(() => void proxy.close());
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const open = () => {
    for (const each of opens) each();
  };
  return { port: (proxy.address() as AddressInfo).port, connected: once(proxy, 'connection'), open };
}

test('a process that is stopped takes the answer that came meanwhile, and what waits for a connection gets it', async () => {
  const url = await server().createDatabase();
  const { child, nextLine } = start(url);
  expect(await nextLine()).toBe('ready');
  child.stdin!.write('go\n');
  expect(await nextLine()).toBe('sent');
  await delay(200);
  await stopFor(child, stoppedMs);
  expect([await nextLine(), await nextLine()]).toEqual(['first: done', 'second: done']);
});

test('a process that is stopped while a connection is made goes on with it', async () => {
  const way = await slowWay();
  const database = new URL(await server().createDatabase()).pathname.slice(1);
  const { child, nextLine } = start(addressOf(way.port, database));
  expect(await nextLine()).toBe('ready');
  child.stdin!.write('go\n');
  expect(await nextLine()).toBe('sent');
  await way.connected;
  const stopped = stopFor(child, stoppedMs);
  way.open();
  await stopped;
  expect([await nextLine(), await nextLine()]).toEqual(['first: done', 'second: done']);
});
