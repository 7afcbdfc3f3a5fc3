// What one sync is run with. Put together once; runs of one sync share it.
import type { SyncConfig } from '../../config/config.ts';
import type { Automations, Contacts } from '../../crm/port.ts';
import { RunFailed } from '../errors.ts';
import type { Change, Problem } from '../../sync/change.ts';
import type { Automation } from '../../sync/input.ts';
import type { PlanInput } from '../../sync/input.ts';
import type { JobContext, JobRun, JobSession } from '../job.ts';
import type { SyncShape } from './shape.ts';

export interface SyncContext extends JobContext {
  readonly config: SyncConfig;
  readonly shape: SyncShape;
  /** Those of the CRM, as the mapping of the sync sees them. */
  readonly contacts: Contacts;
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

/** The configuration is refused where it needs them and the CRM has none: this is for a program that skipped that. */
export function automationsOf({ crm }: Pick<SyncContext, 'crm'>): Automations {
  if (!crm.automations) throw new RunFailed('this CRM has no automations: remove `automation` from the sync');
  return crm.automations;
}
