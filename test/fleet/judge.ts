// Judges a fleet by the logs of both stand-ins and of the workers: nothing twice, nothing at once, no budget exceeded.
import type { Received } from '../../src/standin/service/received.ts';
import type { LeasedRun } from './runs.ts';
import type { Call } from './sides.ts';

/**
 * Runs that worked on one job at once. The holder of a job is the run with the last lease, and every call that changes something has to
 * be a call of the holder, before its end. A line that comes late is no fault: a worker that was stopped writes what it did before, and
 * a run that was taken over ends without a call.
 */
export function atOnce(runs: readonly LeasedRun[], calls: readonly Call[]): readonly string[] {
  const writes = Map.groupBy(
    calls.filter(({ isWrite }) => isWrite),
    ({ job }) => job,
  );
  const byJob = Map.groupBy(runs, ({ job }) => job);
  const jobs = new Set([...byJob.keys(), ...writes.keys()]);
  return [...jobs].flatMap((job) => {
    const sorted = (byJob.get(job) ?? []).toSorted((a, b) => a.epoch - b.epoch);
    return [...sharedLeases(sorted), ...inOneProcess(sorted), ...strayWrites(job, sorted, writes.get(job) ?? [])];
  });
}

/** `runs`: of one job, by epoch. */
function sharedLeases(runs: readonly LeasedRun[]): readonly string[] {
  return runs.flatMap((run, n) => {
    const before = runs[n - 1];
    return before?.epoch === run.epoch
      ? [`${run.job}: one lease for two runs: ${spanText(before)}, and ${spanText(run)}`]
      : [];
  });
}

/** The lines of one process stand in the order in which things happened. */
function inOneProcess(runs: readonly LeasedRun[]): readonly string[] {
  return [...Map.groupBy(runs, ({ worker }) => worker).values()].flatMap((own) =>
    own.flatMap((run, n) => {
      const before = own[n - 1];
      const isAtOnce = before !== undefined && before.epoch < run.epoch && before.to > run.from;
      return isAtOnce ? [`${run.job}: two runs of one worker: ${spanText(before)}, and ${spanText(run)}`] : [];
    }),
  );
}

function strayWrites(job: string, runs: readonly LeasedRun[], writes: readonly Call[]): readonly string[] {
  return writes.flatMap(({ worker, kind, time }) => {
    const holder = runs.findLast(({ from }) => from <= time);
    if (holder?.worker === worker && time <= holder.to) return [];
    const who = holder ? `the job was with the run ${spanText(holder)}` : 'no run had the job';
    return [`${job}: ${worker} made one of the ${kind} at ${timeText(time)}, when ${who}`];
  });
}

function spanText({ worker, epoch, from, to, isFailed }: LeasedRun): string {
  return `of epoch ${epoch} on ${worker} from ${timeText(from)} to ${timeText(to)}${isFailed ? ', failed' : ''}`;
}

function timeText(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(11, 23) : 'no end';
}

const enrolling = new Set<string | null>(['automations.add-contact', 'automations.add-new-lead']);

/** Enrolments that the service carried out, by the e-mail address of the contact; each sync has one automation. */
export function enrolments(
  received: readonly Received[],
  emails: ReadonlyMap<string, string>,
): ReadonlyMap<string, number> {
  const added = received.filter(({ operation, status }) => enrolling.has(operation) && status !== null && status < 300);
  const times = new Map<string, number>();
  for (const { path, body } of added) {
    const text = `${path} ${JSON.stringify(body)}`;
    const uuids = text.match(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g) ?? [];
    const email = /[\w.-]+@[\w.-]+/.exec(text)?.[0] ?? uuids.flatMap((uuid) => emails.get(uuid) ?? [])[0] ?? text;
    times.set(email, (times.get(email) ?? 0) + 1);
  }
  return times;
}

/** The most of these instants in any time of that length. */
function highestWindow(times: readonly number[], lengthMs: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  let first = 0;
  let most = 0;
  for (const [n, at] of sorted.entries()) {
    while (sorted[first]! <= at - lengthMs) first += 1;
    most = Math.max(most, n - first + 1);
  }
  return most;
}

/** Of each budget of each account, the most calls in any 60 s. */
export function highestOf(
  calls: readonly Call[],
): readonly (Pick<Call, 'account' | 'kind'> & { readonly most: number })[] {
  const byBudget = Map.groupBy(calls, ({ account, kind }) => `${account}: ${kind}`);
  return [...byBudget.entries()]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([, each]) => {
      const { account, kind } = each[0]!;
      const times = each.map(({ time }) => time);
      return { account, kind, most: highestWindow(times, 60_000) };
    });
}
