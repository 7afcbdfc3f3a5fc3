// Judges a fleet by the logs of both stand-ins and of the workers: nothing twice, nothing at once, no budget exceeded.
import type { Received } from '../../src/standin/service/received.ts';
import type { Call } from './sides.ts';

export interface RunSpan {
  readonly worker: string;
  readonly job: string;
  readonly from: number;
  to: number;
  /** Its worker was killed or stopped meanwhile: what it writes afterwards is refused by its lease. */
  isBroken: boolean;
  /** It ended, and failed. */
  isFailed?: true;
}

/** Runs of one job at once, on workers that lived. */
export function overlaps(spans: readonly RunSpan[]): readonly string[] {
  const byJob = Map.groupBy(
    spans.filter(({ isBroken }) => !isBroken),
    ({ job }) => job,
  );
  return [...byJob].flatMap(([job, all]) => {
    const sorted = all.toSorted((a, b) => a.from - b.from);
    return sorted.flatMap((span, n) => {
      const before = sorted[n - 1];
      return before && before.to > span.from ? [`${job}: ${spanText(before)}, and ${spanText(span)}`] : [];
    });
  });
}

function spanText({ worker, from, to, isFailed }: RunSpan): string {
  const time = (at: number) => (Number.isFinite(at) ? new Date(at).toISOString().slice(11, 23) : 'no end');
  return `on ${worker} from ${time(from)} to ${time(to)}${isFailed ? ', failed' : ''}`;
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
