// The next slots of a schedule, and its interval, for durations that are counted in intervals (M1, backoff).
import { createTask, type ScheduledTask } from 'node-cron';
import type { Schedule } from '../config/config.ts';

interface Slots {
  /** Epoch milliseconds at which they were worked out. They are the next two from then until the first is there. */
  readonly from: number;
  readonly all: readonly number[];
}

interface Known {
  readonly task: ScheduledTask;
  slots?: Slots;
}

/** Hundreds of jobs have one schedule, and a page asks when each runs next: the calendar is asked once a slot. */
const knownBySchedule = new Map<string, Known>();

/** Epoch milliseconds. `now`: by the clock of the process, which node-cron reads. */
export function nextSlot(schedule: Schedule, now: number): number | undefined {
  return nextSlots(schedule, now)[0];
}

/** Milliseconds between the next two runs. A schedule may be uneven; two runs show what is usual. */
export function scheduleIntervalMs(schedule: Schedule, now: number): number {
  const [first, second] = nextSlots(schedule, now);
  return first !== undefined && second !== undefined ? second - first : Infinity;
}

function nextSlots({ cron, timeZone }: Schedule, now: number): readonly number[] {
  const key = `${cron} ${timeZone}`;
  const known = knownBySchedule.get(key) ?? { task: createTask(cron, () => {}, { timezone: timeZone }) };
  knownBySchedule.set(key, known);
  const { slots } = known;
  if (slots && slots.from <= now && now < slots.all[0]!) return slots.all;
  const all = known.task.getNextRuns(2).map((date) => date.getTime());
  known.slots = { from: now, all };
  return all;
}
