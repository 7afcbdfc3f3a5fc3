import { appendFile, mkdtemp, readdir, rm, stat, truncate, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Batch, HistoryPageQuery, JsonObject, RunsPageQuery, Store, Wanted } from '../../src/state/port.ts';
import { historyLine, openTrial, runRecord, type StateTrial, trialTerms } from '../support/state.ts';

/*
 * The index is never seen: whatever was written, deleted or cut short, and whoever indexed it in between, its answers are
 * those of the files. Two processes read with an index, one of them opened anew at times; a third has none.
 */

const jobs = ['prospects', 'a b'];
const words = ['ann', 'bob', 'cy', 'lee'];
const keys = ['u-1', 'u-10', 'u-2', 'u-3'];
const statuses = ['succeeded', 'partial', 'failed'];
const start = Date.UTC(2026, 0, 31, 12);
const dayMs = 86_400_000;

const job = fc.constantFrom(...jobs);
const key = fc.constantFrom(...keys);
const record = fc.record({ agreed: fc.constantFrom(...words), more: fc.constantFrom(...words, '') });
const changes = fc.record({
  put: fc.array(fc.tuple(key, record), { maxLength: 4 }),
  delete: fc.array(key, { maxLength: 2 }),
});

type Step =
  | { readonly do: 'commit'; readonly job: string; readonly batch: Batch }
  | { readonly do: 'append'; readonly job: string; readonly count: number; readonly outcome: string }
  | { readonly do: 'run'; readonly job: string; readonly status: string; readonly endedAgo: number }
  | {
      readonly do: 'request' | 'prune' | 'cut history' | 'half a line' | 'cut log' | 'half a batch';
      readonly job: string;
    }
  | { readonly do: 'damaged run' | 'remove job'; readonly job: string }
  | { readonly do: 'pass' | 'keep' | 'keep a little' | 'reopen' | 'delete index' };

const batch = fc
  .tuple(changes, changes, fc.option(fc.constantFrom('', 'x ', 'y ')), fc.boolean())
  .map(([links, ledger, prefix, isLarge]): Batch => {
    // Keys of the ledger are of links; a large one folds the log.
    const large: [string, JsonObject][] = isLarge ? [['u-large', { agreed: 'x'.repeat(3_000) }]] : [];
    const put = new Map<string, JsonObject>([...links.put, ...large]);
    return {
      links: { put, delete: links.delete.filter((each) => !put.has(each)) },
      ledger: { put: new Map(ledger.put.map(([of, entry]) => [`${of} a`, entry])) },
      facts: { put: new Map(prefix === null ? [] : [['prefix', prefix]]) },
    };
  });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('commit' as const), job, batch }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      job,
      count: fc.integer({ min: 1, max: 5 }),
      outcome: fc.constantFrom('done', 'failed'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('run' as const),
      job,
      status: fc.constantFrom(...statuses),
      // The clock may be set back, and two runs may end at once.
      endedAgo: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...(['request', 'prune', 'cut history', 'half a line', 'cut log', 'half a batch'] as const),
        ...(['damaged run', 'remove job'] as const),
      ),
      job,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('pass', 'keep', 'keep a little', 'reopen', 'delete index') }),
  },
);

function lastOf(names: readonly string[]): string | undefined {
  return names.reduce<string | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
}

