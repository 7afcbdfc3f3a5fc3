// W13: no daemon begins a run of a job that is paused, and the job goes on when the pause is over.
import type { Violation } from '../oracle/evidence.ts';

export interface PauseJudge {
  /** A pause is about to be recorded, and a resume. */
  begins(): void;
  ends(): void;
  /** The answer has come: the pause is in effect. */
  paused(lasts: string | undefined): void;
  resumed(): void;
  /** The answer was an error: it is not known which holds. */
  unsure(): void;
  readonly isUnsure: () => boolean;
  /** A pause is surely in effect. */
  readonly isPaused: () => boolean;
  /** A daemon begins a run. */
  begun(): Violation | undefined;
  /** A run has ended. */
  ended(of: { readonly isFull: boolean; readonly status: string }): Violation | undefined;
  /** A daemon begins, or has ended; `isCalm`: nothing fails, and no process is ended. */
  daemon(is: 'begun' | 'ended', isCalm: boolean): Violation | undefined;
}

/** A run that had been let through may begin that long after the pause was recorded. */
const underWayMs = 3_000;
/** A slot a minute, with jitter, and a run before. */
const goesOnMs = 150_000;
/** A full scan is due every ten minutes; its slot, with jitter. */
const fullScanMs = 600_000;

export function createPauseJudge(now: () => number): PauseJudge {
  /** Undefined: not paused. */
  let pause: { readonly since: number; readonly until: number } | undefined;
  let isUnsure = false;
  /** Since when a calm daemon may run the job. */
  let freeSince: number | undefined;
  /** A slot of the full scan was in a pause that this daemon saw to its end. */
  let isFullScanOwed = false;
  let daemonSince: number | undefined;

  const isPaused = () => pause !== undefined && !isUnsure && now() < pause.until;

  /** The pause is over, by a person or by its time. */
  function free(at: number): void {
    const from = Math.max(pause?.since ?? at, daemonSince ?? at);
    // 7 s after each tenth minute.
    const slot = Math.ceil((from - 7_000) / fullScanMs) * fullScanMs + 7_000;
    if (daemonSince !== undefined && slot + 30_000 < at) isFullScanOwed = true;
    pause = undefined;
    freeSince = at;
  }

  function expire(): void {
    if (pause && now() >= pause.until) free(pause.until);
  }

  return {
    begins() {
      expire();
      freeSince = undefined;
      isFullScanOwed = false;
    },
    ends: expire,
    paused(lasts) {
      const ms = lasts === undefined ? Infinity : Number.parseInt(lasts, 10) * 60_000;
      pause = { since: now(), until: now() + ms };
      isUnsure = false;
    },
    resumed() {
      free(now());
      isUnsure = false;
    },
    unsure() {
      isUnsure = true;
      freeSince = undefined;
      isFullScanOwed = false;
    },
    isUnsure: () => isUnsure,
    isPaused,
    begun() {
      const isBegunInPause = isPaused() && now() > pause!.since + underWayMs;
      expire();
      const late = overdue();
      freeSince = undefined;
      if (isBegunInPause)
        return { law: 'W13', text: `a daemon began a run ${(now() - pause!.since) / 1000} s after the job was paused` };
      return late;
    },
    ended({ isFull, status }) {
      const isOwed = isFullScanOwed && !isFull && status === 'succeeded' && !isPaused();
      isFullScanOwed = false;
      return isOwed
        ? { law: 'W13', text: 'the first run after a pause was not full, and a full scan was due in the pause' }
        : undefined;
    },
    daemon(is, isCalm) {
      expire();
      const late = is === 'ended' && isCalm ? overdue() : undefined;
      daemonSince = is === 'begun' && isCalm ? now() : undefined;
      freeSince = is === 'begun' && isCalm && !pause && !isUnsure ? now() : undefined;
      isFullScanOwed = false;
      return late;
    },
  };

  function overdue(): Violation | undefined {
    if (freeSince === undefined || daemonSince === undefined || now() - freeSince < goesOnMs) return undefined;
    return { law: 'W13', text: `no run began for ${(now() - freeSince) / 1000} s after the job could go on` };
  }
}
