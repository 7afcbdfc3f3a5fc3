import { basename, dirname } from 'node:path';
import type { Disk, FileStamp, OpenFile } from '../../src/state/file/disk.ts';
import { createRandom } from '../../src/standin/service/random.ts';
import { blockBytes, blockOf, blocksOf, type Fault, isLasting, onDisk } from './disk-faults.ts';

/**
 * A disk in memory that loses data as real ones do, and lies as broken ones do. After a power loss, written data that was not synced may be lost, whole
 * or by blocks. Names that were created, renamed or removed in an unsynced folder may each be kept or lost.
 *
 *   working -> off      at the chosen operation, which is then half done; or by `turnOff`
 *   off     -> working  `restart`: after a kill, all written data is there; after a power loss, see above
 */
export interface MemoryDisk extends Disk {
  /** Operations so far that change data or make it durable. */
  readonly operations: number;
  /** Files read so far, whole or in part. */
  readonly reads: number;
  readonly isOff: boolean;
  /** The read of this number has one bit turned; what is on the disk is right. */
  planWrongRead(read: number): void;
  /** The next sync of a file of this name fails and drops what it was to write. */
  failNextSync(name: string): void;
  /** Takes effect now. `operation` counts as `operations` does; a refusal with a `code` leaves the disk working. */
  planFault(fault: Fault): void;
  turnOff(): void;
  restart(after: 'kill' | 'power loss'): void;
  /** Every file by its path, as a process reads it. */
  files(): ReadonlyMap<string, Buffer>;
  /** Writes a file durably, as another program would. */
  put(path: string, content: Buffer): void;
  /** Takes a file away for good: no power loss brings it back. */
  lose(path: string): void;
}

interface Inode {
  readonly id: number;
  content: Buffer;
  synced: Buffer;
  /** Blocks that no sync writes any more, unless they are written to again. */
  readonly dropped: Set<number>;
  mtimeMs: number;
}

interface Folder {
  readonly entries: Map<string, Inode>;
  readonly syncedEntries: Map<string, Inode>;
  /** Changes since the last sync, in order; each is kept or lost as a whole. */
  readonly unsynced: Map<string, Inode | undefined>[];
}

/** Like an error of node:fs/promises, it has no stack: most are answers to "is it there?", and a stack takes long. */
class SimulatedError extends Error {
  readonly code: string;
  readonly path: string;

  constructor(code: string, path: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`${code}: simulated, ${path}`);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.path = path;
  }
}

