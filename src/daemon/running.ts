// Keeps what each run under way does now, from the events of the engine.
import type { EngineEvent, Step } from '../engine/events.ts';

export interface RunningNow {
  readonly run: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly isFull: boolean;
  /** The step that made progress last; undefined: none has yet. */
  readonly progress?: ProgressNow;
}

export interface ProgressNow {
  readonly step: Step;
  readonly done: number;
  /** The size of the step, if it is known. */
  readonly total?: number;
  /** Since the step began; undefined while there is none. */
  readonly perSecond?: number;
}

export interface RunningRuns {
  observe(event: EngineEvent): void;
  /** By job. Undefined: none is under way. */
  of(job: string): RunningNow | undefined;
}

interface Kept {
  readonly run: string;
  readonly startedAt: number;
  readonly isFull: boolean;
  step?: {
    readonly name: Step;
    /** By `elapsed`. */
    readonly beganAt: number;
    readonly doneAtFirst: number;
    done: number;
    total?: number;
  };
}

interface Clocks {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds from any fixed instant; never set back. */
  readonly elapsed: () => number;
}

export function createRunningRuns({ now, elapsed }: Clocks): RunningRuns {
  const runs = new Map<string, Kept>();

  function noteProgress({ sync, step: name, done, total }: EngineEvent & { readonly type: 'progress' }): void {
    const kept = runs.get(sync);
    if (!kept) return;
    if (kept.step?.name !== name) kept.step = { name, beganAt: elapsed(), doneAtFirst: done, done };
    kept.step.done = done;
    if (total !== undefined) kept.step.total = total;
  }

  function progressOf({ step }: Kept): ProgressNow | undefined {
    if (!step) return undefined;
    const { name, beganAt, doneAtFirst, done, total } = step;
    const ms = elapsed() - beganAt;
    const isMoving = done > doneAtFirst && ms > 0;
    return {
      step: name,
      done,
      ...(total !== undefined && { total }),
      ...(isMoving && { perSecond: ((done - doneAtFirst) * 1_000) / ms }),
    };
  }

  return {
    observe(event) {
      switch (event.type) {
        case 'run-started':
          return void runs.set(event.sync, { run: event.run, startedAt: now(), isFull: event.isFull });
        case 'progress':
          return noteProgress(event);
        case 'run-ended':
          return void runs.delete(event.sync);
        case 'lease-taken':
        case 'notice':
        case 'change-done':
      }
    },
    of(job) {
      const kept = runs.get(job);
      if (!kept) return undefined;
      const { run, startedAt, isFull } = kept;
      const progress = progressOf(kept);
      return { run, startedAt, isFull, ...(progress && { progress }) };
    },
  };
}
