// A clock that jumps to the next timer when everything waits for one: pauses of a minute cost nothing.
import { onTestFinished, vi } from 'vitest';

/** Without nextTick and queueMicrotask: streams and promises go on by themselves. */
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

/**
 * Jumps a millisecond at a time, like the runner's own mode, but without its message channel, which took most of the time.
 */
async function jump(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await new Promise<void>((resolve) => void realTimeout(resolve, 1));
    if (!isOver()) vi.advanceTimersToNextTimer();
  }
}