async function createWorld() {
  const root = await mkdtemp(join(tmpdir(), 'index-laws-'));
  let now = start;
  let runs = 0;
  const opened: StateTrial[] = [];
  const open = (hasIndex: boolean) => {
    const trial = openTrial(root, { hasIndex, now: () => now, foldFloorBytes: 1_500, runsMax: 4 });
    opened.push(trial);
    return trial.store;
  };
  /** Where the index fails, the files answer instead, and a warning says so. */
  const failures = () => opened.flatMap(({ warnings }) => warnings).filter(({ kind }) => kind === 'unfinished');
  const readers = [open(true), open(true)];
  const folder = (name: string) => join(root, encodeURIComponent(name));
  /** The last file of a folder, if there is one. */
  const lastIn = async (path: string) => {
    const names = await readdir(path).catch(() => []);
    const last = lastOf(names);
    return last === undefined ? undefined : join(path, last);
  };
  const cut = async (file: string | undefined, share: number) => {
    const size =
      file === undefined
        ? undefined
        : await stat(file).then(
            (each) => each.size,
            () => undefined,
          );
    if (size !== undefined) await truncate(file!, Math.floor(size * share));
  };

  async function perform(each: Step): Promise<void> {
    switch (each.do) {
      case 'commit': {
        await using lease = await readers[0]!.sync(each.job).acquireLease();
        await lease.load();
        return lease.commit(each.batch);
      }
      case 'append': {
        await using lease = await readers[0]!.sync(each.job).acquireLease();
        const line = (index: number) => ({
          ...historyLine(new Date(now + index).toISOString(), { sync: each.job, contact: keys[index % 3]! }),
          outcome: each.outcome,
          index,
        });
        return lease.appendHistory(Array.from({ length: each.count }, (_, index) => line(index)));
      }
      case 'run': {
        await using lease = await open(true).sync(each.job).acquireLease();
        runs += 1;
        const endedAt = new Date(now - each.endedAgo * 60_000).toISOString();
        return lease.appendRun(runRecord(`r ${runs}`, endedAt, { status: each.status }));
      }
      case 'request':
        return void (await readers[1]!.sync(each.job).addRequest({ kind: 'retry', id: 'u-1' }));
      case 'prune': {
        const names = await readdir(join(folder(each.job), 'history')).catch(() => []);
        const oldest = names.reduce((a, b) => (a === '' || b < a ? b : a), '');
        return oldest === '' ? undefined : unlink(join(folder(each.job), 'history', oldest));
      }
      case 'cut history':
        return cut(await lastIn(join(folder(each.job), 'history')), 0.6);
      case 'half a line': {
        const file = await lastIn(join(folder(each.job), 'history'));
        return file === undefined ? undefined : appendFile(file, '{"time":"2026-01-31T12:00');
      }
      // A power loss takes what was not durable, a kill leaves half of what was being written.
      case 'cut log':
        return cut(join(folder(each.job), 'base.log'), 0.7);
      case 'half a batch': {
        const file = join(folder(each.job), 'base.log');
        const isThere = await stat(file).then(
          () => true,
          () => false,
        );
        return isThere ? appendFile(file, '{"generation":1,"after":') : undefined;
      }
      // One that is damaged later keeps its status in the index: only its page reads it again.
      case 'damaged run': {
        const { store, warnings } = openTrial(root, { hasIndex: false, now: () => now });
        await using lease = await store.sync(each.job).acquireLease();
        runs += 1;
        await lease.appendRun(runRecord(`r ${runs}`, new Date(now).toISOString()));
        expect(warnings).toEqual([]);
        return cut(await lastIn(join(folder(each.job), 'runs')), 0.5);
      }
      case 'remove job':
        return rm(folder(each.job), { recursive: true, force: true });
      case 'pass':
        return void (now += dayMs / 2);
      case 'keep':
        return readers[1]!.keepIndex();
      case 'keep a little': {
        const controller = new AbortController();
        setImmediate(() => controller.abort());
        return readers[1]!.keepIndex({ signal: controller.signal });
      }
      case 'reopen':
        return void (readers[1] = open(true));
      case 'delete index': {
        await Promise.all(['', '-wal', '-shm'].map((end) => rm(join(root, `.index.sqlite${end}`), { force: true })));
        return void readers.fill(open(true));
      }
    }
  }

  return { root, readers, perform, failures, files: () => open(false) };
}

const pages: readonly HistoryPageQuery[] = [
  { limit: 5 },
  { limit: 100, newestFirst: true },
  { limit: 3, newestFirst: true, contact: ['u-1', 'u-2'] },
  { limit: 3, outcome: 'failed', sync: 'a b' },
  { limit: 3, contact: 'u-10', since: start + dayMs },
];
const runPages: readonly RunsPageQuery[] = [
  { jobs, limit: 3 },
  { jobs, limit: 100, status: 'failed' },
  { jobs: ['a b'], limit: 2 },
  { jobs, limit: 1, run: 'r 2' },
];

