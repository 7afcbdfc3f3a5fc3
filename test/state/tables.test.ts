// Batches on tables, what is shared with callers, what is kept of an idle job, and the frame of what is written.
import { describe, expect, test } from 'vitest';
import type { JsonObject, Wanted } from '../../src/state/port.ts';
import { toGlanced } from '../../src/state/file/glanced.ts';
import { forgetRequests, snapshot, ungiven } from '../../src/state/file/mirror.ts';
import { batchFromDisk, migrate, nameOnDisk } from '../../src/state/file/schema.ts';
import { seal, sealChunks, unseal, unsealBytes } from '../../src/state/file/seal.ts';
import { applyBatch, effectiveBatch, emptyTables, touchesLedger } from '../../src/state/file/tables.ts';
import { asksForFacts, countByTerms, recordFilter } from '../../src/state/file/wanted.ts';
import { trialTerms } from '../support/state.ts';

const link = (agreed: string): JsonObject => ({ agreed });

function someTables() {
  const tables = emptyTables();
  tables.links.set('a', link('one'));
  tables.links.set('b', link('two'));
  tables.ledger.set('a x', { state: 'sent' });
  tables.facts.set('n', null);
  tables.consumed.set('r1', true);
  return tables;
}

describe('the part of a batch that changes something', () => {
  test('has no record that is stored already, and no deletion of one that is not', () => {
    const batch = {
      links: {
        put: new Map([
          ['a', link('one')],
          ['b', link('new')],
          ['c', link('three')],
        ]),
      },
      ledger: { delete: ['a x', 'a x', 'b x'] },
      facts: {
        put: new Map<string, null | number>([
          ['n', null],
          ['m', null],
        ]),
      },
      doneRequests: ['r1', 'r2', 'r2'],
    };
    expect(effectiveBatch(someTables(), batch)).toEqual({
      put: { links: { b: link('new'), c: link('three') }, facts: { m: null }, consumed: { r2: true } },
      delete: { ledger: ['a x'] },
    });
  });

  test.each([
    ['nothing', {}],
    ['what is stored', { links: { put: new Map([['a', link('one')]]) }, doneRequests: ['r1'] }],
    ['deletions of nothing', { links: { delete: ['c'] }, outbox: { delete: [] } }],
  ])('of %s there is none', (_, batch) => {
    expect(effectiveBatch(someTables(), batch)).toBeUndefined();
  });

  test('a deletion alone is one, and so is a request that was done', () => {
    expect(effectiveBatch(someTables(), { links: { delete: ['a'] } })).toEqual({ put: {}, delete: { links: ['a'] } });
    expect(effectiveBatch(someTables(), { doneRequests: ['r2'] })).toEqual({
      put: { consumed: { r2: true } },
      delete: {},
    });
  });

  test('is applied to all tables, or to those that are named', () => {
    const batch = {
      put: { links: { c: link('three') }, ledger: { 'c x': { state: 'sent' } } },
      delete: { links: ['a', 'none'], ledger: ['a x'] },
    };
    const all = someTables();
    applyBatch(all, batch);
    expect([[...all.links.keys()], [...all.ledger.keys()]]).toEqual([['b', 'c'], ['c x']]);
    const some = someTables();
    applyBatch(some, batch, ['ledger', 'outbox']);
    expect([[...some.links.keys()], [...some.ledger.keys()]]).toEqual([['a', 'b'], ['c x']]);
  });

  test.each([
    [{ put: { links: {} }, delete: { facts: ['n'] } }, false],
    [{ put: { ledger: {} }, delete: {} }, true],
    [{ put: { outbox: {} }, delete: {} }, true],
    [{ put: {}, delete: { ledger: ['a'] } }, true],
    [{ put: {}, delete: { outbox: ['a'] } }, true],
    [{ put: { links: {} }, delete: { outbox: ['a'] } }, true],
    [{ put: {}, delete: {} }, false],
  ])('%j: it touches the ledger: %s', (batch, touches) => {
    expect(touchesLedger(batch)).toBe(touches);
  });
});

