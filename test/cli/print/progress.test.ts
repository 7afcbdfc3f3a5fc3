import { expect, onTestFinished, test, vi } from 'vitest';
import { createProgress, durationText } from '../../../src/cli/print/progress.ts';
import { quiet } from '../../../src/cli/print/style.ts';

/* The progress of a run, in a terminal and in a log. */

function createShown({ isTTY }: { isTTY: boolean }) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const written: string[] = [];
  let now = 0;
  const progress = createProgress({ write: (text) => written.push(text), isTTY }, () => now);
  const show = (at: number, done: number, total?: number) => {
    now = at;
    progress.show({ sync: 'a', step: 'crm', done, total: total ?? null });
  };
  /** Nothing comes for so long. */
  const wait = (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      now += 1000;
      vi.advanceTimersByTime(1000);
    }
  };
  return { written, progress, show, wait };
}

const wipe = '\r\u001b[2K';

test('a terminal has one line with done, total, rate and time left, rewritten ten times a second at most', () => {
  const { written, progress, show } = createShown({ isTTY: true });
  show(0, 0, 100);
  show(50, 1, 100);
  // Of less than a second no rate is told.
  show(900, 9, 100);
  show(2000, 20, 100);
  show(10_000, 100, 100);
  progress.clear();
  progress.clear();
  expect(written).toEqual([
    `${wipe}${quiet('a: 0 of 100 changes sent to the service')}`,
    `${wipe}${quiet('a: 9 of 100 changes sent to the service')}`,
    `${wipe}${quiet('a: 20 of 100 changes sent to the service, 10 a second, 8 s left')}`,
    `${wipe}${quiet('a: 100 of 100 changes sent to the service, 10 a second')}`,
    wipe,
  ]);
});

test('outside a terminal it is a plain line every ten seconds, and none for shorter steps', () => {
  const { written, progress, show } = createShown({ isTTY: false });
  show(0, 0, 100);
  show(9_999, 60, 100);
  show(10_000, 60, 100);
  show(15_000, 100, 100);
  progress.clear();
  expect(written).toEqual(['a: 60 of 100 changes sent to the service, 6.0 a second, 7 s left\n']);
});

test('time left is in the unit people would say it in', () => {
  expect([0.2, 59, 61, 3600, 9000].map(durationText)).toEqual(['1 s', '59 s', '2 min', '1.0 h', '2.5 h']);
});

test('a terminal is told after two seconds without news that the command waits, then every second, until news come', () => {
  const { written, progress, show, wait } = createShown({ isTTY: true });
  progress.begin('a: begins');
  wait(1);
  expect(written).toEqual([]);
  wait(2);
  show(3500, 10, 100);
  wait(2);
  progress[Symbol.dispose]();
  wait(5);
  expect(written).toEqual([
    `${wipe}${quiet('a: begins, waiting for 2 s')}`,
    `${wipe}${quiet('a: begins, waiting for 3 s')}`,
    `${wipe}${quiet('a: 10 of 100 changes sent to the service')}`,
    `${wipe}${quiet('a: 10 of 100 changes sent to the service, waiting for 2 s')}`,
    wipe,
  ]);
});

test('outside a terminal nothing is said of a wait', () => {
  const { written, progress, wait } = createShown({ isTTY: false });
  progress.begin('a: begins');
  wait(60);
  progress[Symbol.dispose]();
  expect(written).toEqual([]);
});
