// Reads all that a store has of one job, and compares it.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Collection, HistoryLine, Json, LoadedState, Notice, RunRecord, Store } from '../../state/port.ts';

const runsAtOnce = 200;

/** All reports of a job, the one stored first first. */
export async function readAllRuns(store: Store, job: string): Promise<readonly RunRecord[]> {
  const found: RunRecord[] = [];
  for (;;) {
    const last = found.at(-1);
    const page = await store.sync(job).readRuns({ limit: runsAtOnce, ...(last && { before: last.run }) });
    found.push(...page);
    if (page.length === 0) return found.toReversed();
  }
}

/** How often each line stands in a history, by its digest. */
export interface Lines {
  readonly count: number;
  /** False: it is not there, or as often as it was taken already. */
  take(line: HistoryLine): boolean;
  /** A line that was not taken; undefined: all were. */
  left(): boolean;
}

/** `since`: epoch milliseconds; left out: all. */
export async function readLines(store: Store, job: string, since?: number): Promise<Lines> {
  const timesByDigest = new Map<string, number>();
  let count = 0;
  for await (const line of store.history({ sync: job, ...(since !== undefined && { since }) })) {
    const digest = digestOf(line);
    timesByDigest.set(digest, (timesByDigest.get(digest) ?? 0) + 1);
    count += 1;
  }
  return {
    count,
    take(line) {
      const digest = digestOf(line);
      const times = timesByDigest.get(digest) ?? 0;
      if (times > 1) timesByDigest.set(digest, times - 1);
      else timesByDigest.delete(digest);
      return times > 0;
    },
    left: () => timesByDigest.size > 0,
  };
}

/** 96 bits: two lines of one history never share it by chance. */
function digestOf(line: HistoryLine): string {
  return createHash('sha256').update(JSON.stringify(line)).digest('base64').slice(0, 16);
}

/** The collections in the order in which a copy writes them: records that must not be repeated come first. */
export const collections = ['ledger', 'outbox', 'facts', 'strays', 'setAside', 'links'] as const satisfies readonly (
  | Collection
  | 'facts'
)[];

export type TableName = (typeof collections)[number];

export function tableOf(state: LoadedState, name: TableName): ReadonlyMap<string, Json> {
  return state[name];
}

export function countRecords(state: LoadedState): number {
  return collections.reduce((sum, name) => sum + state[name].size, 0);
}

/** A job that never ran has no state, and a store that works but could not tidy up has lost nothing. */
export function isDamage({ kind }: Pick<Notice, 'kind'>): boolean {
  return kind !== 'absent' && kind !== 'unfinished';
}

/** The first record that differs, as "collection/key"; undefined: both are equal. */
export function firstDifference(a: LoadedState, b: LoadedState): string | undefined {
  for (const name of collections) {
    const [left, right] = [tableOf(a, name), tableOf(b, name)];
    for (const key of new Set([...left.keys(), ...right.keys()])) {
      const isSame = left.has(key) && right.has(key) && isDeepStrictEqual(left.get(key), right.get(key));
      if (!isSame) return `${name}/${key}`;
    }
  }
  const requests = [a, b].map((state) => [...state.requests.values()]);
  return isDeepStrictEqual(requests[0], requests[1]) ? undefined : 'requests';
}
