// A clock that jumps to the next timer as soon as everything waits for one: pauses of a minute cost nothing.
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

const realTimeout = globalThis.setTimeout;

/** Until the end of the test, or of its fake timers. */
export function useJumpingClock(at = '2026-11-21T09:00:00Z'): void {
  if (vi.isFakeTimers()) return;
  vi.useFakeTimers({ now: new Date(at), toFake: fakedTimers });
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
    vi.useRealTimers();
  });
  void jump(() => isOver || !vi.isFakeTimers());
}

/** As the runner's own mode does it, a millisecond a jump, and without its channel of messages, which took most of the time. */
async function jump(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await new Promise<void>((resolve) => void realTimeout(resolve, 1));
    if (!isOver()) vi.advanceTimersToNextTimer();
  }
}
