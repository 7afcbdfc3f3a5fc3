// How each sync, feed and outbox stands, from its state and a running daemon. Neither side is asked.
import type { Config } from '../config/config.ts';
import { findLeftOut } from '../config/left-out.ts';
import { type DaemonView, lookAtDaemon, type RunningTold } from '../daemon/view.ts';
import type { StoredLastRun } from '../engine/stored/facts.ts';
import { type LastRun, reasonOf } from '../engine/last-run.ts';
import { findRun } from '../engine/runs.ts';
import type { StoredRun } from '../engine/stored/run.ts';
import { type Counted, readBriefs, type Standing } from '../engine/standing.ts';
import type { RunBrief, Store } from '../state/port.ts';
import type { PlanCounts } from '../sync/input.ts';
import type { Health, StandingAnswer, StatusAnswer } from './answers/status.ts';
import { decisionToAnswer, waitingDecisions } from './decide.ts';
import { commandText } from './explain/commands.ts';
import type { Operator } from './operator.ts';
import { pauseNow } from './pause.ts';
import { problemToAnswer } from './problems.ts';
import { jobsOf, type NamedJob, selectAll } from './select.ts';

/** `names`: all if none is named. Throws OperatorError and StateError. */
export async function readStatus(operator: Operator, names: readonly string[]): Promise<StatusAnswer> {
  const { config, store, now, lookout } = operator;
  const selected = selectAll(config, names);
  const { view: daemon, last: lastDaemon, notice } = await lookAtDaemon(store, now(), lookout);
  const lastRuns = await store.lastRuns({ jobs: selected, limit: 1 });
  const standings = await readBriefs(store, selected);
  const syncs: StandingAnswer[] = [];
  for (const job of jobsOf(config)) {
    const standing = standings.get(job.name);
    if (!standing) continue;
    const last = lastRuns.get(job.name)?.[0];
    // A report of an earlier run than the one in the state has nothing to add.
    const isLater = last !== undefined && last.endedAt >= (standing.lastRun?.endedAt ?? '');
    const kept = isLater ? await readKept(store, job.name, last) : undefined;
    syncs.push(standingToAnswer(job, standing, { kept, daemon }, now()));
  }
  const told = configurationTold(config, daemon);
  const isWhole = told.left_out.length === 0 && told.refused === null;
  const all = [...syncs.map(({ health }) => health), ...(isWhole ? [] : (['failed'] as const))];
  const health = worstOf(lastDaemon?.end === 'killed' ? [...all, 'failed'] : all);
  return {
    daemon: daemonToAnswer(daemon),
    last_daemon: lastDaemon ?? null,
    daemon_notice: notice ?? null,
    health,
    left_out: told.left_out,
    refused_configuration: told.refused,
    syncs,
  };
}

/** The parts of the configuration that do not run, and whether a changed file was not taken up. Throws StateError. */
export async function readLeftOut({
  config,
  store,
  now,
  lookout,
}: Operator): Promise<Pick<StatusAnswer, 'left_out' | 'refused_configuration'>> {
  const { view } = await lookAtDaemon(store, now(), lookout);
  const { left_out, refused } = configurationTold(config, view);
  return { left_out, refused_configuration: refused };
}

function configurationTold(config: Config, daemon: DaemonView | undefined) {
  return daemon?.configuration ?? { left_out: leftOutOf(config), refused: null };
}

/** The configuration as this process reads the file. */
function leftOutOf(config: Config): StatusAnswer['left_out'] {
  return findLeftOut(config, new Map()).map((each) => ({ ...each, jobs: [...each.jobs] }));
}

/** A report does not change: a page that shows every job reads each once. */
const keptByStore = new WeakMap<Store, Map<string, StoredRun>>();

async function readKept(store: Store, job: string, { run, status, endedAt }: RunBrief): Promise<Kept | undefined> {
  // It was neither stopped nor held, and has no error: there is no more to say of it.
  if (status === 'succeeded') return { run, status, endedAt, holds: [] };
  const keptByJob = keptByStore.get(store) ?? new Map<string, StoredRun>();
  keptByStore.set(store, keptByJob);
  const known = keptByJob.get(job);
  if (known?.run === run) return known;
  const kept = await findRun(store.sync(job), run);
  if (kept) keptByJob.set(job, kept);
  return kept;
}

/** The last report that the state keeps: a run that was held or failed leaves one. */
type Kept = Pick<StoredRun, 'run' | 'status' | 'endedAt' | 'holds' | 'error' | 'stopped' | 'refused'>;

interface Heard {
  readonly kept: Kept | undefined;
  readonly daemon: DaemonView | undefined;
}

function worstOf(all: readonly Health[]): Health {
  return (['failed', 'needs_somebody'] as const).find((each) => all.includes(each)) ?? 'well';
}

/** A person paused it, and knows. What is refused is still held. */
function judge({ paused, phase, last_run, held_run, problems }: Omit<StandingAnswer, 'health'>): Health {
  if (paused) return 'well';
  if (phase === 'stopped' || phase === 'backing-off' || last_run?.status === 'failed') return 'failed';
  const isOpen = held_run !== null || problems.some(({ needs_somebody }) => needs_somebody);
  return isOpen || last_run?.status === 'held' ? 'needs_somebody' : 'well';
}