export function createMemoryDisk(seed: number): MemoryDisk {
  const random = createRandom(seed);
  const chance = () => random.integer(0, 1) === 1;
  const folders = new Map<string, Folder>();
  let operations = 0;
  let reads = 0;
  let wrongRead: number | undefined;
  let failingSync: string | undefined;
  let inodes = 0;
  let off = false;
  let fault: Fault | undefined;
  let era = 0;

  function fail(code: string, path: string): never {
    throw new SimulatedError(code, path);
  }

  interface Ways {
    /** Done if the disk goes off during the operation. */
    readonly half?: () => unknown;
    /** Of a sync: what a failed one drops. */
    readonly drop?: () => void;
    /** Of a write: the same into another place. */
    readonly astray?: () => void;
  }

  /** Called before each operation. */
  async function operate<Value>(path: string, whole: () => Value, ways: Ways = {}): Promise<Value> {
    const { half = whole, drop, astray } = ways;
    const now = era;
    await Promise.resolve();
    if (off || now !== era) fail('EIO', path);
    operations += 1;
    const due = fault && (operations === fault.operation || (fault.operation < operations && isLasting(fault)));
    if (!fault || !due) return whole();
    const { effect } = fault;
    if (effect === 'off') {
      if (chance()) half();
      off = true;
      fail('EIO', path);
    }
    if (effect === 'astray') {
      const done = whole();
      astray?.();
      return done;
    }
    // Only a sync has nothing that anybody could see before the power is lost.
    if ('isUnsynced' in effect) return drop ? (undefined as Value) : whole();
    if (effect.isDone) whole();
    if (effect.dropsWrites) drop?.();
    fail(effect.code, path);
  }

  /** The bytes as a process gets them. */
  function shown(bytes: Buffer): Buffer {
    reads += 1;
    if (reads !== wrongRead || bytes.length === 0) return bytes;
    const wrong = Buffer.from(bytes);
    const at = random.integer(0, wrong.length - 1);
    wrong[at] = wrong[at]! ^ (1 << random.integer(0, 7));
    return wrong;
  }

  async function look<Value>(path: string, see: () => Value): Promise<Value> {
    const now = era;
    await Promise.resolve();
    if (off || now !== era) fail('EIO', path);
    return see();
  }

  function folderOf(path: string): Folder {
    return folders.get(dirname(path)) ?? fail('ENOENT', path);
  }

  function find(path: string): Inode {
    return folderOf(path).entries.get(basename(path)) ?? fail(folders.has(path) ? 'EISDIR' : 'ENOENT', path);
  }

  function change(path: string, changes: readonly (readonly [string, Inode | undefined])[]): void {
    const folder = folderOf(path);
    for (const [name, inode] of changes) setEntry(folder.entries, name, inode);
    folder.unsynced.push(new Map(changes));
  }

  function createInode(): Inode {
    inodes += 1;
    return { id: inodes, content: Buffer.alloc(0), synced: Buffer.alloc(0), dropped: new Set(), mtimeMs: operations };
  }

  function openFile(inode: Inode, path: string): OpenFile {
    const overwrite = (bytes: Buffer, position: number) => {
      const grown = Buffer.alloc(Math.max(inode.content.length, position + bytes.length));
      inode.content.copy(grown);
      bytes.copy(grown, position);
      inode.content = grown;
      inode.mtimeMs = operations;
      for (const block of blocksOf(position, bytes.length)) inode.dropped.delete(block);
    };
    const sync = () => {
      inode.synced = onDisk(inode);
    };
    const drop = () => {
      for (const block of blocksOf(0, inode.content.length)) {
        const [now, before] = [inode.content, inode.synced].map((bytes) => blockOf(bytes, block));
        if (!now!.equals(before!)) inode.dropped.add(block);
      }
    };
    const syncNow = () => {
      if (failingSync === basename(path)) {
        failingSync = undefined;
        fault = { operation: operations + 1, effect: { code: 'EIO', dropsWrites: true } };
      }
      return operate(path, sync, { half: () => {}, drop });
    };
    const misdirect = (bytes: Buffer, position: number) => {
      overwrite(Buffer.alloc(bytes.length), position);
      const others = [...(folders.get(dirname(path))?.entries.values() ?? [])].filter(
        ({ content }) => content.length > 0,
      );
      const other = random.pick([inode, ...others]);
      const at = blockBytes * random.integer(0, Math.floor(other.content.length / blockBytes));
      if (other === inode && at <= position && position < at + blockBytes) return;
      other.content = Buffer.from(other.content);
      bytes.copy(other.content, at);
      other.synced = Buffer.from(other.content);
    };
    return {
      read: (buffer, offset, length, position) =>
        look(path, () => {
          const bytes = shown(inode.content.subarray(position, position + length));
          return { bytesRead: bytes.copy(buffer, offset) };
        }),
      write: (buffer, offset, length, position) => {
        const bytes = Buffer.from(buffer.subarray(offset, offset + length));
        return operate(
          path,
          () => {
            overwrite(bytes, position);
            return { bytesWritten: length };
          },
          {
            half: () => overwrite(bytes.subarray(0, random.integer(0, length)), position),
            astray: () => misdirect(bytes, position),
          },
        );
      },
      stat: () => look(path, () => stampOf(inode)),
      truncate: (length) =>
        operate(path, () => {
          inode.content = inode.content.subarray(0, length);
          inode.mtimeMs = operations;
          for (const block of inode.dropped) if (block >= Math.floor(length / blockBytes)) inode.dropped.delete(block);
        }),
      datasync: () => syncNow(),
      sync: () => syncNow(),
      close: async () => {},
    };
  }

  function openFolder(folder: Folder, path: string): OpenFile {
    const refuse = () => fail('EISDIR', path);
    const sync = () => {
      folder.unsynced.length = 0;
      folder.syncedEntries.clear();
      for (const [name, inode] of folder.entries) folder.syncedEntries.set(name, inode);
    };
    return {
      read: refuse,
      write: refuse,
      truncate: refuse,
      stat: refuse,
      datasync: () => operate(path, sync, { half: () => {}, drop: () => {} }),
      sync: () => operate(path, sync, { half: () => {}, drop: () => {} }),
      close: async () => {},
    };
  }

  /** Memory has room for other things: what it held of a file and is not on the disk is gone. */
  function evict(): void {
    for (const { entries } of folders.values()) {
      for (const inode of entries.values()) {
        if (inode.dropped.size > 0 && chance()) inode.content = onDisk(inode);
      }
    }
  }

  /** What the folder has under this name, from now on and after a power loss. */
  function settle(path: string, inode: Inode | undefined): void {
    const { entries, syncedEntries, unsynced } = folderOf(path);
    for (const changes of unsynced) changes.delete(basename(path));
    for (const each of [entries, syncedEntries]) setEntry(each, basename(path), inode);
  }

  function losePower(): void {
    for (const { entries, syncedEntries, unsynced } of folders.values()) {
      const kept = unsynced.filter(() => chance());
      for (const changes of kept) for (const [name, inode] of changes) setEntry(syncedEntries, name, inode);
      unsynced.length = 0;
      entries.clear();
      for (const [name, inode] of syncedEntries) entries.set(name, inode);
    }
    const inodesLeft = new Set([...folders.values()].flatMap(({ entries }) => [...entries.values()]));
    for (const inode of inodesLeft) {
      inode.content = tear({ content: onDisk(inode), synced: inode.synced });
      inode.synced = inode.content;
      inode.dropped.clear();
    }
  }

  /** Any block of the data written since the last sync may have reached the disk, and so may the new length. */
  function tear({ content, synced }: Pick<Inode, 'content' | 'synced'>): Buffer {
    if (content === synced) return content;
    const [shorter, longer] = [content.length, synced.length].toSorted((a, b) => a - b) as [number, number];
    const length = random.pick([shorter, longer, random.integer(shorter, longer)]);
    const torn = Buffer.alloc(length);
    for (let start = 0; start < length; start += blockBytes) {
      const source = chance() ? content : synced;
      source.subarray(start, start + blockBytes).copy(torn, start);
    }
    return torn;
  }

  return {
    get operations() {
      return operations;
    },
    get reads() {
      return reads;
    },
    get isOff() {
      return off;
    },
    planFault(planned) {
      fault = planned;
    },
    failNextSync(name) {
      failingSync = name;
    },
    planWrongRead(read) {
      wrongRead = read;
    },
    turnOff() {
      off = true;
    },
    restart(after) {
      if (after === 'power loss') losePower();
      else evict();
      fault = undefined;
      off = false;
      era += 1;
    },
    files() {
      return new Map(
        [...folders].flatMap(([folder, { entries }]) =>
          [...entries].map(([name, inode]) => [`${folder}/${name}`, inode.content] as const),
        ),
      );
    },
    put: (path, content) => settle(path, { ...createInode(), content, synced: content }),
    lose: (path) => settle(path, undefined),

    async open(path, flags) {
      const folder = folders.get(path);
      if (folder) return look(path, () => (flags === 'r' ? openFolder(folder, path) : fail('EISDIR', path)));
      if (flags === 'r' || flags === 'r+') return look(path, () => openFile(find(path), path));
      return operate(path, () => {
        const existing = folderOf(path).entries.get(basename(path));
        if (existing && flags === 'wx') fail('EEXIST', path);
        const inode = existing ?? createInode();
        inode.content = Buffer.alloc(0);
        if (!existing) change(path, [[basename(path), inode]]);
        return openFile(inode, path);
      });
    },
    readFile: (path) => look(path, () => shown(find(path).content)),
    readdir: (path) =>
      look(path, () => {
        const inside = [...folders.keys()].filter((each) => each !== path && dirname(each) === path);
        const entries = folders.get(path)?.entries ?? fail('ENOENT', path);
        return [...inside.map((each) => basename(each)), ...entries.keys()];
      }),
    stat: (path) => look(path, () => stampOf(find(path))),
    // Folders are durable at once: losing one loses the same as losing the names in it.
    mkdir: (path) =>
      operate(path, () => {
        for (let each = path; !folders.has(each); each = dirname(each)) {
          folders.set(each, { entries: new Map(), syncedEntries: new Map(), unsynced: [] });
        }
      }),
    rename: (from, to) =>
      operate(from, () => {
        const inode = find(from);
        if (dirname(from) !== dirname(to)) fail('EXDEV', to);
        change(from, [
          [basename(from), undefined],
          [basename(to), inode],
        ]);
      }),
    link: (existing, path) =>
      operate(path, () => {
        if (folderOf(path).entries.has(basename(path))) fail('EEXIST', path);
        change(path, [[basename(path), find(existing)]]);
      }),
    unlink: (path) =>
      operate(path, () => {
        find(path);
        change(path, [[basename(path), undefined]]);
      }),
  };
}

function setEntry(entries: Map<string, Inode>, name: string, inode: Inode | undefined): void {
  if (inode) entries.set(name, inode);
  else entries.delete(name);
}

function stampOf({ id, content, mtimeMs }: Inode): FileStamp {
  return { ino: id, size: content.length, mtimeMs };
}