describe('what callers get of a state', () => {
  test('all tables but the requests that were done, and these are known as given', () => {
    const tables = someTables();
    const given = new Set<'links'>();
    const requests = new Map([
      ['r1', { number: 1 }],
      ['r2', { number: 2 }],
    ]);
    const loaded = snapshot({ tables, given }, requests, []);
    expect([...loaded.requests]).toEqual([['r2', { number: 2 }]]);
    for (const name of ['links', 'strays', 'ledger', 'outbox', 'setAside', 'facts'] as const) {
      expect(loaded[name]).toBe(tables[name]);
    }
    expect([...given].toSorted()).toEqual(['facts', 'ledger', 'links', 'outbox', 'setAside', 'strays']);
  });

  test('a batch changes copies of the given tables that it changes, and no copy of others', () => {
    const tables = someTables();
    const given = new Set(['links', 'ledger', 'facts'] as const);
    const mirror = {
      tables,
      given: given as Set<never>,
      notices: [],
      isRepaired: true,
      seq: 1,
      ledgerSeq: 1,
      stamps: '',
    };
    const after = ungiven(mirror, { put: { links: { c: link('x') }, strays: { s: {} } }, delete: { ledger: ['a x'] } });
    expect([after.links, after.ledger]).toEqual([tables.links, tables.ledger]);
    expect(after.links).not.toBe(tables.links);
    expect(after.ledger).not.toBe(tables.ledger);
    for (const name of ['facts', 'strays', 'outbox'] as const) expect(after[name]).toBe(tables[name]);
    expect([...given]).toEqual(['facts']);
  });

  test('a batch forgets the requests whose files are gone, beside what it deletes', () => {
    const batch = { put: { links: {} }, delete: { links: ['a'] } };
    expect(forgetRequests(batch, [])).toBe(batch);
    expect(forgetRequests(batch, ['r1'])).toEqual({ put: { links: {} }, delete: { links: ['a'], consumed: ['r1'] } });
  });
});

describe('W18: what is kept of an idle job', () => {
  const records = (count: number) => new Map(Array.from({ length: count }, (_, index) => [`k${index}`, {}]));

  test('all but its links and its ledger', () => {
    const tables = someTables();
    const kept = toGlanced({ tables, stamps: 's' });
    expect(kept?.stamps).toBe('s');
    expect(kept?.tables).toEqual({ ...tables, links: new Map(), ledger: new Map() });
    expect(toGlanced({ tables, stamps: '' })).toBeUndefined();
  });

  test('a hundred other records, and no more', () => {
    const tables = { ...emptyTables(), strays: records(40), outbox: records(30), setAside: records(20) };
    expect(toGlanced({ tables: { ...tables, consumed: records(10) }, stamps: 's' })).toBeDefined();
    for (const name of ['strays', 'outbox', 'setAside', 'consumed'] as const) {
      const more = { ...tables, consumed: records(10) };
      more[name] = records(more[name].size + 1);
      expect(toGlanced({ tables: more, stamps: 's' })).toBeUndefined();
    }
  });

  test('single values of 32,000 characters, and no more', () => {
    const kept = (length: number) => {
      const tables = emptyTables();
      const frame = JSON.stringify([['f', '']]).length;
      tables.facts.set('f', 'x'.repeat(length - frame));
      return toGlanced({ tables, stamps: 's' });
    };
    expect(kept(32_000)).toBeDefined();
    expect(kept(32_001)).toBeUndefined();
  });
});

describe('the frame of what is written', () => {
  test('S1: an object comes back, and any other byte or length is none', () => {
    const object = { schema: 2, text: 'Łódź' };
    const bytes = seal(object);
    expect(String(bytes)).toMatch(/^\{"schema":2,"text":"Łódź","checksum":"[\da-f]{16}"\}\n$/);
    expect(unseal(bytes)).toEqual(object);
    for (let end = 0; end < bytes.length; end += 1) expect(unseal(bytes.subarray(0, end))).toBeUndefined();
    for (let at = 0; at < bytes.length; at += 1) {
      const wrong = Buffer.from(bytes);
      wrong[at] = wrong[at]! ^ 1;
      expect(unseal(wrong)).toBeUndefined();
    }
    expect(unseal(Buffer.concat([bytes, bytes]))).toBeUndefined();
  });

  test('in pieces it has the same bytes', () => {
    expect(Buffer.concat([...sealChunks(['{"a":', '1,"b"', ':"é"'])])).toEqual(seal({ a: 1, b: 'é' }));
    expect(String(unsealBytes(seal({ a: 1 })))).toBe('{"a":1');
  });
});

describe('names of tables in each schema version', () => {
  test('S2: the first version called the ledger differently, and set nothing aside', () => {
    expect(['links', 'ledger', 'setAside'].map((name) => nameOnDisk(name as 'links', 1))).toEqual([
      'links',
      'enrolments',
      undefined,
    ]);
    expect(['links', 'ledger', 'setAside'].map((name) => nameOnDisk(name as 'links', 2))).toEqual([
      'links',
      'ledger',
      'setAside',
    ]);
  });

  test('S2: a batch of the first version gets the present names, where it puts and where it deletes', () => {
    const put = { put: { enrolments: { a: {} }, links: { b: {} } }, delete: { facts: ['n'] } };
    expect(batchFromDisk(put as never)).toEqual({
      put: { ledger: { a: {} }, links: { b: {} } },
      delete: { facts: ['n'] },
    });
    const removed = { put: {}, delete: { enrolments: ['a'] } };
    expect(batchFromDisk(removed as never)).toEqual({ put: {}, delete: { ledger: ['a'] } });
    const present = { put: { ledger: {} }, delete: {} };
    expect(batchFromDisk(present)).toBe(present);
  });

  test('S2: migrations run in order, from the version that is there to the one that is wanted', () => {
    const done: number[] = [];
    const migrations = new Map([1, 2, 3].map((step) => [step, () => void done.push(step)]));
    migrate(emptyTables(), 1, { version: 3, migrations });
    expect(done).toEqual([1, 2]);
    migrate(emptyTables(), 3, { version: 3, migrations });
    expect(done).toEqual([1, 2]);
    expect(() => migrate(emptyTables(), 4, { version: 6, migrations })).toThrow('from schema version 4 to 5');
  });
});

