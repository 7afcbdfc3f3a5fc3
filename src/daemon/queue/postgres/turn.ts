// The turns of one job as all workers know them: what a slot, a trigger, a request and the end of a run make of them.
import * as z from 'zod';
import { failurePauseMs } from '../../backoff.ts';
import { type AskAnswer, type Ran, settleMarginMs, type TriggerAnswer } from '../port.ts';

/** Instants are epoch milliseconds by the clock of the database. */
export const turn = z.object({
  /** `running`: on the worker that is named. See port.ts. */
  phase: z.enum(['idle', 'running', 'backing-off', 'paused', 'stopped']),
  worker: z.string().nullable(),
  failures: z.number(),
  isFullScanDue: z.boolean(),
  /** The run under way is the full scan that was due. If it fails, it is due again. */
  isFullScanUnderWay: z.boolean(),
  /** The next slot of the full scan; null: there is none. */
  fullScanAt: z.number().nullable(),
  /** When the next run begins; null: while one runs, and while the job is stopped. */
  dueAt: z.number().nullable(),
  /** A trigger waits for the end of the run, or of the gap. */
  isWanted: z.boolean(),
  gapUntil: z.number(),
  followUpAt: z.number().nullable(),
  followUpsLeft: z.number(),
  /** Of the configuration under which it stopped: under another one it begins again. */
  stoppedUnder: z.string().nullable(),
  /** How many workers in a row took it that do not know it. Earlier versions do not write it. */
  unknownTimes: z.number().default(0),
  /** Requests that no run answers where the job is paused, by id. Earlier versions do not write it, and run for all. */
  unlessPaused: z.array(z.string()).default([]),
});

export type Turn = z.output<typeof turn>;

/** By the schedules of the job. */
export interface Slots {
  /** Milliseconds until the next slot, jitter included. */
  readonly nextInMs: () => number;
  /** The same for the full scan; null: there is none. */
  readonly fullScanInMs: () => number | null;
}

/** From the start of one triggered run to the start of the next, as in one process (scheduler.ts). */
const triggerGapMs = 5_000;
const followUpsMax = 5;
/** A worker with another configuration does not know the job: one that does has a chance to take it after this. */
const unknownMs = { least: 5_000, most: 60_000 };

export function firstTurn(now: number, slots: Slots, isFullScanDue: boolean): Turn {
  return {
    phase: 'idle',
    worker: null,
    failures: 0,
    isFullScanDue,
    isFullScanUnderWay: false,
    fullScanAt: fullScanAfter(now, slots),
    dueAt: now,
    isWanted: false,
    gapUntil: 0,
    followUpAt: null,
    followUpsLeft: 0,
    stoppedUnder: null,
    unknownTimes: 0,
    unlessPaused: [],
  };
}

/**
 * A worker starts: its schedule may be another one than that by which the next run was set. `config`: of the worker; undefined:
 * a job that has stopped begins again under any.
 */
export function meetTurn(before: Turn, now: number, slots: Slots, config: string | undefined): Turn {
  if (before.phase === 'running') return before;
  if (before.phase === 'stopped' && before.stoppedUnder === config) return before;
  const isMissed = before.fullScanAt !== null && before.fullScanAt <= now;
  const fullScanAt = isMissed ? fullScanAfter(now, slots) : soonerFullScan(before.fullScanAt, now, slots);
  const met: Turn = { ...before, unknownTimes: 0, isFullScanDue: before.isFullScanDue || isMissed, fullScanAt };
  if (before.phase === 'stopped') return { ...met, phase: 'idle', failures: 0, stoppedUnder: null, dueAt: now };
  return {
    ...met,
    dueAt: before.phase === 'backing-off' ? before.dueAt : nextDue({ ...before, fullScanAt }, now, slots, before.dueAt),
  };
}

/**
 * The clock of the database was set back: what was to come by the clock before would come later by as much. It is awaited anew, and
 * nothing comes later than it would have.
 */
