// Several workers over one database: their leases run out, they are suspended, and their connections break.
import { connectionLost, createMemoryDatabase, type MemoryDatabase } from '../../support/memory-store.ts';
import type { Store } from '../../../src/state/port.ts';
import type { Clock } from './clock.ts';
import type { FleetMember, Trouble } from './member.ts';
import type { Instant, SimulatedProcess } from './process.ts';
import { syncName } from './setting.ts';

export interface Fleet {
  join(process: SimulatedProcess): FleetMember;
  /** For the referee. */
  readonly store: Store;
  readonly database: Pick<MemoryDatabase, 'textOf'>;
}

/** As in PostgreSQL, or on a network drive. */
const times = { leaseMs: 60_000, renewMs: 5_000, pollMs: 500 };

export function createFleet(clock: Clock, atInstant: (instant: Instant) => void): Fleet {
  const terms = { version: 'none', basis: () => '', of: () => [] };
  const database = createMemoryDatabase({ ...times, elapsed: clock.elapsed, terms });
  return { join, database, store: database.worker({ host: 'referee', pid: 0 }).store };

  function join(process: SimulatedProcess): FleetMember {
    const instants = { any: 0, service: 0, sheet: 0, save: 0 };
    let sleptMs = 0;
    let isClockStopped = false;
    let planned: readonly Trouble[] = [];
    let tell: (trouble: Trouble) => void = () => {};
    let asleep: Promise<void> | undefined;

    const worker = database.worker({
      host: 'simulated',
      pid: process.pid,
      elapsed: () => clock.elapsed() - sleptMs,
      async instant(when, statement) {
        if (process.isDead) return new Promise(() => {});
        atInstant({ process, kind: 'store', what: `${when} ${statement}` });
        const trouble = await pass(`store ${when} ${statement}`);
        if (process.isDead) return new Promise(() => {});
        if (trouble?.what === 'loss') throw connectionLost();
      },
    });

    async function pass(answered: string): Promise<Trouble | undefined> {
      for (let until = asleep; until; until = asleep) await until;
      const side = sideOf(answered);
      instants.any += 1;
      if (side) instants[side] += 1;
      const trouble = planned.find(({ at, of }) => (of === 'any' || of === side) && instants[of] === at);
      if (trouble) tell(trouble);
      if (trouble?.what === 'suspend') await sleep(trouble);
      return trouble;
    }

    /** No step of the process is taken: each waits for an answer, for a statement, or for a timer. */
    async function sleep({ ms, clockStops }: Trouble): Promise<void> {
      worker.pause();
      const { promise, resolve } = Promise.withResolvers<void>();
      asleep = promise;
      isClockStopped ||= clockStops;
      setTimeout(resolve, ms);
      clock.hold(process, ms);
      await promise;
      if (clockStops) sleptMs += ms;
      asleep = undefined;
      if (!process.isDead) worker.resume();
    }

    return {
      store: worker.store,
      plan(troubles, onTrouble) {
        [planned, tell] = [troubles, onTrouble];
        Object.assign(instants, { any: 0, service: 0, sheet: 0, save: 0 });
      },
      async pass(answered) {
        await pass(answered);
      },
      end: () => worker.pause(),
      epochs: () => ({ own: worker.epochOf(syncName), given: database.epochOf(syncName) }),
      hasSlept: () => sleptMs > 0 || isClockStopped,
    };
  }
}

/** Undefined: a call that only reads. */
function sideOf(operation: string): 'service' | 'sheet' | 'save' | undefined {
  if (operation.startsWith('store ')) return operation === 'store after commit' ? 'save' : undefined;
  if (operation.startsWith('sheets ')) return operation.includes(' GET ') ? undefined : 'sheet';
  return operation.includes(' GET ') || /search|lookup/.test(operation) ? undefined : 'service';
}
