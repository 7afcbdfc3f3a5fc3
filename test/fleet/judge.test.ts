// The judge of the fleet, with made-up lines and calls: real overlaps are told, and late lines are not.
import { expect, test } from 'vitest';
import { atOnce } from './judge.ts';
import { createRunLog, type Line } from './runs.ts';
import type { Call } from './sides.ts';

const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

interface Told extends Pick<Line, 'msg' | 'epoch' | 'status'> {
  readonly by: string;
  readonly run: string;
  /** Seconds. */
  readonly at: number;
}

const started = (by: string, run: string, at: number): Told => ({ by, run, at, msg: 'run started' });
const leased = (by: string, run: string, epoch: number, at: number): Told => {
  return { by, run, at, epoch, msg: 'run has its lease' };
};
const ended = (by: string, run: string, at: number, msg = 'run ended', status = 'succeeded'): Told => {
  return { by, run, at, msg, status };
};

function write(worker: string, at: number): Call {
  const about = { worker, account: 'default', job: 'sync-1', isWrite: true } as const;
  return { ...about, kind: 'writes to Google', time: Date.parse(time(at)) };
}

/** A reading of both sides changes nothing. */
const read = (worker: string, at: number): Call => ({ ...write(worker, at), kind: 'reads of Google', isWrite: false });

function judged(lines: readonly Told[], calls: readonly Call[]): readonly string[] {
  const log = createRunLog();
  for (const { by, at, ...line } of lines) log.observe(by, { ...line, sync: 'sync-1', time: time(at) });
  return atOnce(log.runs, calls);
}

test('a write of a run after another one has its lease is told', () => {
  const lines = [leased('worker 1', 'a', 4, 0), leased('worker 2', 'b', 5, 70), ended('worker 2', 'b', 75)];
  expect(judged(lines, [write('worker 1', 5), write('worker 2', 72), write('worker 1', 73)])).toEqual([
    'sync-1: worker 1 made one of the writes to Google at 00:01:13.000, when the job was with the run of epoch 5 on worker 2 ' +
      'from 00:01:10.000 to 00:01:15.000',
  ]);
});

test.each([
  ['after its own end', [leased('worker 1', 'a', 4, 0), ended('worker 1', 'a', 3)], 5],
  ['before its lease', [started('worker 1', 'a', 0), leased('worker 1', 'a', 4, 6)], 5],
  ['without a lease', [started('worker 1', 'a', 0)], 5],
])('a write of a run %s is told', (_, lines, at) => {
  expect(judged(lines, [write('worker 1', at)])).toHaveLength(1);
});

test('one lease for two runs is told, without any call', () => {
  const lines = [leased('worker 1', 'a', 4, 0), ended('worker 1', 'a', 2), leased('worker 2', 'b', 4, 3)];
  expect(judged(lines, [])).toHaveLength(1);
});

test('two runs at once in one process are told, without any call', () => {
  const lines = [leased('worker 1', 'a', 4, 0), leased('worker 1', 'b', 5, 1), ended('worker 1', 'a', 2)];
  expect(judged(lines, [])).toHaveLength(1);
});

test('a run that waits for its lease, while the run before it ends, is not told', () => {
  const lines = [
    leased('worker 1', 'a', 4, 0),
    started('worker 2', 'b', 1),
    ended('worker 1', 'a', 3),
    leased('worker 2', 'b', 5, 4),
    ended('worker 2', 'b', 5),
  ];
  expect(judged(lines, [write('worker 1', 2), write('worker 2', 5)])).toEqual([]);
});

test('a run that was stopped, wakes after it was taken over, reads, and ends without a write, is not told', () => {
  const lines = [
    leased('worker 1', 'a', 4, 0),
    leased('worker 2', 'b', 5, 61),
    ended('worker 2', 'b', 64),
    ended('worker 1', 'a', 70, 'run ended', 'failed'),
  ];
  expect(judged(lines, [write('worker 1', 1), write('worker 2', 63), read('worker 1', 69)])).toEqual([]);
});

test('the line of a lease that comes after its run was taken over is not told; a write then is', () => {
  const lines = [leased('worker 2', 'b', 5, 61), leased('worker 1', 'a', 4, 62), ended('worker 2', 'b', 65)];
  expect(judged(lines, [write('worker 2', 63)])).toEqual([]);
  expect(judged(lines, [write('worker 1', 63)])).toHaveLength(1);
});

test.each(['run ended', 'nothing new', 'run stopped before its end'])('"%s" is the end of a run', (msg) => {
  const lines = [leased('worker 1', 'a', 4, 0), ended('worker 1', 'a', 2, msg), leased('worker 1', 'b', 5, 3)];
  expect(judged(lines, [])).toEqual([]);
});

test('a worker that was killed in a run leaves the job to the next one', () => {
  const lines = [leased('worker 1', 'a', 4, 0), leased('worker 2', 'b', 5, 65), ended('worker 2', 'b', 66)];
  expect(judged(lines, [write('worker 1', 1), write('worker 2', 65)])).toEqual([]);
});
