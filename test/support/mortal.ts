// Daemons that are killed at any step, like kill -9: sent requests arrive, no answer is seen, and no file is written any
// more. A step is a request, an answer, or a write to the state.
import { randomUUID } from 'node:crypto';
import { type App, createApp } from '../../src/app.ts';
import type { AppWorld } from '../../src/app-world.ts';
import { connectState } from '../../src/app-state.ts';
import type { RunReport } from '../../src/engine/report.ts';
import type { Random } from '../../src/standin/service/random.ts';
import { machineDisk } from '../../src/state/file/machine-disk.ts';
import { createProcesses } from '../../src/state/file/processes.ts';
import type { Lease, Store, SyncState } from '../../src/state/port.ts';
import { createConfigReader } from './kept-config.ts';
import { createMemoryKernel, never } from './memory-kernel.ts';

export interface Mortal {
  /** Above the numbers of the system, so that it is never a real process. */
  readonly pid: number;
  readonly app: App;
  isDead: boolean;
  /** When it is killed in its next run; `in the call`: right before, between or after the calls that matter. */
  dies: 'not' | 'anywhere' | 'in the call';
  /** Steps until it is killed. */
  stepsLeft: number;
  readonly died: PromiseWithResolvers<'killed'>;
}

type Life = Omit<Mortal, 'app'>;

interface MortalsDep {
  readonly random: Random;
  readonly configFile: string;
  readonly serviceUrl: string;
  readonly service: { fetch(request: Request): Response | Promise<Response> };
  readonly sheets: { fetch(request: Request): Response | Promise<Response> };
  /** The calls that matter. */
  readonly isTheCall: (url: string, init: { readonly method?: string }) => boolean;
}

const pidsFrom = 5_000_000;

export function createMortals({ random, configFile, serviceUrl, service, sheets, isTheCall }: MortalsDep) {
  const all: Mortal[] = [];
  let pids = pidsFrom;
  const readConfig = createConfigReader(configFile);

  const living = () => all.filter(({ isDead }) => !isDead);
  const isAlive = (pid: number) => living().some((other) => other.pid === pid);
  const kernel = createMemoryKernel((pid) => (isAlive(pid) ? String(pid) : undefined));
  const unanswered = () => new Promise<never>(() => {});

  function step(life: Life): void {
    life.stepsLeft -= 1;
    if (life.stepsLeft > 0 || life.isDead) return;
    life.isDead = true;
    life.died.resolve('killed');
  }

  function worldOf(life: Life): AppWorld {
    const ownProcess = {
      pid: life.pid,
      probe: (pid: number) => {
        if (isAlive(pid) || pid === life.pid) return;
        throw Object.assign(new Error('no such process'), { code: 'ESRCH' });
      },
    };
    return {
      async transport(url, init) {
        if (isTheCall(url, init) && life.dies === 'in the call' && life.stepsLeft > 9)
          life.stepsLeft = random.integer(1, 9);
        step(life);
        if (life.isDead) return unanswered();
        const request = new Request(url, init);
        const response = await (url.startsWith(serviceUrl) ? service.fetch(request) : sheets.fetch(request));
        step(life);
        return life.isDead ? unanswered() : response;
      },
      now: () => Date.now(),
      elapsed: () => performance.now(),
      random: () => random.integer(0, 999_999) / 1_000_000,
      randomId: randomUUID,
      process: ownProcess,
      machine: {
        disk: machineDisk,
        processes: createProcesses(ownProcess),
        kernelLocks: kernel.locksOf(life.pid),
        every: never,
        elapsed: () => performance.now(),
      },
    };
  }

  /** The store as this daemon writes it. */
  function storeOf(life: Life, store: Store): Store {
    const write = async <Result>(begin: () => Promise<Result>): Promise<Result> => {
      step(life);
      if (life.isDead) return unanswered();
      const result = await begin();
      step(life);
      return life.isDead ? unanswered() : result;
    };
    const leaseOf = (lease: Lease): Lease => ({
      epoch: lease.epoch,
      remainingMs: () => lease.remainingMs(),
      load: () => lease.load(),
      glance: (uuids) => lease.glance(uuids),
      commit: (batch) => write(() => lease.commit(batch)),
      appendHistory: (lines) => write(() => lease.appendHistory(lines)),
      appendRun: (record) => write(() => lease.appendRun(record)),
      noteRows: (idByRow) => lease.noteRows(idByRow),
      [Symbol.asyncDispose]: () => (life.isDead ? unanswered() : lease[Symbol.asyncDispose]()),
    });
    const stateOf = (state: SyncState): SyncState => ({
      load: () => state.load(),
      addRequest: (request) => state.addRequest(request),
      readRuns: (query) => state.readRuns(query),
      readRun: (run) => state.readRun(run),
      readRows: () => state.readRows(),
      loadSome: (wanted) => state.loadSome(wanted),
      acquireLease: async (options) => leaseOf(await state.acquireLease(options)),
    });
    return {
      jobs: () => store.jobs(),
      sync: (name) => stateOf(store.sync(name)),
      history: (query) => store.history(query),
      historyPage: (query) => store.historyPage(query),
      runsPage: (query) => store.runsPage(query),
      lastRuns: (query) => store.lastRuns(query),
      mayHave: (jobs, wanted) => store.mayHave(jobs, wanted),
      loadSomeOf: (jobs, wanted) => store.loadSomeOf(jobs, wanted),
      keepIndex: (options) => store.keepIndex(options),
      readHeartbeat: () => store.readHeartbeat(),
      writeHeartbeat: (heartbeat) => store.writeHeartbeat(heartbeat),
      readLogins: () => store.readLogins(),
      changeLogins: (change) => store.changeLogins(change),
    };
  }

  return {
    living,
    /** From 1 on, in the order of their start. */
    numberOf: ({ pid }: Mortal): number => pid - pidsFrom,

    async start(): Promise<Mortal> {
      pids += 1;
      const died = Promise.withResolvers<'killed'>();
      const life: Life = { pid: pids, isDead: false, dies: 'not', stepsLeft: Infinity, died };
      const config = readConfig();
      const world = worldOf(life);
      const store = storeOf(
        life,
        connectState(config, world, () => {}),
      );
      const app = await createApp(config, { ...world, store }, () => {});
      const mortal = Object.assign(life, { app });
      all.push(mortal);
      return mortal;
    },

    /** One run, until it ends or its daemon is killed. */
    async run(mortal: Mortal, begin: () => Promise<RunReport>): Promise<RunReport | 'killed'> {
      mortal.stepsLeft = mortal.dies === 'anywhere' ? random.integer(1, 30) : Infinity;
      const ended = await Promise.race([begin(), mortal.died.promise]);
      mortal.stepsLeft = Infinity;
      mortal.dies = 'not';
      return ended;
    },

    [Symbol.dispose](): void {
      for (const { app } of all) app[Symbol.dispose]();
    },
  };
}
