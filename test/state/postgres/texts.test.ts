// Texts of every kind are kept exactly, and found again; the history is kept by month.
import { sample, string } from 'fast-check';
import { expect, test } from 'vitest';
import { createPostgresTrial, servePostgres } from '../../support/postgres.ts';
import { commitAll, historyLine, runRecord } from '../../support/state.ts';

const server = servePostgres();

const hard = [
  '',
  '\0',
  'a\0b',
  '\\',
  '\\0',
  '\\u0000',
  '\\#',
  '\ud800',
  '\udc00\ud800',
  '\u{10FFFF}',
  '\uFFFF',
  "'; DROP TABLE jobs; --",
  '{"a",NULL}',
  'NULL',
  'x'.repeat(300),
  `${'x'.repeat(300)}y`,
  `${'x'.repeat(199)}\ud83d\ude00`,
  'ü'.repeat(5_000),
];

test('keys, values, requests, names, ids and terms', async () => {
  const trial = createPostgresTrial(await server().createDatabase());
  const { store } = trial.open();
  const randomTexts = sample(string({ unit: 'binary', maxLength: 400 }), { numRuns: 60, seed: 7 });
  const texts = [...new Set([...hard, ...randomTexts])];
  const put = new Map(texts.map((text) => [text, { text, [text]: [text] }]));
  const ledger = new Map(texts.map((text) => [`${text} a`, { of: text }]));
  const names = ['plain', ...hard];
  for (const name of names) {
    await commitAll(store, name, [
      { links: { put }, ledger: { put: ledger }, facts: { put: new Map([['name', name]]) } },
    ]);
  }
  const id = await store.sync('plain').addRequest({ text: '\0\ud800' });
  const again = trial.open().store;
  for (const name of names) {
    const { links, facts } = await again.sync(name).load();
    expect(facts.get('name')).toBe(name);
    expect(new Map(links)).toEqual(put);
  }
  expect([...(await again.sync('plain').load()).requests]).toEqual([[id, { text: '\0\ud800' }]]);
  for (const text of texts) {
    const found = await again.sync('plain').loadSome({ keys: [text] });
    expect(found.links.get(text)).toEqual(put.get(text));
    expect(found.ledger.get(`${text} a`)).toEqual({ of: text });
  }
  await commitAll(store, 'plain', [{ links: { delete: texts } }]);
  expect((await again.sync('plain').load()).links.size).toBe(0);
  // All but the one that has no links any more.
  expect(await again.mayHave(names, { keys: hard })).toEqual(names.slice(1));
});

test('some records of many jobs are looked up by one statement, those without a row included', async () => {
  const trial = createPostgresTrial(await server().createDatabase());
  const names = Array.from({ length: 30 }, (_, index) => `job ${index}`);
  for (const name of names) {
    await commitAll(trial.open().store, name, [
      { links: { put: new Map(['ann', 'bob'].map((key) => [key, { of: `${name} ${key}` }])) } },
    ]);
  }
  const asked: string[] = [];
  const { store } = trial.open(
    {},
    {
      ...trial.database,
      queryRepeatable: (text, values) => {
        asked.push(text);
        return trial.database.queryRepeatable(text, values);
      },
    },
  );
  await store.loadSomeOf(names.slice(0, 1), {});
  asked.length = 0;
  const found = await store.loadSomeOf([...names, 'nowhere', 'job 1'], { keys: ['ann'], counted: ['bo'] });
  expect(asked).toHaveLength(1);
  expect([...found.keys()]).toEqual([...names, 'nowhere']);
  for (const name of names) {
    expect([...found.get(name)!.links]).toEqual([['ann', { of: `${name} ann` }]]);
    expect(found.get(name)!.counts.get('bo')).toBe(1);
  }
  expect(found.get('nowhere')).toMatchObject({ counts: new Map([['bo', 0]]), notices: [{ kind: 'absent' }] });
});

test('contacts, runs and fields of the history, and reports', async () => {
  const { store } = createPostgresTrial(await server().createDatabase()).open();
  await using lease = await store.sync('s').acquireLease();
  const time = '2026-01-31T09:00:00.000Z';
  const lines = hard.map((text) => historyLine(time, { run: text, contact: text, field: text, before: text }));
  await lease.appendHistory(lines);
  for (const text of hard) await lease.appendRun(runRecord(text, time, { text }));
  expect(await Array.fromAsync(store.history({}))).toEqual(lines);
  for (const [index, text] of hard.entries()) {
    for (const filter of [{ contact: text }, { run: text }, { field: [text] }])
      expect((await store.historyPage({ limit: 9, ...filter })).lines).toEqual([lines[index]]);
    expect(await store.sync('s').readRun(text)).toEqual(runRecord(text, time, { text }));
    expect((await store.runsPage({ jobs: ['s'], limit: 9, run: text })).runs).toHaveLength(1);
  }
});

test('lines and reports of any month are kept as long as they should, and then deleted', async () => {
  const trial = createPostgresTrial(await server().createDatabase());
  const day = 86_400_000;
  const start = Date.UTC(2026, 0, 31, 12);
  const iso = (at: number) => new Date(at).toISOString();
  /** A process on a later day. */
  const on = async (days: number, ages: readonly number[]) => {
    const now = start + days * day;
    const { store, warnings } = trial.open({ now: () => now });
    await using lease = await store.sync('s').acquireLease();
    await lease.appendHistory(ages.map((age) => historyLine(iso(now - age * day), { age: String(age) })));
    for (const age of ages) await lease.appendRun(runRecord(`r${days}-${age}`, iso(now - age * day)));
    expect(warnings).toEqual([]);
    return store;
  };
  // Also of a clock that is far ahead: a month without a partition.
  await on(0, [80, 20, 0, -800]);
  expect((await (await on(5, [])).historyPage({ limit: 9 })).lines.map(({ age }) => age)).toEqual([
    '80',
    '20',
    '0',
    '-800',
  ]);
  const later = await on(40, [0]);
  expect((await later.historyPage({ limit: 9 })).lines.map(({ age }) => age)).toEqual(['20', '0', '0', '-800']);
  expect((await later.runsPage({ jobs: ['s'], limit: 9 })).runs.map(({ record }) => record.run)).toEqual([
    'r0--800',
    'r40-0',
    'r0-0',
    'r0-20',
  ]);
  const last = await on(200, [0]);
  expect((await last.historyPage({ limit: 9 })).lines.map(({ age }) => age)).toEqual(['0', '-800']);
  const months = await trial.database.query(
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^(history|runs)_' ORDER BY relname",
  );
  expect(months.map(({ relname }) => relname)).toEqual([
    'history_2026_08',
    'history_2026_09',
    'history_other',
    'runs_2026_08',
    'runs_2026_09',
    'runs_other',
  ]);
});
