// A job: what runs by a schedule, unattended, and can be planned and applied. Syncs, feeds and outboxes are jobs, and the
// daemon and the commands know no more of them than this.
import type { Schedule, TabConfig } from '../config/config.ts';
import type { Facts } from './stored/facts.ts';
import type { Sheets } from '../sheets/port.ts';
import type { Crm } from '../crm/port.ts';
import type { Table, TableMemory, TableSpec } from '../sheets/port.ts';
import type { Store, SyncState } from '../state/port.ts';
import type { Budgets } from '../sync/estimate.ts';
import type { Emit } from './events.ts';
import { tableMemory } from './facts.ts';
import type { Noted } from './incomplete.ts';
import type { Kind } from './kind.ts';
import type { Ending, PlanReport, RunCost, RunReport } from './report.ts';
import type { SavedPlan } from './saved-plan.ts';

export interface Job {
  readonly kind: Kind;
  /** As the configuration names it; no two jobs have one name. */
  readonly name: string;
  readonly schedule: Schedule;
  /** When a run reads everything; left out: every run reads the same. */
  readonly fullScan?: Schedule;
  /** How long an edited cell has to stand still before a run sends it (W10). */
  readonly settleMs: number;
  /** Header of the column of a field: for people. */
  readonly headerOf: (field: string) => string;
  /** One run. Expected failures end as a report that says `failed`; only faults of the program are thrown. */
  run(request: RunRequest): Promise<RunReport>;
  /** What a run would do; writes nothing anywhere. Fails as `run` does. */
  plan(request: RunRequest): Promise<Planned>;
  /**
   * A run that carries out what `saved` has and a fresh plan still has alike (W3). Left out where plans are not saved. Fails as
   * `run` does, also where the plan was made for another account or tab.
   */
  apply?(saved: SavedPlan, request: RunRequest): Promise<RunReport>;
}

export interface RunRequest {
  /** Read every contact, not only those that changed. */
  readonly isFull: boolean;
  /** A person asked for it and waits: cells need not settle (W10). */
  readonly isAsked: boolean;
  /** Aborts when the end is asked for: nothing begins any more, and what is in flight is finished (W8, `stop.ts`). */
  readonly signal: AbortSignal;
}

export interface Planned {
  readonly report: PlanReport;
  /** For `apply`. Left out where plans are not saved, and where planning failed. */
  readonly saved?: SavedPlan;
}

/** What the program has for the jobs of every kind. */
export interface JobDep extends Pick<
  JobContext,
  'crm' | 'account' | 'budgets' | 'startMeter' | 'emit' | 'now' | 'newRunId'
> {
  readonly sheets: Sheets;
  readonly store: Pick<Store, 'sync'>;
  /** A version 4 uuid. */
  readonly randomId: () => string;
}

/** What a job of any kind is run with. Put together once; runs of one job share it. */
export interface JobContext {
  readonly kind: Kind;
  readonly config: { readonly name: string; readonly sheet: TabConfig };
  readonly crm: Crm;
  readonly openTable: (memory: TableMemory | undefined) => Table;
  readonly state: SyncState;
  /** Which account of which service: another one is another CRM (G1). */
  readonly account: string;
  readonly budgets: Budgets;
  /** Starts counting calls; the result tells how many there were since. */
  readonly startMeter: () => () => RunCost;
  /** What the runs of this process leave each other, besides the state. */
  readonly session: JobSession;
  readonly emit: Emit;
  /** Epoch milliseconds on our clock. */
  readonly now: () => number;
  /** Fit for file names and commands, unique among the runs of a job. */
  readonly newRunId: () => string;
}

export interface JobSession {
  /** As `Facts.drifted` and `Facts.limited`, and newer: that something is over is not written by itself (W9). */
  noted?: Noted;
  /** The last run, if another one over the same readings would do nothing either. */
  quiet?: Quiet;
}

export interface Quiet {
  /** Of the tab. */
  readonly fingerprint: string;
  /** Of what was read of the service, where that is compared as a whole. */
  readonly digest?: string;
  /** What a run over the same readings ends with. */
  readonly ending: Ending;
}

/** The context of a job, but for what is its kind's own. */
export function toJobContext(kind: Kind, name: string, spec: TableSpec, dep: JobDep): Omit<JobContext, 'config'> {
  const { crm, account, budgets, startMeter, emit, now, newRunId, sheets, store } = dep;
  let table: Table | undefined;
  return {
    kind,
    crm,
    // One table for the life of the process: it knows the header it saw last.
    openTable: (memory) => (table ??= sheets.openTable(spec, memory)),
    state: store.sync(name),
    account,
    budgets,
    startMeter,
    session: {},
    emit,
    now,
    newRunId,
  };
}

export function toJobRun(
  { config, openTable }: Pick<JobContext, 'config' | 'openTable'>,
  request: RunRequest,
  run: string,
  facts: Facts,
): JobRun {
  return { run, request, table: openTable(tableMemory(config, facts)) };
}

/** Of one run: what its steps hand to each other besides their results. */
export interface JobRun {
  readonly run: string;
  readonly request: RunRequest;
  readonly table: Table;
}
