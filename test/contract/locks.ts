// What every driver of the lease keeps: one holder, which is waited for, and taken over only after its end.
import { describe, expect, test } from 'vitest';
import { LeaseLostError, LeaseTakenError } from '../../src/state/errors.ts';
import type { Lock, Locks } from '../../src/state/file/lock.ts';

/** One process that may take the lease of the one sync of the trial. */
export interface LockProcess {
  readonly pid: number;
  readonly locks: Locks;
  /** Shows a sign of life, as a timer does. */
  renew(): void;
  /** Like kill -9. */
  kill(): void;
}

export interface LockTrial {
  /** A new process, in a container of its own if it has another host name. */
  start(host?: string): LockProcess;
  /** Time passes for all, and no sign of life is shown by it. */
  pass(ms: number): void;
  /** As if somebody had deleted every file of the lock. */
  removeFiles(): Promise<void>;
  /** The names of the files of the lock that a living holder has. */
  files(): Promise<readonly string[]>;
}

/** `lastsMs`: how long a lease lasts after the last sign of life of its holder. */
export function describeLocksContract(name: string, create: () => Promise<LockTrial>, lastsMs = Infinity): void {
  describe(`W7: the lease by ${name}`, () => {
    test('of many that want it, on two hosts, one has it at any time', async () => {
      const trial = await create();
      let inside = 0;
      let insideMax = 0;
      const renewing = new Set<LockProcess>();
      const one = async (process: LockProcess) => {
        const lock = await process.locks.acquire({ waitMs: 60_000 });
        renewing.add(process);
        inside += 1;
        insideMax = Math.max(insideMax, inside);
        for (let step = 0; step < 5; step += 1) {
          process.renew();
          await lock.confirm();
        }
        inside -= 1;
        await lock.release();
      };
      const processes = ['a', 'b', 'a', 'b', 'a'].map((host) => trial.start(host));
      await Promise.all(processes.map((process) => one(process)));
      expect(insideMax).toBe(1);
      expect(await trial.files()).toEqual([]);
    });

    test('two that want it in one process exclude each other', async () => {
      const trial = await create();
      const { locks } = trial.start();
      const first = await locks.acquire({ waitMs: 0 });
      await expect(locks.acquire({ waitMs: 0 })).rejects.toThrow(LeaseTakenError);
      await first.release();
      await (await locks.acquire({ waitMs: 0 })).release();
    });

    test('taken by a living process of another host, it is refused with its name, however long it is held', async () => {
      const trial = await create();
      const holder = trial.start('a');
      const lock = await holder.locks.acquire({});
      const refused = await refusalOf(trial.start('b').locks, holder);
      expect(refused).toBeInstanceOf(LeaseTakenError);
      expect(refused).toMatchObject({ holder: { pid: holder.pid, host: 'a' } });
      await lock.confirm();
      await lock.release();
    });

    test('a waiting process gets it as soon as it is given back', async () => {
      const trial = await create();
      const first = await trial.start('a').locks.acquire({});
      const waiting = trial.start('b').locks.acquire({ waitMs: 60_000 });
      await first.release();
      const second = await waiting;
      await expect(second.confirm()).resolves.toBeUndefined();
      await second.release();
    });

    test.each(['a', 'b'])('L10: a killed holder is taken over by itself by a process of host %s', async (host) => {
      const trial = await create();
      const killed = trial.start('a');
      await killed.locks.acquire({});
      killed.kill();
      const lock = await trial.start(host).locks.acquire({ waitMs: 0 });
      await lock.confirm();
      await lock.release();
      expect(await trial.files()).toEqual([]);
    });

    test('a holder whose files were deleted loses it, and leaves those of the next holder alone', async () => {
      const trial = await create();
      const robbed = await trial.start('a').locks.acquire({});
      await trial.removeFiles();
      await expect(robbed.confirm()).rejects.toThrow(LeaseLostError);
      await robbed.release();
      const next = trial.start('b');
      const lock = await next.locks.acquire({ waitMs: 0 });
      await robbed.release();
      await lock.confirm();
      await lock.release();
    });

    test('H1: each lease has a greater epoch than all before it, also after a killed holder', async () => {
      const trial = await create();
      const epochs: number[] = [];
      for (const [index, host] of ['a', 'b', 'a', 'c'].entries()) {
        const process = trial.start(host);
        const lock = await process.locks.acquire({});
        epochs.push(lock.epoch);
        if (index % 2 === 0) process.kill();
        else await lock.release();
      }
      expect(epochs).toEqual([1, 2, 3, 4]);
    });

    test('H3: a holder knows for how long no other can take it over, and a sign of life renews that', async () => {
      const trial = await create();
      const lock = await trial.start('a').locks.acquire({});
      expect(lock.remainingMs()).toBe(lastsMs);
      trial.pass(30);
      expect(lock.remainingMs()).toBe(lastsMs - 30);
      await lock.confirm();
      expect(lock.remainingMs()).toBe(lastsMs);
      trial.pass(1_000);
      expect(lock.remainingMs()).toBe(lastsMs === Infinity ? Infinity : 0);
      await lock.release();
      expect(lock.remainingMs()).toBe(0);
    });

    test('a wait for it ends when the signal says so, and leaves nothing behind', async () => {
      const trial = await create();
      const holder = trial.start('a');
      const lock = await holder.locks.acquire({});
      const stop = new AbortController();
      const waiting = trial.start('b').locks.acquire({ waitMs: 60_000, signal: stop.signal });
      stop.abort(new Error('stop'));
      await expect(waiting).rejects.toThrow(/stop|abort/i);
      await lock.confirm();
      await lock.release();
      await (await trial.start('c').locks.acquire({ waitMs: 0 })).release();
    });
  });
}

/** Why the lease is refused, while its holder shows signs of life. */
async function refusalOf(locks: Locks, holder: LockProcess): Promise<unknown> {
  const asked = { isOver: false };
  const refused = locks.acquire({ waitMs: 0 }).then(
    (lock: Lock) => lock,
    (error: unknown) => error,
  );
  void refused.then(() => (asked.isOver = true));
  while (!asked.isOver) {
    holder.renew();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return refused;
}
