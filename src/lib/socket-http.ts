// Asks an HTTP server that listens on a local socket, and reads its answer in lines.
import { lstatSync } from 'node:fs';
import type * as http from 'node:http';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { isOursOnly, isPipe } from './daemon-socket.ts';
import { afterRunning } from './running-time.ts';

/**
 * Why there is no answer. `absent`: no socket is there. `refused`: one is there, and nothing listens. `silent`: no answer in
 * time, or the system refuses.
 */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly kind: 'absent' | 'refused' | 'silent';

  constructor(kind: NoAnswer['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export interface SocketRequest {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  /** As in `/v1/daemon`. */
  readonly target: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The longest silence, before the answer and within it. Time in which this process was stopped does not count. */
  readonly silentMs: number;
  readonly signal?: AbortSignal;
}

export interface SocketAnswer {
  readonly status: number;
  /** Once. Throws NoAnswer if the answer breaks off or stays silent, and the signal's reason. */
  readonly lines: AsyncIterable<string>;
}

/** Throws NoAnswer, and the signal's reason. */
export async function askSocket(asked: SocketRequest): Promise<SocketAnswer> {
  const { path, signal } = asked;
  signal?.throwIfAborted();
  try {
    // Before any timer: most commands find no daemon.
    if (!isPipe(path) && !lstatSync(path).isSocket()) throw new NoAnswer('absent', 'is no socket');
    if (!isOursOnly(path)) throw new NoAnswer('absent', 'is in a folder that other accounts can write');
    const message = await send(asked);
    return { status: message.statusCode ?? 0, lines: linesOf(message, asked) };
  } catch (error) {
    throw translated(error, asked);
  }
}

async function send({ path, method, target, body, silentMs, signal }: SocketRequest): Promise<http.IncomingMessage> {
  // Loaded here, since most commands find no daemon; and not by `import`, which loads `fetch` with it: a third of `status`.
  const { request } = createRequire(import.meta.url)('node:http') as typeof http;
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const sent = request({
    socketPath: path,
    method,
    path: target,
    agent: false,
    headers: { host: 'localhost', ...(text !== undefined && { 'content-type': 'application/json' }) },
    ...(signal && { signal }),
  });
  // Not the option `timeout`, which begins only with the connection.
  const timer = afterRunning(silentMs, () => sent.destroy(silence(silentMs)));
  sent.on('response', (message: http.IncomingMessage) => {
    timer.end();
    resolve(message);
  });
  sent.on('error', (error) => {
    timer.end();
    reject(error);
  });
  sent.end(text);
  return promise;
}

async function* linesOf(message: http.IncomingMessage, asked: SocketRequest): AsyncIterable<string> {
  const { silentMs } = asked;
  const timer = afterRunning(silentMs, () => message.destroy(silence(silentMs)));
  message.on('data', () => timer.restart());
  // A reader of lines ends quietly when its input breaks off.
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  message.on('error', (error) => broken.reject(error));
  const lines = createInterface({ input: message, crlfDelay: Infinity })[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([lines.next(), broken.promise]);
      if (next.done) break;
      yield next.value;
    }
    if (!message.complete) throw new NoAnswer('silent', 'broke off');
  } catch (error) {
    throw translated(error, asked);
  } finally {
    timer.end();
    message.destroy();
  }
}

function silence(silentMs: number): NoAnswer {
  return new NoAnswer('silent', `did not answer within ${silentMs / 1_000} s`);
}

function translated(error: unknown, { signal }: SocketRequest): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof NoAnswer) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new NoAnswer('absent', 'is not there', { cause: error });
    case 'ECONNREFUSED':
    case 'ENOTSOCK':
      return new NoAnswer('refused', 'does not listen', { cause: error });
    case 'EAGAIN':
      return new NoAnswer('silent', 'takes no more connections', { cause: error });
    case 'EACCES':
    case 'EPERM':
      return new NoAnswer('silent', `may not be asked by this account (${code})`, { cause: error });
    default:
      return new NoAnswer('silent', `broke off (${code})`, { cause: error });
  }
}
