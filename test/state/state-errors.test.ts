// What a state says of its failures, and where a store is.
import { mkdtemp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  DatabaseRefusedError,
  DatabaseUnavailableError,
  DiskError,
  ForeignDatabaseError,
  ForeignStateError,
  LeaseLostError,
  LeaseOverError,
  LeaseTakenError,
  NewerSchemaError,
  type StateError,
  UnknownStoreError,
} from '../../src/state/errors.ts';
import { createRandom } from '../../src/standin/service/random.ts';
import { every, sinceBoot } from '../../src/state/file/every.ts';
import { createKernelLocks } from '../../src/state/file/kernel-lock.ts';
import { createKeptRecords } from '../../src/state/file/kept-records.ts';
import { createProcesses } from '../../src/state/file/processes.ts';
import { recordSeam, tableEnd, tableStart, takeRecords } from '../../src/state/file/records.ts';
import { emptyTables } from '../../src/state/file/tables.ts';
import { stateFolderOf } from '../../src/state/open.ts';

describe('a failure of the state', () => {
  const holder = { sync: 's', host: 'h', pid: 7, since: '2026-01-31T12:00:00.000Z' };

  test.each<[StateError, string, boolean, string]>([
    [
      new UnknownStoreError('ftp://user:secret@h'),
      'unknown_store',
      false,
      'a ftp address: not a place for the state. ',
    ],
    [new DiskError('/f', 'what', 'Remedy'), 'disk', true, '/f: what. Remedy'],
    [new DatabaseUnavailableError('db', 'what', 'Remedy'), 'database_unavailable', true, 'db: what. Remedy'],
    [new DatabaseRefusedError('db', 'what', 'Remedy'), 'database_refused', false, 'db: what. Remedy'],
    [new ForeignDatabaseError('db', 'public'), 'foreign_database', false, 'db: the schema "public" holds tables'],
    [
      new NewerSchemaError('/f', 3, 2),
      'newer_schema',
      false,
      '/f: its schema version is 3, and this program knows versions up to 2',
    ],
    [
      new ForeignStateError('/f', 'a', 'b'),
      'foreign_state',
      false,
      '/f: this is the state of sync "a", in the folder of sync "b"',
    ],
    [
      new LeaseTakenError('/f', holder, 'Remedy'),
      'lease_taken',
      true,
      '/f: sync "s" is being run by process 7 on h, since 2026',
    ],
    [
      new LeaseTakenError('/f', undefined, 'Remedy'),
      'lease_taken',
      true,
      '/f: another process has the lock, and there is no file',
    ],
    [new LeaseOverError('job'), 'lease_over', true, 'job: the lease ran out'],
    [new LeaseLostError('/f'), 'lease_lost', false, '/f: the lock of this run is gone'],
    [new LeaseLostError('/f', 'epoch'), 'lease_lost', false, '/f: the lease of this run is over'],
  ])('%s has a code, and whether the same call may succeed later', (error, code, retryable, message) => {
    expect([error.code, error.retryable, error.name]).toEqual([code, retryable, error.constructor.name]);
    expect(error.message.startsWith(message)).toBe(true);
    expect(error.file).toBe(error.message.slice(0, error.message.indexOf(':')));
  });

  test('a statement without an answer may have been carried out', () => {
    expect(new DatabaseUnavailableError('db', 'w', 'R').isOutcomeUnknown).toBe(false);
    expect(new DatabaseUnavailableError('db', 'w', 'R', { isOutcomeUnknown: true }).isOutcomeUnknown).toBe(true);
    const cause = new Error('cause');
    expect(new DatabaseUnavailableError('db', 'w', 'R', { cause }).cause).toBe(cause);
    expect(new LeaseTakenError('/f', holder, 'R').holder).toBe(holder);
  });

  test.each([
    ['postgres://user:secret@host/db', 'a postgres address'],
    ['s3+x.y-z://secret', 'a s3+x.y-z address'],
    ['user:secret@host', 'a place that is not shown'],
    ['./state', './state'],
    ['1x://rest', '1x://rest'],
    [`${'a'.repeat(21)}://rest`, `a ${'a'.repeat(21)} address`],
    [`${'a'.repeat(22)}://rest`, `${'a'.repeat(22)}://rest`],
  ])('of %s no secret is told', (url, place) => {
    expect(new UnknownStoreError(url).file).toBe(place);
  });

  test('a store on files is in the folder of its address', () => {
    expect(stateFolderOf('file:./state')).toBe(resolve('./state'));
    expect(stateFolderOf('file:/var/state')).toBe('/var/state');
    expect(stateFolderOf('file:///var/a%20b')).toBe('/var/a b');
    for (const url of ['file:', 'files:./x', 'postgres://h/d', 'x']) {
      expect(() => stateFolderOf(url)).toThrow(UnknownStoreError);
    }
  });
});

