// Opens the local socket of the daemon: for this account alone, one daemon a state folder.
import { once } from 'node:events';
import { chmodSync, linkSync, lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { dirname, join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import delay from 'delay';
import type { Hono } from 'hono';
import { daemonSocketPaths, isOursOnly, isPipe, makeSocketFolder } from '../../lib/daemon-socket.ts';
import { askSocket, NoAnswer } from '../../lib/socket-http.ts';
import { daemonTold } from '../../operator/answers/live.ts';
import { DaemonRunsError } from '../errors.ts';

export interface LocalListening extends AsyncDisposable {
  readonly path: string;
}

/** Some commands at once. More are closed unanswered. */
const connectionsMax = 32;
/** A request is a few lines. */
const requestMs = 5_000;
/** Followers get a line every five seconds; a connection without any is one whose reader takes nothing. */
const idleMs = 60_000;
/** A daemon ends within ten seconds (W8). */
const endingMs = 12_000;
const endingPollMs = 200;
/** How long an earlier daemon may take to say that it runs. */
const answerMs = 5_000;

/**
 * Resolves when commands can ask. Throws DaemonRunsError if another daemon works on this state; waits for one that ends.
 * Throws the system's error if no socket can be opened; the daemon can run without.
 */
export async function listenLocally(app: Hono, stateFolder: string): Promise<LocalListening> {
  const paths = daemonSocketPaths(stateFolder);
  for (const path of paths) await expectNoDaemon(path, stateFolder);
  let failure: unknown;
  for (const path of paths) {
    try {
      return await listenAt(app, path, stateFolder);
    } catch (error) {
      if (error instanceof DaemonRunsError) throw error;
      failure = error;
    }
  }
  throw failure;
}

async function expectNoDaemon(path: string, stateFolder: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += endingPollMs) {
    const found = await findDaemon(path);
    if (!found) return;
    if (!found.isEnding || waitedMs >= endingMs) throw new DaemonRunsError(`${stateFolder}: ${found.text}`);
    await delay(endingPollMs);
  }
}

/** Undefined: nothing listens there. */
async function findDaemon(path: string): Promise<{ readonly text: string; readonly isEnding: boolean } | undefined> {
  const remedy = 'End that one first, or give this one another `state:`';
  try {
    const { lines } = await askSocket({ path, method: 'GET', target: '/v1/daemon', silentMs: answerMs });
    const [line] = await Array.fromAsync(lines);
    const { pid, started_at: since, state } = daemonTold.parse(JSON.parse(line ?? '')).heartbeat;
    const text = `another leadsheet run (process ${pid}, since ${since}) works on this state. ${remedy}`;
    return { text, isEnding: state !== 'running' };
  } catch (error) {
    if (error instanceof NoAnswer && error.kind !== 'silent') return undefined;
    const why = error instanceof NoAnswer ? error.message : 'is of another version';
    return { text: `the socket of another leadsheet run is there and ${why}. ${remedy}`, isEnding: false };
  }
}

async function listenAt(app: Hono, path: string, stateFolder: string): Promise<LocalListening> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 8 * 1024,
    },
  }) as Server;
  server.maxConnections = connectionsMax;
  server.timeout = idleMs;
  const close = isPipe(path) ? await openPipe(server, path) : await openSocket(server, path, stateFolder);
  return {
    path,
    async [Symbol.asyncDispose]() {
      close();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The system refuses a second server of one name, and lets only this account and administrators write to it. */
async function openPipe(server: Server, path: string): Promise<() => void> {
  server.listen(path);
  await once(server, 'listening');
  return () => {};
}

/**
 * The socket is made in a folder that nobody else can enter, gets its mode there, and appears at its path with a link, which
 * fails where another socket stands. So nobody can connect before the mode is set, and of two simultaneous starts one wins.
 */
async function openSocket(server: Server, path: string, stateFolder: string): Promise<() => void> {
  makeSocketFolder(path);
  if (!isOursOnly(path)) throw new Error(`${dirname(path)} belongs to another account, or others can enter it`);
  const folder = mkdtempSync(join(dirname(path), '.daemon-'));
  try {
    const draft = join(folder, 's');
    server.listen(draft);
    await once(server, 'listening');
    chmodSync(draft, 0o600);
    const { ino } = lstatSync(draft);
    await putInPlace(draft, path, stateFolder);
    return () => {
      if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path);
    };
  } catch (error) {
    server.close();
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A socket of a process that was killed stands in the way until somebody removes it. */
async function putInPlace(draft: string, path: string, stateFolder: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return linkSync(draft, path);
    } catch (error) {
      if (!hasCode(error, 'EEXIST') || tries === 3) throw error;
    }
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && !found.isSocket()) throw new Error(`${path} is no socket; move it away`);
    await expectNoDaemon(path, stateFolder);
    setAside(path, `${draft}.old`, found?.ino);
  }
}

/** Another start may have put its own socket there meanwhile: that one is put back. */
function setAside(path: string, aside: string, ino: number | undefined): void {
  try {
    renameSync(path, aside);
    if (lstatSync(aside).ino !== ino) linkSync(aside, path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