export function awaitTurnAnew(before: Turn, now: number, slots: Slots, settleMs: number, random: () => number): Turn {
  const atMost = (at: number | null, inMs: number) => (at === null ? null : Math.min(at, now + inMs));
  const anew: Turn = {
    ...before,
    fullScanAt: atMost(before.fullScanAt, slots.fullScanInMs() ?? Infinity),
    gapUntil: Math.min(before.gapUntil, now + triggerGapMs),
    followUpAt: atMost(before.followUpAt, settleMs + settleMarginMs),
  };
  if (before.dueAt === null) return anew;
  if (before.phase === 'backing-off')
    return { ...anew, dueAt: atMost(before.dueAt, failurePauseMs(before.failures, random)) };
  return { ...anew, dueAt: nextDue(anew, now, slots, before.dueAt) };
}

export interface Begun {
  readonly turn: Turn;
  readonly isFull: boolean;
  /** A trigger came, or what settled after one. */
  readonly isTold: boolean;
}

/** `asked`: requests of people that this run answers. */
export function beginTurn(
  before: Turn,
  now: number,
  slots: Slots,
  worker: string,
  asked: { isFull: boolean } | undefined,
): Begun {
  const isSlotPassed = before.fullScanAt !== null && before.fullScanAt <= now;
  const isDue = before.isFullScanDue || isSlotPassed;
  const isTriggered = before.isWanted || (before.followUpAt !== null && before.followUpAt <= now);
  return {
    isFull: isDue || asked?.isFull === true,
    isTold: isTriggered,
    turn: {
      ...before,
      phase: 'running',
      worker,
      unknownTimes: 0,
      isFullScanDue: false,
      isFullScanUnderWay: isDue,
      fullScanAt: isSlotPassed ? fullScanAfter(now, slots) : before.fullScanAt,
      dueAt: null,
      isWanted: false,
      gapUntil: isTriggered ? now + triggerGapMs : before.gapUntil,
      followUpAt: before.followUpAt !== null && before.followUpAt <= now ? null : before.followUpAt,
    },
  };
}

/** W13: a person paused it. The next slot looks again; a full scan that is due follows when the job is resumed. */
export function restTurn(before: Turn, now: number, slots: Slots): Turn {
  const isSlotPassed = before.fullScanAt !== null && before.fullScanAt <= now;
  // A person asked for it once more, and paused it: it stays stopped.
  if (before.phase === 'stopped') return { ...before, dueAt: null };
  const rested: Turn = {
    ...before,
    phase: 'paused',
    worker: null,
    isFullScanDue: before.isFullScanDue || isSlotPassed,
    fullScanAt: isSlotPassed ? fullScanAfter(now, slots) : before.fullScanAt,
    isWanted: false,
    followUpAt: null,
    followUpsLeft: 0,
  };
  return { ...rested, dueAt: now + slots.nextInMs() };
}

export interface TurnEnd extends Pick<Ran, 'verdict' | 'isCutShort'> {
  readonly settleMs: number;
  /** A person asked for a run while this one was under way. */
  readonly hasRequests: boolean;
  /** Of this worker. */
  readonly config: string;
}

export function endTurn(before: Turn, now: number, slots: Slots, end: TurnEnd, random: () => number): Turn {
  const after = judge({ ...before, worker: null, isFullScanUnderWay: false }, before, now, slots, end, random);
  return end.hasRequests ? { ...after, dueAt: now } : after;
}

function judge(idle: Turn, before: Turn, now: number, slots: Slots, end: TurnEnd, random: () => number): Turn {
  const isFullScanDue = idle.isFullScanDue || before.isFullScanUnderWay;
  if (end.isCutShort) return { ...idle, phase: 'idle', isFullScanDue, dueAt: now };
  if (end.verdict === 'final')
    return { ...idle, phase: 'stopped', isFullScanDue, dueAt: null, stoppedUnder: end.config };
  if (end.verdict === 'failed') {
    const failures = before.failures + 1;
    return { ...idle, phase: 'backing-off', isFullScanDue, failures, dueAt: now + failurePauseMs(failures, random) };
  }
  const isSettling = end.verdict === 'settling' && before.followUpsLeft > 0;
  const next: Turn = {
    ...idle,
    phase: 'idle',
    failures: 0,
    stoppedUnder: null,
    // An existing appointment is kept: the first settling cell settles first.
    followUpAt: isSettling ? (idle.followUpAt ?? now + end.settleMs + settleMarginMs) : idle.followUpAt,
    followUpsLeft: isSettling
      ? idle.followUpsLeft - 1
      : idle.isWanted || end.verdict === 'settling'
        ? idle.followUpsLeft
        : 0,
  };
  return { ...next, dueAt: nextDue(next, now, slots, null) };
}

