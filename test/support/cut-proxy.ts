// A way to a TCP server that loses answers, and delays statements: for what a client does when it cannot know.
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface CutProxy {
  readonly port: number;
  /**
   * Once: what is sent with this text arrives, and its connection breaks before any answer. `isShut`: no new connection
   * is accepted after that, until `open`.
   */
  loseAnswerTo(text: string, options?: { readonly isShut?: boolean }): void;
  /** Once: the client's connection breaks, and what was sent with this text arrives when the returned function is called. */
  holdBack(text: string, options?: { readonly isShut?: boolean }): () => void;
  /** Once: what is sent with this text arrives, and no answer comes back. Its connection breaks when the returned function is called. */
  stallAnswerTo(text: string): () => void;
  open(): void;
  /** From now on nothing passes, either way: connections are taken, and nobody answers. */
  silence(): void;
  /** New connections lead to another server; those that are there break. */
  turnTo(port: number): void;
  /** How often an answer was lost, or a text held back. */
  readonly cuts: () => number;
}

export async function createCutProxy(first: number): Promise<CutProxy> {
  let plan:
    | { readonly text: string; readonly isShut: boolean; readonly isHeld: boolean; readonly isStalled?: true }
    | undefined;
  let target = first;
  let isShut = false;
  let isSilent = false;
  let cuts = 0;
  const held: (() => void)[] = [];
  const stalled: Socket[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (isShut) {
      client.destroy();
      return;
    }
    const upstream = connect(target, '127.0.0.1');
    let isCut = false;
    let isStalled = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes) => {
      if (isSilent) return;
      if (plan && bytes.includes(plan.text)) {
        const { isHeld } = plan;
        isStalled = plan.isStalled === true;
        isCut = true;
        cuts += 1;
        ({ isShut } = plan);
        plan = undefined;
        if (isStalled) stalled.push(client);
        if (isHeld) {
          held.push(() => void upstream.write(bytes));
          client.destroy();
          return;
        }
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      // The server has answered, so that it has carried it out.
      if (isStalled || isSilent) return;
      if (isCut) client.destroy();
      else client.write(bytes);
    });
    client.on('close', () => {
      if (!isCut) upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: address.port,
    loseAnswerTo: (text, { isShut: shuts = false } = {}) => void (plan = { text, isShut: shuts, isHeld: false }),
    holdBack(text, { isShut: shuts = false } = {}) {
      plan = { text, isShut: shuts, isHeld: true };
      return () => held.shift()!();
    },
    stallAnswerTo(text) {
      plan = { text, isShut: false, isHeld: false, isStalled: true };
      return () => stalled.shift()!.destroy();
    },
    open: () => void (isShut = false),
    silence: () => void (isSilent = true),
    turnTo(port) {
      target = port;
      for (const socket of sockets) socket.destroy();
    },
    cuts: () => cuts,
  };
}
