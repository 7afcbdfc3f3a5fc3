// The report of a run: status, counts, cost, changes and problems (W12, L12).
import type { Base } from '../sync/record/base.ts';
import type { Change, Problem } from '../sync/change.ts';
import type { Estimate } from '../sync/estimate.ts';
import type { Hold } from '../sync/guard/guard.ts';
import type { PlanCounts } from '../sync/input.ts';
import type { Outcome } from '../sync/outcome.ts';
import { isHarmless } from '../sync/status.ts';
import type { Side } from '../sync/value/value.ts';
import type { JobKind } from './kind.ts';

export type RunStatus = 'succeeded' | 'partial' | 'held' | 'failed';

/**
 * Counts of records by how they stand, and of changes that were made. Every record that was read is in one of the former
 * (L12). A linked record may also have fields in conflict, parked or held.
 */
export interface RunCounts {
  readonly linked: number;
  readonly waiting: number;
  readonly conflicts: number;
  readonly quarantined: number;
  readonly parked: number;
  readonly held: number;
  readonly ignored: number;
  readonly created: number;
  readonly updated: number;
  readonly appended: number;
  readonly set: number;
  readonly deleted: number;
  readonly removed: number;
  /** Wishes carried out: contacts put into automations; contacts taken out of some. */
  readonly enrolled: number;
  readonly cancelled: number;
  /** Messages and e-mails of an outbox. */
  readonly sent: number;
}

/** The calls and the time between the start and the end of the run. Runs at the same time are in each other's cost. */
export interface RunCost {
  readonly crmCalls: number;
  readonly sheetReads: number;
  readonly sheetWrites: number;
  readonly seconds: number;
}

/** The progress of a stopped run: changes of its plan that were made, and changes that did not begin. */
export interface Stopped {
  readonly done: number;
  readonly left: number;
}

export interface RunReport {
  /** Name of the job. */
  readonly sync: string;
  /** For an outbox, `linked` counts rows whose message was sent. */
  readonly kind: JobKind;
  readonly run: string;
  readonly status: RunStatus;
  /** ISO instants. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** The run read every contact in scope. */
  readonly isFull: boolean;
  readonly counts: RunCounts;
  readonly cost: RunCost;
  readonly problems: readonly Problem[];
  readonly holds: readonly Hold[];
  /** The counts that `approve` would let through. */
  readonly planned: PlanCounts;
  /** The run was stopped before its whole plan was begun (W8). The next run plans the rest again. */
  readonly stopped?: Stopped;
  /** Of a run that applied a saved plan: records for which nothing was left to do (W3). Left out: none. */
  readonly alreadyDone?: number;
  /** Why the run failed, for people. */
  readonly error?: string;
  /** Another run cannot succeed before a person changes something (W6). */
  readonly isFinal?: true;
  /** This side refused the credentials of the account: each job of the account fails for the same reason. */
  readonly refused?: Side;
  /** The run that `approve` names: the first that was held with these counts. */
  readonly approvable?: string;
  /** A person refused this held plan (G7). */
  readonly isRefused?: true;
}

/** The part of a report that the steps of a run provide; the rest is the same for every kind (`frame.ts`). */
export type Ending = Omit<RunReport, 'sync' | 'kind' | 'run' | 'startedAt' | 'endedAt' | 'cost'>;

export const nothingPlanned: PlanCounts = { creates: 0, changes: 0, blanks: 0, deletes: 0, missing: 0, enrolments: 0 };

/** The report of a plan: what a run would do. */
export interface PlanReport extends RunReport {
  readonly changes: readonly Change[];
  /** Changes that an approval would let through in addition, if they are not among `changes` (P6, P8). */
  readonly onceApproved?: readonly Change[];
  /** Why the rest stays held, if `changes` are the records that a person approved (G6). */
  readonly stillHeld?: readonly Hold[];
  /** The cost of the run that would do it, reading included. */
  readonly estimate: Estimate;
}

export function statusOf(holds: readonly Hold[], problems: readonly Problem[]): RunStatus {
  if (holds.some(({ fails }) => fails)) return 'failed';
  if (holds.length > 0) return 'held';
  return problems.every(({ kind }) => isHarmless(kind)) ? 'succeeded' : 'partial';
}

/** Links of which both sides exist. */
export function countLinked({ links }: Pick<Base, 'links'>): number {
  let count = 0;
  links.forEach(({ standing }) => {
    if (standing === undefined) count += 1;
  });
  return count;
}

export function countRun(
  linked: number,
  problems: readonly Problem[],
  outcomes: ReadonlyMap<Change, Outcome>,
): RunCounts {
  // I3: the service answered with another contact, so that no contact was created.
  const mistaken = new Set(problems.flatMap(({ rule, row }) => (rule === 'I3' && row !== null ? [row] : [])));
  const done = [...outcomes].flatMap(([change, { kind }]): Change['op'][] => {
    if (kind !== 'done') return [];
    if (change.op !== 'create') return [change.op];
    if (mistaken.has(change.row ?? 0)) return [];
    // The contact existed in another list and was moved here (I2).
    return [change.moves === undefined ? 'create' : 'update'];
  });
  const newcomers = [...outcomes].filter(
    ([change, { kind }]) => change.op === 'create' && change.enrol !== undefined && kind === 'done',
  ).length;
  const ops = (wanted: Change['op']) => done.filter((op) => op === wanted).length;
  const kinds = (...wanted: readonly Problem['kind'][]) => problems.filter(({ kind }) => wanted.includes(kind)).length;
  return {
    linked,
    waiting: kinds('waiting'),
    conflicts: kinds('conflict'),
    quarantined: new Set(problems.flatMap(({ kind, row, id }) => (kind === 'quarantined' ? [row ?? id] : []))).size,
    parked: kinds('parked'),
    held: kinds('held', 'refused', 'unreadable', 'failed', 'unknown'),
    ignored: kinds('ignored'),
    created: ops('create'),
    updated: ops('update'),
    appended: ops('append'),
    set: ops('set'),
    deleted: ops('delete'),
    removed: ops('remove'),
    enrolled: ops('enrol') + newcomers,
    cancelled: ops('cancel'),
    sent: ops('send'),
  };
}
