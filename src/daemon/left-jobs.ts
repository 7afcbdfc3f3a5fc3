// Keeps the jobs that a reload replaced or removed: who has to wait for their last runs, and what they leave to those that follow.
import type PQueue from 'p-queue';
import type { LastRun } from '../engine/last-run.ts';
import type { Scheduler } from './queue/port.ts';

/** What an earlier process knew, or the job before. */
export interface Remembered {
  readonly lastRun?: LastRun;
  readonly lastSuccessAt?: number;
  readonly nextFullScanAt?: number;
}

/** The part of a job that counts once it has left. Its last run may still change what is known of it. */
export interface LeavingJob extends Pick<Remembered, 'lastRun' | 'lastSuccessAt'> {
  readonly scheduler: Scheduler;
  /** Undefined: its tab may be that of any other job. */
  readonly spreadsheetId: string | undefined;
  readonly turns: PQueue;
}

/**
 * - leaving: it was replaced or removed, and its last run may still be under way. What waits in its turns does not run. -> over.
 * - over: nothing of it runs any more.
 *
 * A removed job is remembered in both, to the end of the process: it may be added back.
 */
export interface LeftJobs {
  /** Another job takes its place, and may have the same turns. */
  replace(name: string, job: LeavingJob): void;
  remove(name: string, job: LeavingJob): void;
  isLeaving(job: LeavingJob): boolean;
  /** The job of this name that was removed before, for one that is added. undefined: none was. */
  rememberedOf(name: string): Remembered | undefined;
  /**
   * The runs that an added job waits for before its first one. It may be a removed job under a new name, over the same tab. Runs
   * over other spreadsheets, such as those of another account, do not count: they may take a day.
   */
  begunBefore(name: string, spreadsheetId: string | undefined): readonly Promise<unknown>[];
  /** Those that are leaving now. `over` resolves when the job is. */
  leaving(): readonly { readonly name: string; readonly over: Promise<unknown> }[];
  /** Resolves when no job is leaving any more. */
  allOver(): Promise<void>;
}

interface Left {
  readonly job: LeavingJob;
  readonly nextFullScanAt: number | undefined;
}

export function createLeftJobs(now: () => number): LeftJobs {
  const leaving = new Map<LeavingJob, { readonly name: string; readonly over: Promise<unknown> }>();
  const removed = new Map<string, Left>();

  /** Its turns may be those of the job in its place, which come later. */
  function leave(name: string, job: LeavingJob): void {
    const before = job.turns.add(() => undefined);
    const over = Promise.all([job.scheduler.stop(), before]).then(() => leaving.delete(job));
    leaving.set(job, { name, over });
  }

  return {
    replace: leave,
    remove(name, job) {
      const { scheduler } = job;
      const nextFullScanAt = isFullScanOwed(scheduler, now()) ? now() : scheduler.nextFullScanAt();
      removed.set(name, { job, nextFullScanAt });
      leave(name, job);
    },
    isLeaving: (job) => leaving.has(job),
    /** A full scan whose slot comes while the job is removed is missed as one that comes while no daemon runs. */
    rememberedOf(name) {
      const left = removed.get(name);
      if (!left) return undefined;
      const { job, nextFullScanAt } = left;
      const { lastRun, lastSuccessAt } = job;
      return {
        ...(lastRun && { lastRun }),
        ...(lastSuccessAt !== undefined && { lastSuccessAt }),
        ...(nextFullScanAt !== undefined && { nextFullScanAt }),
      };
    },
    begunBefore(name, spreadsheetId) {
      return [...leaving].flatMap(([old, { name: oldName, over }]) => {
        const isOther =
          spreadsheetId !== undefined && old.spreadsheetId !== undefined && old.spreadsheetId !== spreadsheetId;
        return isOther && oldName !== name ? [] : [over];
      });
    },
    leaving: () => [...leaving.values()],
    async allOver() {
      // A later reload may have replaced others meanwhile.
      while (leaving.size > 0) await Promise.all([...leaving.values()].map(({ over }) => over));
    },
  };
}

/** One is due or under way, or the job has stopped or backs off: what it read last may lack something. */
export function isFullScanOwed(scheduler: Scheduler, now: number): boolean {
  const phase = scheduler.phase();
  return (scheduler.nextFullScanAt() ?? Infinity) <= now || phase === 'stopped' || phase === 'backing-off';
}
