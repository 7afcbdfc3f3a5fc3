// The frame of every run and plan: begin, report notices, work under the lease, end or fail.
import { acquireLease, type RunLease } from './decisions-told.ts';
import { takeUpAtOnce } from './at-once.ts';
import { takeUpCancels, withCancels } from './cancel.ts';
import { AuthenticationError, ServiceError } from '../crm/errors.ts';
import { SheetsError } from '../sheets/errors.ts';
import { StateError } from '../state/errors.ts';
import type { LoadedState } from '../state/port.ts';
import type { Change } from '../sync/change.ts';
import type { Hold } from '../sync/guard/guard.ts';
import { type Estimate, estimate } from '../sync/estimate.ts';
import { RunFailed } from './errors.ts';
import { guardRun } from './lease-guard.ts';
import type { JobContext, JobSession, Planned, RunRequest } from './job.ts';
import type { Kind } from './kind.ts';
import { countRun, type Ending, nothingPlanned, type RunCost, type RunReport } from './report.ts';
import { keepReport } from './runs.ts';
import type { SavedPlan } from './saved-plan.ts';
import { afterLoss, commitLoss, commitSetAside, type Stored } from './stored/stored.ts';

type Reporter = Pick<JobContext, 'kind' | 'config' | 'state' | 'session' | 'emit' | 'now' | 'newRunId' | 'startMeter'>;

/**
 * `read` types the stored state. `steps` gets the id of the run, its lease, the stored state, and the request with
 * which its calls are made (H3). It returns how the run ended. `findIdle`: comes first, reads no more of the state than a
 * glance, and returns undefined unless nothing is to be done (W18).
 */
export async function runUnderLease<Read extends Stored>(
  job: Reporter,
  request: RunRequest,
  read: (loaded: LoadedState) => Read,
  steps: (run: string, lease: RunLease, stored: Read, asked: RunRequest, loaded: LoadedState) => Promise<Ending>,
  findIdle: (run: string, lease: RunLease, asked: RunRequest) => Promise<Ending | undefined> = async () => undefined,
): Promise<RunReport> {
  const begun = begin(job, request);
  try {
    await using acquired = await acquireLease(job, request, begun.run);
    noteLease(job.session, acquired.epoch);
    job.emit({ type: 'lease-taken', sync: job.config.name, run: begun.run, epoch: acquired.epoch });
    using guarded = guardRun(acquired, request, job.config.name);
    const { lease } = guarded;
    const ended = await takeSteps(job, request, async () => {
      const idle = await findIdle(begun.run, lease, guarded.request);
      if (idle) return idle;
      const before = await takeUpAtOnce(lease, await commitLoss(lease, await lease.load(), job.kind.name));
      const loaded = await takeUpCancels(lease, before);
      // The row has to be told.
      if (loaded !== before) delete job.session.quiet;
      const stored = read(loaded);
      guarded.countFrom(stored.facts.epochsBefore ?? 0);
      for (const message of stored.notices) tellNotice(job, message);
      await commitSetAside(lease, stored);
      return steps(begun.run, lease, stored, guarded.request, loaded);
    });
    const ending = withLeaseOver(job, await withSheetAhead(lease, ended, guarded.overtakenBy()), guarded.over());
    // The lease is held until the run has ended and its report is kept.
    const report = end(job, begun, ending);
    await keepReport(job, lease, report);
    return report;
  } catch (error) {
    // No lease: another process has it, or the state cannot be reached.
    return end(job, begun, failedRun(job, request, error));
  }
}

/** What a process remembers of its last run. The state has the same, or what a later run of another process found. */
const ofLastRun = ['quiet', 'noted', 'watermark', 'unplaced'] as const satisfies readonly (keyof JobSession)[];

/**
 * W14, G5, L5: if another process has held the job in between, it may have sent an edit that was taken back since, or have found
 * contacts that have no row or cannot be read. So what this process remembers says nothing any more.
 */
function noteLease(session: JobSession, epoch: number): void {
  const isNext = epoch === (session.epoch ?? -1) + 1;
  if (!isNext) for (const name of ofLastRun) delete session[name];
  session.isNext = isNext;
  session.epoch = epoch;
}

async function takeSteps(job: Reporter, request: RunRequest, steps: () => Promise<Ending>): Promise<Ending> {
  try {
    return await steps();
  } catch (error) {
    return failedRun(job, request, error);
  }
}

/** H4: only the holder of the lease can save this. Of any other the lease is found to be lost. */
async function withSheetAhead(lease: RunLease, ending: Ending, epoch: number | undefined): Promise<Ending> {
  if (epoch === undefined) return ending;
  try {
    await lease.commit({ facts: { put: new Map([['epochsBefore', epoch]]) } });
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return { ...ending, error: error.message };
  }
  return ending;
}