async function answersOf(store: Store) {
  const history = [];
  for (const query of pages) {
    const { lines, next } = await store.historyPage(query);
    history.push(lines, next === undefined ? [] : (await store.historyPage({ ...query, after: next })).lines);
  }
  const runs = [];
  for (const query of runPages) {
    const page = await store.runsPage(query);
    runs.push(page);
    const [first, last] = [page.runs[0], page.runs.at(-1)];
    if (first && last) {
      runs.push(await store.runsPage({ ...query, after: last.place }));
      runs.push(await store.runsPage({ ...query, before: last.place }));
      runs.push(await store.runsPage({ ...query, before: first.place }));
    }
  }
  return { history, runs, last: await store.lastRuns({ jobs, limit: 2 }) };
}

/** What a look is to have, from all that there is; and what it has, without what it has besides. */
async function looksOf(store: Store, name: string, together: boolean) {
  const state = store.sync(name);
  const all = await state.load();
  const termsOf = (collection: 'links' | 'ledger', of: string) =>
    trialTerms.of(collection, of, all[collection].get(of)!, all.facts);
  const wanted: readonly Wanted[] = [
    { keys: ['u-1'] },
    ...['', 'x ', 'y '].map((prefix) => ({ terms: [`${prefix}ann`], keys: ['u-2'], counted: [`${prefix}l`, prefix] })),
  ];
  const has = ({ keys: byKey = [], terms = [] }: Wanted, collection: 'links' | 'ledger', of: string): boolean =>
    byKey.includes(of) || termsOf(collection, of).some((term) => terms.includes(term));
  return Promise.all(
    wanted.map(async (each) => {
      const some = together
        ? (await store.loadSomeOf([...jobs, 'unheard-of'], each)).get(name)!
        : await state.loadSome(each);
      const links = [...all.links.keys()].filter((of) => has(each, 'links', of));
      const ledger = [...all.ledger.keys()].filter(
        (of) => has(each, 'ledger', of) || [...links, ...(each.keys ?? [])].some((link) => of.startsWith(`${link} `)),
      );
      const present = new Set([...all.links.keys(), ...all.ledger.keys()]);
      const count = (text: string) =>
        (['links', 'ledger'] as const)
          .flatMap((collection) => [...all[collection].keys()].flatMap((of) => [...new Set(termsOf(collection, of))]))
          .filter((term) => term.startsWith(text)).length;
      return {
        is: {
          links: new Map(links.map((of) => [of, some.links.get(of)])),
          ledger: new Map(ledger.map((of) => [of, some.ledger.get(of)])),
          unknown: [...some.links.keys(), ...some.ledger.keys()].filter((of) => !present.has(of)),
          facts: some.facts,
          requests: some.requests,
          notices: some.notices.map(({ kind }) => kind),
          counts: some.counts,
        },
        isToBe: {
          links: new Map(links.map((of) => [of, all.links.get(of)])),
          ledger: new Map(ledger.map((of) => [of, all.ledger.get(of)])),
          unknown: [],
          facts: all.facts,
          requests: all.requests,
          notices: all.notices.map(({ kind }) => kind),
          counts: new Map((each.counted ?? []).map((text) => [text, count(text)])),
        },
      };
    }),
  );
}

test('after each step, every reader with an index answers as the files do', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      const world = await createWorld();
      try {
        for (const each of steps) {
          await world.perform(each);
          const expected = await answersOf(world.files());
          for (const reader of world.readers) {
            expect(await answersOf(reader)).toEqual(expected);
            for (const name of jobs) {
              for (const together of [true, false]) {
                for (const { is, isToBe } of await looksOf(reader, name, together)) expect(is).toEqual(isToBe);
              }
            }
          }
        }
        expect(world.failures()).toEqual([]);
      } finally {
        await rm(world.root, { recursive: true });
      }
    }),
    { numRuns: 6 },
  );
});
