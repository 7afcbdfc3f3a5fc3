// What happens in the engine, told as it happens: logs, metrics, progress and alerts listen here.
import type { Change } from '../sync/change.ts';
import type { Outcome } from '../sync/outcome.ts';
import type { RunReport } from './report.ts';

export type EngineEvent =
  | { readonly type: 'run-started'; readonly sync: string; readonly run: string; readonly isFull: boolean }
  /** `total` of what is being done in this step; told as often as it moves. */
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
  /** Something an operator should know that is no problem of a record: a damaged file, a renamed header. */
  | { readonly type: 'notice'; readonly sync: string; readonly message: string }
  | { readonly type: 'run-ended'; readonly sync: string; readonly report: RunReport };

export type Step = 'contacts' | 'records' | 'rows' | 'questions' | 'crm' | 'sheet';

export type Emit = (event: EngineEvent) => void;
