// The setting of a simulation: two sides, one disk, and processes that run leadsheet.
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../../src/app.ts';
import { connectState } from '../../../src/app-state.ts';
import type { Config } from '../../../src/config/config.ts';
import { readConfigFile } from '../../../src/app-config.ts';
import type { RunningDaemon } from '../../../src/daemon.ts';
import { startDaemon } from '../../../src/daemon.ts';
import type { EngineEvent } from '../../../src/engine/events.ts';
import type { RunReport } from '../../../src/engine/report.ts';
import type { Operator } from '../../../src/operator/operator.ts';
import { createRandom } from '../../../src/standin/service/random.ts';
import { createMemoryDisk, type MemoryDisk } from '../../support/memory-disk.ts';
import { createMemoryKernel } from '../../support/memory-kernel.ts';
import { type Clock, installClock } from './clock.ts';
import { createFleet } from './fleet.ts';
import { createProcess, type Instant, type ProcessDep, type SimulatedProcess, worldOf } from './process.ts';
import { type Setting, serviceUrl, settingToYaml, syncName } from './setting.ts';
import { readState, type ReadState, readStateOf, stateText } from './state-files.ts';
import { account, createSides, type SideEvent, type Sides } from './sides.ts';

export interface WorldListener {
  readonly onInstant: (instant: Instant) => void;
  readonly onSide: (event: SideEvent) => void;
  readonly onEngine: (event: EngineEvent, process: SimulatedProcess) => void;
  /** Called with each request before it takes effect. */
  readonly onRequest: (request: Request) => void;
  /** Called with each answer before the process gets it. `body`: the request. */
  readonly onAnswer: (process: SimulatedProcess, what: string, body: string, text: string, request: Request) => void;
}

export interface World extends Disposable {
  readonly clock: Clock;
  readonly sides: Sides;
  readonly disk: MemoryDisk;
  /** Takes effect with the next process. */
  readonly configure: (setting: Setting) => void;
  readonly begin: () => Promise<SimulatedProcess>;
  /** A process that only looks at the state. */
  readonly beginReader: () => { readonly process: SimulatedProcess; readonly operator: Operator };
  readonly beginDaemon: () => Promise<{ readonly process: SimulatedProcess; readonly daemon: RunningDaemon }>;
  /** One run, while the clock is moved. A process that is killed meanwhile reports nothing. */
  readonly run: (
    process: SimulatedProcess,
    request: { isFull: boolean; isAsked: boolean },
  ) => Promise<RunReport | 'killed'>;
  /** One run of another job than the sync. */
  readonly runBeside: (process: SimulatedProcess, job: string, isFull?: boolean) => Promise<RunReport | 'killed'>;
  /** Whether the work under way is of such a run. */
  readonly isBeside: () => boolean;
  /** Like kill -9: sent requests arrive, no answer is seen, and no file is written any more. */
  readonly kill: (process: SimulatedProcess) => void;
  /** Ends all processes at once, and loses what was not synced. */
  readonly losePower: () => void;
  readonly living: () => readonly SimulatedProcess[];
  readonly readState: () => Promise<ReadState>;
  /** What is stored of the sync but its lease, by file; of a database as one text. */
  readonly stateText: () => ReadonlyMap<string, string>;
}

const searchCall = 'crm POST /leads/api/leads/search';

const beganAt = Date.UTC(2026, 10, 21, 9);

/** Every process reads it at its start; the same file for all. */
const keyFile = join(mkdtempSync(join(tmpdir(), 'leadsheet-simulation-')), 'key.json');
writeFileSync(
  keyFile,
  JSON.stringify({
    type: 'authorized_user',
    client_id: account.clientId,
    client_secret: account.clientSecret,
    refresh_token: account.refreshToken,
  }),
);

