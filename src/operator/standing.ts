// How each sync, feed and outbox stands, from its state and a running daemon. Neither side is asked.
import { type DaemonView, isDaemonLost, readDaemonView } from '../daemon/view.ts';
import type { StoredLastRun } from '../engine/stored/facts.ts';
import type { LastRun } from '../engine/last-run.ts';
import { type JobStatus, readStanding, type Standing } from '../engine/standing.ts';
import type { PlanCounts } from '../sync/input.ts';
import type { Health, StandingAnswer, StatusAnswer } from './answers/status.ts';
import { decisionToAnswer } from './decide.ts';
import type { Operator } from './operator.ts';
import { pauseNow } from './pause.ts';
import { problemToAnswer } from './problems.ts';
import { jobsOf, type NamedJob, selectAll } from './select.ts';

/** `names`: all if none is named. Throws OperatorError and StateError. */
export async function readStatus(operator: Operator, names: readonly string[]): Promise<StatusAnswer> {
  const { config, store, now } = operator;
  const selected = selectAll(config, names);
  const daemon = await readDaemonView(store, now());
  const syncs: StandingAnswer[] = [];
  for (const job of jobsOf(config)) {
    if (!selected.includes(job.name)) continue;
    const standing = await readStanding(store.sync(job.name));
    syncs.push(standingToAnswer(job, standing, daemon?.jobs.get(job.name), now()));
  }
  const isLost = await isDaemonLost(store, now());
  const all = syncs.map(({ health }) => health);
  const health = worstOf(isLost ? [...all, 'failed'] : all);
  return { daemon: daemonToAnswer(daemon), daemon_lost: isLost, health, syncs };
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
  { name, kind }: NamedJob,
  standing: Standing,
  told: JobStatus | undefined,
  now: number,
): StandingAnswer {
  const { lastRun, held, counts, requests, notices } = standing;
  const { nextRunAt, lastSuccessAt } = told ?? {};
  const paused = pauseNow(standing.paused, { now: () => now });
  const answer: Omit<StandingAnswer, 'health'> = {
    name,
    kind,
    phase: told?.phase ?? null,
    last_run: lastRunToAnswer(lastRun, told?.lastRun),
    // The heartbeat is up to a minute old: the next run may have begun since.
    next_run: nextRunAt !== undefined && nextRunAt > now && !paused ? new Date(nextRunAt).toISOString() : null,
    lag_secs: lastSuccessAt === undefined ? null : Math.max(0, Math.round((now - lastSuccessAt) / 1000)),
    counts: kind === 'outbox' ? { ...counts, linked: countSent(standing) } : counts,
    held_run: held?.run ?? null,
    held_reasons: [...(held?.reasons ?? [])],
    held_what: held ? whatWaits(held.planned) : null,
    held_refused: held?.refused ?? null,
    paused,
    requests: requests.length,
    decisions: requests.map(decisionToAnswer),
    problems: lastRun?.problems.map(problemToAnswer) ?? [],
    notices: [...notices],
  };
  return { ...answer, health: judge(answer) };
}

/** The later of the two. An idle run and a failed run leave the state as it is (W9). */
function lastRunToAnswer(stored: StoredLastRun | undefined, told: LastRun | undefined): StandingAnswer['last_run'] {
  if (told && (!stored || told.endedAt > stored.endedAt)) {
    const { run, status, endedAt, reason = null } = told;
    const stopped = stored?.run === run ? (stored.stopped ?? null) : null;
    return { run, status, ended_at: endedAt, reason, stopped };
  }
  if (!stored) return null;
  const { run, status, endedAt, stopped = null } = stored;
  return { run, status, ended_at: endedAt, reason: null, stopped };
}

/** For an outbox: rows whose message was sent, by its ledger. */
function countSent({ messages }: Standing): number {
  return [...messages.values()].filter(({ state }) => state === 'sent').length;
}

/** A guard holds everything that a run would write. A new state holds only what cannot be undone (E6, P6). */
function whatWaits({ creates, changes, blanks, deletes, missing, messages = 0 }: PlanCounts) {
  if (messages > 0) return 'messages';
  return creates + changes + blanks + deletes + missing === 0 ? 'enrolments' : 'writes';
}

function daemonToAnswer(daemon: DaemonView | undefined): StatusAnswer['daemon'] {
  return daemon ? { state: daemon.state, written_at: daemon.writtenAt, budget: daemon.budget } : null;
}
