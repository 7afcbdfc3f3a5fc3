// A clock that only the simulation moves. While it is installed, timers and `Date` of the whole program use it.
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * There is one true time. `setWall` sets the wall clock of the machine that runs leadsheet. Timers fire in the order of
 * their instants, and timers of one instant in the order in which they were set.
 */
export interface Clock extends Disposable {
  /** Epoch milliseconds, true time. */
  readonly now: () => number;
  /** Epoch milliseconds, by the clock of the machine. */
  readonly wall: () => number;
  /** Milliseconds since the clock was installed; never set back. */
  readonly elapsed: () => number;
  readonly setWall: (byMs: number) => void;
  /** Moves the clock by so much; every timer that becomes due fires. */
  readonly pass: (ms: number) => Promise<void>;
  /** Moves the clock until the promise settles. Throws if nothing is left to wait for, or after `limitMs`. */
  readonly until: <Result>(what: Promise<Result>, limitMs?: number) => Promise<Result>;
  /** Timers that are set within belong to `owner`; `forget` removes them. */
  readonly within: <Result>(owner: object, work: () => Result) => Result;
  readonly forget: (owner: object) => void;
  /** No timer of the owner fires for so long, as in a process that is suspended. */
  readonly hold: (owner: object, ms: number) => void;
  /** The owner of the current work. */
  readonly owner: () => object | undefined;
}

interface Timer {
  readonly id: number;
  readonly owner: object | undefined;
  readonly call: () => void;
  readonly everyMs: number | undefined;
  dueAt: number;
  place: number;
}

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  Date: globalThis.Date,
  timeout: AbortSignal.timeout.bind(AbortSignal),
  // oxlint-disable-next-line no-restricted-properties -- it is kept, to be put back
  random: Math.random,
};

const owners = new AsyncLocalStorage<object>();

/** As `process.getActiveResourcesInfo` names them. */
const fileRequests: ReadonlySet<string> = new Set(['FSReqPromise', 'CloseReq']);

/**
 * With no timer left, something may still be under way that `settle` does not know: once in 40,000 stories on a busy machine.
 * So it is waited for in real time, thirty seconds at most, before the story counts as hanging. Two seconds were too few once:
 * 1910000793, beside the installation of packages on the same disk.
 */
const [pauseMs, pausesMax] = [10, 3_000];

/** The longest time of a run that meets every pause. */
const limitMsDefault = 6 * 3_600_000;

/** `random`: the answers of `Math.random` meanwhile; a library for schedules uses it. */
export function installClock(startAt: number, random: () => number): Clock {
  let elapsed = 0;
  let wallOffset = 0;
  let ids = 0;
  let places = 0;
  const timers = new Map<number, Timer>();
  /** By owner: until when its timers are held. */
  const held = new WeakMap<object, number>();

  const now = () => startAt + elapsed;
  const wall = () => now() + wallOffset;

  function add(call: (...args: never[]) => void, ms: number, args: unknown[], isRepeated: boolean) {
    // Like Node: whole milliseconds, at least one.
    const waitMs = ms >= 1 && ms <= 2 ** 31 - 1 ? Math.trunc(ms) : 1;
    const id = (ids += 1);
    const owner = owners.getStore();
    timers.set(id, {
      id,
      owner,
      call: () => owners.run(owner as object, () => (call as (...given: unknown[]) => void)(...args)),
      everyMs: isRepeated ? waitMs : undefined,
      dueAt: Math.max(elapsed + waitMs, (owner && held.get(owner)) ?? 0),
      place: (places += 1),
    });
    const handle = {
      ref: () => handle,
      unref: () => handle,
      hasRef: () => true,
      refresh: () => handle,
      close: () => void timers.delete(id),
      [Symbol.toPrimitive]: () => id,
      [Symbol.dispose]: () => void timers.delete(id),
    };
    return handle;
  }

  const clear = (handle?: unknown) => {
    if (handle !== undefined && handle !== null) timers.delete(Number(handle));
  };

  /**
   * Runs everything that waits only for the event loop, or for a real file: the program reads its credentials from the disk of this
   * machine, and on a busy one that takes longer than a turn of the loop.
   */
  const settle = async () => {
    do await new Promise<void>((resolve) => void real.setImmediate(resolve));
    while (process.getActiveResourcesInfo().some((name) => fileRequests.has(name)));
  };

  function next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers.values()) {
      if (!first || timer.dueAt < first.dueAt || (timer.dueAt === first.dueAt && timer.place < first.place))
        first = timer;
    }
    return first;
  }

  function fire(timer: Timer): void {
    elapsed = Math.max(elapsed, timer.dueAt);
    if (timer.everyMs === undefined) timers.delete(timer.id);
    else {
      timer.dueAt = elapsed + timer.everyMs;
      timer.place = places += 1;
    }
    timer.call();
  }

  class SimulatedDate extends real.Date {
    constructor(...args: unknown[]) {
      super(...((args.length === 0 ? [wall()] : args) as [number]));
    }
    static override now(): number {
      return wall();
    }
  }

  Object.assign(globalThis, {
    setTimeout: (call: () => void, ms = 0, ...args: unknown[]) => add(call, ms, args, false),
    setInterval: (call: () => void, ms = 0, ...args: unknown[]) => add(call, ms, args, true),
    clearTimeout: clear,
    clearInterval: clear,
    Date: SimulatedDate,
  });
  // oxlint-disable-next-line no-restricted-properties -- it is replaced, not asked
  Math.random = random;
  AbortSignal.timeout = (ms) => {
    const stop = new AbortController();
    add(() => stop.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms, [], false);
    return stop.signal;
  };

  return {
    now,
    wall,
    elapsed: () => elapsed,
    setWall: (byMs) => void (wallOffset += byMs),
    async pass(ms) {
      const end = elapsed + ms;
      await settle();
      for (let timer = next(); timer && timer.dueAt <= end; timer = next()) {
        fire(timer);
        await settle();
      }
      elapsed = end;
    },
    async until(what, limitMs = limitMsDefault) {
      let isSettled = false;
      const note = () => void (isSettled = true);
      what.then(note, note);
      const end = elapsed + limitMs;
      let pauses = 0;
      for (;;) {
        await settle();
        if (isSettled) return what;
        const timer = next();
        if (timer) {
          if (timer.dueAt > end) throw new Error(`still not over after ${limitMs / 60_000} minutes`);
          pauses = 0;
          fire(timer);
        } else if ((pauses += 1) <= pausesMax) {
          await new Promise<void>((resolve) => void real.setTimeout(resolve, pauseMs));
        } else {
          const underWay = [...new Set(process.getActiveResourcesInfo())].join(', ');
          throw new Error(
            `nothing is left to wait for: something waits for an event that never comes (the process has ${underWay || 'nothing'} under way)`,
          );
        }
      }
    },
    within: (owner, work) => owners.run(owner, work),
    owner: () => owners.getStore(),
    forget(owner) {
      for (const timer of timers.values()) if (timer.owner === owner) timers.delete(timer.id);
    },
    hold(owner, ms) {
      const until = elapsed + ms;
      held.set(owner, until);
      for (const timer of timers.values()) if (timer.owner === owner) timer.dueAt = Math.max(timer.dueAt, until);
    },
    [Symbol.dispose]() {
      timers.clear();
      const { setImmediate: _immediate, timeout, random: chance, ...globals } = real;
      // oxlint-disable-next-line no-restricted-properties -- it is put back
      Math.random = chance;
      Object.assign(globalThis, globals);
      AbortSignal.timeout = timeout;
    },
  };
}
