// What the file driver makes of the answers of a disk.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DiskError, LeaseLostError } from '../../src/state/errors.ts';
import {
  type Disk,
  hasCode,
  makeFolder,
  namesIn,
  namesNow,
  onDisk,
  type OpenFile,
  readIfThere,
  readPartsNow,
  renameIfThere,
  stampIfThere,
  syncFolder,
  unlinkIfThere,
  writeAt,
  writeWhole,
} from '../../src/state/file/disk.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { openBelow } from '../support/open-files.ts';

const refusal = (code: string) => Object.assign(new Error(`${code}: it says`), { code });
const refusing = (code: string) => async () => {
  throw refusal(code);
};

async function createTrial() {
  const disk = createMemoryDisk(1);
  await disk.mkdir('/f', { recursive: true, mode: 0o700 });
  disk.put('/f/a', Buffer.from('text'));
  return disk;
}

describe('a file that is not there', () => {
  test('is undefined or false, and one that is there has its content', async () => {
    const disk = await createTrial();
    expect(String(await readIfThere(disk, '/f/a'))).toBe('text');
    expect(await readIfThere(disk, '/f/none')).toBeUndefined();
    expect((await stampIfThere(disk, '/f/a'))?.size).toBe(4);
    expect(await stampIfThere(disk, '/f/none')).toBeUndefined();
    expect(await renameIfThere(disk, '/f/a', '/f/b')).toBe(true);
    expect(await renameIfThere(disk, '/f/a', '/f/b')).toBe(false);
    expect(await unlinkIfThere(disk, '/f/b')).toBe(true);
    expect(await unlinkIfThere(disk, '/f/b')).toBe(false);
  });

  test('is told from a disk that refuses', async () => {
    const [readFile, stat, rename, unlink, readdir] = Array.from({ length: 5 }, () => refusing('EIO'));
    const disk = { ...createMemoryDisk(1), readFile, stat, rename, unlink, readdir } as unknown as Disk;
    for (const work of [
      () => readIfThere(disk, '/a'),
      () => stampIfThere(disk, '/a'),
      () => renameIfThere(disk, '/a', '/b'),
      () => unlinkIfThere(disk, '/a'),
      () => namesIn(disk, '/a'),
    ]) {
      await expect(work()).rejects.toThrow('EIO');
    }
  });

  test('the names in a folder come in order, and a missing folder has none', async () => {
    const disk = { ...createMemoryDisk(1), readdir: async () => ['b', 'a', 'C', '10', '9'] };
    expect(await namesIn(disk, '/f')).toEqual(['10', '9', 'C', 'a', 'b']);
    expect(await namesIn(await createTrial(), '/none')).toEqual([]);
  });

  test('at once: names and parts of files', async () => {
    const root = await mkdtemp(join(tmpdir(), 'disk-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const file = join(root, 'file');
    await writeFile(file, '0123456789');
    expect(namesNow(root)).toEqual(['file']);
    expect(namesNow(join(root, 'none'))).toEqual([]);
    expect(() => namesNow(file)).toThrow('ENOTDIR');
    const parts = [
      { start: 0, length: 3 },
      { start: 7, length: 3 },
      { start: 7, length: 4 },
      { start: 10, length: 1 },
    ];
    expect(readPartsNow(file, parts).map((bytes) => bytes && String(bytes))).toEqual([
      '012',
      '789',
      undefined,
      undefined,
    ]);
    expect(readPartsNow(join(root, 'none'), parts)).toEqual([undefined, undefined, undefined, undefined]);
    expect(() => readPartsNow(join(file, 'below'), parts)).toThrow('ENOTDIR');
  });

  test.runIf(platform() === 'linux')('a file of which parts were read does not stay open', async () => {
    const root = await mkdtemp(join(tmpdir(), 'disk-'));
    onTestFinished(() => rm(root, { recursive: true }));
    await writeFile(join(root, 'file'), '0123456789');
    expect(readPartsNow(join(root, 'file'), [{ start: 2, length: 3 }]).map(String)).toEqual(['234']);
    expect(openBelow(root)).toEqual([]);
  });
});

describe('writing', () => {
  /** A file of which each write takes at most three bytes. */
  function slowFile() {
    const calls: (readonly [text: string, position: number])[] = [];
    const file = {
      async write(bytes: Buffer, offset: number, length: number, position: number) {
        const bytesWritten = Math.min(3, length);
        calls.push([bytes.toString('utf8', offset, offset + bytesWritten), position]);
        return { bytesWritten };
      },
    } as unknown as OpenFile;
    return { file, calls };
  }

  test('a write that takes a part is continued behind that part', async () => {
    const { file, calls } = slowFile();
    await writeAt(file, Buffer.from('01234567'), 100);
    expect(calls).toEqual([
      ['012', 100],
      ['345', 103],
      ['67', 106],
    ]);
  });

  test('nothing is written for no bytes', async () => {
    const { file, calls } = slowFile();
    await writeAt(file, Buffer.alloc(0), 7);
    expect(calls).toEqual([]);
  });

  test('a whole file comes from its pieces, in place of the old one, and is durable', async () => {
    const disk = await createTrial();
    expect(await writeWhole(disk, '/f/a', [Buffer.from('one '), Buffer.from('two')])).toBe(7);
    await syncFolder(disk, '/f');
    disk.restart('power loss');
    expect(String(disk.files().get('/f/a'))).toBe('one two');
  });

  test('of a link to a file only the link is replaced', async () => {
    const disk = await createTrial();
    await disk.link('/f/a', '/f/b');
    await writeWhole(disk, '/f/b', [Buffer.from('new')]);
    expect([String(disk.files().get('/f/a')), String(disk.files().get('/f/b'))]).toEqual(['text', 'new']);
  });

  test('a file that cannot be made is an error, and nothing is removed for it', async () => {
    const disk = await createTrial();
    disk.planFault({ operation: disk.operations + 1, effect: { code: 'EACCES' } });
    await expect(writeWhole(disk, '/f/a', [Buffer.from('new')])).rejects.toThrow('EACCES');
    expect(String(disk.files().get('/f/a'))).toBe('text');
  });

  test('a file is closed also where a write or the sync fails', async () => {
    for (const failing of ['write', 'sync'] as const) {
      let closed = 0;
      const file = {
        write: async (_: Buffer, __: number, length: number) => ({ bytesWritten: length }),
        sync: async () => {},
        close: async () => void (closed += 1),
        [failing]: refusing('EIO'),
      } as unknown as OpenFile;
      const disk = { ...createMemoryDisk(1), open: async () => file };
      await expect(writeWhole(disk, '/a', [Buffer.from('x')])).rejects.toThrow('EIO');
      expect(closed).toBe(1);
    }
  });

  test('files are readable by their owner alone, and so are folders, whose names are made durable', async () => {
    const modes: unknown[] = [];
    const synced: string[] = [];
    const memory = await createTrial();
    const disk: Disk = {
      ...memory,
      async open(path, flags, mode) {
        if (flags === 'r') synced.push(path);
        else modes.push([path, flags, mode]);
        return memory.open(path, flags, mode);
      },
      async mkdir(path, options) {
        modes.push([path, options]);
        return memory.mkdir(path, options);
      },
    };
    await writeWhole(disk, '/f/a', [Buffer.from('new')]);
    await makeFolder(disk, '/f/below');
    // The first try finds that a file has the name.
    expect(modes).toEqual([
      ['/f/a', 'wx', 0o600],
      ['/f/a', 'wx', 0o600],
      ['/f/below', { recursive: true, mode: 0o700 }],
    ]);
    expect(synced).toEqual(['/f/below', '/f']);
  });
});

describe('making the names in a folder durable', () => {
  const syncing = (open: Disk['open']) => syncFolder({ ...createMemoryDisk(1), open }, '/f');
  const folderThat = (sync: () => Promise<void>, closed: string[] = []) =>
    (async () => ({ sync, close: async () => void closed.push('closed') })) as unknown as Disk['open'];

  test.each(['EPERM', 'EISDIR'])('is left out where a folder cannot be opened: %s', async (code) => {
    await expect(syncing(refusing(code))).resolves.toBeUndefined();
  });

  test.each(['EINVAL', 'EPERM', 'ENOTSUP'])('is left out where a folder cannot be synced: %s', async (code) => {
    const closed: string[] = [];
    await expect(syncing(folderThat(refusing(code), closed))).resolves.toBeUndefined();
    expect(closed).toEqual(['closed']);
  });

  test('is an error for any other reason, and the folder is closed', async () => {
    await expect(syncing(refusing('EIO'))).rejects.toThrow('EIO');
    const closed: string[] = [];
    await expect(syncing(folderThat(refusing('EIO'), closed))).rejects.toThrow('EIO');
    expect(closed).toEqual(['closed']);
  });
});

describe('a refusal of the disk', () => {
  test('has one of the codes that are asked for', () => {
    expect(hasCode(refusal('ENOENT'), 'ENOENT')).toBe(true);
    expect(hasCode(refusal('ENOENT'), 'EEXIST', 'ENOENT')).toBe(true);
    expect(hasCode(refusal('ENOENT'), 'EEXIST')).toBe(false);
    expect(hasCode(refusal('ENOENT'))).toBe(false);
    expect(hasCode(new Error('ENOENT'), 'ENOENT')).toBe(false);
    expect(hasCode({ code: 'ENOENT' }, 'ENOENT')).toBe(false);
    expect(hasCode(undefined, 'ENOENT')).toBe(false);
  });

  test.each([
    ['ENOSPC', 'the disk is full'],
    ['EDQUOT', 'the disk is full'],
    ['EROFS', 'the file system is read-only'],
    ['EACCES', 'not allowed (EACCES)'],
    ['EPERM', 'not allowed (EPERM)'],
    ['ELOOP', 'a symbolic link where a file should be'],
    ['EISDIR', 'a folder where a file should be, or the reverse'],
    ['ENOTDIR', 'a folder where a file should be, or the reverse'],
    ['ENOTSUP', 'the file system has no hard links'],
    ['EOPNOTSUPP', 'the file system has no hard links'],
    ['EIO', 'the disk answered EIO: it says'],
  ])('%s is said in words, with the file: %s', async (code, words) => {
    const error = await onDisk('/f', refusing(code)).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(DiskError);
    const { message, file, cause } = error as DiskError;
    expect(message.startsWith(`/f: ${words}. `)).toBe(true);
    expect([file, (cause as { code: string }).code]).toEqual(['/f', code]);
  });

  test('names the path of the refusal where that is known', async () => {
    const withPath = (path: unknown) => async () => {
      throw Object.assign(refusal('EIO'), { path });
    };
    await expect(onDisk('/f', withPath('/f/a'))).rejects.toMatchObject({ file: '/f/a' });
    await expect(onDisk('/f', withPath(5))).rejects.toMatchObject({ file: '/f' });
  });

  test('no other error is changed, and an answer comes through', async () => {
    const throwing = (error: unknown) => async () => {
      throw error;
    };
    for (const error of [new LeaseLostError('/f'), new Error('no code'), { code: 'EIO' }, 'text', undefined]) {
      await expect(onDisk('/f', throwing(error))).rejects.toBe(error);
    }
    expect(await onDisk('/f', async () => 7)).toBe(7);
  });
});