/** H5: such a run did not come to its end, whatever its steps say. */
function withLeaseOver(job: Reporter, ending: Ending, over: StateError | RunFailed | undefined): Ending {
  if (!over) return ending;
  delete job.session.quiet;
  return { ...ending, status: 'failed', error: over.message };
}

/** After a failed run, the next run reads everything. */
function failedRun(job: Reporter, request: RunRequest, error: unknown): Ending {
  delete job.session.quiet;
  return failure(job, request, error);
}

export interface PlanSteps {
  readonly ending: Ending;
  readonly changes: readonly Change[];
  /** Changes that an approval would let through in addition (P6, P8). */
  readonly onceApproved?: readonly Change[];
  /** Why the rest stays held after the records that a person approved (G6). */
  readonly stillHeld?: readonly Hold[];
  readonly saved?: SavedPlan;
  /** Whether the service takes this field by a call of its own. Left out: it takes none so. */
  readonly isCustom?: (field: string) => boolean;
}

/** Plans like a run, but without a lease. Writes nothing. */
export async function planWithoutLease<Read extends Stored>(
  job: Reporter & Pick<JobContext, 'budgets'>,
  request: RunRequest,
  read: (loaded: LoadedState) => Read,
  steps: (run: string, stored: Read) => Promise<PlanSteps>,
): Promise<Planned> {
  const begun = begin(job, request);
  try {
    const { ending, changes, onceApproved, stillHeld, saved, isCustom } = await steps(
      begun.run,
      read(withCancels(afterLoss(await job.state.load(), job.kind.name))),
    );
    const report = end(job, begun, ending);
    const writing = estimate(changes, [], job.budgets, isCustom ?? (() => false));
    const cost = added(report.cost, writing);
    return {
      report: {
        ...report,
        changes,
        ...(onceApproved && { onceApproved }),
        ...(stillHeld && { stillHeld }),
        estimate: cost,
      },
      ...(saved && { saved }),
    };
  } catch (error) {
    const report = end(job, begun, failure(job, request, error));
    return { report: { ...report, changes: [], estimate: noCost } };
  }
}

const noCost: Estimate = { crmCalls: 0, sheetReads: 0, sheetWrites: 0, seconds: 0 };

/** A run first repeats the reading and asking of the plan. */
function added(reading: RunCost, writing: Estimate): Estimate {
  return {
    crmCalls: reading.crmCalls + writing.crmCalls,
    sheetReads: reading.sheetReads + writing.sheetReads,
    sheetWrites: reading.sheetWrites + writing.sheetWrites,
    seconds: Math.ceil(reading.seconds + writing.seconds),
  };
}

/** Emits something the operator should know that concerns no record. */
export function tellNotice({ emit, config }: Pick<JobContext, 'emit' | 'config'>, message: string): void {
  emit({ type: 'notice', sync: config.name, message });
}

interface Begun {
  readonly run: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly cost: () => RunCost;
}

function begin(job: Reporter, { isFull }: RunRequest): Begun {
  const run = job.newRunId();
  const at = job.now();
  job.emit({ type: 'run-started', sync: job.config.name, run, isFull });
  return { run, at, cost: job.startMeter() };
}

function end(job: Reporter, { run, at, cost }: Begun, ending: Ending): RunReport {
  const report: RunReport = {
    sync: job.config.name,
    kind: job.kind.name,
    run,
    startedAt: new Date(at).toISOString(),
    endedAt: new Date(job.now()).toISOString(),
    cost: cost(),
    ...ending,
  };
  job.emit({ type: 'run-ended', sync: job.config.name, report });
  return report;
}

/** A failure that people can act on becomes the ending; any other error is a fault of the program and is thrown. */
function failure({ kind }: Reporter, request: RunRequest, error: unknown): Ending {
  const { signal } = request;
  const isExpected =
    error instanceof ServiceError ||
    error instanceof SheetsError ||
    error instanceof StateError ||
    error instanceof RunFailed;
  const isStopped = signal.aborted && (isExpected || error === signal.reason);
  if (!isExpected && !isStopped) throw error;
  return {
    status: 'failed',
    isFull: isFullScan(kind, request),
    counts: countRun(0, [], new Map()),
    problems: [],
    holds: [],
    planned: nothingPlanned,
    error: isStopped ? 'stopped' : (error as Error).message,
    ...(error instanceof AuthenticationError && { isFinal: true as const, refused: 'crm' as const }),
    ...(error instanceof SheetsError && error.isOfAccount && { refused: 'sheet' as const }),
  };
}

function isFullScan({ fullScans }: Kind, { isFull }: RunRequest): boolean {
  return fullScans === 'when asked' ? isFull : fullScans === 'always';
}