describe('the clock of the machine', () => {
  test('goes on in milliseconds since it was started', () => {
    const before = uptime() * 1_000;
    const now = sinceBoot();
    expect(now).toBeGreaterThanOrEqual(before);
    // The system tells its age in hundredths of a second.
    expect(now).toBeLessThanOrEqual(uptime() * 1_000 + 10);
  });

  test('work is repeated until it is ended', async () => {
    let done = 0;
    const reached = Promise.withResolvers<void>();
    const end = every(1, () => {
      done += 1;
      if (done === 3) reached.resolve();
    });
    await reached.promise;
    end();
    const before = done;
    await new Promise((next) => void setTimeout(next, 20));
    expect(done).toBe(before);
  });
});

describe.runIf(process.platform === 'linux')('processes of Linux', () => {
  const { startOf, space } = createProcesses({ pid: process.pid, probe: (pid) => void process.kill(pid, 0) });

  test('the start has the id of this start of the machine and the ticks of proc(5)', async () => {
    const [stat, boot] = await Promise.all([
      readFile('/proc/self/stat', 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    // The 22nd of 52 fields, counted from the end, where no name of a program has blanks.
    const ticks = stat
      .trim()
      .split(' ')
      .at(21 - 52);
    expect(await startOf(process.pid)).toEqual({ start: `${boot.trim()}/${ticks}` });
    expect(await space()).toMatch(/^pid:\[\d+\]$/);
  });

  test('only the answer that there is no such process says that it is gone', async () => {
    const probing = (error: unknown) =>
      createProcesses({
        pid: 1,
        probe: () => {
          throw error;
        },
      }).startOf(process.pid);
    const running = await startOf(process.pid);
    expect(await probing(Object.assign(new Error('none'), { code: 'ESRCH' }))).toBe('gone');
    expect(await probing(Object.assign(new Error('other'), { code: 'EPERM' }))).toEqual(running);
    expect(await probing(new Error('no code'))).toEqual(running);
    expect(await probing({ code: 'ESRCH' })).toEqual(running);
  });
});

describe('the lock of the kernel', () => {
  async function createFolder() {
    const folder = await mkdtemp(join(tmpdir(), 'kernel-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    return { folder, locks: createKernelLocks({ isLinux: false, typeOf: async () => 0 }) };
  }

  test('is taken by one, and by another one after it is given back', async () => {
    const { folder, locks } = await createFolder();
    const lock = await locks.tryTake(folder);
    expect(await locks.tryTake(folder)).toBe('taken');
    if (typeof lock !== 'object') throw new Error('it was not taken');
    expect(await readdir(folder)).toEqual(['lock.db']);
    lock.release();
    const again = await locks.tryTake(folder);
    if (typeof again !== 'object') throw new Error('it was not taken');
    expect(again.id).toBe(lock.id);
    again.release();
  });

  test('that cannot be opened is refused as a file that is not allowed, with its path', async () => {
    const { folder, locks } = await createFolder();
    await mkdir(join(folder, 'lock.db'));
    await expect(locks.tryTake(folder)).rejects.toMatchObject({ code: 'EACCES', path: join(folder, 'lock.db') });
    await expect(locks.tryTake(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('records of idle jobs in memory', () => {
  const minute = 60_000;

  function createTrial(max = 10) {
    let at = 0;
    const forgotten: string[] = [];
    const kept = createKeptRecords(max, () => at);
    const stay = (job: string, records: number) => kept.mayStay(job, records, () => void forgotten.push(job));
    return { kept, forgotten, stay, later: (ms: number) => void (at += ms) };
  }

  test('one is let in while the others are within the limit', () => {
    const { stay, kept, forgotten } = createTrial();
    expect(stay('a', 10)).toBe(true);
    expect(stay('b', 1)).toBe(true);
    expect(stay('c', 1)).toBe(false);
    // What a job has itself does not count against it.
    expect([stay('a', 50), stay('b', 1)]).toEqual([true, false]);
    kept.dropped('a');
    expect([stay('b', 1), stay('c', 1)]).toEqual([true, true]);
    expect(forgotten).toEqual([]);
  });

  test('one that was not let in has no place any more', () => {
    const { stay } = createTrial();
    expect([stay('a', 11), stay('b', 1), stay('a', 1), stay('b', 1)]).toEqual([true, false, true, true]);
  });

  test('one that has not run for more than ten minutes makes room, also where the clock was set back', () => {
    for (const direction of [1, -1]) {
      const { stay, forgotten, later } = createTrial();
      stay('a', 11);
      later(direction * 10 * minute);
      expect(stay('b', 1)).toBe(false);
      expect(forgotten).toEqual([]);
      later(direction);
      expect(stay('b', 1)).toBe(true);
      expect(forgotten).toEqual(['a']);
      expect(stay('c', 1)).toBe(true);
    }
  });

  test('the job that asks is not forgotten for its own age', () => {
    const { stay, forgotten, later } = createTrial();
    stay('a', 11);
    later(11 * minute);
    expect(stay('a', 11)).toBe(true);
    expect(forgotten).toEqual([]);
  });
});

describe('S1: records straight from the bytes of a document', () => {
  const names = ['facts', 'links', 'strays'];
  const lineOf = (key: string) => `${JSON.stringify(key)}:{"agreed":"${key}"}`;
  const written = (...tables: readonly (readonly string[])[]) =>
    Buffer.from(
      `{"schema":2${names
        .map((name, index) => {
          const lines = tables[index]!.map((key) => lineOf(key));
          return tableStart(name) + (lines.length > 0 ? '\n' : '') + lines.join(recordSeam) + tableEnd;
        })
        .join('')}`,
    );

  /** What a filter of links was asked, and what it let through. */
  const take = (bytes: Buffer, pieceBytes: number, wanted: readonly string[] = []) => {
    const asked: string[] = [];
    const tables = emptyTables();
    const filters = {
      links: (piece: Buffer) => {
        asked.push(piece.toString());
        return wanted.some((key) => piece.includes(JSON.stringify(key)));
      },
    };
    const head = takeRecords(bytes, names, tables, pieceBytes, filters);
    expect(head).toEqual({ schema: 2 });
    return {
      asked,
      links: [...tables.links.keys()],
      facts: [...tables.facts.keys()],
      strays: [...tables.strays.keys()],
    };
  };
  const keys = ['k1', 'k2', 'k3', 'k4'];
  const length = lineOf('k1').length;

  test('a filter is asked of pieces, which end between two records, and then of each record of a piece', () => {
    const bytes = written(['f'], keys, ['s']);
    const joined = (...of: readonly string[]) => of.map((key) => lineOf(key)).join(recordSeam);
    expect(take(bytes, 0).asked).toEqual(keys.map((key) => lineOf(key)));
    expect(take(bytes, length).asked).toEqual(keys.map((key) => lineOf(key)));
    expect(take(bytes, length + 1).asked).toEqual([joined('k1', 'k2'), joined('k3', 'k4')]);
    expect(take(bytes, 10_000).asked).toEqual([joined(...keys)]);
    const found = take(bytes, length + 1, ['k3']);
    expect(found.asked).toEqual([joined('k1', 'k2'), joined('k3', 'k4'), lineOf('k3'), lineOf('k4')]);
    expect([found.links, found.facts, found.strays]).toEqual([['k3'], ['f'], ['s']]);
    expect(take(bytes, 10_000, ['k1', 'k4']).links).toEqual(['k1', 'k4']);
  });

  test('a table without a record is asked of nothing, wherever it stands', () => {
    expect(take(written([], [], []), 1)).toEqual({ asked: [], links: [], facts: [], strays: [] });
    expect(take(written(['f'], [], []), 1)).toEqual({ asked: [], links: [], facts: ['f'], strays: [] });
    expect(take(written([], [], ['s']), 1)).toEqual({ asked: [], links: [], facts: [], strays: ['s'] });
    expect(take(written([], ['k'], []), 1)).toEqual({ asked: [lineOf('k')], links: [], facts: [], strays: [] });
  });

  test('a document in another order of tables is read whole, without the filter', () => {
    const bytes = Buffer.from(
      `{"schema":2${tableStart('links')}\n${lineOf('k1')}${tableEnd}${tableStart('facts')}\n${lineOf('f')}${tableEnd}`,
    );
    expect(take(bytes, 1)).toEqual({ asked: [], links: ['k1'], facts: ['f'], strays: [] });
  });

  test('a document that goes on behind its tables is read whole, without the filter', () => {
    const bytes = Buffer.from(
      `${written(['f'], ['k1'], ['s']).toString().replace('"schema":2', '"seq":1')},"schema":2`,
    );
    const tables = emptyTables();
    expect(takeRecords(bytes, names, tables, 1)).toEqual({ seq: 1, schema: 2 });
    expect([tables.facts, tables.links, tables.strays].map((table) => [...table.keys()])).toEqual([
      ['f'],
      ['k1'],
      ['s'],
    ]);
  });

  test('what is no JSON is an error', () => {
    expect(() => take(Buffer.from('{"schema":2,'), 1)).toThrow(SyntaxError);
    const broken = Buffer.from(written(['f'], ['k'], ['s']).toString().replace('"agreed"', 'agreed'));
    expect(() => take(broken, 1)).toThrow(SyntaxError);
  });

  test('any split of many records has all of them', () => {
    const random = createRandom(7);
    const many = Array.from({ length: 300 }, (_, index) => `k${index}`);
    for (let time = 0; time < 20; time += 1) {
      expect(take(written([], many, many), random.integer(0, 500), ['k']).links).toEqual([]);
      expect(take(written([], many, many), random.integer(0, 500), ['k299']).links).toEqual(['k299']);
    }
  });
});
