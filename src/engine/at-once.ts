// Takes up decisions that need no run: pause, resume and refuse. They are in effect as soon as they are recorded.
import { LeaseTakenError } from '../state/errors.ts';
import type { Json, JsonObject, LoadedState, SyncState } from '../state/port.ts';
import { type DecisionOrigin, type DecisionRequest, isApproval } from './decision.ts';
import { acquireLease, type RunLease } from './decisions-told.ts';
import { digestOfHeld } from './held.ts';
import { asStoredRecord } from './stored/json.ts';
import { type Taken, takeUp, withTaken } from './taken.ts';
import { type Facts, isRequest, type PauseFact, type Signature, whyNotFact } from './stored/facts.ts';

/** The decisions in the order in which they were recorded, over the stored facts. */
function takeAll({ facts, requests }: LoadedState): Taken {
  const put = new Map<string, JsonObject | null>();
  const done: string[] = [];
  const voided: string[] = [];
  /** Approvals that no run has taken up yet, by id. */
  const approvals = new Map<string, string>();
  let held = readFact(facts, 'held');
  for (const [id, request] of requests) {
    if (!isRequest(request)) continue;
    if (isApproval(request)) approvals.set(id, request.run);
    const { kind } = request;
    if (kind === 'pause') put.set('paused', asStoredRecord(toPause(request)));
    else if (kind === 'resume') put.set('paused', null);
    else if (kind === 'refuse') refuse(id, request);
    else continue;
    done.push(id);
  }
  return { facts: put, done, voided };

  /** A refusal also ends the approvals of the same run that were recorded before it. */
  function refuse(id: string, { run, origin }: Extract<DecisionRequest, { kind: 'refuse' }>): void {
    const ended = [...approvals].flatMap(([approval, approved]) => (approved === run ? [approval] : []));
    for (const approval of ended) approvals.delete(approval);
    done.push(...ended);
    voided.push(...ended);
    if (held?.run !== run) return void voided.push(id);
    // A run under way may have found another plan with the same counts, which keeps the run.
    const { seen } = origin;
    if ('digest' in seen && seen.digest !== digestOfHeld(held)) return void voided.push(id);
    held = { ...held, refused: toSignature(origin) };
    put.set('held', JSON.parse(JSON.stringify(held)) as JsonObject);
  }
}

function toPause({ until, reason, origin }: Extract<DecisionRequest, { kind: 'pause' }>): PauseFact {
  return { ...toSignature(origin), ...(until !== undefined && { until }), ...(reason !== undefined && { reason }) };
}

function toSignature({ by, at, through }: DecisionOrigin): Signature {
  return { by, at, through };
}

type Known = Pick<Facts, 'held' | 'paused'>;

function readFact<Name extends keyof Known>(facts: ReadonlyMap<string, Json>, name: Name): Known[Name] | undefined {
  const stored = facts.get(name);
  const isValid = stored !== undefined && whyNotFact(name, stored) === undefined;
  return isValid ? (Object.fromEntries([[name, stored]]) as Known)[name] : undefined;
}

/** The state as these decisions leave it. Nothing is written. */
export function withDecisionsAtOnce(loaded: LoadedState): LoadedState {
  return withTaken(loaded, takeAll(loaded));
}

/** Every run begins with this. */
export async function takeUpAtOnce(
  lease: Pick<RunLease, 'commit' | 'makesVoid'>,
  loaded: LoadedState,
): Promise<LoadedState> {
  return takeUp(lease, loaded, takeAll(loaded));
}

interface Job {
  readonly state: Pick<SyncState, 'loadSome' | 'acquireLease'>;
  readonly name: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Takes the decisions up without a run, if the lease is free and the job has a state of which nothing is to be repaired. If
 * not, the next run does. Throws StateError.
 */
export async function takeUpNow({ state, name, now }: Job): Promise<void> {
  const seen = await state.loadSome({});
  if (takeAll(seen).done.length === 0 || seen.notices.length > 0) return;
  try {
    await using lease = await acquireLease({ state, config: { name }, now }, { waitMs: 0 }, '');
    // A load repairs what is damaged, and says once what may be missing. The next run tells it; nobody would see it here.
    if (!(await lease.glance([]))) return;
    await takeUpAtOnce(lease, await lease.load());
  } catch (error) {
    if (!(error instanceof LeaseTakenError)) throw error;
  }
}

/** The pause of a job; undefined: it is not paused, or no longer. Throws StateError. */
export async function readPause({ state, now }: Omit<Job, 'name'>): Promise<PauseFact | undefined> {
  const { facts } = withDecisionsAtOnce(await state.loadSome({}));
  return pauseAt(readFact(facts, 'paused'), now());
}

/** Undefined: the pause is over. */
export function pauseAt(paused: PauseFact | null | undefined, now: number): PauseFact | undefined {
  if (!paused) return undefined;
  return paused.until !== undefined && Date.parse(paused.until) <= now ? undefined : paused;
}
