// Events of the engine. Logs, metrics, progress and alerts listen to them.
import type { Change } from '../sync/change.ts';
import type { Outcome } from '../sync/outcome.ts';
import type { RunReport } from './report.ts';

export type EngineEvent =
  | { readonly type: 'run-started'; readonly sync: string; readonly run: string; readonly isFull: boolean }
  /** From here on the run is the holder of its job. A run that waits for the lease has begun before. */
  | { readonly type: 'lease-taken'; readonly sync: string; readonly run: string; readonly epoch: number }
  /** `total`: the size of this step; of a full scan, the number of links, which is near it. Emitted as `done` grows. */
  | {
      readonly type: 'progress';
      readonly sync: string;
      readonly step: Step;
      readonly done: number;
      readonly total?: number;
    }
  | {
      readonly type: 'change-done';
      readonly sync: string;
      readonly run: string;
      readonly change: Change;
      readonly outcome: Outcome;
    }
  /** Something the operator should know that concerns no record: a damaged file, a renamed header. */
  | { readonly type: 'notice'; readonly sync: string; readonly message: string }
  | { readonly type: 'run-ended'; readonly sync: string; readonly report: RunReport };

export const steps = ['contacts', 'records', 'rows', 'questions', 'crm', 'sheet'] as const;
export type Step = (typeof steps)[number];

export type Emit = (event: EngineEvent) => void;

interface Telling {
  readonly emit: Emit;
  readonly run: string;
  readonly config: { readonly name: string };
}

export function tellDone({ emit, run, config }: Telling, change: Change, outcome: Outcome): void {
  emit({ type: 'change-done', sync: config.name, run, change, outcome });
}
