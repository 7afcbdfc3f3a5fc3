// A clock that jumps to the next timer as soon as everything waits for one: pauses of a minute cost nothing.
import { createHook } from 'node:async_hooks';
import { onTestFinished, vi } from 'vitest';

/** Not nextTick and queueMicrotask: streams and promises go on by themselves. */
const fakedTimers = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'Date',
  'performance',
] as const satisfies NonNullable<NonNullable<Parameters<typeof vi.useFakeTimers>[0]>['toFake']>;

const real = { setTimeout: globalThis.setTimeout, setImmediate: globalThis.setImmediate };

/** Operations on files that have begun and not ended, by the numbers that Node gives them. */
const underWay = new Set<number>();
let allEnded: (() => void) | undefined;
const end = (id: number) => {
  if (underWay.delete(id) && underWay.size === 0) allEnded?.();
};
const files = createHook({
  init: (id, type) => void (type.startsWith('FSREQ') && underWay.add(id)),
  before: end,
  destroy: end,
  trackPromises: false,
});

/**
 * Until the end of the test. The clock stands while an operation on a file is under way, so that what happens does not
 * depend on how fast the disk is. It does not see sockets and other processes: tests that wait for those use real time.
 */
export function useJumpingClock(at = '2026-11-21T09:00:00Z'): void {
  if (vi.isFakeTimers()) return;
  vi.useFakeTimers({ now: new Date(at), toFake: fakedTimers });
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
    files.disable();
    underWay.clear();
    allEnded?.();
    vi.useRealTimers();
  });
  files.enable();
  void jump(() => isOver || !vi.isFakeTimers());
}

/** Turns of the event loop without an operation on a file, after which everything is taken to wait. */
const quietTurns = 3;

async function jump(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    for (let turns = 0; turns < quietTurns; turns += 1) {
      if (underWay.size > 0) {
        await new Promise<void>((resolve) => (allEnded = resolve));
        turns = 0;
      }
      await new Promise<void>((resolve) => void real.setImmediate(resolve));
    }
    if (isOver()) return;
    if (vi.getTimerCount() === 0) await new Promise<void>((resolve) => void real.setTimeout(resolve, 1));
    else if (underWay.size === 0) vi.advanceTimersToNextTimer();
  }
}
