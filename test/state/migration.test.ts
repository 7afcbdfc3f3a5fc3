import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readHeartbeat } from '../../src/daemon/heartbeat.ts';
import { NewerSchemaError } from '../../src/state/errors.ts';
import { makeFolder } from '../../src/state/file/disk.ts';
import type { Schema } from '../../src/state/file/schema.ts';
import { inOrder } from '../support/app.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { commitAll, contentOf, createMachine, openTrial } from '../support/state.ts';

/* State folders of an earlier version (fixtures/schema-1/README.md), loaded by this one. */

const written = join(import.meta.dirname, 'fixtures', 'schema-1', 'state');
const [ann, bob, cy] = [
  'cdeb8a96-7a0c-4e77-bb87-6680643fcbfc',
  'efbef965-f91c-4306-83b0-be5268ff9554',
  '420ec15e-68b7-40e8-91c4-765361ae0c1c',
];
const [welcome, nurture] = ['6f54da0b-aa09-4042-bc99-c0cec7818bef', 'ca1cf364-e530-4788-9408-92a434311aed'];

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'migration-'));
  cpSync(written, root, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

/** The program that wrote the fixtures, as far as versions matter. */
const version1: Schema = { version: 1, migrations: new Map() };

async function load(sync: string) {
  return openTrial(root).store.sync(sync).load();
}

function filesOf(sync: string): ReadonlyMap<string, string> {
  const names = readdirSync(join(root, sync), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => /\.(?:json|log|ndjson)$/.test(name));
  return new Map(files.map((name) => [name, readFileSync(join(root, sync, name), 'utf8')]));
}

describe('S2: a state of version 1', () => {
  test('of a sync is loaded whole, without a notice', async () => {
    const state = await load('prospects');
    expect(state.notices).toEqual([]);
    expect(inOrder([...state.links.keys()])).toEqual(inOrder([cy, ann, bob]));
    expect(Object.fromEntries(state.ledger)).toMatchObject({
      [`${ann} ${welcome}`]: { state: 'enrolled', name: 'Welcome' },
      [`${cy} ${nurture}`]: { state: 'enrolled', name: 'Nurture' },
    });
    expect(state.ledger.size).toBe(2);
    expect([...state.outbox.values()]).toMatchObject([{ state: 'intended', automation: welcome }]);
    expect([...state.strays.values()]).toMatchObject([{ answered: { kind: 'elsewhere' } }]);
    expect([...state.requests.values()]).toMatchObject([{ kind: 'resolve', id: `${bob}/company_name` }]);
    expect(state.facts.get('lastRun')).toMatchObject({ status: 'partial', counts: { linked: 3, conflicts: 1 } });
    expect(state.setAside.size).toBe(0);
  });

  test('of an outbox and of a feed, too', async () => {
    const messages = await load('messages');
    expect(messages.notices).toEqual([]);
    expect(inOrder([...messages.ledger.values()].map(({ state }) => state))).toEqual([
      'intended',
      'refused',
      'sent',
      'sent',
    ]);
    const flows = await load('flows');
    expect(flows.notices).toEqual([]);
    expect(flows.links.size).toBe(2);
  });

  test('that was folded has its ledger in its documents, and both are read', async () => {
    const expected = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`c${n + 1} a1`, { state: 'enrolled', at: n + 1, run: 'r1' }]),
    );
    expect(contentOf(await load('folded')).ledger).toEqual(expected);
    // Without the base only the outbox has it.
    for (const name of filesOf('folded').keys()) if (name.startsWith('base')) rmSync(join(root, 'folded', name));
    expect(contentOf(await load('folded')).ledger).toEqual(expected);
  });

  test.each(['prospects', 'messages', 'flows', 'folded'])(
    '%s is written as version 2, and reads the same',
    async (sync) => {
      const before = contentOf(await load(sync));
      await commitAll(openTrial(root).store, sync, []);
      const files = filesOf(sync);
      for (const name of ['base.json', 'outbox.json'].filter((each) => files.has(each))) {
        expect(JSON.parse(files.get(name) ?? '')).toMatchObject({ schema: 2, ledger: expect.any(Object) });
        expect(files.get(name)).not.toContain('"enrolments"');
      }
      expect(contentOf(await load(sync))).toEqual(before);
      expect((await load(sync)).notices).toEqual([]);
    },
  );

  test('the heartbeat beside it is read as before', async () => {
    expect(await readHeartbeat(openTrial(root).store)).toMatchObject({
      state: 'ended',
      syncs: [{ name: 'prospects' }],
    });
  });

  test('once it is written as version 2, the program of version 1 refuses it and changes nothing', async () => {
    await commitAll(openTrial(root).store, 'prospects', [{ facts: { put: new Map([['n', 1]]) } }]);
    const files = filesOf('prospects');
    const older = openTrial(root, { schema: version1 }).store;
    await expect(older.sync('prospects').load()).rejects.toThrow(NewerSchemaError);
    await expect(commitAll(older, 'prospects', [])).rejects.toThrow(/schema version is 2.*restore a backup/);
    expect(filesOf('prospects')).toEqual(files);
  });

  test('S1: a kill or a power loss at any operation of the migration loses nothing', async () => {
    const before = contentOf(await load('prospects'));
    let pid = 100;
    const start = (disk: ReturnType<typeof createMemoryDisk>) => {
      pid += 1;
      const machine = createMachine('here', pid);
      return openTrial('/state', { disk, machine, pid }).store.sync('prospects');
    };
    const migrate = async (disk: ReturnType<typeof createMemoryDisk>) => {
      await using lease = await start(disk).acquireLease();
      await lease.load();
      await lease.commit({ facts: { put: new Map([['after', true]]) } });
    };
    const fresh = async (seed: number) => {
      const disk = createMemoryDisk(seed);
      for (const name of ['', 'requests', 'history']) await makeFolder(disk, join('/state/prospects', name));
      for (const [name, text] of filesOf('prospects')) disk.put(`/state/prospects/${name}`, Buffer.from(text));
      return disk;
    };
    const rehearsal = await fresh(1);
    const from = rehearsal.operations;
    await migrate(rehearsal);
    for (const end of ['kill', 'power loss'] as const) {
      for (let operation = from + 1; operation <= rehearsal.operations; operation += 1) {
        const disk = await fresh(operation);
        disk.planFault({ operation, effect: 'off' });
        await migrate(disk).catch((error: unknown) => {
          if (!disk.isOff) throw error;
        });
        disk.turnOff();
        disk.restart(end);
        const { after: _after, ...facts } = contentOf(await start(disk).load()).facts;
        expect({ ...contentOf(await start(disk).load()), facts }).toEqual(before);
        await migrate(disk);
        const state = await start(disk).load();
        expect(contentOf(state)).toEqual({ ...before, facts: { ...before.facts, after: true } });
        expect(state.notices.filter(({ kind }) => kind !== 'torn')).toEqual([]);
      }
    }
  });
});

