// The port of the queue: who decides when each job runs, and on which worker. Drivers: in this process (scheduler.ts), and
// PostgreSQL for workers on many machines (postgres/).
import type { Schedule } from '../../config/config.ts';
import type { RunReport } from '../../engine/report.ts';
import type { JsonObject } from '../../state/port.ts';

/**
 * W10: a follow-up comes so much later than `settle_secs`. A cell settles by the clock of the service, whose `Date` header
 * has whole seconds, so that its time between two runs may be a second less than ours; and timers differ from clocks by
 * some milliseconds.
 */
export const settleMarginMs = 1_100;

export interface Queue {
  /** The turns of one job. */
  open(options: SchedulerOptions): Scheduler;
  /** The process ends: from now on it takes no run. Left out: `Scheduler.stop` of each job is enough. */
  drain?(): void;
}

/**
 * - idle: waits for a slot of its schedule, or a trigger -> running. Triggers soon after a triggered run wait, and one run
 *   answers them all.
 * - running: one run at a time. A slot that comes meanwhile is skipped. A full scan, a trigger or a request is remembered
 *   and follows once. -> idle, backing-off or stopped, by the result of the run.
 * - backing-off: the last run failed. Slots and triggers are skipped until the pause is over, or a person asks -> running.
 * - paused: a person paused the job. Slots and triggers only look whether it is still paused; if not -> running. A request
 *   runs it all the same, if it says so.
 * - stopped: another run cannot succeed before a person changes something; or the process ends. Slots and triggers are
 *   skipped. A request is tried once, unless the process ends -> running.
 */
export type Phase = 'idle' | 'running' | 'backing-off' | 'paused' | 'stopped';

/**
 * The result of a run, for the next one. `settling`: done, except for cells that must settle before they are sent (W10).
 * `final`: another run cannot succeed.
 */
export type Verdict = 'done' | 'settling' | 'failed' | 'final';

/** A run that is over. */
export interface Ran {
  readonly verdict: Verdict;
  /** For those who asked for it. */
  readonly ended: AskedRun;
  /** The end of the process cut it short, which says nothing about the job: another worker may go on at once. */
  readonly isCutShort?: true;
  /** A person paused the job while the run waited for its turn: it did not begin (W13). */
  readonly isRested?: true;
}

/** The end of the run that a person asked for. */
export type AskedRun =
  | { readonly kind: 'ran'; readonly report: RunReport }
  /** A fault of the program ended it. */
  | { readonly kind: 'crashed'; readonly reason: string }
  /** A person paused the job before the turn of the run came: no run followed (W13). */
  | { readonly kind: 'paused' }
  /** The daemon ends: no run followed, or the run was given up on. */
  | { readonly kind: 'not-run' };

export interface Asked {
  readonly answer: AskAnswer;
  /** Never rejects. */
  readonly ended: Promise<AskedRun>;
}

export type TriggerAnswer = 'started' | 'queued' | 'backing-off' | 'paused' | 'stopped';

/** The answer to a request. `queued`: a run is under way, and one more follows it. `ending`: no run follows. */
export type AskAnswer = 'started' | 'queued' | 'ending';

/** The answer to a trigger over HTTP. `refused`: the request did not have the secret. */
export type HookAnswer = TriggerAnswer | 'too-many' | 'unknown' | 'refused';

export interface Scheduler {
  /** Begins the first run, and the schedule, after so many milliseconds: at once if left out. */
  start(inMs?: number): void;
  /**
   * Something may have changed: runs now, or as soon as the current run and the gap are over. Cells that settle in that run
   * get a follow-up, and do not wait for the next slot. Whether the job is paused is only looked at then.
   */
  trigger(): TriggerAnswer;
  /**
   * A person wants a run now: it begins at once, or right after the current run, in any phase. One run answers all requests
   * that came before it began. `unlessPaused`: not if a person has paused the job by then. Where one that came before asks for it all the
   * same, it is run for both. Left out: it is run all the same.
   */
  ask(isFull: boolean, unlessPaused?: boolean): Asked;
  phase(): Phase;
  failuresInARow(): number;
  /** Epoch milliseconds; undefined if no run will come. */
  nextRunAt(): number | undefined;
  /** Not later than now: one is due or under way. It is told to the end, since the next process makes up for what was missed. */
  nextFullScanAt(): number | undefined;
  /** The wall clock was set: instants on it are awaited anew. */
  clockWasSet(): void;
  /** Starts nothing more; resolves when the current run is over. */
  stop(): Promise<void>;
}

export interface Carry {
  /** Undefined: the process does not have the job any more. What was given last stays. */
  give(): JsonObject | undefined;
  take(told: JsonObject): void;
}

export interface SchedulerOptions {
  /** Unique among the jobs. */
  readonly name: string;
  readonly schedule: Schedule;
  /** Left out: every run reads the same. */
  readonly fullScan?: Schedule;
  /** A full scan was missed while no daemon ran: the first run is one. */
  readonly isFullScanDue: boolean;
  /**
   * A person wants it to begin again if it has stopped, also under the configuration under which it stopped. Left out: a
   * process starts, which is no reason where others know that it stopped.
   */
  readonly isAnew?: true;
  /** How long a settling cell must stay unchanged. */
  readonly settleMs: number;
  /** Whether a person paused the job. Asked before each run. Must not reject. Left out: it is never paused. */
  readonly isPaused?: () => Promise<boolean>;
  /**
   * What all workers have to know of the job besides its turns, such as its last run: `give` is asked after each run of this
   * worker, and `take` gets what another worker gave. Left out, and where there is one worker: it stays in the process.
   */
  readonly carry?: Carry;
  /**
   * Must not reject. `isAsked`: it answers requests of people. `isTold`: a trigger came, or what settled after one: both sides
   * are read (W14). `unlessPaused`: it rests if a person paused the job while it waited for its turn.
   */
  readonly run: (isFull: boolean, isAsked: boolean, isTold: boolean, unlessPaused: boolean) => Promise<Ran>;
  readonly onPause: (pauseMs: number, failures: number) => void;
  /** Called once the phase is `stopped` because of a final verdict. */
  readonly onStop: () => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** [0, 1). */
  readonly random: () => number;
}
