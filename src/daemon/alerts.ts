// Sends one message for each change of a sync's state, and one when it succeeds again.
import delay from 'delay';
import pRetry, { AbortError } from 'p-retry';
import type { Secret } from '../lib/secret.ts';
import { type LastRun, standingOf } from '../engine/last-run.ts';
import { isSameFault, type LeftOut } from '../config/left-out.ts';
import type { JobKind, Kind } from '../engine/kind.ts';
import { kinds as jobKinds } from '../engine/kinds.ts';

/** `stopped`: failed in a way that no further run can solve. */
export type AlertState = LastRun['status'] | 'stopped';

type Side = NonNullable<LastRun['refused']>;

/** The body of the message. It has no contact details and no secrets. */
export interface Alert {
  readonly version: 1;
  /** `recovered`: the sync succeeds again. */
  readonly event: Exclude<AlertState, 'succeeded'> | 'recovered';
  /** One line for people; chat services show the field of this name. */
  readonly text: string;
  readonly sync: string;
  /** Of the job. Left out with one account. */
  readonly account?: string;
  /** The jobs of the account, where its credentials were refused or are taken again. `sync` is the one that met it first. */
  readonly jobs?: readonly string[];
  /** ISO instant. */
  readonly time: string;
  readonly run: string;
  readonly previous: AlertState;
  readonly counts: LastRun['counts'];
  /** Open problems by kind. */
  readonly problems: LastRun['problems'];
  readonly reason: string | null;
  /** The held run that `leadsheet approve` names. */
  readonly approve: string | null;
}

/** What the last message about a sync said, as far as the next one depends on it. */
export interface Told {
  readonly state: AlertState;
  readonly kinds: readonly string[];
  /** A person refused the held plan (G7). The next other plan is news, though the state is the same. */
  readonly isRefused?: true;
  /** It met this refusal of its account, which was told once for all jobs of the account. */
  readonly refused?: Side;
  /** The account of that refusal: a reload may move the job to another one. Left out with one account. */
  readonly account?: string;
}

export interface Alerts {
  /** Returns whether what `told` answers is another by now. Never throws and never waits for the delivery. */
  observe(sync: string, lastRun: LastRun, isFinal: boolean): boolean;
  told(sync: string): Told | undefined;
  /** The same without the messages that are still being delivered: the end of the process may lose them. */
  surelyTold(sync: string): Told | undefined;
  /** Something of the configuration does not run. `url`: where this goes. Never throws and never waits for the delivery. */
  leftOut(what: LeftOut, time: string, url: Secret | undefined): void;
  /** The message about it is still being delivered: the end of the process may lose it. */
  isTelling(what: LeftOut): boolean;
  /** What another worker told last of it. */
  learn(sync: string, told: Told | undefined): void;
  /** Resolves when every message was delivered or given up. */
  settled(): Promise<void>;
}

export interface AlertsOptions {
  /** Where messages about a job go. Undefined: none is sent; states are kept all the same. */
  readonly urlOf: (sync: string) => Secret | undefined;
  /** The jobs of the same account, itself included. Left out: itself alone. */
  readonly siblingsOf?: (sync: string) => readonly string[];
  /** The account of a job, if messages are to name it. */
  readonly accountOf?: (sync: string) => string | undefined;
  /** Whether the job is a sync, a feed or an outbox: each has its own words for its counts. */
  readonly kindOf: (sync: string) => JobKind;
  readonly post: (url: string, init: RequestInit) => Response | Promise<Response>;
  /** Removes contact details and secrets from a text. */
  readonly clean: (text: string) => string;
  /** The messages of earlier processes, so that a restart does not repeat them. */
  readonly told: ReadonlyMap<string, Told>;
  readonly onLost: (alert: Alert, why: string) => void;
  /** A message was delivered or given up, so that `surelyTold` answers another. */
  readonly onHeard: () => void;
}

const timeoutMs = 10_000;
/**
 * After 1 and 5 s. A receiver that does not answer by then is down, and the next change of state says more than a late
 * message.
 */
const retries = { retries: 2, minTimeout: 1_000, factor: 5 };
const waitingMax = 100;

/** Kinds that need no person are no news. */
const quietKinds = new Set(['waiting', 'ignored']);

/** The messages to one receiver, one after the other. */
interface Line {
  waiting: number;
  delivery: Promise<void>;
}