describe('S1, S2: a damaged state of version 1', () => {
  const file = (name: string) => join(root, 'prospects', name);
  const turnBit = (name: string, text: string) => {
    const bytes = readFileSync(file(name));
    const at = bytes.indexOf(text);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file(name), bytes);
  };

  test.each([
    { what: 'the last line of base.log is cut', kinds: ['torn'], damage: () => cutEnd('base.log', 20) },
    { what: 'the last line of outbox.log is cut', kinds: ['torn'], damage: () => cutEnd('outbox.log', 20) },
    { what: 'base.json is missing', kinds: ['torn'], damage: () => rmSync(file('base.json')) },
    { what: 'outbox.json is missing', kinds: ['torn'], damage: () => rmSync(file('outbox.json')) },
    {
      what: 'a bit is turned in a record of outbox.log',
      kinds: ['damaged'],
      damage: () => turnBit('outbox.log', '"enrolled"'),
    },
    {
      what: 'a document and its log were half written',
      kinds: [],
      damage: () => {
        for (const name of ['base.json.tmp', 'base.log.tmp', 'outbox.json.tmp']) {
          writeFileSync(file(name), readFileSync(file('base.json')).subarray(0, 300));
        }
      },
    },
  ])('$what: nothing of it is missing, and it is migrated', async ({ kinds, damage }) => {
    const before = contentOf(await load('prospects'));
    damage();
    const read = await load('prospects');
    expect(read.notices.map(({ kind }) => kind)).toEqual(kinds);
    expect(contentOf(read)).toEqual(before);
    await commitAll(openTrial(root).store, 'prospects', []);
    expect(contentOf(await load('prospects'))).toEqual(before);
    expect((await load('prospects')).notices).toEqual([]);
  });

  test('a bit flipped in a record of base.log: the ledger comes from the outbox, and a notice says that the rest is older', async () => {
    const before = contentOf(await load('prospects'));
    turnBit('base.log', '"skipped"');
    turnBit('base.log', '"state":"intended"');
    const read = await load('prospects');
    expect(read.notices.map(({ kind }) => kind)).toContain('behind');
    expect(contentOf(read).ledger).toEqual(before.ledger);
    expect(contentOf(read).outbox).toEqual(before.outbox);
    const mended = await commitAll(openTrial(root).store, 'prospects', []);
    expect(contentOf(mended).ledger).toEqual(before.ledger);
  });

  function cutEnd(name: string, bytes: number): void {
    truncateSync(file(name), readFileSync(file(name)).length - bytes);
  }
});
