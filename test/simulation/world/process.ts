// A process that runs leadsheet. It may be killed at any instant, and gets no answer after that.
import type { App } from '../../../src/app.ts';
import type { AppWorld } from '../../../src/app-world.ts';
import type { Disk, OpenFile } from '../../../src/state/file/disk.ts';
import { toRequest } from '../../../src/standin/to-request.ts';
import { type MemoryKernel, never } from '../../support/memory-kernel.ts';
import type { Clock } from './clock.ts';
import type { FleetMember } from './member.ts';

/** An instant before or after an event of one process; the process may be killed at it. */
export interface Instant {
  readonly process: SimulatedProcess;
  readonly kind: 'request' | 'answer' | 'disk' | 'store';
  /** An operation of the service, of Sheets, of the disk or of the database: `contacts.search`, `write base.log`, `commit`. */
  readonly what: string;
}

export interface SimulatedProcess {
  readonly pid: number;
  readonly stop: AbortController;
  isDead: boolean;
  app?: App;
  /** As one of several workers over one database. Left out: its state is files. */
  member?: FleetMember;
  /** Resolves when it is killed. */
  readonly died: PromiseWithResolvers<'killed'>;
}

export interface ProcessDep {
  readonly clock: Clock;
  readonly disk: Disk;
  readonly random: () => number;
  readonly randomId: () => string;
  /** `what`: the operation. */
  readonly answer: (request: Request, body: string, what: string, process: SimulatedProcess) => Promise<Response>;
  readonly operationOf: (method: string | undefined, url: string) => string;
  readonly atInstant: (instant: Instant) => void;
  readonly isAlive: (pid: number) => boolean;
  readonly kernel: MemoryKernel;
}

export function createProcess(pid: number): SimulatedProcess {
  return { pid, stop: new AbortController(), isDead: false, died: Promise.withResolvers<'killed'>() };
}

const unanswered = <Result>() => new Promise<Result>(() => {});

export function worldOf(process: SimulatedProcess, dep: ProcessDep): AppWorld {
  const { clock, atInstant } = dep;
  return {
    async transport(url, init) {
      if (process.isDead) return unanswered();
      const what = dep.operationOf(init.method, url);
      atInstant({ process, kind: 'request', what });
      if (process.isDead) return unanswered();
      // A form, as for a token, is in no law.
      const body = typeof init.body === 'string' ? init.body : '';
      const response = await dep.answer(toRequest(url, init), body, what, process);
      if (process.isDead) return unanswered();
      atInstant({ process, kind: 'answer', what });
      if (process.member) await process.member.pass(what);
      return process.isDead ? unanswered() : response;
    },
    ...(process.member && { store: process.member.store }),
    now: clock.wall,
    elapsed: clock.elapsed,
    random: dep.random,
    randomId: dep.randomId,
    process: { pid: process.pid, probe: () => {} },
    machine: {
      disk: mortalDisk(process, dep),
      processes: {
        host: 'simulated',
        pid: process.pid,
        space: async () => 'simulated',
        startOf: async (pid) => (dep.isAlive(pid) ? { start: String(pid) } : 'gone'),
      },
      kernelLocks: dep.kernel.locksOf(process.pid),
      // Every process is on one machine, and is asked whether it lives.
      every: never,
      elapsed: clock.elapsed,
    },
  };
}

/** A disk that ignores a dead process: the current operation is finished, the next one never begins. */
function mortalDisk(process: SimulatedProcess, { disk, atInstant }: ProcessDep): Disk {
  const act = async <Result>(what: string, path: string, work: () => Promise<Result>): Promise<Result> => {
    if (process.isDead) return unanswered();
    const name = `${what} ${fileKind(path)}`;
    atInstant({ process, kind: 'disk', what: name });
    if (process.isDead) return unanswered();
    try {
      const result = await work();
      return process.isDead ? await unanswered<Result>() : result;
    } catch (error) {
      if (process.isDead) return unanswered();
      throw error;
    }
  };
  const look = async <Result>(work: () => Promise<Result>): Promise<Result> =>
    process.isDead ? unanswered() : work().then((result) => (process.isDead ? unanswered<Result>() : result));
  const mortalFile = (file: OpenFile, path: string): OpenFile => ({
    read: (...args) => look(() => file.read(...args)),
    stat: () => look(() => file.stat()),
    write: (...args) => act('write', path, () => file.write(...args)),
    truncate: (length) => act('truncate', path, () => file.truncate(length)),
    datasync: () => act('sync', path, () => file.datasync()),
    sync: () => act('sync', path, () => file.sync()),
    close: () => look(() => file.close()),
  });
  return {
    open: async (path, flags, mode) => {
      const open = () => disk.open(path, flags, mode);
      const file = await (flags === 'wx' ? act('create', path, open) : look(open));
      return mortalFile(file, path);
    },
    readFile: (path) => look(() => disk.readFile(path)),
    readdir: (path) => look(() => disk.readdir(path)),
    stat: (path) => look(() => disk.stat(path)),
    mkdir: (path, options) => act('mkdir', path, () => disk.mkdir(path, options)),
    rename: (from, to) => act('rename', to, () => disk.rename(from, to)),
    link: (existing, path) => act('link', path, () => disk.link(existing, path)),
    unlink: (path) => act('unlink', path, () => disk.unlink(path)),
  };
}

/** Without the parts that differ in every run, such as ids and days. */
function fileKind(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\d|[0-9a-f]{16}/g, '*');
}
