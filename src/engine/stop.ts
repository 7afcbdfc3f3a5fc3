// Stopping a run (W8): no call begins after the stop, calls in flight are finished, and the run saves.
import { StoppedError } from '../crm/errors.ts';
import { WaitedTooLong } from '../limits/time-to-live.ts';
import { RunFailed } from './errors.ts';
import { StateError } from '../state/errors.ts';
import { AbortedError } from '../sheets/errors.ts';
import type { AppendOutcome, CallSettings, RemoveOutcome, RowOutcome } from '../sheets/port.ts';
import type { Change, Problem } from '../sync/change.ts';
import type { Outcome } from '../sync/outcome.ts';
import type { RunRequest } from './job.ts';
import type { RunReport, RunStatus, Stopped } from './report.ts';

/**
 * How long a call to the service in flight may still take after the stop. W8 gives ten seconds in all. The other four are
 * for writing uuids into rows (four or five calls to Google), saving and closing.
 */
const answersWaitedMs = 6_000;

const deadlines = new WeakMap<AbortSignal, AbortSignal>();

/** Aborts `answersWaitedMs` after the stop. A call that is still in flight then has an unknown outcome (W4). */
function deadlineOf(stop: AbortSignal): AbortSignal {
  const known = deadlines.get(stop);
  if (known) return known;
  const deadline = new AbortController();
  const begin = () => {
    // H3: a call in flight was sent in time for its whole timeout. Nobody waits for the process to end.
    if (stop.reason instanceof StateError || stop.reason instanceof RunFailed) return;
    const reason = new Error('no answer came before the end');
    setTimeout(() => deadline.abort(reason), answersWaitedMs).unref();
  };
  if (stop.aborted) begin();
  else stop.addEventListener('abort', begin, { once: true });
  deadlines.set(stop, deadline.signal);
  return deadline.signal;
}

/** The part of a run that its calls need. */
interface Requested {
  readonly request: Pick<RunRequest, 'signal' | 'lease'>;
}

/** For writing: goes before scans in the queue (W1). After the stop no call begins; a call in flight is finished (W8). */
export function editCall({ request: { signal, lease } }: Requested) {
  const call = { priority: 'edit' as const, stop: signal, signal: deadlineOf(signal) };
  return lease ? { ...call, allowMs: lease.allowMs } : call;
}

/** The same for a look just before a call that is of no use when the look is old: it goes before the edits of other jobs. */
export function urgentCall(requested: Requested) {
  return { ...editCall(requested), priority: 'urgent' as const };
}

export type UrgentCall = ReturnType<typeof urgentCall>;

/**
 * The same for the call itself: it is not sent after `outdatedAt`, on the clock of the machine. That is judged at the instant of
 * sending, since after a 429 a call waits for its turn.
 */
export function urgentCallUntil(
  { request, now }: Requested & { readonly now: () => number },
  outdatedAt: number,
): UrgentCall {
  return {
    ...urgentCall({ request }),
    allowMs: (timeoutMs) => {
      if (now() > outdatedAt) throw new WaitedTooLong();
      return request.lease?.allowMs(timeoutMs) ?? timeoutMs;
    },
  };
}

/** For writing to the sheet: after the stop no batch begins; a batch in flight is finished (W8). */
export function sheetWrite({ request: { signal } }: Requested): CallSettings {
  return { stop: signal };
}

/** The stop came before the call began. It has no outcome, and the next run plans it again. */
export function isUnbegun(error: unknown, { request: { signal } }: Requested): boolean {
  return error instanceof StoppedError || (signal.aborted && error === signal.reason);
}

/** The same for a row. */
export function isUnbegunRow(outcome: RowOutcome | AppendOutcome | RemoveOutcome): boolean {
  return outcome.kind === 'failed' && outcome.error instanceof AbortedError;
}

/** Changes that a stopped run did not begin; none for any other run. `planned`: all changes that it was to make. */
export function leftOf(
  { request: { signal } }: Requested,
  planned: readonly Change[],
  outcomes: ReadonlyMap<Change, Outcome>,
): readonly Change[] {
  return signal.aborted ? planned.filter((change) => !outcomes.has(change)) : [];
}

/** Left out if nothing is left. */
export function stoppedAt(
  planned: readonly Change[],
  left: readonly Change[],
  outcomes: ReadonlyMap<Change, Outcome>,
): { readonly stopped?: Stopped } {
  if (left.length === 0) return {};
  const done = planned.filter((change) => outcomes.get(change)?.kind === 'done').length;
  return { stopped: { done, left: left.length } };
}

/** The same for an outbox: due messages that were not begun wait for the next run (P1). */
export function stoppedSending(
  { request: { signal } }: Requested,
  problems: readonly Problem[],
  outcomes: ReadonlyMap<Change, Outcome>,
): { readonly stopped?: Stopped } {
  const left = problems.filter(({ kind, rule }) => kind === 'waiting' && rule === 'P1').length;
  if (!signal.aborted || left === 0) return {};
  const done = [...outcomes].filter(([{ op }, { kind }]) => op === 'send' && kind === 'done').length;
  return { stopped: { done, left } };
}

/** L12, W12: a run that was stopped before the end of its plan is not `succeeded`. */
export function statusWhenStopped(status: RunStatus, { stopped }: Pick<RunReport, 'stopped'>): RunStatus {
  return stopped && status === 'succeeded' ? 'partial' : status;
}