describe('W18: which records a look is for', () => {
  test.each<[Wanted, boolean]>([
    [{}, true],
    [{ keys: [], terms: [], counted: [] }, true],
    [{ keys: ['a'] }, false],
    [{ terms: ['a'] }, false],
    [{ counted: ['a'] }, false],
    [{ words: [] }, false],
  ])('%j asks for single values alone: %s', (wanted, isSo) => {
    expect(asksForFacts(wanted)).toBe(isSo);
  });

  const finds = (wanted: Wanted, text: string) => recordFilter(wanted)?.(Buffer.from(text));
  const piece = '"u-1":{"agreed":"[\\"Ann\\"]"},\n"u-22":{"agreed":"[\\"JOSE\u0301 O\'Neil\\"]"}';

  test('terms without words, and counts, cannot be told from bytes', () => {
    expect(recordFilter({ terms: ['ann'] })).toBeUndefined();
    expect(recordFilter({ counted: ['ann'] })).toBeUndefined();
    expect(recordFilter({ keys: ['u-1'], terms: ['ann'], words: ['ann'], counted: ['a'] })).toBeUndefined();
    expect(recordFilter({})).toBeDefined();
  });

  test.each([0, 1, 3, 4, 5, 20])('a key at the beginning of a line is found, beside %i other keys', (others) => {
    const more = Array.from({ length: others }, (_, index) => `other-${index}`);
    for (const key of ['u-1', 'u-22']) {
      expect(finds({ keys: [key, ...more] }, piece)).toBe(true);
      expect(finds({ keys: [...more, key] }, piece)).toBe(true);
    }
    for (const key of ['u-2', 'u', '1', 'agre']) expect(finds({ keys: [...more, key] }, piece)).toBe(false);
    expect(finds({ keys: more }, '')).toBe(false);
  });

  test('a key that JSON escapes is found, however many are asked for', () => {
    const key = 'a "b"';
    const text = `${JSON.stringify(key)}:{}`;
    const more = Array.from({ length: 9 }, (_, index) => `other-${index}`);
    expect(finds({ keys: [...more, key] }, text)).toBe(true);
    expect(finds({ keys: more }, text)).toBe(false);
  });

  test('of many keys none is found in a text of a record', () => {
    const keys = ['agreed', 'b', 'c', 'd', 'e'];
    expect(finds({ keys }, '"u-1":{"agreed":"x"}')).toBe(false);
    expect(finds({ keys }, '"u-1":{"agreed":"x"},\n"e":{}')).toBe(true);
    expect(finds({ keys }, 'no record')).toBe(false);
  });

  test('all words are to be there, in any case and form; without a term they find nothing', () => {
    expect(finds({ terms: ['x'], words: ['jos\u00e9', 'neil'] }, piece)).toBe(true);
    expect(finds({ terms: ['x'], words: ['jos\u00e9', 'lee'] }, piece)).toBe(false);
    expect(finds({ terms: ['x'], words: [] }, piece)).toBe(true);
    expect(finds({ words: ['ann'] }, piece)).toBe(false);
    expect(finds({ keys: ['u-1'], terms: ['x'], words: ['lee'] }, piece)).toBe(true);
    expect(finds({}, piece)).toBe(false);
  });

  test('terms are counted once a record, of links and of the ledger, by how they begin', () => {
    const tables = emptyTables();
    tables.links.set('a', { agreed: 'ann anna ann' });
    tables.links.set('b', { agreed: 'bob' });
    tables.ledger.set('a x', { agreed: 'annual' });
    tables.strays.set('c', { agreed: 'ann' });
    expect(countByTerms(tables, { counted: ['ann', 'anna', 'zoe', 'a'] }, trialTerms)).toEqual(
      new Map([
        ['ann', 3],
        ['anna', 1],
        ['zoe', 0],
        ['a', 6],
      ]),
    );
    expect(countByTerms(tables, {}, trialTerms)).toEqual(new Map());
  });
});
