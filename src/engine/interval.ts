// How often a schedule fires: for what is measured in schedule intervals (M1, backoff).
import { createTask } from 'node-cron';
import type { Schedule } from '../config/config.ts';

/** Milliseconds between the next two runs. Schedules may be uneven; two runs say what is usual. */
export function scheduleIntervalMs({ cron, timeZone }: Schedule): number {
  const task = createTask(cron, () => {}, { timezone: timeZone });
  const [first, second] = task.getNextRuns(2);
  return first && second ? second.getTime() - first.getTime() : Infinity;
}
