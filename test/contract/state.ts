import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LeaseTakenError } from '../../src/state/errors.ts';
import type { JsonObject, LoadedState, RunPlace, RunsPage, RunsPageQuery, Store } from '../../src/state/port.ts';
import { commitAll, contentOf, historyLine, runRecord } from '../support/state.ts';

export interface StateDriver {
  /** A store with nothing in it, and what opens the same one again, as another process would. */
  readonly create: () => Promise<{ readonly store: Store; readonly reopen: () => Store }>;
}

/** What src/state/port.ts promises, for any driver. */
export function describeStateContract(name: string, { create }: StateDriver): void {
  const row = (agreed: string) => ({ agreed });

  describe(`${name}: records`, () => {
    test('I9: with nothing there, a load is empty and says so', async () => {
      const { store } = await create();
      const state = await store.sync('prospects').load();
      expect(contentOf(state)).toEqual({
        links: {},
        strays: {},
        ledger: {},
        outbox: {},
        setAside: {},
        facts: {},
        requests: {},
      });
      expect(state.notices.map(({ kind }) => kind)).toEqual(['absent']);
    });

    test('L10: what was committed is there when the store is opened again', async () => {
      const { store, reopen } = await create();
      await commitAll(store, 'prospects', [
        {
          links: {
            put: new Map([
              ['c1', row('["Ada"]')],
              ['c2', row('["Bob"]')],
            ]),
          },
          strays: { put: new Map([['s1', { reason: 'quarantined' }]]) },
          ledger: { put: new Map([['c1 a1', { outcome: 'enrolled' }]]) },
          outbox: { put: new Map([['x1', { op: 'enrol' }]]) },
          facts: { put: new Map([['watermark', '2026-01-01T00:00:00.000Z']]) },
        },
        {
          links: { put: new Map([['c1', row('["Eve"]')]]), delete: ['c2'] },
          outbox: { delete: ['x1'] },
          facts: { put: new Map([['watermark', null]]) },
        },
      ]);
      const state = await reopen().sync('prospects').load();
      expect(contentOf(state)).toEqual({
        links: { c1: row('["Eve"]') },
        strays: { s1: { reason: 'quarantined' } },
        ledger: { 'c1 a1': { outcome: 'enrolled' } },
        outbox: {},
        setAside: {},
        facts: { watermark: null },
        requests: {},
      });
      expect(state.notices).toEqual([]);
    });

    test('keys and values are kept exactly, whatever they hold', async () => {
      const { store, reopen } = await create();
      const texts = [
        '',
        '12',
        '__proto__',
        'constructor',
        'a\nb',
        '\u2028',
        '😀',
        '\ud800',
        '"',
        '\\',
        'x'.repeat(100_000),
      ];
      const put = new Map(texts.map((text) => [text, { text, deep: { list: [null, true, -0.5, text] } }]));
      await commitAll(store, 'prospects', [{ links: { put }, facts: { put: new Map([['__proto__', 'mine']]) } }]);
      const state = await reopen().sync('prospects').load();
      expect(new Map(state.links)).toEqual(put);
      expect([...state.facts]).toEqual([['__proto__', 'mine']]);
    });

    test('a state that was loaded stays as it was when more is committed', async () => {
      const { store } = await create();
      const before = await commitAll(store, 'prospects', [{ links: { put: new Map([['c1', row('old')]]) } }]);
      await commitAll(store, 'prospects', [{ links: { put: new Map([['c1', row('new')]]) } }]);
      expect(before.links.get('c1')).toEqual(row('old'));
    });

    test('syncs know nothing of each other', async () => {
      const { store, reopen } = await create();
      const names = ['prospects', 'a/b', '..', '.hidden', 'Üñï 😀'];
      for (const sync of names) await commitAll(store, sync, [{ facts: { put: new Map([['name', sync]]) } }]);
      for (const sync of names) expect((await reopen().sync(sync).load()).facts.get('name')).toBe(sync);
    });

    test('commits are applied in the order of the calls, also when nobody waits for them', async () => {
      const { store, reopen } = await create();
      {
        await using lease = await store.sync('prospects').acquireLease();
        await lease.load();
        const commits = Array.from({ length: 20 }, (_, index) =>
          lease.commit({
            facts: {
              put: new Map([
                ['last', index],
                [`fact ${index}`, index],
              ]),
            },
          }),
        );
        await Promise.all(commits);
      }
      const { facts } = await reopen().sync('prospects').load();
      expect([facts.get('last'), facts.size]).toEqual([19, 21]);
    });

    test('a lease sees what another process committed before', async () => {
      const { store, reopen } = await create();
      const other = reopen();
      await commitAll(store, 'prospects', [{ facts: { put: new Map([['by', 'first']]) } }]);
      await commitAll(other, 'prospects', [{ facts: { put: new Map([['by', 'second']]) } }]);
      expect((await commitAll(store, 'prospects', [])).facts.get('by')).toBe('second');
    });

    test('W18: a glance has the links that are named and all facts of the last commit, and changes nothing', async () => {
      const { store, reopen } = await create();
      {
        await using lease = await store.sync('prospects').acquireLease();
        expect(await lease.glance([])).toBeUndefined();
        await lease.load();
        const links = new Map(['a', 'b', 'c'].map((uuid) => [uuid, { agreed: `["${uuid}"]` }]));
        await lease.commit({ links: { put: links }, facts: { put: new Map([['n', 1]]) } });
      }
      const other = reopen();
      await other.sync('prospects').addRequest({ command: 'retry' });
      await using lease = await other.sync('prospects').acquireLease();
      const seen = await lease.glance(['b', 'none']);
      expect([seen?.links.get('b'), seen?.links.has('none'), seen?.facts.get('n')]).toEqual([
        { agreed: '["b"]' },
        false,
        1,
      ]);
      expect([seen?.requests.size, seen?.notices]).toEqual([1, []]);
      const many = await lease.glance([
        'a',
        'none',
        'c',
        ...Array.from({ length: 20 }, (_, index) => `other-${index}`),
      ]);
      expect([many?.links.get('a'), many?.links.get('c')]).toEqual([{ agreed: '["a"]' }, { agreed: '["c"]' }]);
      const change = { facts: { put: new Map([['n', 2]]) } };
      await expect(lease.commit(change)).rejects.toThrow('follow a load');
      await lease.load();
      await lease.commit(change);
      expect((await lease.glance([]))?.facts.get('n')).toBe(2);
    });

    test('reading needs no lease and sees the last commit', async () => {
      const { store, reopen } = await create();
      await using lease = await store.sync('prospects').acquireLease();
      await lease.load();
      await lease.commit({ facts: { put: new Map([['n', 1]]) } });
      expect((await reopen().sync('prospects').load()).facts.get('n')).toBe(1);
      expect((await store.sync('prospects').load()).facts.get('n')).toBe(1);
    });
  });

  describe(`${name}: requests`, () => {
    test('one is added while a run holds the lease, and is there for the next load, oldest first', async () => {
      const { store, reopen } = await create();
      await using lease = await store.sync('prospects').acquireLease();
      expect((await lease.load()).requests.size).toBe(0);
      const id = await reopen().sync('prospects').addRequest({ command: 'retry', id: 'row:17' });
      expect([...(await lease.load()).requests]).toEqual([[id, { command: 'retry', id: 'row:17' }]]);
    });

    test('many of one instant, of several processes, are read in the order in which they were added', async () => {
      const { store, reopen } = await create();
      const order: number[] = [];
      for (let number = 0; number < 40; number += 1) {
        const process = number % 3 === 0 ? reopen() : store;
        await process.sync('prospects').addRequest({ command: 'retry', number });
        order.push(number);
      }
      const { requests } = await reopen().sync('prospects').load();
      expect([...requests.values()].map(({ number }) => number)).toEqual(order);
    });

    test('E1: one is done together with what was done for it, and does not come back', async () => {
      const { store, reopen } = await create();
      const first = await store.sync('prospects').addRequest({ command: 'approve' });
      const second = await store.sync('prospects').addRequest({ command: 'retry' });
      await commitAll(store, 'prospects', [{ facts: { put: new Map([['approved', true]]) }, doneRequests: [first] }]);
      const state = await reopen().sync('prospects').load();
      expect([...state.requests.keys()]).toEqual([second]);
      expect(state.facts.get('approved')).toBe(true);
      await commitAll(store, 'prospects', [{ doneRequests: [second] }]);
      expect((await reopen().sync('prospects').load()).requests.size).toBe(0);
    });
  });

  describe(`${name}: lease`, () => {
    test('W7: of many that want it one has it at any time', async () => {
      const { store, reopen } = await create();
      let inside = 0;
      let insideMax = 0;
      const one = async (each: Store) => {
        await using lease = await each.sync('prospects').acquireLease();
        inside += 1;
        insideMax = Math.max(insideMax, inside);
        await lease.load();
        inside -= 1;
      };
      await Promise.all([store, reopen(), reopen(), store].map((each) => one(each)));
      expect(insideMax).toBe(1);
    });

    test('W7: taken, it is waited for and then refused, naming host and process', async () => {
      const { store, reopen } = await create();
      await using _ = await store.sync('prospects').acquireLease();
      const refused = reopen().sync('prospects').acquireLease({ waitMs: 100 });
      await expect(refused).rejects.toThrow(LeaseTakenError);
      await expect(refused).rejects.toThrow(/being run by process 1 on here/);
      await using other = await reopen().sync('feed').acquireLease({ waitMs: 0 });
      expect(other).toBeDefined();
    });

    test('H1: each lease of a sync has a greater epoch than all before it, of any process', async () => {
      const { store, reopen } = await create();
      const epochs: number[] = [];
      for (const each of [store, reopen(), store, reopen()]) {
        await using lease = await each.sync('prospects').acquireLease();
        epochs.push(lease.epoch);
      }
      expect(epochs).toEqual([1, 2, 3, 4]);
      await using other = await store.sync('feed').acquireLease();
      expect(other.epoch).toBe(1);
    });

    test('H3: a lease lasts as long as nobody can take it over, and no longer than until it is given back', async () => {
      const { store } = await create();
      const lease = await store.sync('prospects').acquireLease();
      expect(lease.remainingMs()).toBeGreaterThan(0);
      await lease[Symbol.asyncDispose]();
      expect(lease.remainingMs()).toBe(0);
    });

    test('a wait for it ends when the signal says so', async () => {
      const { store, reopen } = await create();
      await using _ = await store.sync('prospects').acquireLease();
      const reason = new Error('stop');
      const waiting = reopen()
        .sync('prospects')
        .acquireLease({ signal: AbortSignal.abort(reason) });
      await expect(waiting).rejects.toBe(reason);
      const controller = new AbortController();
      const aborted = reopen().sync('prospects').acquireLease({ signal: controller.signal });
      controller.abort(reason);
      await expect(aborted).rejects.toThrow(/stop|abort/i);
    });
  });

  describe(`${name}: runs`, () => {
    const at = (minute: number) => `2026-01-31T09:${String(minute).padStart(2, '0')}:00.000Z`;
    const append = async (store: Store, sync: string, records: readonly ReturnType<typeof runRecord>[]) => {
      await using lease = await store.sync(sync).acquireLease();
      for (const record of records) await lease.appendRun(record);
    };
    const idsOf = (records: readonly { readonly run: string }[]) => records.map(({ run }) => run);

    test('S6: reports come back whole, newest first, page by page', async () => {
      const { store, reopen } = await create();
      const records = [1, 2, 3, 4, 5].map((n) => runRecord(`r${n}`, at(n), { problems: [{ id: `p"${n}` }], n }));
      await append(store, 'prospects', records);
      await append(store, 'feed', [runRecord('other', at(9))]);
      const state = reopen().sync('prospects');
      expect(await state.readRuns({ limit: 10 })).toEqual(records.toReversed());
      const first = await state.readRuns({ limit: 2 });
      expect(idsOf(first)).toEqual(['r5', 'r4']);
      const second = await state.readRuns({ limit: 2, before: 'r4' });
      expect(idsOf(second)).toEqual(['r3', 'r2']);
      expect(idsOf(await state.readRuns({ limit: 2, before: 'r2' }))).toEqual(['r1']);
      expect(await state.readRun('r3')).toEqual(records[2]);
      expect(await state.readRun('other')).toBeUndefined();
      expect(await reopen().sync('unheard-of').readRuns({ limit: 1 })).toEqual([]);
    });

    test('S6: the order is that in which they were kept, whatever the clock says, and an id may hold anything', async () => {
      const { store } = await create();
      const ids = ['a', 'b', 'b/../c', 'd.json', 'é 😀'];
      await append(
        store,
        'prospects',
        ids.map((id, index) => runRecord(id, at(index === 2 ? 0 : 1))),
      );
      const state = store.sync('prospects');
      const seen: string[] = [];
      for (let page = await state.readRuns({ limit: 2 }); page.length > 0;) {
        seen.push(...idsOf(page));
        page = await state.readRuns({ limit: 2, before: page.at(-1)!.run });
      }
      expect(seen).toEqual(ids.toReversed());
      expect(await state.readRuns({ limit: 2, before: 'unheard-of' })).toEqual([]);
      for (const id of ids) expect(await state.readRun(id)).toMatchObject({ run: id });
    });

    test('S6: a report that is appended again stands once', async () => {
      const { store } = await create();
      await append(store, 'prospects', [runRecord('r1', at(1)), runRecord('r1', at(1), { n: 2 })]);
      expect(await store.sync('prospects').readRuns({ limit: 9 })).toEqual([runRecord('r1', at(1), { n: 2 })]);
    });

    test('one is read while another process holds the lease', async () => {
      const { store, reopen } = await create();
      await using lease = await store.sync('prospects').acquireLease();
      await lease.appendRun(runRecord('r1', at(1)));
      expect(idsOf(await reopen().sync('prospects').readRuns({ limit: 1 }))).toEqual(['r1']);
    });
  });

  describe(`${name}: pages of reports`, () => {
    const at = (minute: number) => `2026-01-31T09:${String(minute).padStart(2, '0')}:00.000Z`;
    const report = (run: string, minute: number, status = 'succeeded') => ({ ...runRecord(run, at(minute)), status });
    /** Newest first: of one instant by job, and of one job the one stored last first. */
    const ordered = ['a6', 'b5', 'a4', 'a3', 'b3', 'b2', 'a2', 'b1'];
    const createReports = async () => {
      const { store, reopen } = await create();
      const append = async (sync: string, records: readonly ReturnType<typeof report>[]) => {
        await using lease = await store.sync(sync).acquireLease();
        for (const record of records) await lease.appendRun(record);
      };
      await append('b', [report('b1', 1), report('b2', 3, 'failed'), report('b3', 3), report('b5', 5)]);
      // The clock was set back before the second one.
      await append('a', [report('a3', 3, 'failed'), report('a2', 2), report('a4', 4, 'failed'), report('a6', 6)]);
      return { store, reopen };
    };
    const jobs = ['b', 'unheard-of', 'a'];
    const idsOf = ({ runs }: RunsPage) => runs.map(({ record }) => record.run);
    /** All pages in one direction, from one end to the other. */
    const walk = async (store: Store, query: RunsPageQuery, direction: 'after' | 'before', from?: RunPlace) => {
      const pages: string[][] = [];
      for (let place = from; ;) {
        const page = await store.runsPage({ ...query, ...(place && { [direction]: place }) });
        pages.push(idsOf(page));
        place = (direction === 'after' ? page.runs.at(-1) : page.runs[0])?.place;
        if (!page.hasMore) return pages;
      }
    };

    test.each([false, true])(
      'come in the order of their ends, from either end; after keepIndex: %s',
      async (isKept) => {
        const { reopen } = await createReports();
        const reader = reopen();
        if (isKept) await reader.keepIndex();
        const [first, ...rest] = (await reader.runsPage({ jobs, limit: 99 })).runs;
        const last = rest.at(-1)!;
        expect([first, ...rest].map((each) => each?.record.run)).toEqual(ordered);
        expect(first).toEqual({
          place: { endedAt: at(6), job: 'a', order: first!.place.order },
          record: report('a6', 6),
        });
        for (const limit of [1, 2, 3, 7, 8, 9]) {
          const forth = await walk(reader, { jobs, limit }, 'after');
          expect(forth.flat()).toEqual(ordered);
          expect(forth).toHaveLength(Math.ceil(8 / limit));
          // The page before the first one found is the nearest one, in the same order.
          const back = await walk(reader, { jobs, limit }, 'before', last.place);
          expect(back.toReversed().flat()).toEqual(ordered.slice(0, -1));
          expect(back).toHaveLength(Math.ceil(7 / limit));
        }
        expect(await reader.runsPage({ jobs, limit: 1, before: first!.place })).toEqual({ runs: [], hasMore: false });
        expect(await reader.runsPage({ jobs, limit: 1, after: last.place })).toEqual({ runs: [], hasMore: false });
        expect(await reader.runsPage({ jobs: [], limit: 1 })).toEqual({ runs: [], hasMore: false });
      },
    );

    test.each([false, true])(
      'of one job, of a status or of one run have no other; after keepIndex: %s',
      async (isKept) => {
        const { reopen } = await createReports();
        const reader = reopen();
        if (isKept) await reader.keepIndex();
        const pagesOf = (query: Omit<RunsPageQuery, 'limit'>) => walk(reader, { ...query, limit: 2 }, 'after');
        expect(await pagesOf({ jobs: ['a'] })).toEqual([
          ['a6', 'a4'],
          ['a3', 'a2'],
        ]);
        expect(await pagesOf({ jobs, status: 'failed' })).toEqual([['a4', 'a3'], ['b2']]);
        expect(await pagesOf({ jobs: ['b'], status: 'failed' })).toEqual([['b2']]);
        expect(await pagesOf({ jobs, run: 'a3' })).toEqual([['a3']]);
        expect(await pagesOf({ jobs, run: 'a3', status: 'succeeded' })).toEqual([[]]);
        expect(await pagesOf({ jobs: ['b'], run: 'a3' })).toEqual([[]]);
      },
    );

    test.each([false, true])('the last runs of each job are told in brief; after keepIndex: %s', async (isKept) => {
      const { store, reopen } = await createReports();
      const reader = reopen();
      if (isKept) await reader.keepIndex();
      const idsByJob = async (limit: number) => {
        const found = await reader.lastRuns({ jobs, limit });
        return Object.fromEntries([...found].map(([job, runs]) => [job, runs.map(({ run }) => run)]));
      };
      expect((await reader.lastRuns({ jobs, limit: 1 })).get('a')).toEqual([
        { run: 'a6', endedAt: at(6), status: 'succeeded' },
      ]);
      expect(await idsByJob(1)).toEqual({ a: ['a6'], b: ['b5'] });
      expect(await idsByJob(3)).toEqual({ a: ['a6', 'a4', 'a3'], b: ['b5', 'b3', 'b2'] });
      expect(await idsByJob(9)).toEqual({ a: ['a6', 'a4', 'a3', 'a2'], b: ['b5', 'b3', 'b2', 'b1'] });
      await using lease = await store.sync('a').acquireLease();
      await lease.appendRun(report('a7', 7, 'failed'));
      expect(await idsByJob(1)).toEqual({ a: ['a7'], b: ['b5'] });
    });
  });

  describe(`${name}: a look at some links`, () => {
    const links = new Map<string, JsonObject>([
      ['u-1', { agreed: '["Ann","Lee","ann@firm.io"]' }],
      ['u-10', { agreed: '["Jos\u00e9","O\\"Neil","jose@firm.io"]' }],
      ['u-2', { agreed: '["x","y",null]', crm: '["ANNA","Lee",null]' }],
    ]);
    const state = { put: links } as const;
    /** Each in the form of `JSON.stringify`, as records are stored, and the words by which it is found. */
    const hardNames: readonly (readonly [string, readonly string[]])[] = [
      ['Jose\u0301 Nun\u0303ez', ['jos\u00e9', 'nu\u00f1ez']],
      ['\u039f\u0394\u039f\u03a3', ['\u03bf\u03b4\u03bf\u03c2']],
      ["O'\u03a3 d\u2019Arc", ['d', 'arc']],
      ['Tab\tbed "Quote" \\n', ['tab', 'bed', 'quote']],
      ['\ud83d\ude00 Smile\ud800', ['smile']],
      ['\u0130stanbul', ['stanbul']],
      ['李 小龙', ['李', '小龙']],
    ];
    const keysOf = (loaded: LoadedState) => [...loaded.links.keys()];

    test('misses no record, in whatever form its text is', async () => {
      const { store, reopen } = await create();
      const put = new Map(
        hardNames.map(([text], index): [string, JsonObject] => [
          `u-${index}`,
          { agreed: JSON.stringify([text, null]) },
        ]),
      );
      await commitAll(store, 'prospects', [{ links: { put } }]);
      for (const [index, [, words]] of hardNames.entries()) {
        const { links: found, isExact } = await reopen().sync('prospects').loadSome({ terms: words });
        expect({ isExact, keys: [...found.keys()] }).toEqual({
          isExact: true,
          keys: expect.arrayContaining([`u-${index}`]),
        });
      }
    });

    test('has the records that are wanted by key, by term or by word, and counts', async () => {
      const { store, reopen } = await create();
      await using lease = await store.sync('prospects').acquireLease();
      await lease.load();
      const ledger = new Map([
        ['u-1 a', { state: 'enrolled' }],
        ['u-1 b', { state: 'waiting' }],
        ['u-11 a', { state: 'enrolled' }],
      ]);
      await lease.commit({ links: state, ledger: { put: ledger }, facts: { put: new Map([['n', 1]]) } });
      const look = async (wanted: Parameters<ReturnType<Store['sync']>['loadSome']>[0]) =>
        reopen().sync('prospects').loadSome(wanted);
      for (const again of [false, true]) {
        expect(keysOf(await look({ keys: ['u-1'] }))).toContain('u-1');
        expect(keysOf(await look({ terms: ['lee'] }))).toEqual(expect.arrayContaining(['u-1', 'u-2']));
        const byWords = await look({ terms: ['jos\u00e9'], words: ['jos\u00e9', 'neil'] });
        expect(keysOf(byWords)).toContain('u-10');
        const found = await look({ keys: ['u-2', 'u-1'] });
        expect(found.links.get('u-2')).toEqual(links.get('u-2'));
        expect([...found.ledger.keys()]).toEqual(expect.arrayContaining(['u-1 a', 'u-1 b']));
        expect(found.ledger.get('u-1 a')).toEqual({ state: 'enrolled' });
        expect(found.facts).toEqual(new Map([['n', 1]]));
        const { counts, facts } = await look({ counted: ['enrol', 'lee', 'nobody'] });
        expect(counts).toEqual(
          new Map([
            ['enrol', 2],
            ['lee', 2],
            ['nobody', 0],
          ]),
        );
        expect(facts.get('n')).toBe(1);
        if (again) break;
        // Written since: the look is of the last commit.
        await lease.commit({ links: { put: new Map([['u-3', { agreed: '["Bo"]' }]]), delete: ['u-1'] } });
        expect(keysOf(await look({ terms: ['bo'], words: ['bo'] }))).toContain('u-3');
        expect(keysOf(await look({ keys: ['u-1'] }))).not.toContain('u-1');
        await lease.commit({ links: { ...state, delete: ['u-3'] } });
      }
      expect(
        keysOf(
          await reopen()
            .sync('unheard-of')
            .loadSome({ keys: ['u-1'] }),
        ),
      ).toEqual([]);
    });
  });

  describe(`${name}: a look at several jobs`, () => {
    const texts = (...names: readonly string[]) =>
      new Map(names.map((each, index): [string, JsonObject] => [`u-${index}`, { agreed: JSON.stringify([each]) }]));
    const wanted = { keys: ['u-1'], counted: ['lee'] };

    test('has of each job what a look at it alone has, at its last commit', async () => {
      const { store, reopen } = await create();
      await commitAll(store, 'prospects', [
        { links: { put: texts('Ann Lee', 'Bob') }, facts: { put: new Map([['n', 1]]) } },
      ]);
      await commitAll(store, 'a b', [
        { links: { put: texts('Cy', 'Lee', 'Lee') }, facts: { put: new Map([['n', 2]]) } },
      ]);
      const names = ['prospects', 'unheard-of', 'a b', 'prospects'];
      const reader = reopen();
      const expectAll = async () => {
        const found = await reader.loadSomeOf(names, wanted);
        expect([...found.keys()]).toEqual(['prospects', 'unheard-of', 'a b']);
        for (const [job, some] of found) {
          const alone = await reader.sync(job).loadSome(wanted);
          expect(some.links.get('u-1')).toEqual(alone.links.get('u-1'));
          const whole = ({ facts, requests, counts, notices }: typeof some) => {
            return { facts, requests, counts, kinds: notices.map(({ kind }) => kind) };
          };
          expect(whole(some)).toEqual(whole(alone));
        }
        return found;
      };
      const first = await expectAll();
      expect(first.get('a b')?.links.get('u-1')).toEqual({ agreed: '["Lee"]' });
      expect(first.get('a b')?.counts).toEqual(new Map([['lee', 2]]));
      expect(first.get('unheard-of')?.notices.map(({ kind }) => kind)).toEqual(['absent']);
      await reader.keepIndex();
      await expectAll();
      // Written since, by another process: records, a fact and a request.
      await commitAll(store, 'prospects', [
        { links: { put: new Map([['u-1', { agreed: '["Bo Lee"]' }]]) }, facts: { put: new Map([['n', 3]]) } },
      ]);
      const id = await store.sync('a b').addRequest({ kind: 'retry', id: 'x' });
      const second = await expectAll();
      expect(second.get('prospects')?.links.get('u-1')).toEqual({ agreed: '["Bo Lee"]' });
      expect(second.get('prospects')?.counts).toEqual(new Map([['lee', 2]]));
      expect(second.get('prospects')?.facts).toEqual(new Map([['n', 3]]));
      expect([...(second.get('a b')?.requests.keys() ?? [])]).toEqual([id]);
      // Nothing was written since.
      expect(await reader.loadSomeOf(names, wanted)).toEqual(second);
    });

    test('of no job has nothing', async () => {
      const { store } = await create();
      expect(await store.loadSomeOf([], wanted)).toEqual(new Map());
    });
  });

  describe(`${name}: rows`, () => {
    test('the rows that a run noted last are read by another process', async () => {
      const { store, reopen } = await create();
      expect(await store.sync('prospects').readRows()).toBeUndefined();
      await using lease = await store.sync('prospects').acquireLease();
      await lease.load();
      const first = new Map([
        [2, 'c1'],
        [5, 'c"2'],
      ]);
      await lease.noteRows(first);
      expect(await reopen().sync('prospects').readRows()).toEqual(first);
      await lease.noteRows(new Map([[3, 'c1']]));
      await lease.noteRows(new Map([[3, 'c1']]));
      expect(await reopen().sync('prospects').readRows()).toEqual(new Map([[3, 'c1']]));
      await lease.noteRows(new Map());
      expect(await reopen().sync('prospects').readRows()).toEqual(new Map());
      expect(await reopen().sync('unheard-of').readRows()).toBeUndefined();
    });
  });

  describe(`${name}: heartbeat`, () => {
    test('another process reads the last one, while leases come and go', async () => {
      const { store, reopen } = await create();
      expect(await store.readHeartbeat()).toBeUndefined();
      await using lease = await store.sync('prospects').acquireLease();
      await lease.load();
      await store.writeHeartbeat({ state: 'running', syncs: [{ name: 'prospects', told: null }] });
      expect(await reopen().readHeartbeat()).toEqual({ state: 'running', syncs: [{ name: 'prospects', told: null }] });
      await store.writeHeartbeat({ state: 'ended' });
      expect(await reopen().readHeartbeat()).toEqual({ state: 'ended' });
    });
  });

  describe(`${name}: logins`, () => {
    test('they outlive the process, whole, beside jobs of any name', async () => {
      const { store, reopen } = await create();
      expect(await store.readLogins()).toBeUndefined();
      await store.changeLogins(() => ({ sessions: [{ name: 'ann' }], logins: [] }));
      expect(await reopen().readLogins()).toEqual({ sessions: [{ name: 'ann' }], logins: [] });
      await store.changeLogins((stored) => ({ ...stored, sessions: [] }));
      expect(await reopen().readLogins()).toEqual({ sessions: [], logins: [] });
      expect(await reopen().readHeartbeat()).toBeUndefined();
    });
  });

  describe(`${name}: history`, () => {
    const collect = async (store: Store, query: Parameters<Store['history']>[0]) =>
      (await Array.fromAsync(store.history(query))).map(({ time }) => time.slice(11, 16));

    test('L12: lines come back in order, asked for by sync, run, contact and time', async () => {
      const { store, reopen } = await create();
      const append = async (sync: string, lines: readonly ReturnType<typeof historyLine>[]) => {
        await using lease = await store.sync(sync).acquireLease();
        await lease.appendHistory(lines);
      };
      await append('prospects', [
        historyLine('2026-01-31T09:00:00.000Z'),
        historyLine('2026-01-31T11:00:00.000Z', { run: 'run-2', contact: 'c2' }),
      ]);
      await append('feed', [historyLine('2026-01-31T10:00:00.000Z', { sync: 'feed', contact: null })]);
      await append('prospects', []);
      const other = reopen();
      expect(await collect(other, {})).toEqual(['09:00', '10:00', '11:00']);
      expect(await collect(other, { sync: 'prospects' })).toEqual(['09:00', '11:00']);
      expect(await collect(other, { run: 'run-2' })).toEqual(['11:00']);
      expect(await collect(other, { contact: 'c1' })).toEqual(['09:00']);
      expect(await collect(other, { since: Date.UTC(2026, 0, 31, 10) })).toEqual(['10:00', '11:00']);
      expect(await collect(other, { sync: 'unheard-of' })).toEqual([]);
      expect(await collect(other, { sync: [] })).toEqual([]);
      expect(await collect(other, { sync: ['unheard-of'] })).toEqual([]);
    });

    test('a page has the lines that match, from either end, and says where the next one begins', async () => {
      const { store, reopen } = await create();
      const at = (minute: number) => `2026-01-31T09:${String(minute).padStart(2, '0')}:00.000Z`;
      const append = async (sync: string, minutes: readonly number[]) => {
        await using lease = await store.sync(sync).acquireLease();
        const about = (minute: number) => ({
          sync,
          contact: `c${minute % 3}`,
          run: `r${minute % 2}`,
          field: `f${minute % 4}`,
        });
        await lease.appendHistory(minutes.map((minute) => historyLine(at(minute), about(minute))));
      };
      await append('prospects', [1, 2, 3, 4, 7, 8, 9]);
      await append('feed', [0, 3, 5, 6, 10]);
      await append('third', [11, 12]);
      const other = reopen();
      const walk = async (query: Parameters<Store['historyPage']>[0]) => {
        const seen: string[] = [];
        let after: string | undefined;
        do {
          const { lines, next } = await other.historyPage({ ...query, ...(after !== undefined && { after }) });
          expect(lines.length).toBeLessThanOrEqual(query.limit);
          seen.push(...lines.map(({ time, sync }) => `${Number(time.slice(14, 16))}${sync === 'feed' ? 'f' : ''}`));
          after = next;
        } while (after !== undefined);
        return seen.join(' ');
      };
      for (const limit of [1, 2, 3, 12, 99]) {
        const two = ['prospects', 'feed', 'unheard-of'];
        expect(await walk({ limit, sync: two })).toBe('0f 1 2 3f 3 4 5f 6f 7 8 9 10f');
        expect(await walk({ limit, sync: two, newestFirst: true })).toBe('10f 9 8 7 6f 5f 4 3 3f 2 1 0f');
        expect(await walk({ limit })).toBe('0f 1 2 3f 3 4 5f 6f 7 8 9 10f 11 12');
        expect(await walk({ limit, sync: [] })).toBe('');
        expect(await walk({ limit, sync: ['unheard-of'] })).toBe('');
        expect(await walk({ limit, sync: ['feed', 'third'], contact: 'c0' })).toBe('0f 3f 6f 12');
        expect(await walk({ limit, sync: 'prospects', newestFirst: true })).toBe('9 8 7 4 3 2 1');
        expect(await walk({ limit, contact: 'c0', sync: two })).toBe('0f 3f 3 6f 9');
        expect(await walk({ limit, contact: 'c0', sync: 'feed' })).toBe('0f 3f 6f');
        expect(await walk({ limit, contact: 'c0', run: 'r1', until: Date.parse(at(9)) })).toBe('3f 3 9');
        expect(await walk({ limit, run: 'r0', sync: 'feed', newestFirst: true })).toBe('10f 6f 0f');
        expect(await walk({ limit, contact: 'c1', field: 'f1' })).toBe('1');
        const [since, until] = [Date.parse(at(3)), Date.parse(at(6))];
        expect(await walk({ limit, since, until })).toBe('3f 3 4 5f 6f');
        expect(await walk({ limit, since, until, newestFirst: true, sync: 'prospects' })).toBe('4 3');
      }
      expect(await walk({ limit: 5, contact: 'unheard-of' })).toBe('');
      expect(await walk({ limit: 5, sync: 'unheard-of' })).toBe('');
      expect((await other.historyPage({ limit: 99, after: 'no cursor' })).lines).toHaveLength(14);
    });

    test('a page has what was written before it was asked for, and keepIndex changes no answer', async () => {
      const { store, reopen } = await create();
      const other = reopen();
      await other.keepIndex();
      expect(await other.historyPage({ limit: 9 })).toEqual({ lines: [] });
      await using lease = await store.sync('prospects').acquireLease();
      for (const [index, minute] of ['09:00', '09:01', '09:02'].entries()) {
        await lease.appendHistory([historyLine(`2026-01-31T${minute}:00.000Z`, { contact: `c${index}` })]);
        if (index === 1) await other.keepIndex();
        const { lines } = await other.historyPage({ limit: 1, newestFirst: true });
        expect(lines).toEqual([historyLine(`2026-01-31T${minute}:00.000Z`, { contact: `c${index}` })]);
      }
      expect((await reopen().historyPage({ limit: 9, contact: 'c1' })).lines).toHaveLength(1);
    });

    test('lines that are appended at the same time are all there', async () => {
      const { store } = await create();
      await using lease = await store.sync('prospects').acquireLease();
      const minutes = ['09:00', '09:01', '09:02', '09:03'];
      await Promise.all(minutes.map((minute) => lease.appendHistory([historyLine(`2026-01-31T${minute}:00.000Z`)])));
      expect(await collect(store, {})).toEqual(minutes);
    });

    test('followed, it goes on with lines that are written later, until told to stop', async () => {
      const { store, reopen } = await create();
      await using lease = await store.sync('prospects').acquireLease();
      await lease.appendHistory([historyLine('2026-01-31T09:00:00.000Z')]);
      const controller = new AbortController();
      const seen: string[] = [];
      const reader = (async () => {
        for await (const { time } of reopen().history({ follow: true, signal: controller.signal })) {
          seen.push(time.slice(11, 16));
          if (seen.length === 1) await lease.appendHistory([historyLine('2026-01-31T12:00:00.000Z')]);
          if (seen.length === 2) void setTimeout(5).then(() => controller.abort());
        }
      })();
      await reader;
      expect(seen).toEqual(['09:00', '12:00']);
    });
  });
}
