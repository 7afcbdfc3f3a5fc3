// Repeats work by the clock of the machine.
import { clearInterval, setInterval } from 'node:timers';
import type { Every } from './lock.ts';

/** With the timers of Node, and not those of `globalThis`, which tests replace: a sign of life follows real time. */
export const every: Every = (ms, work) => {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
};
