// What one sync is run with. Put together once by app.ts; runs of one sync share it.
import type { SyncConfig } from '../config/config.ts';
import type { Automations, Contacts, Crm } from '../crm/port.ts';
import type { CallSettings, Table, TableMemory } from '../sheets/port.ts';
import type { SyncState } from '../state/port.ts';
import type { Change, Problem } from '../sync/change.ts';
import type { Budgets } from '../sync/estimate.ts';
import type { WishedAutomation } from '../sync/enrolment/wish.ts';
import type { PlanInput } from '../sync/input.ts';
import { RunFailed } from './errors.ts';
import type { Emit } from './events.ts';
import type { Noted } from './incomplete.ts';
import type { RunCost, RunReport } from './report.ts';
import type { SyncShape } from './sync/shape.ts';

export interface SyncContext {
  readonly config: SyncConfig;
  readonly shape: SyncShape;
  readonly crm: Crm;
  /** Those of the CRM, as the mapping of the sync sees them. */
  readonly contacts: Contacts;
  readonly openTable: (memory: TableMemory | undefined) => Table;
  readonly state: SyncState;
  /** Which account of which service: another one is another CRM (G1). */
  readonly account: string;
  readonly budgets: Budgets;
  /** Starts counting calls; the result tells how many there were since. */
  readonly startMeter: () => () => RunCost;
  /** What the runs of this process leave each other, besides the state. */
  readonly session: Session;
  readonly emit: Emit;
  /** Epoch milliseconds on our clock. */
  readonly now: () => number;
  /** Fit for file names and commands, unique among the runs of a sync. */
  readonly newRunId: () => string;
}

export interface Session {
  /** As `Facts.watermark`, and newer: an idle run writes no file (W9). */
  watermark?: string;
  /** As `Facts.unplaced`, and newer. */
  unplaced?: readonly string[];
  /** As `Facts.drifted` and `Facts.limited`, and newer: that something is over is not written by itself (W9). */
  noted?: Noted;
  /** The last run, if another one over the same readings would do nothing either. */
  quiet?: { readonly fingerprint: string; readonly report: RunReport };
  /** The automations there are, and since when that is known, epoch milliseconds on our clock. */
  automations?: { readonly at: number; readonly list: readonly WishedAutomation[] };
}

export interface RunRequest {
  /** Read every contact, not only those that changed. */
  readonly isFull: boolean;
  /** A person asked for it and waits: cells need not settle (W10). */
  readonly isAsked: boolean;
  /** Aborts when the end is asked for: nothing begins any more, and what is in flight is finished (W8, `stop.ts`). */
  readonly signal: AbortSignal;
  /** Carry out only these changes of the plan; left out: all. What is left out is planned again by the next run. */
  readonly choose?: (changes: readonly Change[], input: PlanInput) => Choice;
}

export interface Choice {
  /** In the order in which they came. */
  readonly changes: readonly Change[];
  /** What there is to say of those that were left out. */
  readonly problems: readonly Problem[];
}

/** One run's own: what the steps hand to each other besides their results. */
export interface RunContext extends SyncContext {
  readonly run: string;
  readonly request: RunRequest;
  readonly table: Table;
  /** Of lists that were asked for in this run, by uuid: for people. */
  readonly listNames: Map<string, Promise<string>>;
}

/** The configuration is refused where it needs them and the CRM has none: this is for a program that skipped that. */
export function automationsOf({ crm }: Pick<SyncContext, 'crm'>): Automations {
  if (!crm.automations) throw new RunFailed('this CRM has no automations: remove `automation` from the sync');
  return crm.automations;
}

/** For reading: nobody waits for it as for an edit. */
export function scanCall({ request }: Pick<RunContext, 'request'>) {
  return { signal: request.signal, priority: 'scan' as const };
}

export function sheetCall({ request }: Pick<RunContext, 'request'>): CallSettings {
  return { signal: request.signal };
}
