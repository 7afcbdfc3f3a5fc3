// Waiting in a process that is stopped for a while: here its thread stands still, so that no timer runs and no answer is read.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { afterRunning } from '../../src/lib/running-time.ts';
import { askSocket } from '../../src/lib/socket-http.ts';

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a timer of a process that was stopped goes on with nearly all the time it had left', async () => {
  const ended = Promise.withResolvers<number>();
  const began = performance.now();
  const timer = afterRunning(2_000, () => ended.resolve(performance.now()));
  onTestFinished(() => timer.end());
  standStill(2_500);
  const went = performance.now();
  // A plain timer is over at this instant.
  expect((await ended.promise) - went).toBeGreaterThan(1_000);
  expect(went - began).toBeGreaterThan(2_000);
});

test('a timer ends once, is whole again after restart, and never ends after its end', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const ended: string[] = [];
  const timers = ['restarted', 'left', 'ended'].map((name) => afterRunning(400, () => ended.push(name)));
  vi.advanceTimersByTime(399);
  expect(ended).toEqual([]);
  timers[0]!.restart();
  timers[2]!.end();
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(['left']);
  timers[1]!.restart();
  vi.advanceTimersByTime(398);
  expect(ended).toEqual(['left']);
  vi.advanceTimersByTime(1_000);
  expect(ended).toEqual(['left', 'restarted']);
  expect(vi.getTimerCount()).toBe(0);
});

/** Answers with a line, and with a second one as much later as the caller says. */
const server = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  createServer((request, response) => {
    response.write('first\\n');
    setTimeout(() => response.end('second\\n'), 300);
  }).listen(workerData, () => parentPort.postMessage('listens'));
`;

test('a command that is stopped in a terminal and goes on takes the answer that came meanwhile', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'socket');
  const worker = new Worker(server, { eval: true, workerData: path });
  onTestFinished(() => void worker.terminate());
  await once(worker, 'message');
  const answer = await askSocket({ path, method: 'GET', target: '/', silentMs: 1_000 });
  const lines: string[] = [];
  for await (const line of answer.lines) {
    lines.push(line);
    if (line === 'first') standStill(1_500);
  }
  expect(lines).toEqual(['first', 'second']);
});
