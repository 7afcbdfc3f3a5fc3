// The store of the stories with several workers keeps the contract of every store, and its leases run out.
import { describe, expect, test } from 'vitest';
import { LeaseLostError, LeaseTakenError } from '../../src/state/errors.ts';
import { describeStateContract } from '../contract/state.ts';
import { describeTakeoverContract } from '../contract/takeover.ts';
import { connectionLost, createMemoryDatabase, type WorkerOptions } from '../support/memory-store.ts';
import { trialTerms } from '../support/state.ts';

function createTrial() {
  const clock = { ms: 0 };
  const database = createMemoryDatabase({
    elapsed: () => clock.ms,
    leaseMs: 60_000,
    renewMs: 5_000,
    terms: trialTerms,
  });
  const worker = (host: string, options: Partial<WorkerOptions> = {}) => database.worker({ host, pid: 1, ...options });
  return { clock, worker };
}

describeStateContract('memory, with leases that run out', {
  async create() {
    const { worker } = createTrial();
    return { store: worker('here').store, reopen: () => worker('here').store };
  },
});

const put = (n: number) => ({ facts: { put: new Map([['n', n]]) } });

describe('H1: a lease that ran out', () => {
  test('is given to another worker, and what the earlier one writes changes nothing', async () => {
    const { clock, worker } = createTrial();
    const [a, b] = [worker('a'), worker('b')];
    const stale = await a.store.sync('s').acquireLease();
    await stale.load();
    await stale.commit(put(1));
    a.pause();
    clock.ms += 59_000;
    await expect(b.store.sync('s').acquireLease({ waitMs: 0 })).rejects.toThrow(LeaseTakenError);
    clock.ms += 1_001;
    expect(stale.remainingMs()).toBe(0);
    await using heir = await b.store.sync('s').acquireLease({ waitMs: 0 });
    expect([stale.epoch, heir.epoch]).toEqual([1, 2]);
    await heir.load();
    await heir.commit(put(2));
    a.resume();
    await expect(stale.commit(put(3))).rejects.toThrow(LeaseLostError);
    await expect(stale.appendHistory([])).rejects.toThrow(LeaseLostError);
    await expect(stale.load()).rejects.toThrow(LeaseLostError);
    await stale[Symbol.asyncDispose]();
    expect((await b.store.sync('s').load()).facts.get('n')).toBe(2);
    await expect(worker('c').store.sync('s').acquireLease({ waitMs: 0 })).rejects.toThrow(LeaseTakenError);
  });

  test('a running holder renews it, and a clock that stops tells it too much', async () => {
    const { clock, worker } = createTrial();
    const own = { ms: 0 };
    const a = worker('a', { elapsed: () => own.ms });
    const lease = await a.store.sync('s').acquireLease();
    for (let hours = 0; hours < 2; hours += 1) {
      clock.ms += 3_600_000;
      own.ms += 3_600_000;
      expect(lease.remainingMs()).toBeGreaterThan(54_000);
    }
    a.pause();
    clock.ms += 61_000;
    // The machine slept, and its clock with it: the docs name what cannot be fenced then.
    expect(lease.remainingMs()).toBeGreaterThan(54_000);
    await worker('b').store.sync('s').acquireLease({ waitMs: 0 });
  });
});

describeTakeoverContract('memory', {
  async create() {
    const database = createMemoryDatabase({
      elapsed: () => performance.now(),
      leaseMs: 1,
      renewMs: Infinity,
      terms: trialTerms,
    });
    const open = () => database.worker({ host: 'here', pid: 1 }).store;
    return { silent: open(), open };
  },
  async createBreaking() {
    const { worker } = createTrial();
    let breaks: 'before' | 'after' | undefined;
    const { store } = worker('a', {
      instant(at, what) {
        if (at !== breaks || what !== 'commit') return;
        breaks = undefined;
        throw connectionLost();
      },
    });
    return {
      store,
      open: () => worker('b').store,
      breakNext(wasDone) {
        breaks = wasDone ? 'after' : 'before';
        return () => {};
      },
    };
  },
});