export function createAlerts(options: AlertsOptions): Alerts {
  const { urlOf, accountOf, siblingsOf, kindOf, post, clean, told: toldBefore, onLost, onHeard } = options;
  const toldBySync = new Map(toldBefore);
  /** By account: what was told before each message that is being delivered. */
  const toldBefores = new Map<string | undefined, ReadonlyMap<string, Told>[]>();
  const lines = new Map<string, Line>();
  const leftOutsUnderWay = new Set<LeftOut>();

  /** Each receiver has its own line: one that is slow delays no other. Call it before the message counts as told. */
  function enqueue(alert: Alert, url = urlOf(alert.sync), about?: LeftOut): void {
    const address = url?.reveal();
    if (address === undefined) return;
    const line = lines.get(address) ?? { waiting: 0, delivery: Promise.resolve() };
    lines.set(address, line);
    if (line.waiting >= waitingMax) return onLost(alert, `${waitingMax} messages wait already`);
    line.waiting += 1;
    const befores = toldBefores.get(accountOf?.(alert.sync)) ?? [];
    toldBefores.set(accountOf?.(alert.sync), befores);
    const before = new Map(toldBySync);
    befores.push(before);
    if (about) leftOutsUnderWay.add(about);
    line.delivery = deliver(line, line.delivery, address, alert).finally(() => {
      // Not the first one: after a reload, an earlier message may still be on its way to another receiver.
      befores.splice(befores.indexOf(before), 1);
      if (about) leftOutsUnderWay.delete(about);
      onHeard();
    });
  }

  async function deliver(line: Line, before: Promise<void>, address: string, alert: Alert): Promise<void> {
    await before;
    try {
      await pRetry(() => send(address, alert), retries);
    } catch (error) {
      onLost(alert, clean(error instanceof Error ? error.message : String(error)));
    } finally {
      line.waiting -= 1;
    }
  }

  async function send(address: string, alert: Alert): Promise<void> {
    const stop = new AbortController();
    const done = new AbortController();
    // Not AbortSignal.timeout: tests move this timer by hand.
    void delay(timeoutMs, { signal: done.signal }).then(
      () => stop.abort(new Error(`no answer within ${timeoutMs / 1_000} s`)),
      () => undefined,
    );
    try {
      const response = await post(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(alert),
        // A redirect could send the message to another host.
        redirect: 'manual',
        signal: stop.signal,
      });
      await response.body?.cancel();
      if (response.ok) return;
      const refusal = new Error(`it answered ${response.status}`);
      throw response.status >= 500 || response.status === 429 ? refusal : new AbortError(refusal);
    } catch (error) {
      if (error instanceof AbortError) throw error;
      // fetch throws a TypeError for a broken connection; p-retry does not retry a TypeError.
      const why = stop.signal.aborted ? stop.signal.reason : error;
      throw new Error(why instanceof Error ? why.message : String(why), { cause: error });
    } finally {
      done.abort();
    }
  }

  /** One message for all jobs of the account. What was told of the job itself stays. */
  function observeRefusal(sync: string, lastRun: LastRun, side: Side, isFinal: boolean): boolean {
    const jobs = siblingsOf?.(sync) ?? [sync];
    const { account: accountBefore, ...before } = toldBySync.get(sync) ?? nothingTold;
    const account = accountOf?.(sync);
    const isTold = refusalsOf(account).some(({ told }) => told.refused === side);
    const event = isFinal ? 'stopped' : 'failed';
    if (!isTold) enqueue(accountAlert(sync, jobs, lastRun, { event, previous: before.state, side }));
    toldBySync.set(sync, { ...before, refused: side, ...accountIn(account) });
    return before.refused !== side || accountBefore !== account;
  }

  /** Also those that a job met which the configuration does not have any more: it may be added back. */
  function refusalsOf(account: string | undefined) {
    return [...toldBySync].flatMap(([job, told]) =>
      told.refused && told.account === account ? [{ job, told, side: told.refused }] : [],
    );
  }

  /** A run that ended otherwise than by a failure was let in by both sides. */
  function observeAdmission(sync: string, lastRun: LastRun): boolean {
    if (lastRun.status === 'failed') return false;
    const jobs = siblingsOf?.(sync) ?? [sync];
    const refused = refusalsOf(accountOf?.(sync));
    const [first] = refused;
    if (!first) return false;
    const previous = first.side === 'crm' ? 'stopped' : 'failed';
    enqueue(accountAlert(sync, jobs, lastRun, { event: 'recovered', previous, side: first.side }));
    for (const {
      job,
      told: { refused: _side, account: _account, ...rest },
    } of refused)
      toldBySync.set(job, rest);
    return true;
  }

  function accountAlert(
    sync: string,
    jobs: readonly string[],
    lastRun: LastRun,
    { event, previous, side }: AccountNews,
  ): Alert {
    const reason = lastRun.reason === undefined || event === 'recovered' ? null : clean(lastRun.reason);
    const account = accountOf?.(sync);
    return {
      version: 1,
      event,
      text: accountText({ account, jobs, event, reason, side }),
      sync,
      ...accountIn(account),
      jobs,
      ...ofRun(lastRun, previous, reason),
      approve: null,
    };
  }

  function jobAlert(sync: string, lastRun: LastRun, state: AlertState, previous: AlertState): Alert {
    const event = state === 'succeeded' ? 'recovered' : state;
    const reason = lastRun.reason === undefined ? null : clean(lastRun.reason);
    return {
      version: 1,
      event,
      text: alertText({ sync, words: jobKinds[kindOf(sync)].words }, event, reason, lastRun),
      sync,
      ...accountIn(accountOf?.(sync)),
      ...ofRun(lastRun, previous, reason),
      approve: lastRun.approvable ?? null,
    };
  }

  return {
    observe(sync, lastRun, isFinal) {
      if (lastRun.refused) return observeRefusal(sync, lastRun, lastRun.refused, isFinal);
      const isAdmitted = observeAdmission(sync, lastRun);
      const state: AlertState = isFinal ? 'stopped' : lastRun.status;
      const kinds = Object.keys(lastRun.problems).filter((kind) => !quietKinds.has(kind));
      const before = toldBySync.get(sync) ?? nothingTold;
      const { state: previous, kinds: known, refused, account } = before;
      // G7: the person who refused it knows.
      const isRefused = state === 'held' && lastRun.isRefused === true;
      const hasKnownKinds = kinds.every((kind) => known.includes(kind));
      const isAsBefore = state === previous && hasKnownKinds && isRefused === (before.isRefused ?? false);
      if (!isAsBefore && !isRefused) enqueue(jobAlert(sync, lastRun, state, previous));
      toldBySync.set(sync, {
        state,
        kinds,
        ...(isRefused && { isRefused }),
        ...(refused && { refused, ...accountIn(account) }),
      });
      return isAdmitted || !isAsBefore;
    },
    told: (sync) => toldBySync.get(sync),
    surelyTold: (sync) => (toldBefores.get(accountOf?.(sync))?.[0] ?? toldBySync).get(sync),
    learn(sync, told) {
      if (told) toldBySync.set(sync, told);
    },
    leftOut(what, time, url) {
      const { kind, name, reason: why, jobs } = what;
      const reason = clean(why);
      const affected = jobs.length === 0 || kind === 'job' ? '' : ` ${jobs.length} of its jobs do not run.`;
      enqueue(
        {
          version: 1,
          event: 'stopped',
          text: `leadsheet: ${kind} ${name} is left out: ${reason}.${affected} Correct it, then leadsheet reload`,
          sync: kind === 'job' ? name : '',
          ...accountIn(kind === 'account' ? name : undefined),
          time,
          run: '',
          previous: 'succeeded',
          counts: standingOf(undefined),
          problems: {},
          reason,
          approve: null,
        },
        url,
        what,
      );
    },
    isTelling: (what) => [...leftOutsUnderWay].some((each) => isSameFault(each, what)),
    settled: async () => void (await Promise.all([...lines.values()].map(({ delivery }) => delivery))),
  };
}

