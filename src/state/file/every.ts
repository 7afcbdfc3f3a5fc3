// Repeats work, and measures time, by the clock of the machine.
import { clearInterval, setInterval } from 'node:timers';
import { uptime } from 'node:os';
import type { Every } from './lock.ts';

/** With the timers of Node, and not those of `globalThis`, which tests replace: a sign of life follows real time. */
export const every: Every = (ms, work) => {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
};

/**
 * Milliseconds since the machine was started, its sleep included, which `performance.now` leaves out on Linux. The clocks of
 * a virtual machine that is paused stop all the same.
 */
export const sinceBoot = (): number => uptime() * 1_000;
