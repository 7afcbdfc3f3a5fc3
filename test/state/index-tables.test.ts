// What stands in the tables of the index, and what is read from them: without the files, which would answer in their place.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HistoryPageQuery, Json, Notice } from '../../src/state/port.ts';
import {
  addSlice,
  findPlaces,
  forgetFile,
  forgetPlace,
  knownFiles,
} from '../../src/state/file/history-index-tables.ts';
import { createIndexConnection, inSnapshot, inTransaction } from '../../src/state/file/index-connection.ts';
import { isDamage, openIndexDatabase, removeIndexDatabase } from '../../src/state/file/index-database.ts';
import {
  addState,
  applyOperations,
  building,
  countTerms,
  differences,
  dropStates,
  factsIn,
  foldersWith,
  knownState,
  knownStates,
  readTables,
  readWholeTables,
  setState,
  unusual,
} from '../../src/state/file/state-index-tables.ts';
import { emptyTables, type TableName } from '../../src/state/file/tables.ts';
import { historyLine } from '../support/state.ts';

function createTrial() {
  const root = mkdtempSync(join(tmpdir(), 'index-tables-'));
  const path = join(root, '.index.sqlite');
  const opened: DatabaseSync[] = [];
  const open = () => {
    const db = openIndexDatabase(path);
    opened.push(db);
    return db;
  };
  onTestFinished(() => {
    for (const db of opened) if (db.isOpen) db.close();
    rmSync(root, { recursive: true });
  });
  return { root, path, open, db: open() };
}

const countOf = (db: DatabaseSync, table: string) =>
  Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']);

/** The terms of a record are its words. */
const termsOf = (_: TableName, __: string, record: Json) => JSON.stringify(record).replaceAll('"', '').split(' ');