interface AccountNews {
  readonly event: 'stopped' | 'failed' | 'recovered';
  readonly previous: AlertState;
  readonly side: Side;
}

interface AccountText extends Pick<AccountNews, 'event' | 'side'> {
  readonly account: string | undefined;
  readonly jobs: readonly string[];
  readonly reason: string | null;
}

function accountText({ account, jobs: { length }, event, reason, side }: AccountText): string {
  const whose = account === undefined ? '' : ` of account ${account}`;
  const [who, what] = side === 'crm' ? ['the service', 'the token'] : ['Google', 'the credentials'];
  const count = `${length} ${length === 1 ? 'job' : 'jobs'}`;
  if (event === 'recovered') return `leadsheet: ${who} takes ${what}${whose} again (${count})`;
  const because = reason === null ? '' : `: ${reason}`;
  const then =
    event === 'failed'
      ? `This concerns ${count}, tried again without a reload`
      : `This stops ${count}. When it is replaced, run: leadsheet reload`;
  return `leadsheet: ${who} refuses ${what}${whose}${because}. ${then}`;
}

const nothingTold: Told = { state: 'succeeded', kinds: [] };

/** The fields about a run that its messages have in common. */
function ofRun({ endedAt, run, counts, problems }: LastRun, previous: AlertState, reason: string | null) {
  return { time: endedAt, run, previous, counts, problems, reason };
}

function accountIn(account: string | undefined): Pick<Alert, 'account'> {
  return account === undefined ? {} : { account };
}

interface Job {
  readonly sync: string;
  readonly words: Kind['words'];
}

function alertText({ sync, words }: Job, event: Alert['event'], reason: string | null, lastRun: LastRun): string {
  const open = Object.entries(lastRun.problems)
    .filter(([kind]) => !quietKinds.has(kind))
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
  const because = reason === null ? '' : `: ${reason}`;
  switch (event) {
    case 'recovered':
      return `leadsheet: ${sync} is well again, ${words.linked(lastRun.counts.linked)}`;
    case 'failed':
      return `leadsheet: ${sync} failed${because}. It is tried again by itself`;
    case 'stopped':
      return `leadsheet: ${sync} has stopped${because}. When the cause is removed, run: leadsheet reload`;
    case 'held':
      return `leadsheet: ${sync} is held${because}${toApprove(sync, lastRun)}`;
    case 'partial':
      return `leadsheet: ${sync} goes on, and a person is needed: ${open}. See leadsheet status`;
  }
}

function toApprove(sync: string, { approvable }: LastRun): string {
  return approvable === undefined ? '' : `. To let it through: leadsheet approve ${sync} --run ${approvable}`;
}