/** The worker of the run is gone, and so is the message of the queue that would have had it run again. */
export function orphanTurn(before: Turn, now: number): Turn {
  return {
    ...before,
    phase: before.phase === 'running' ? 'idle' : before.phase,
    worker: null,
    isFullScanDue: before.isFullScanDue || before.isFullScanUnderWay,
    isFullScanUnderWay: false,
    dueAt: before.phase === 'running' ? now : (before.dueAt ?? now),
  };
}

/** Its worker does not know the job. A job that no worker knows any more waits longer each time. */
export function unknownTurn(before: Turn, now: number): Turn {
  const waitMs = Math.min(unknownMs.least * 2 ** before.unknownTimes, unknownMs.most);
  return { ...before, unknownTimes: Math.min(before.unknownTimes + 1, 10), dueAt: now + waitMs };
}

export function triggerTurn(before: Turn, now: number): { readonly turn: Turn; readonly answer: TriggerAnswer } {
  const { phase, gapUntil } = before;
  if (phase === 'backing-off' || phase === 'stopped') return { turn: before, answer: phase };
  const wanted: Turn = { ...before, isWanted: true, followUpsLeft: followUpsMax };
  if (phase === 'running') return { turn: wanted, answer: 'queued' };
  const isGap = gapUntil > now;
  const dueAt = Math.min(before.dueAt ?? Infinity, isGap ? gapUntil : now);
  return { turn: { ...wanted, dueAt }, answer: isGap ? 'queued' : 'started' };
}

/** `patient`: the id of a request that no run answers where the job is paused. */
export function askTurn(
  before: Turn,
  now: number,
  patient?: string,
): { readonly turn: Turn; readonly answer: AskAnswer } {
  const isNew = patient !== undefined && !before.unlessPaused.includes(patient);
  const asked = isNew ? { ...before, unlessPaused: [...before.unlessPaused, patient] } : before;
  if (before.phase === 'running') return { turn: asked, answer: 'queued' };
  return { turn: { ...asked, dueAt: now }, answer: 'started' };
}

/** What is known of these open requests alone, so that it does not grow. */
export function withRequests(before: Turn, open: readonly string[]): Turn {
  return { ...before, unlessPaused: before.unlessPaused.filter((id) => open.includes(id)) };
}

/**
 * More goes first: a person's request, a hook or what settles; then runs that read changes; then full scans, which take
 * long.
 */
export function priorityOf(
  { isWanted, followUpAt, fullScanAt, isFullScanDue, dueAt }: Turn,
  hasRequests: boolean,
): number {
  if (hasRequests) return 30;
  if (isWanted || (followUpAt !== null && followUpAt === dueAt)) return 20;
  return isFullScanDue || (fullScanAt !== null && fullScanAt === dueAt) ? 0 : 10;
}

function nextDue(
  { isWanted, gapUntil, followUpAt, fullScanAt, isFullScanDue }: Turn,
  now: number,
  slots: Slots,
  set: number | null,
): number {
  const times = [
    set ?? Infinity,
    now + slots.nextInMs(),
    fullScanAt ?? Infinity,
    followUpAt === null ? Infinity : Math.max(followUpAt, gapUntil),
    isWanted ? Math.max(now, gapUntil) : Infinity,
    isFullScanDue ? now : Infinity,
  ];
  return Math.min(...times);
}

/** The slot of the one that is awaited may have come: its jitter puts it off, and the next slot is that of the day after. */
function soonerFullScan(awaitedAt: number | null, now: number, slots: Slots): number | null {
  const next = fullScanAfter(now, slots);
  return next === null || awaitedAt === null ? next : Math.min(awaitedAt, next);
}

function fullScanAfter(now: number, slots: Slots): number | null {
  const inMs = slots.fullScanInMs();
  return inMs === null ? null : now + inMs;
}
