// The interface of a job: a sync, feed or outbox that runs by a schedule and can be planned and applied. The daemon and the
// commands know jobs by this interface only.
import type { Schedule, TabConfig } from '../config/config.ts';
import type { Facts } from './stored/facts.ts';
import type { Sheets } from '../sheets/port.ts';
import type { Crm } from '../crm/port.ts';
import type { Hints, Table, TableMemory, TableSpec } from '../sheets/port.ts';
import type { Store, SyncState } from '../state/port.ts';
import type { Budgets } from '../sync/estimate.ts';
import type { LastLook } from '../sync/must-look.ts';
import type { Emit } from './events.ts';
import { tableMemory } from './facts.ts';
import type { Noted } from './incomplete.ts';
import { guardTable } from './guarded-table.ts';
import type { Kind } from './kind.ts';
import type { LeaseTerms } from './lease-terms.ts';
import type { Ending, PlanReport, RunCost, RunReport } from './report.ts';
import type { SavedPlan } from './saved-plan.ts';
import type { DecidedUndo, Undoing } from './undo.ts';

export interface Job {
  readonly kind: Kind;
  /** The name in the configuration; unique among all jobs. */
  readonly name: string;
  readonly schedule: Schedule;
  /** When a run reads everything; left out: every run reads the same. */
  readonly fullScan?: Schedule;
  /** How long an edited cell must stay unchanged before a run sends it (W10). */
  readonly settleMs: number;
  /** Of its tab. */
  readonly spreadsheetId: string;
  /** The header of a field's column, for people. */
  readonly headerOf: (field: string) => string;
  /** One run. An expected failure is a report with status `failed`; only faults of the program are thrown. */
  run(request: RunRequest): Promise<RunReport>;
  /** The changes that a run would make; writes nothing. Fails as `run` does. */
  plan(request: RunRequest): Promise<Planned>;
  /**
   * A run that carries out only the changes that `saved` and a fresh plan both have (W3). Left out: this kind saves no
   * plans. Fails as `run` does, also if the plan was made for another account or tab.
   */
  apply?(saved: SavedPlan, request: RunRequest): Promise<RunReport>;
  /** What `undo` would do; writes nothing (S8). Fails as `run` does. Left out: nothing of this kind can be taken back. */
  planUndo?(undoing: Undoing, request: RunRequest): Promise<Planned>;
  /**
   * A run that takes back what an earlier run did, with the same guards (S4, S7, S8). Fails as `run` does, also if the plan
   * is another one by now than the decision was made for.
   */
  undo?(undoing: Undoing, decided: DecidedUndo, request: RunRequest): Promise<RunReport>;
}

export interface RunRequest {
  /** Read every contact, not only those that changed. */
  readonly isFull: boolean;
  /** A person started this run and waits for it: cells need not settle (W10). */
  readonly isAsked: boolean;
  /** Somebody said that something may have changed, as by a hook: both sides are read (W14). Left out: nobody did. */
  readonly isTold?: boolean;
  /**
   * Aborts when the process is asked to end: no call begins after that, and calls in flight are finished (W8, `stop.ts`).
   */
  readonly signal: AbortSignal;
  /** Of a run under way: what its calls that write are told of its lease (`lease-guard.ts`). */
  readonly lease?: LeaseTerms;
}

export interface Planned {
  readonly report: PlanReport;
  /** For `apply`. Left out if this kind saves no plans, and if planning failed. */
  readonly saved?: SavedPlan;
}

/** The parts of the program that the jobs of every kind use. */
export interface JobDep extends Pick<
  JobContext,
  'crm' | 'account' | 'version' | 'budgets' | 'startMeter' | 'emit' | 'now' | 'newRunId'
> {
  readonly sheets: Sheets;
  readonly store: Pick<Store, 'sync'>;
  /** A version 4 uuid. */
  readonly randomId: () => string;
}

/** The context of a run of any kind. Created once; all runs of one job share it. */
export interface JobContext {
  readonly kind: Kind;
  readonly config: { readonly name: string; readonly sheet: TabConfig };
  readonly crm: Crm;
  readonly openTable: (memory: TableMemory | undefined) => Table;
  /** Undefined: none, so that every run reads the tab. */
  readonly hints: Hints | undefined;
  readonly state: SyncState;
  /** The account and the service. Another account counts as another CRM (G1). */
  readonly account: string;
  /** Of the program. */
  readonly version: string;
  readonly budgets: Budgets;
  /** Starts counting calls; the result returns the calls since then. */
  readonly startMeter: () => () => RunCost;
  /** Data that the runs of this process pass to each other, besides the state. */
  readonly session: JobSession;
  readonly emit: Emit;
  /** Epoch milliseconds on our clock. */
  readonly now: () => number;
  /** Usable in file names and commands, unique among the runs of a job. */
  readonly newRunId: () => string;
}

/** A run of another process in between ends what this one remembers of its last run (`noteLease`). */
export interface JobSession {
  /** As `Facts.drifted` and `Facts.limited`, and newer: an improvement alone is not written (W9). */
  noted?: Noted;
  /** The last run, if a run over the same readings would do nothing. */
  quiet?: Quiet;
  /** Of a sync: as `Facts.watermark`, and newer: an idle run writes no file (W9). */
  watermark?: string;
  /** Of a sync: as `Facts.unplaced`, and newer. */
  unplaced?: readonly string[];
  /** Of the last lease. The next one is one more, unless another process had one in between. */
  epoch?: number;
  /** No other process has held the job since the last run of this one. */
  isNext?: boolean;
}

export interface Quiet {
  /** The fingerprint of the tab. */
  readonly fingerprint: string;
  /** The look at the tab that showed it. Left out: hints are not used until the next look. */
  readonly look?: LastLook | undefined;
  /** A digest of what was read of the service, if that is compared as a whole. */
  readonly digest?: string;
  /** The ending of a run over the same readings. */
  readonly ending: Ending;
}

/** The part of a job's context that all kinds have. */
export function toJobContext(kind: Kind, name: string, spec: TableSpec, dep: JobDep): Omit<JobContext, 'config'> {
  const { crm, account, version, budgets, startMeter, emit, now, newRunId, sheets, store } = dep;
  let table: Table | undefined;
  return {
    kind,
    crm,
    // One table for the life of the process: it remembers the last header.
    openTable: (memory) => (table ??= sheets.openTable(spec, memory)),
    hints: sheets.hints,
    state: store.sync(name),
    account,
    version,
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
  return { run, request, table: guardTable(openTable(tableMemory(config, facts)), request.lease) };
}

/** The data of one run that its steps share, besides their results. */
export interface JobRun {
  readonly run: string;
  readonly request: RunRequest;
  readonly table: Table;
}