function standingToAnswer(
  { name, kind, account }: NamedJob,
  standing: Standing & Counted,
  { kept, daemon }: Heard,
  now: number,
): StandingAnswer {
  const { lastRun, held, counts, requests, notices } = standing;
  const told = daemon?.jobs.get(name);
  const { nextRunAt, lastSuccessAt } = told ?? {};
  const job = { name, kind };
  const waiting = waitingDecisions(requests);
  const paused = pauseNow(standing.paused, { now: () => now });
  const last = withHeldUndo(lastRunToAnswer(lastRun, kept, told?.lastRun), name, standing);
  const answer: Omit<StandingAnswer, 'health'> = {
    name,
    kind,
    account,
    phase: told?.phase ?? null,
    running: runningToAnswer(daemon?.running.get(name)),
    last_run: last,
    // The heartbeat is up to a minute old: the next run may have begun since.
    next_run: nextRunAt !== undefined && nextRunAt > now && !paused ? new Date(nextRunAt).toISOString() : null,
    lag_secs: lastSuccessAt === undefined ? null : Math.max(0, Math.round((now - lastSuccessAt) / 1000)),
    counts: kind === 'outbox' ? { ...counts, linked: standing.sent } : counts,
    held_run: held?.run ?? null,
    held_reasons: [...(held?.reasons ?? [])],
    held_what: held ? whatWaits(held.planned, last?.status) : null,
    held_refused: held?.refused ?? null,
    paused,
    requests: waiting.length,
    decisions: waiting.map(decisionToAnswer),
    problems: lastRun?.problems.map((each) => problemToAnswer(each, job)) ?? [],
    problems_of: earlierRun(lastRun, last),
    notices: [...notices],
  };
  return { ...answer, health: judge(answer) };
}

/** A run that was held or failed tells its problems to its report alone. */
function earlierRun(stored: StoredLastRun | undefined, last: StandingAnswer['last_run']): string | null {
  if (!stored || stored.problems.length === 0 || !last || last.run === stored.run) return null;
  return last.status === 'held' || last.status === 'failed' ? stored.run : null;
}

function runningToAnswer(running: RunningTold | undefined): StandingAnswer['running'] {
  if (!running) return null;
  const { step = null, done = null, total = null, per_second: perSecond = null } = running.progress ?? {};
  const isLeft = total !== null && done !== null && total > done && perSecond !== null;
  return {
    run: running.run,
    started_at: running.started_at,
    is_full: running.full_scan,
    step,
    done,
    total,
    per_second: perSecond === null ? null : Math.round(perSecond * 10) / 10,
    left_secs: isLeft ? Math.ceil((total - done) / perSecond) : null,
  };
}

/**
 * The latest that is known. A run that was held or failed leaves the rest of the state as it was; an idle one is known by
 * the daemon alone (W9).
 */
function lastRunToAnswer(
  stored: StoredLastRun | undefined,
  kept: Kept | undefined,
  told: LastRun | undefined,
): StandingAnswer['last_run'] {
  const known = [kept && { ...kept, reason: reasonOf(kept) }, stored, told].filter((each) => each !== undefined);
  // Instants are compared as text: a comparison by language loads the rules of the language first.
  const latest = known.reduce<(typeof known)[number] | undefined>(
    (last, each) => (last === undefined || each.endedAt > last.endedAt ? each : last),
    undefined,
  );
  if (!latest) return null;
  const { run, status, endedAt } = latest;
  const same = known.filter((each) => each.run === run);
  const reason = same.map((each) => ('reason' in each ? each.reason : undefined)).find((each) => each !== undefined);
  const stopped = same.map((each) => ('stopped' in each ? each.stopped : undefined)).find((each) => each !== undefined);
  const refused = same.map((each) => ('refused' in each ? each.refused : undefined)).find((each) => each !== undefined);
  return {
    run,
    status,
    ended_at: endedAt,
    reason: reason ?? null,
    refused: refused ?? null,
    stopped: stopped ?? null,
  };
}

/** S8: the plan of the job is another one than that of a held undo, and no run carries the undo out. */
function withHeldUndo(
  lastRun: StandingAnswer['last_run'],
  name: string,
  { heldUndo, requests }: Pick<Standing, 'heldUndo' | 'requests'>,
): StandingAnswer['last_run'] {
  if (!heldUndo || lastRun?.status !== 'held' || lastRun.run !== heldUndo.run) return lastRun;
  const { run, undoes } = heldUndo;
  const isApproved = requests.some((request) => request.kind === 'approve' && request.run === run);
  const approve = isApproved ? 'it is approved' : commandText('approve', name, '--run', run);
  const why = (lastRun.reason ?? '').replace(/: look at the plan, then approve it$/, '');
  const reason = `the undo of ${undoes} is held: ${why}; ${approve}, then give the same undo again: ${commandText('undo', undoes)}`;
  return { ...lastRun, reason };
}

/** A guard holds everything that a run would write. A new state holds only what cannot be undone (E6, P6). */
function whatWaits(
  { creates, changes, blanks, deletes, missing, messages = 0 }: PlanCounts,
  status: string | undefined,
) {
  if (messages > 0) return 'messages';
  // G1: wishes that were moved hold the whole run.
  if (status === 'held') return 'writes';
  return creates + changes + blanks + deletes + missing === 0 ? 'enrolments' : 'writes';
}

function daemonToAnswer(daemon: DaemonView | undefined): StatusAnswer['daemon'] {
  if (!daemon) return null;
  const { state, pid, told, writtenAt, budget } = daemon;
  return { state, pid, told, written_at: writtenAt, budget };
}