export function createWorld(setting: Setting, seed: number, listener: WorldListener): World {
  const random = createRandom(seed + 1);
  const share = () => random.integer(0, 2 ** 30) / (2 ** 30 + 1);
  const clock = installClock(beganAt, share);
  const disk = createMemoryDisk(seed);
  const sides = createSides(setting, seed, clock, listener.onSide);
  const processes = new Map<number, SimulatedProcess>();
  const fleet = setting.isFleet && createFleet(clock, listener.onInstant);
  let config: Config;
  configure(setting);

  /** The name of the job whose run the work under way is of. */
  const beside = new AsyncLocalStorage<string>();
  const isAlive = (pid: number) => processes.get(pid)?.isDead === false;
  const dep: ProcessDep = {
    clock,
    disk,
    random: share,
    randomId: () => random.uuid(),
    isAlive,
    kernel: createMemoryKernel((pid) => (isAlive(pid) ? String(pid) : undefined)),
    atInstant: listener.onInstant,
    operationOf,
    async answer(request, body, what, process) {
      listener.onRequest(request);
      const response = await (request.url.startsWith(serviceUrl)
        ? sides.service.fetch(request)
        : sides.sheets.fetch(request));
      const text = await response.text();
      if (setting.searchMs !== undefined && what === searchCall)
        await new Promise((resolve) => void setTimeout(resolve, setting.searchMs));
      if (!process.isDead) listener.onAnswer(process, what, body, text, request);
      const isBodiless = text === '' || response.status === 204;
      return new Response(isBodiless ? null : text, { status: response.status, headers: response.headers });
    },
  };

  function configure(next: Setting): void {
    const text = settingToYaml(next, keyFile);
    config = readConfigFile('/simulation/leadsheet.yaml', { env: {}, readFile: () => text });
  }

  function newProcess(): SimulatedProcess {
    const process = createProcess(processes.size + 1);
    if (fleet) process.member = fleet.join(process);
    processes.set(process.pid, process);
    return process;
  }

  function die(process: SimulatedProcess): void {
    process.isDead = true;
    process.member?.end();
    clock.forget(process);
    process.died.resolve('killed');
  }

  return {
    clock,
    sides,
    disk,
    configure,
    async begin() {
      const process = newProcess();
      const tell = (event: EngineEvent) => listener.onEngine(event, process);
      process.app = await clock.within(process, () => createApp(config, worldOf(process, dep), tell));
      return process;
    },
    beginReader() {
      const process = newProcess();
      const own = worldOf(process, dep);
      const store = process.member?.store ?? connectState(config, own, () => {});
      return { process, operator: { config, store, now: clock.wall } };
    },
    async beginDaemon() {
      const process = newProcess();
      const out = { write: () => true };
      const listen = (event: EngineEvent) => listener.onEngine(event, process);
      const reread = () => config;
      const world = { ...worldOf(process, dep), out, stop: process.stop.signal, listen, reread };
      const daemon = await clock.within(process, () => startDaemon(config, world));
      return { process, daemon };
    },
    run(process, { isFull, isAsked }) {
      const sync = process.app!.jobs.get(syncName)!;
      const request = { isFull, isAsked, signal: process.stop.signal };
      return Promise.race([clock.within(process, () => sync.run(request)), process.died.promise]);
    },
    runBeside(process, name, isFull = false) {
      const job = process.app!.jobs.get(name)!;
      const request = { isFull, isAsked: true, signal: process.stop.signal };
      const work = beside.run(name, () => clock.within(process, () => job.run(request)));
      return Promise.race([work, process.died.promise]);
    },
    isBeside: () => beside.getStore() !== undefined,
    kill: die,
    losePower() {
      for (const process of processes.values()) if (!process.isDead) die(process);
      disk.turnOff();
      disk.restart('power loss');
    },
    readState: () => (fleet ? readStateOf(fleet.store) : readState(disk)),
    stateText: () => (fleet ? new Map([['database', fleet.database.textOf(syncName)]]) : stateText(disk)),
    living: () => [...processes.values()].filter(({ isDead }) => !isDead),
    [Symbol.dispose]: () => clock[Symbol.dispose](),
  };
}

/** `POST /leads/search`, `GET /v4/spreadsheets/*`: without ids and ranges. */
function operationOf(method = 'GET', url: string): string {
  const { pathname, host } = new URL(url);
  const path = pathname
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '*')
    .replace(/\/spreadsheets\/[^/:]+/, '')
    .replace(/\/values\/[^:]*$/, '/values');
  return host.endsWith(':4020') ? `sheets ${method} ${path}` : `crm ${method} ${path}`;
}
