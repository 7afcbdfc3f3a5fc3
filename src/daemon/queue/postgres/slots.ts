// The next slots of a job, worked out by node-cron, with the jitter that spreads workers over time.
import type { Schedule } from '../../../config/config.ts';
import { nextSlot, scheduleIntervalMs } from '../../../engine/interval.ts';
import type { Slots } from './turn.ts';

/** As in one process (scheduler.ts). */
const jitterShare = 0.1;
const jitterMsMax = 10_000;
/** For a schedule that has no next slot: it is looked at again then. */
const farMs = 24 * 3_600_000;

interface Clock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** [0, 1). */
  readonly random: () => number;
}

export function createSlots(schedule: Schedule, fullScan: Schedule | undefined, { now, random }: Clock): Slots {
  const next = nextOf(schedule);
  const nextFull = fullScan && nextOf(fullScan);
  return { nextInMs: next, fullScanInMs: () => nextFull?.() ?? null };

  function nextOf(each: Schedule): () => number {
    const jitterMs = Math.min(jitterMsMax, Math.round(scheduleIntervalMs(each, now()) * jitterShare));
    return () => {
      const slot = nextSlot(each, now());
      return slot === undefined ? farMs : Math.max(1, slot - now() + Math.round(random() * jitterMs));
    };
  }
}
