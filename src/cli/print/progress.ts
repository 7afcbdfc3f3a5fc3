// Prints the progress of a run: one rewritten line in a terminal, a line now and then elsewhere.
import type { Step } from '../../engine/events.ts';
import { wipeLine } from '../../log/printable.ts';
import type { Output } from '../world.ts';
import { quiet } from './style.ts';

export interface Progress {
  show(progress: ShownProgress): void;
  /** Names the wait while no step counts: for an answer, for the lease, or for the budget. */
  begin(what: string): void;
  /** Called before other output. */
  clear(): void;
}

export interface ShownProgress {
  readonly sync: string;
  readonly step: Step;
  readonly done: number;
  /** The size of the step; null: it is not known. */
  readonly total: number | null;
}

/** A terminal line changes often and does not flicker; a log is not filled. */
const terminalMs = 100;
const plainMs = 10_000;
/** A terminal is told that the command still waits after this time without an event, then every second. */
const quietMs = 2_000;
const tickMs = 1_000;

/** A rate is told from then on: of a shorter time it says nothing. */
const rateAfterMs = 1_000;

const stepNames: Readonly<Record<Step, string>> = {
  contacts: 'contacts read',
  records: 'records read',
  rows: 'rows read',
  questions: 'people looked up',
  crm: 'changes sent to the service',
  sheet: 'rows written',
};

/** `elapsed`: milliseconds from any fixed instant. The end of the command disposes it. */
export function createProgress(stderr: Output, elapsed: () => number): Progress & Disposable {
  const isTerminal = stderr.isTTY === true;
  let step: { readonly key: string; readonly startedAt: number; readonly doneAtStart: number } | undefined;
  let shownAt = isTerminal ? -Infinity : elapsed();
  let isShown = false;
  /** The last line, and the instant since which it has not changed. */
  let last: { text: string; at: number } | undefined;

  const rewrite = (text: string) => {
    stderr.write(`${wipeLine}${quiet(text)}`);
    isShown = true;
  };
  const tick = () => {
    const seconds = last === undefined ? 0 : (elapsed() - last.at) / 1000;
    if (last && seconds * 1000 >= quietMs) rewrite(`${last.text}, waiting for ${durationText(Math.floor(seconds))}`);
  };
  const timer = isTerminal ? setInterval(tick, tickMs) : undefined;
  timer?.unref();

  return {
    begin(what) {
      last = { text: what, at: elapsed() };
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      this.clear();
    },
    show({ sync, step: name, done, total }) {
      const now = elapsed();
      const key = `${sync} ${name}`;
      if (step?.key !== key) step = { key, startedAt: now, doneAtStart: done };
      const isLast = isTerminal && total !== null && done >= total;
      if (last) last.at = now;
      if (now - shownAt < (isTerminal ? terminalMs : plainMs) && !isLast) return;
      shownAt = now;
      const tookMs = now - step.startedAt;
      const rate = tookMs >= rateAfterMs ? ((done - step.doneAtStart) * 1000) / tookMs : 0;
      const text = `${sync}: ${progressText({ step: name, done, total, rate })}`;
      last = { text, at: now };
      if (isTerminal) rewrite(text);
      else stderr.write(`${text}\n`);
    },
    clear() {
      if (isShown) stderr.write(wipeLine);
      isShown = false;
    },
  };
}

interface ProgressValues extends Omit<ShownProgress, 'sync'> {
  /** Per second; 0: not known. */
  readonly rate: number;
}

export function progressText({ step, done, total, rate }: ProgressValues): string {
  const parts = [`${done}${total === null ? '' : ` of ${total}`} ${stepNames[step]}`];
  if (rate > 0) parts.push(`${rate >= 10 ? Math.round(rate) : rate.toFixed(1)} a second`);
  if (rate > 0 && total !== null && done < total) parts.push(`${durationText((total - done) / rate)} left`);
  return parts.join(', ');
}

export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
