// The interval of a schedule, for durations that are counted in intervals (M1, backoff).
import { createTask } from 'node-cron';
import type { Schedule } from '../config/config.ts';

/** Milliseconds between the next two runs. A schedule may be uneven; two runs show what is usual. */
export function scheduleIntervalMs({ cron, timeZone }: Schedule): number {
  const task = createTask(cron, () => {}, { timezone: timeZone });
  const [first, second] = task.getNextRuns(2);
  return first && second ? second.getTime() - first.getTime() : Infinity;
}
