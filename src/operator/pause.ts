// Pauses and resumes jobs, and asks for a run now.
import { pauseAt, readPause } from '../engine/at-once.ts';
import { readStanding } from '../engine/standing.ts';
import type { PauseFact } from '../engine/stored/facts.ts';
import type { RequestsAnswer } from './answers/conflicts.ts';
import type { PauseAnswer, RunAskedAnswer } from './answers/pause.ts';
import { type Decider, record } from './decide.ts';
import { OperatorError } from './errors.ts';
import { readLastRun } from './last-run.ts';
import type { Operator } from './operator.ts';
import { selectAll } from './select.ts';
import { readDuration, readInstant } from './times.ts';

/** At most one of `lasts` (`2h`) and `until` (an instant or a day) may be given; neither: until somebody resumes it. */
export interface PauseRequest {
  readonly name: string;
  readonly lasts?: string | undefined;
  readonly until?: string | undefined;
  readonly reason?: string | undefined;
}

/** In effect when recorded. A later pause takes the place of an earlier one. Throws OperatorError and StateError. */
export async function pause(
  operator: Operator,
  decider: Decider,
  { name, lasts, until, reason }: PauseRequest,
): Promise<RequestsAnswer> {
  selectAll(operator.config, [name]);
  if (lasts !== undefined && until !== undefined) {
    throw new OperatorError('invalid', 'a pause takes --for or --until, not both');
  }
  const now = operator.now();
  const end = endOf({ lasts, until }, now);
  if (end !== undefined && end > endMax) {
    throw new OperatorError(
      'invalid',
      'a pause ends before the year 10000, or when somebody resumes the job: leave out its end',
    );
  }
  if (end !== undefined && end <= now) {
    throw new OperatorError('invalid', `${new Date(end).toISOString()} is over: a pause ends later than now`);
  }
  const iso = end === undefined ? undefined : new Date(end).toISOString();
  const request = {
    kind: 'pause',
    ...(iso !== undefined && { until: iso }),
    ...(reason !== undefined && reason !== '' && { reason }),
  } as const;
  const text = `paused ${iso === undefined ? 'until it is resumed' : `until ${iso}`}${reason ? `: ${reason}` : ''}`;
  return record(operator, decider, [{ sync: name, request, text, seen: await lastStatus(operator, name) }]);
}

/** The state takes no later instant: a request with one would be set aside, and the job would not be paused. */
const endMax = Date.parse('9999-12-31T23:59:59.999Z');

/** Epoch milliseconds; undefined: until somebody resumes it. Blank is no end: it may be a variable that nobody set. */
function endOf({ lasts, until }: Pick<PauseRequest, 'lasts' | 'until'>, now: number): number | undefined {
  if (lasts !== undefined) return now + readDuration(lasts, 'for');
  return until === undefined ? undefined : readInstant(until, 'until');
}

/** Throws OperatorError if it is not paused, and StateError. */
export async function resume(operator: Operator, decider: Decider, name: string): Promise<RequestsAnswer> {
  selectAll(operator.config, [name]);
  if (!(await pauseOf(operator, name))) throw new OperatorError('nothing', `${name} is not paused`);
  const seen = await lastStatus(operator, name);
  return record(operator, decider, [{ sync: name, request: { kind: 'resume' }, text: 'resumed', seen }]);
}

/** Null: it is not paused. Throws StateError. */
export async function readPaused(operator: Operator, name: string): Promise<PauseAnswer | null> {
  const paused = await pauseOf(operator, name);
  return paused ? pauseToAnswer(paused) : null;
}

function pauseToAnswer({ by, at, through, until, reason }: PauseFact): PauseAnswer {
  return { by, at, through, until: until ?? null, reason: reason ?? null };
}

/** The pause as of now, if it is not over. */
export function pauseNow(paused: PauseFact | undefined, { now }: Pick<Operator, 'now'>): PauseAnswer | null {
  const current = pauseAt(paused, now());
  return current ? pauseToAnswer(current) : null;
}

/** Has the daemon run a job: undefined if it does not know the job. */
export type TriggerRun = (name: string) => Promise<RunAskedAnswer['answer'] | undefined>;

/**
 * Records that a person asks for a run, and has the daemon begin it. The run that follows writes the decision into the
 * history. Throws OperatorError, also if the job is paused, and StateError.
 */
export async function requestRun(
  operator: Operator,
  decider: Decider,
  { name, trigger }: { readonly name: string; readonly trigger: TriggerRun },
): Promise<RunAskedAnswer> {
  selectAll(operator.config, [name]);
  const paused = await readPaused(operator, name);
  if (paused) throw new OperatorError('paused', pausedText(name, paused));
  const seen = await lastStatus(operator, name);
  const text = 'a run now';
  await record(operator, decider, [{ sync: name, request: { kind: 'run' }, text, seen }]);
  const answer = await trigger(name);
  if (answer === undefined) {
    throw new OperatorError(
      'unknown',
      `the daemon does not run ${name}: restart it, so that it reads the configuration`,
    );
  }
  return { name, answer };
}

/** "prospects is paused by ann since ... (reason), until ...: leadsheet resume prospects". */
export function pausedText(name: string, paused: PauseAnswer): string {
  return `${name} is ${pauseWords(paused)}: leadsheet resume ${name}`;
}

/** "paused by ann since ... (reason), until ...". */
export function pauseWords({ by, at, until, reason }: PauseAnswer): string {
  const why = reason === null ? '' : ` (${reason})`;
  return `paused by ${by} since ${at}${why}${until === null ? '' : `, until ${until}`}`;
}

function pauseOf({ store, now }: Operator, name: string): Promise<PauseFact | undefined> {
  return readPause({ state: store.sync(name), now });
}

async function lastStatus({ store }: Operator, name: string) {
  const { lastRun } = await readStanding(store.sync(name));
  return { status: (await readLastRun({ store }, name, lastRun))?.status ?? null };
}
