import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ForeignStateError, NewerSchemaError, UnknownStoreError } from '../../src/state/errors.ts';
import { openStore } from '../../src/state/open.ts';
import { currentSchema } from '../../src/state/file/schema.ts';
import type { Schema } from '../../src/state/file/schema.ts';
import { commitAll, contentOf, openTrial } from '../support/state.ts';

/** Later versions: agreed values in upper case, and every enrolment with a segment. */
const later: Schema = {
  version: 4,
  migrations: new Map([
    ...currentSchema.migrations,
    [
      2,
      ({ links }) => {
        for (const [key, value] of links) {
          links.set(key, { agreed: (value as { agreed: string }).agreed.toUpperCase() });
        }
      },
    ],
    [
      3,
      ({ ledger }) => {
        for (const [key, value] of ledger) ledger.set(key, { ...(value as object), segment: 1 });
      },
    ],
  ]),
};

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'schema-'));
});
afterEach(() => rm(root, { recursive: true }));

const first = { links: { put: new Map([['c1', { agreed: 'ada' }]]) } };
const second = {
  links: { put: new Map([['c2', { agreed: 'bob' }]]) },
  ledger: { put: new Map([['e1', { outcome: 'enrolled' }]]) },
};
const migrated = {
  links: { c1: { agreed: 'ADA' }, c2: { agreed: 'BOB' } },
  ledger: { e1: { outcome: 'enrolled', segment: 1 } },
};

describe('S2', () => {
  test('an older schema is migrated step by step, its log included, and written as the newer one', async () => {
    await commitAll(openTrial(root).store, 's', [first, second]);
    const read = await openTrial(root, { schema: later }).store.sync('s').load();
    expect(contentOf(read)).toMatchObject(migrated);
    const state = await commitAll(openTrial(root, { schema: later }).store, 's', [
      { facts: { put: new Map([['n', 1]]) } },
    ]);
    expect(contentOf(state)).toMatchObject(migrated);
    expect(JSON.parse(await readFile(join(root, 's', 'base.json'), 'utf8'))).toMatchObject({ schema: 4, ...migrated });
    expect(contentOf(await openTrial(root, { schema: later }).store.sync('s').load())).toMatchObject(migrated);
  });

  test('a migrated state with a damaged document is restored from the one before the migration', async () => {
    await commitAll(openTrial(root).store, 's', [first, second]);
    await commitAll(openTrial(root, { schema: later }).store, 's', [{ facts: { put: new Map([['n', 1]]) } }]);
    await rm(join(root, 's', 'base.json'));
    const state = await openTrial(root, { schema: later }).store.sync('s').load();
    expect(contentOf(state)).toMatchObject({ ...migrated, facts: { n: 1 } });
  });

  test.each(['document', 'log'])(
    'a newer schema in the %s is refused by name, and nothing is changed',
    async (where) => {
      await commitAll(openTrial(root, { schema: later }).store, 's', [first]);
      const file = join(root, 's', where === 'log' ? 'base.log' : 'base.json');
      if (where === 'log') await rm(join(root, 's', 'base.json'));
      const before = await readFile(file);
      const { store } = openTrial(root);
      await expect(store.sync('s').load()).rejects.toThrow(NewerSchemaError);
      await expect(commitAll(store, 's', [second])).rejects.toThrow(/schema version is 4.*up to 2/);
      expect(await readFile(file)).toEqual(before);
      // The lease was given back, and does not block the right version.
      await commitAll(openTrial(root, { schema: later }).store, 's', []);
    },
  );

  test.each(['base.json', 'base.log'])('another sync’s state is refused by name (%s alone)', async (name) => {
    await commitAll(openTrial(root, { foldFloorBytes: 1 }).store, 'prospects', [first, second]);
    await mkdir(join(root, 'partners'));
    await rename(join(root, 'prospects', name), join(root, 'partners', name));
    const loading = openTrial(root).store.sync('partners').load();
    await expect(loading).rejects.toThrow(ForeignStateError);
    await expect(loading).rejects.toThrow(/state of sync "prospects", in the folder of sync "partners"/);
  });
});

describe('the address of the state', () => {
  const dep = { process: { pid: 1, probe: () => {} }, now: () => 0, randomId: () => 'id', warn: () => {} };

  test.each(['file:', 'file://'])('%s and a folder', async (prefix) => {
    await openStore(`${prefix}${root}`, dep).sync('s').addRequest({ command: 'retry' });
    expect((await openTrial(root).store.sync('s').load()).requests.size).toBe(1);
  });

  test.each(['postgres://db', 'file:', './state', ''])('%s is refused with the right spelling', (url) => {
    expect(() => openStore(url, dep)).toThrow(UnknownStoreError);
    expect(() => openStore(url, dep)).toThrow(/file:\.\/state/);
  });

  test.each([
    ['postgres://me:pa55word@db.example/leadsheet?sslkey=pa55word', 'a postgres address'],
    ['postgresql://me:pa55@word/x@db.example', 'a postgresql address'],
    ['postgres://db.example/leadsheet?password=pa55word', 'a postgres address'],
    ['me:pa55word@db.example', 'a place that is not shown'],
  ])('%s is refused without its password, in the message and in the error', (url, shown) => {
    const refusal = (): unknown => {
      try {
        return openStore(url, dep);
      } catch (error) {
        return error;
      }
    };
    const error = refusal() as UnknownStoreError;
    expect(error).toBeInstanceOf(UnknownStoreError);
    expect(error.message).toContain(`${shown}: `);
    expect(inspect(error)).not.toMatch(/pa55|word/);
  });
});
