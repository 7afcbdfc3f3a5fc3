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

/** A schedule that is the same in each hour of each day: its hour, day, month and weekday are `*`. */
const hourlyPattern = /^(?:(?:\S+\s+)?\S+(?:\s+\*){4}|@hourly)$/;

/**
 * The zone in which node-cron works the slots out. At the end of summer time it finds none in the hour that comes twice, so that a job
 * of each minute would stand still for an hour. The zone makes no difference to a schedule of each hour, unless its hours begin at
 * another minute than those of UTC, as in India.
 */
export function slotZone({ cron, timeZone }: Schedule, now: number): string {
  return hourlyPattern.test(cron.trim()) && hasWholeHours(timeZone, now) ? 'UTC' : timeZone;
}

/** In winter and in summer. */
function hasWholeHours(timeZone: string, now: number): boolean {
  const shown = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const year = new Date(now).getUTCFullYear();
  return [0, 6].every((month) => {
    const offset = shown.formatToParts(Date.UTC(year, month)).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    return /^GMT(?:[+-]\d\d:00)?$/.test(offset);
  });
}

function nextSlots(schedule: Schedule, now: number): readonly number[] {
  const { cron, timeZone } = schedule;
  const key = `${cron} ${timeZone}`;
  const known = knownBySchedule.get(key) ?? { task: createTask(cron, () => {}, { timezone: slotZone(schedule, now) }) };
  knownBySchedule.set(key, known);
  const { slots } = known;
  if (slots && slots.from <= now && now < slots.all[0]!) return slots.all;
  const all = known.task.getNextRuns(2).map((date) => date.getTime());
  known.slots = { from: now, all };
  return all;
}