describe('W18: the states of jobs in the index', () => {
  const operations: readonly (readonly [TableName, string, Json])[] = [
    ['links', 'u-1', 'ann lee'],
    ['links', 'u-10', 'anna'],
    ['links', 'u-2', 'bob'],
    ['ledger', 'u-1 a', 'sent'],
    ['ledger', 'u-1 b', 'ann'],
    ['ledger', 'u-1', 'odd'],
    ['ledger', 'u-10 a', 'sent'],
    ['ledger', 'u-2 a', 'sent lee'],
    ['strays', 's', 'ann'],
    ['facts', 'n', 1],
    ['consumed', 'r', true],
  ];

  function createJob() {
    const trial = createTrial();
    const { db } = trial;
    const [a, b] = [addState(db, 'a'), addState(db, 'b')];
    applyOperations(db, a.id, operations, termsOf);
    applyOperations(db, b.id, [['links', 'u-2', 'zoe']], termsOf);
    return { ...trial, a, b };
  }

  test('a job begins as one of which a part is written, and is there once', () => {
    const { db, a } = createJob();
    expect(a).toEqual({
      folder: 'a',
      id: a.id,
      turn: 0,
      stamps: building,
      generation: 0,
      seq: 0,
      logEnd: 0,
      logTail: '',
      basis: '',
    });
    expect(addState(db, 'a')).toEqual(a);
    expect(knownState(db, 'none')).toBeUndefined();
    expect(unusual('s')).toBe('files s');
  });

  test('each writing of a position counts one turn', () => {
    const { db, a, b } = createJob();
    const position = { generation: 2, seq: 3, logEnd: 4, logTail: 'tail', stamps: 'stamps', basis: 'basis' };
    const taken = setState(db, a, { ...a, ...position });
    expect(taken).toEqual({ ...a, ...position, turn: 1 });
    expect(knownState(db, 'a')).toEqual(taken);
    expect(knownState(db, 'b')).toEqual(b);
    expect(setState(db, taken, taken).turn).toBe(2);
  });

  test('what is known of all jobs follows what this and other connections write', () => {
    const { db, open, a } = createJob();
    const other = open();
    expect(knownStates(db)('a')?.turn).toBe(0);
    setState(db, a, a);
    expect(knownStates(db)('a')?.turn).toBe(1);
    setState(other, { ...a, turn: 5 }, a);
    expect(knownStates(db)('a')?.turn).toBe(6);
    expect(knownStates(db)('c')).toBeUndefined();
    addState(db, 'c');
    expect(knownStates(db)('c')?.folder).toBe('c');
    addState(other, 'd');
    expect(knownStates(db)('d')?.folder).toBe('d');
    dropStates(db, new Set(['a']));
    expect(['a', 'b', 'c', 'd'].map((folder) => knownStates(db)(folder)?.folder)).toEqual([
      'a',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('a job that is gone leaves nothing, and others keep all', () => {
    const { db, b } = createJob();
    dropStates(db, new Set(['a', 'b']));
    expect(countOf(db, 'states')).toBe(2);
    dropStates(db, new Set(['b', 'c']));
    expect(['states', 'records', 'terms'].map((table) => countOf(db, table))).toEqual([1, 1, 1]);
    expect(knownState(db, 'b')).toEqual(b);
  });

  test('what differs from the tables is put or removed, and nothing else', () => {
    const { db, a } = createJob();
    const tables = emptyTables();
    for (const [name, key, record] of operations) tables[name].set(key, record);
    expect([...differences(db, a.id, tables, false)]).toEqual([]);
    expect(new Set(differences(db, a.id, tables, true))).toEqual(new Set(operations));
    tables.links.set('u-2', 'rob');
    tables.links.delete('u-10');
    tables.strays.set('t', 'new');
    tables.consumed.clear();
    expect([...differences(db, a.id, tables, false)]).toEqual([
      ['links', 'u-2', 'rob'],
      ['links', 'u-10', undefined],
      ['strays', 't', 'new'],
      ['consumed', 'r', undefined],
    ]);
  });

  test.each([999, 1_000, 1_001, 2_000, 2_001])('of %i records that are gone each is removed once', (count) => {
    const { db } = createTrial();
    const { id } = addState(db, 'many');
    const keys = Array.from({ length: count }, (_, index) => `u-${index}`);
    inTransaction(db, () => {
      applyOperations(
        db,
        id,
        keys.map((key) => ['links', key, ''] as const),
        () => [],
      );
    });
    const removed = [...differences(db, id, emptyTables(), false)];
    expect(removed).toHaveLength(count);
    expect(new Set(removed.map(([, key]) => key))).toEqual(new Set(keys));
    applyOperations(db, id, removed, () => []);
    expect(countOf(db, 'records')).toBe(0);
  });

  test('a record that is put again has its new terms alone, and one that is removed has none', () => {
    const { db, a } = createJob();
    applyOperations(
      db,
      a.id,
      [
        ['links', 'u-1', 'cy cy'],
        ['links', 'u-10', undefined],
      ],
      termsOf,
    );
    const found = (term: string) => [...readTables(db, a.id, emptyTables(), { terms: [term] }).links];
    expect([found('ann'), found('lee'), found('anna'), found('cy')]).toEqual([[], [], [], [['u-1', 'cy cy']]]);
    expect([...readTables(db, a.id, emptyTables(), { keys: ['u-10'] }).links]).toEqual([]);
  });

  test('the tables of which a look has all come whole, with links and ledger empty', () => {
    const { db, a, b } = createJob();
    const whole = emptyTables();
    whole.strays.set('s', 'ann');
    whole.facts.set('n', 1);
    whole.consumed.set('r', true);
    expect(readWholeTables(db, a.id)).toEqual(whole);
    expect(readWholeTables(db, b.id)).toEqual(emptyTables());
    expect(factsIn(db, a.id)).toEqual(new Map([['n', 1]]));
    expect(factsIn(db, b.id)).toEqual(new Map());
  });

  test('a look has the records of its keys and terms, with the entries of the ledger of each link', () => {
    const { db, a, b } = createJob();
    const whole = readWholeTables(db, a.id);
    const keysOf = (wanted: Parameters<typeof readTables>[3], id = a.id) => {
      const { links, ledger } = readTables(db, id, whole, wanted);
      return [[...links.keys()].toSorted(), [...ledger.keys()].toSorted()];
    };
    expect(keysOf({})).toEqual([[], []]);
    expect(keysOf({ keys: ['u-1'] })).toEqual([['u-1'], ['u-1', 'u-1 a', 'u-1 b']]);
    expect(keysOf({ keys: ['u-2', 'none'] })).toEqual([['u-2'], ['u-2 a']]);
    expect(keysOf({ keys: ['u-1 a'] })).toEqual([[], ['u-1 a']]);
    expect(keysOf({ terms: ['anna'] })).toEqual([['u-10'], ['u-10 a']]);
    // Of a term in the ledger there is that entry, without its link.
    expect(keysOf({ terms: ['sent'] })).toEqual([[], ['u-1 a', 'u-10 a', 'u-2 a']]);
    expect(keysOf({ terms: ['ann'] })).toEqual([['u-1'], ['u-1 a', 'u-1 b']]);
    expect(keysOf({ terms: ['an'] })).toEqual([[], []]);
    expect(keysOf({ keys: ['u-2'], terms: ['lee'] })).toEqual([
      ['u-1', 'u-2'],
      ['u-1 a', 'u-1 b', 'u-2 a'],
    ]);
    expect(keysOf({ keys: ['u-2'] }, b.id)).toEqual([['u-2'], []]);
    const found = readTables(db, a.id, whole, { keys: ['u-1'] });
    expect([found.links.get('u-1'), found.ledger.get('u-1 b')]).toEqual(['ann lee', 'ann']);
    expect(found.strays).toBe(whole.strays);
    expect(whole.links.size + whole.ledger.size).toBe(0);
  });

  test('the jobs that have a key or a term are found, by links and by the ledger', () => {
    const { db } = createJob();
    const found = (wanted: Parameters<typeof foldersWith>[1]) => [...new Set(foldersWith(db, wanted))].toSorted();
    expect(found({})).toEqual([]);
    expect(found({ keys: ['u-2'] })).toEqual(['a', 'b']);
    expect(found({ keys: ['u-1'] })).toEqual(['a']);
    expect(found({ keys: ['u-10 a'] })).toEqual(['a']);
    // Neither links nor ledger have this key.
    expect(found({ keys: ['s'] })).toEqual([]);
    expect(found({ terms: ['zoe'] })).toEqual(['b']);
    expect(found({ terms: ['zoe', 'lee'] })).toEqual(['a', 'b']);
    expect(found({ terms: ['none'], keys: ['none'] })).toEqual([]);
  });

  test('terms are counted by how they begin, in links and in the ledger', () => {
    const { db, a, b } = createJob();
    expect(countTerms(db, a.id, { counted: ['ann', 'sent', 'lee', 'z', 'an', ''] })).toEqual(
      new Map([
        ['ann', 3],
        ['sent', 3],
        ['lee', 2],
        ['z', 0],
        ['an', 3],
        ['', 10],
      ]),
    );
    expect(countTerms(db, b.id, { counted: ['z'] })).toEqual(new Map([['z', 1]]));
    expect(countTerms(db, a.id, {})).toEqual(new Map());
  });
});

describe('the history in the index', () => {
  const at = (minute: number) => Date.UTC(2026, 0, 31, 9, minute);
  const iso = (minute: number) => new Date(at(minute)).toISOString();
  const slice = (folder: string, day: string, from: number, minutes: readonly number[]) => ({
    folder,
    day,
    ino: 7,
    from,
    to: from + 10 * minutes.length,
    lines: minutes.map((minute, index) => ({
      line: historyLine(iso(minute), {
        contact: minute % 2 === 0 ? null : `c${minute % 3}`,
        run: `r${minute % 2}`,
        field: `f${minute % 3}`,
        outcome: minute % 4 === 0 ? 'failed' : 'done',
      }),
      start: from + 10 * index,
      length: 10,
    })),
  });

  function createHistory() {
    const trial = createTrial();
    const { db } = trial;
    expect(addSlice(db, slice('a', '2026-01-31', 0, [1, 2, 3]))).toBe(true);
    expect(addSlice(db, slice('a', '2026-01-31', 30, [7, 8]))).toBe(true);
    expect(addSlice(db, slice('b', '2026-01-31', 0, [0, 3, 5]))).toBe(true);
    expect(addSlice(db, slice('b', '2026-02-01', 0, [3]))).toBe(true);
    return trial;
  }

  const places = (db: DatabaseSync, query: Partial<HistoryPageQuery> = {}, folders = ['/s/a', '/s/b']) =>
    findPlaces(db, folders, { limit: 99, ...query }, undefined).map(
      ({ time, folder }) => `${new Date(time).getUTCMinutes()}${folder}`,
    );

  test('the files of a folder are known with their sizes', () => {
    const { db } = createHistory();
    const files = knownFiles(db)('a');
    expect([...files.keys()]).toEqual(['2026-01-31']);
    expect(files.get('2026-01-31')).toMatchObject({ day: '2026-01-31', ino: 7, size: 50 });
    expect([...knownFiles(db)('b').values()].map(({ size }) => size)).toEqual([30, 10]);
    expect(knownFiles(db)('none').size).toBe(0);
  });

  test('what another connection has indexed meanwhile is not indexed twice', () => {
    const { db, open } = createHistory();
    const other = open();
    expect(knownFiles(db)('a').get('2026-01-31')?.size).toBe(50);
    // The same list as long as nothing was written.
    expect(knownFiles(db)('a')).toBe(knownFiles(db)('a'));
    expect(addSlice(other, slice('a', '2026-01-31', 50, [9]))).toBe(true);
    expect(addSlice(db, slice('a', '2026-01-31', 50, [9]))).toBe(false);
    expect(addSlice(db, slice('a', '2026-01-31', 70, [9]))).toBe(false);
    expect(addSlice(db, { ...slice('a', '2026-01-31', 60, [9]), ino: 8 })).toBe(false);
    expect(addSlice(db, slice('c', '2026-01-31', 10, [9]))).toBe(false);
    expect(knownFiles(db)('a').get('2026-01-31')?.size).toBe(60);
    expect(countOf(db, 'lines')).toBe(10);
  });

  test('a file that is forgotten leaves no line, and others stay', () => {
    const { db } = createHistory();
    forgetFile(db, knownFiles(db)('a').get('2026-01-31')!.id);
    expect(knownFiles(db)('a').size).toBe(0);
    expect(places(db)).toEqual(['0b', '3b', '3b', '5b']);
    const place = { folder: 'b', day: '2026-02-01', time: at(3), start: 0, length: 10 };
    forgetPlace(db, { ...place, day: '2026-02-02' });
    expect(places(db)).toHaveLength(4);
    forgetPlace(db, place);
    expect([...knownFiles(db)('b').keys()]).toEqual(['2026-01-31']);
    expect(places(db)).toEqual(['0b', '3b', '5b']);
  });

  test.each<[Partial<HistoryPageQuery>, string]>([
    [{}, '0b 1a 2a 3a 3b 3b 5b 7a 8a'],
    [{ newestFirst: true }, '8a 7a 5b 3b 3b 3a 2a 1a 0b'],
    [{ contact: 'c1' }, '1a 7a'],
    [{ contact: ['c1', 'c2'] }, '1a 5b 7a'],
    [{ contact: ['c1', 'none'] }, '1a 7a'],
    [{ contact: 'none' }, ''],
    [{ contact: [] }, ''],
    [{ run: 'r0' }, '0b 2a 8a'],
    [{ outcome: 'failed' }, '0b 8a'],
    [{ field: 'f2' }, '2a 5b 8a'],
    [{ field: 'f2', run: 'r0' }, '2a 8a'],
    [{ field: 'f2', run: 'r0', outcome: 'failed' }, '8a'],
    [{ contact: 'c0', field: 'f0', run: 'r1', outcome: 'done' }, '3a 3b 3b'],
    [{ since: at(3), until: at(5) }, '3a 3b 3b 5b'],
    [{ since: at(3) + 1 }, '5b 7a 8a'],
    [{ until: at(3) - 1 }, '0b 1a 2a'],
  ])('of %j there are the places %s', (query, expected) => {
    expect(places(createHistory().db, query).join(' ')).toBe(expected);
  });

  test('of one sync there are the places of its folder', () => {
    const { db } = createHistory();
    expect(places(db, { sync: 'b' }, ['/s/b']).join(' ')).toBe('0b 3b 3b 5b');
    expect(places(db, { sync: 'b', contact: 'c0' }, ['/s/b']).join(' ')).toBe('3b 3b');
    expect(places(db, { sync: 'b' }, ['/s/none'])).toEqual([]);
  });

  test('a page has one place more than its limit, and goes on after a place in either direction', () => {
    const { db } = createHistory();
    const find = (query: Partial<HistoryPageQuery>, after?: ReturnType<typeof findPlaces>[number]) =>
      findPlaces(db, ['/s/a', '/s/b'], { limit: 99, ...query }, after);
    const all = find({});
    expect(find({ limit: 2 })).toEqual(all.slice(0, 3));
    for (const [index, place] of all.entries()) {
      expect(find({}, place)).toEqual(all.slice(index + 1));
      expect(find({ newestFirst: true }, place)).toEqual(all.slice(0, index).toReversed());
    }
    expect(all[1]).toEqual({ time: at(1), folder: 'a', day: '2026-01-31', start: 0, length: 10 });
  });
});

describe('the database of the index', () => {
  test('is damaged by what SQLite says of other bytes, and by nothing else', () => {
    const failing = (errcode: unknown) => Object.assign(new Error('it says'), { errcode });
    expect([11, 26, 267, 282].map((code) => isDamage(failing(code)))).toEqual([true, true, true, true]);
    expect([0, 5, 10, 12, 25, 27].map((code) => isDamage(failing(code)))).toEqual(Array(6).fill(false));
    expect([new Error('no code'), { errcode: 11 }, undefined].map((error) => isDamage(error))).toEqual(
      Array(3).fill(false),
    );
  });

  test('is made anew over bytes that are none, and removed with its other files', () => {
    const { path, db, open } = createTrial();
    addState(db, 'a');
    db.close();
    expect(countOf(open(), 'states')).toBe(1);
    removeIndexDatabase(path);
    writeFileSync(path, 'no database '.repeat(500));
    expect(countOf(open(), 'states')).toBe(0);
  });

  test('keeps all of a work, or nothing where it fails', () => {
    const { db } = createTrial();
    expect(inTransaction(db, () => addState(db, 'a').folder)).toBe('a');
    const failing = () =>
      inTransaction(db, () => {
        addState(db, 'b');
        throw new Error('it fails');
      });
    expect(failing).toThrow('it fails');
    expect(countOf(db, 'states')).toBe(1);
    expect(inSnapshot(db, () => countOf(db, 'states'))).toBe(1);
    expect(db.isTransaction).toBe(false);
  });

  test('a full disk, where SQLite undoes the work by itself, is named as that', () => {
    const { db } = createTrial();
    const { page_count: pages } = db.prepare('PRAGMA page_count').get()!;
    db.exec(`PRAGMA max_page_count = ${String(pages)}`);
    const filling = () =>
      inTransaction(db, () => {
        for (let job = 0; job < 10_000; job += 1) addState(db, `job-${job}`);
      });
    expect(filling).toThrow('database or disk is full');
    expect(db.isTransaction).toBe(false);
    expect(countOf(db, 'states')).toBe(0);
  });

  test('what one process reads stays as it was while another one writes, and neither waits', () => {
    const { db, open } = createTrial();
    const other = open();
    other.exec('PRAGMA busy_timeout = 0');
    addState(db, 'a');
    inSnapshot(db, () => {
      expect(countOf(db, 'states')).toBe(1);
      inTransaction(other, () => addState(other, 'b'));
      expect(countOf(db, 'states')).toBe(1);
    });
    expect(countOf(db, 'states')).toBe(2);
  });

  test('a work that fails is said once, and the files answer from then on', async () => {
    const { path } = createTrial();
    const warnings: Notice[] = [];
    const { attempt } = createIndexConnection(path, { warn: (notice) => warnings.push(notice) });
    expect(await attempt(async () => 7)).toBe(7);
    const failing = async () => {
      throw new Error('it fails');
    };
    expect(await attempt(failing)).toBeUndefined();
    expect(await attempt(async () => 7)).toBeUndefined();
    expect(warnings).toEqual([
      { kind: 'unfinished', file: path, message: expect.stringMatching(/cannot be used: it fails\. Delete it/) },
    ]);
  });

  test('after a failure the work goes on once the file is deleted, as the message says', async () => {
    const { path } = createTrial();
    const warnings: Notice[] = [];
    const { attempt } = createIndexConnection(path, { warn: (notice) => warnings.push(notice) });
    await attempt(async () => 7);
    const failing = async () => {
      throw new Error('the disk is full');
    };
    await attempt(failing);
    expect(await attempt(async () => 7)).toBeUndefined();
    rmSync(path);
    // The cause is there still: it is not said again.
    expect(await attempt(failing)).toBeUndefined();
    rmSync(path, { force: true });
    expect(await attempt(async (db) => countOf(db, 'states'))).toBe(0);
    expect(await attempt(async () => 8)).toBe(8);
    expect(warnings).toHaveLength(1);
    await attempt(failing);
    expect(warnings).toHaveLength(2);
  });

  test('a damage is said once by the works that meet it, and the next work begins anew', async () => {
    const { path } = createTrial();
    const warnings: Notice[] = [];
    const { attempt } = createIndexConnection(path, { warn: (notice) => warnings.push(notice) });
    await attempt(async (db) => addState(db, 'a'));
    const damage = Promise.withResolvers<never>();
    const works = [attempt(() => damage.promise), attempt(() => damage.promise)];
    damage.reject(Object.assign(new Error('malformed'), { errcode: 11 }));
    expect(await Promise.all(works)).toEqual([undefined, undefined]);
    expect(warnings.map(({ message }) => /is damaged, and is made anew/.test(message))).toEqual([true]);
    expect(await attempt(async (db) => countOf(db, 'states'))).toBe(0);
  });
});
