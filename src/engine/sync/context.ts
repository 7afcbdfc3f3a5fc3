// What one sync is run with. Put together once; runs of one sync share it.
import type { SyncConfig } from '../../config/config.ts';
import type { Tombstones } from '../../crm/outreach/deletion.ts';
import type { Capabilities } from '../../crm/outreach/scan/capabilities.ts';
import type { Change, Problem } from '../../sync/change.ts';
import type { Automation } from '../../sync/input.ts';
import type { PlanInput } from '../../sync/input.ts';
import type { JobContext, JobRun, JobSession } from '../job.ts';
import type { SyncShape } from './shape.ts';

export interface SyncContext extends JobContext {
  readonly config: SyncConfig;
  readonly shape: SyncShape;
  readonly capabilities: Capabilities;
  readonly tombstones: Tombstones;
  readonly session: Session;
}

export interface Session extends JobSession {
  /** As `Facts.watermark`, and newer: an idle run writes no file (W9). */
  watermark?: string;
  /** As `Facts.unplaced`, and newer. */
  unplaced?: readonly string[];
  /** The automations there are, and since when that is known, epoch milliseconds on our clock. */
  automations?: { readonly at: number; readonly list: readonly Automation[] };
}

/** Which changes of a plan are carried out, in the order in which they came; the next run plans the others again. */
export type Choose = (changes: readonly Change[], input: PlanInput) => Choice;

export interface Choice {
  readonly changes: readonly Change[];
  /** What there is to say of those that were left out. */
  readonly problems: readonly Problem[];
}

/** One run's own: what the steps hand to each other besides their results. */
export interface RunContext extends SyncContext, JobRun {
  /** Left out: all changes of the plan are carried out. */
  readonly choose?: Choose;
  /** Of lists that were asked for in this run, by uuid: for people. */
  readonly listNames: Map<string, Promise<string>>;
}
