// What src/state/port.ts promises of a holder that was taken over, and of a commit whose answer is lost, for any driver.
import { describe, expect, test } from 'vitest';
import { LeaseLostError, StateError } from '../../src/state/errors.ts';
import type { Store } from '../../src/state/port.ts';
import { contentOf, historyLine, runRecord } from '../support/state.ts';

export interface TakeoverDriver {
  /** `silent`: a process without signs of life, whose lease runs out soon. `open`: another process. */
  readonly create: () => Promise<{ readonly silent: Store; readonly open: () => Store }>;
  /**
   * `breakNext`: the next save ends in an error, before or after it was carried out; its caller cannot know. It goes on with what
   * `breakNext` returns.
   */
  readonly createBreaking: () => Promise<{
    readonly store: Store;
    readonly open: () => Store;
    readonly breakNext: (wasDone: boolean) => () => void;
  }>;
}

const fact = (name: string, value: number) => ({ facts: { put: new Map([[name, value]]) } });
const time = '2026-01-31T09:00:00.000Z';

export function describeTakeoverContract(name: string, { create, createBreaking }: TakeoverDriver): void {
  describe(`${name}: a holder that was taken over`, () => {
    test('H1: changes nothing, and each of its writes says so', async () => {
      const { silent, open } = await create();
      const stale = await silent.sync('s').acquireLease();
      await stale.load();
      await stale.commit(fact('n', 1));
      const two = open();
      await using lease = await two.sync('s').acquireLease();
      expect(lease.epoch).toBe(stale.epoch + 1);
      const before = contentOf(await lease.load());
      expect(before.facts).toEqual({ n: 1 });
      await expect(stale.commit(fact('n', 2))).rejects.toThrow(LeaseLostError);
      await expect(stale.appendHistory([historyLine(time)])).rejects.toThrow(LeaseLostError);
      await expect(stale.appendRun(runRecord('r1', time))).rejects.toThrow(LeaseLostError);
      await stale.noteRows(new Map([[2, 'c1']]));
      expect(contentOf(await lease.load())).toEqual(before);
      expect(await two.sync('s').readRuns({ limit: 1 })).toEqual([]);
      expect(await two.sync('s').readRows()).toBeUndefined();
      expect((await two.historyPage({ limit: 1 })).lines).toEqual([]);
    });

    test('H1: gives nothing back that is not its own any more', async () => {
      const { silent, open } = await create();
      const stale = await silent.sync('s').acquireLease();
      await stale.load();
      await using lease = await open().sync('s').acquireLease();
      await lease.load();
      await stale[Symbol.asyncDispose]();
      expect(stale.remainingMs()).toBe(0);
      await lease.commit(fact('n', 3));
      expect((await open().sync('s').load()).facts.get('n')).toBe(3);
    });

    test('H1: knows nothing of the state that the next one writes, until it has the lease again', async () => {
      const { silent, open } = await create();
      const stale = await silent.sync('s').acquireLease();
      await stale.load();
      {
        await using lease = await open().sync('s').acquireLease();
        await lease.load();
        await lease.commit(fact('n', 4));
      }
      await stale[Symbol.asyncDispose]();
      await using again = await silent.sync('s').acquireLease();
      expect((await again.load()).facts.get('n')).toBe(4);
      await again.commit(fact('n', 5));
      expect((await open().sync('s').load()).facts.get('n')).toBe(5);
    });
  });

  describe(`${name}: a save that breaks`, () => {
    test.each([
      ['before it was carried out', false],
      ['after it was carried out', true],
    ])('S1: %s is there whole or not at all, and the next one goes on from what is there', async (_name, wasDone) => {
      const { store, open, breakNext } = await createBreaking();
      await using lease = await store.sync('s').acquireLease();
      await lease.load();
      await lease.commit({ ...fact('n', 0), ledger: { put: new Map([['c a', { by: 0 }]]) } });
      const restore = breakNext(wasDone);
      const failed = await lease
        .commit({ ...fact('n', 1), ledger: { put: new Map([['c a', { by: 1 }]]) } })
        .catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(StateError);
      const { facts, ledger } = await open().sync('s').load();
      expect(ledger.get('c a')).toEqual({ by: facts.get('n') });
      restore();
      // The same again, and one that depends on it.
      await lease.commit({ ...fact('n', 1), ledger: { put: new Map([['c a', { by: 1 }]]) } });
      await lease.commit({ facts: { delete: ['n'] } });
      const last = await open().sync('s').load();
      expect([last.facts.has('n'), last.ledger.get('c a')]).toEqual([false, { by: 1 }]);
    });
  });
}
