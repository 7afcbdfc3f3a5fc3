// Plays a story: people act, leadsheet runs, faults strike; in between everything is quiet and the laws are checked.
import type { EngineEvent } from '../../src/engine/events.ts';
import type { RunReport } from '../../src/engine/report.ts';
import type { DecisionRequest } from '../../src/engine/decision.ts';
import type { HeldFact } from '../../src/engine/stored/facts.ts';
import type { HistoryLine, JsonObject, SyncState } from '../../src/state/port.ts';
import type { ConflictAnswer } from '../../src/operator/answers/conflicts.ts';
import { readConflicts } from '../../src/operator/conflicts.ts';
import { OperatorError } from '../../src/operator/errors.ts';
import { StateError } from '../../src/state/errors.ts';
import { Coverage } from './coverage.ts';
import { playHealing } from './healing.ts';
import { createHolderJudge } from './laws/holders.ts';
import { inject } from './inject.ts';
import { createRest, type Rest } from './at-rest.ts';
import { playUndo } from './undoing.ts';
import { pick } from './picking.ts';
import { createLookJudge } from './laws/looks.ts';
import type { Violation } from './oracle/evidence.ts';
import { createObserver, type Observer } from './oracle/observer.ts';
import { createMirrors, type Mirrors } from './mirrors.ts';
import { createMessaging, type Messaging } from './messaging.ts';
import { createFeedHandsOff } from './laws/feeds.ts';
import { messagesSent } from './laws/outboxes.ts';
import { createPeople, type People } from './people/acts.ts';
import { noteSeen } from './people/moved-cells.ts';
import {
  approveRecords,
  approveWhole,
  cancelWish,
  type Deciding,
  refusePlan,
  resolveAsSeen,
} from './people/decisions.ts';
import { createLog, type Log, personLog } from './people/log.ts';
import { createPausing, type Pausing } from './pausing.ts';
import { createReaders, type Readers } from './reading.ts';
import { createMapping, type Mapping } from './remapping.ts';
import type { Act, Chaos, Remap, Scenario, Step } from './scenario/scenario.ts';
import { createBackup, damageState, loseState, restoreState, type StateFiles } from './world/state-files.ts';
import type { Instant, SimulatedProcess } from './world/process.ts';
import { feedName, fullLookMinsDefault, outboxName, spreadsheetId, syncName } from './world/setting.ts';
import type { SideEvent } from './world/sides.ts';
import { viewSheet } from './world/view.ts';
import { createWorld, type World } from './world/world.ts';

export interface Played {
  readonly violations: readonly Violation[];
  readonly story: readonly string[];
  readonly coverage: Coverage;
  /** Milliseconds that passed on the clock of the story. */
  readonly simulatedMs: number;
}

export async function play(scenario: Scenario): Promise<Played> {
  const coverage = new Coverage();
  const player = new Player(scenario, coverage);
  try {
    await player.play();
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    player.violations.push({ law: 'fault', text: `the program or the simulation failed: ${text}` });
  } finally {
    player.end();
  }
  const { violations, log, simulatedMs } = player;
  return { violations, story: log.story, coverage, simulatedMs };
}

type Daemon = Awaited<ReturnType<World['beginDaemon']>>;

class Player {
  readonly violations: Violation[] = [];
  readonly log: Log = createLog();
  readonly #scenario: Scenario;
  readonly #coverage: Coverage;
  readonly #world: World;
  readonly #observer: Observer;
  readonly #people: People;
  readonly #feedHandsOff = createFeedHandsOff();
  /** The instant of each request: the answer shows both sides as they were then. */
  readonly #askedAt = new WeakMap<Request, number>();
  readonly #reports: RunReport[] = [];
  /** Processes whose run reported that contacts came and went during the reading. */
  readonly #drifting = new Set<number>();
  /** By pid. */
  readonly #haveRun = new Set<number>();
  readonly #history: HistoryLine[] = [];
  readonly #holders = createHolderJudge();
  readonly #looks;
  readonly #readers: Readers;
  readonly #mapping: Mapping;
  /** Undefined: the story has no further sync. */
  readonly #mirrors: Mirrors | undefined;
  readonly #pausing: Pausing;
  readonly #rest: Rest;
  /** Those that have looked at rows through their pins, and whose next request may write them. */
  readonly #aboutToWrite = new Set<SimulatedProcess>();
  /** Processes of daemons, whose runs a schedule begins. */
  readonly #daemons = new Set<number>();
  /** Undefined: the story has no outbox. */
  readonly #messaging: Messaging | undefined;
  #process: SimulatedProcess | undefined;
  #instants = 0;
  #sendInstants = 0;
  #chaos: { readonly of: Chaos; done: number } | undefined;
  #backup: StateFiles | undefined;
  /** The conflicts that a person looked at last. */
  #shown: readonly ConflictAnswer[] = [];
  #isTampered = false;
  #isPlanning = false;
  #wasKilled = false;

  constructor(scenario: Scenario, coverage: Coverage) {
    this.#scenario = scenario;
    this.#coverage = coverage;
    this.#mapping = createMapping(scenario.setting);
    this.#looks = createLookJudge((scenario.setting.fullLookMins ?? fullLookMinsDefault) * 60_000);
    const world = createWorld(scenario.setting, scenario.seed, {
      onInstant: (instant) => this.#atInstant(instant),
      onSide: (event) => this.#onSide(event),
      onEngine: (event, process) => this.#onEngine(event, process),
      onRequest: (request) => {
        this.log.seq += 1;
        this.#askedAt.set(request, this.log.seq);
        this.#messaging?.observer.asks(request);
      },
      onAnswer: (process, what, body, text, request) => {
        this.#messaging?.observer.answered(process.pid, request, text);
        // Another job of the process learns nothing for the sync.
        if (this.#world.isBeside()) return;
        this.#observer.onAnswer(process.pid, { what, body, text, askedAt: this.#askedAt.get(request)! });
        this.#looks.answered(process.pid, what, this.#world.clock.now());
      },
    });
    this.#world = world;
    const { sides, clock } = world;
    this.#observer = createObserver({
      setting: scenario.setting,
      inForce: this.#mapping.inForce,
      mapped: this.#mapping.mapped,
      log: this.log,
      contacts: () => [...sides.service.model.contacts.all()].map(({ record }) => record),
      sheet: () => sides.file.content,
      isInScope: sides.lists.isInScope,
      now: clock.now,
      currentPid: () => (clock.owner() as SimulatedProcess | undefined)?.pid ?? 0,
    });
    this.#people = createPeople({
      sides,
      setting: scenario.setting,
      log: this.log,
      ownerOf: this.#observer.ownerOf,
      personOf: this.#observer.personOf,
      lastWrite: (side) => this.#observer.writes.findLast((write) => write.side === side),
    });
    if (scenario.setting.outbox)
      this.#messaging = createMessaging({
        world,
        setting: scenario.setting,
        log: this.log.messages,
        tell: (text) => this.#tell(text),
        counted: (area, name) => this.#coverage.count(area, name),
      });
    if (scenario.setting.mirrors)
      this.#mirrors = createMirrors({
        world,
        setting: scenario.setting,
        tell: (text) => this.#tell(text),
        counted: (name) => this.#coverage.count('mirror', name),
        violate: (violation) => void this.violations.push(violation),
      });
    this.#pausing = createPausing({
      world,
      tell: (text) => this.#tell(text),
      counted: (name) => this.#coverage.count('pause', name),
      violate: (violation) => void this.violations.push(violation),
    });
    this.#readers = createReaders({
      world,
      tell: (text) => this.#tell(text),
      counted: (what, how) => this.#coverage.count('read', `${what}: ${how}`),
      violate: (violation) => void this.violations.push(violation),
    });
    this.#rest = createRest({
      world,
      setting: scenario.setting,
      mapping: this.#mapping,
      observer: this.#observer,
      log: this.log,
      coverage,
      reports: this.#reports,
      history: this.#history,
      violations: this.violations,
      mirrors: this.#mirrors,
      messaging: this.#messaging,
      isStateTampered: () => this.#isTampered,
      wasKilled: () => this.#wasKilled,
      endChaos: () => {
        this.#chaos = undefined;
      },
      tell: (text) => this.#tell(text),
      violate: (law, text) => this.#violate(law, text),
      deciding: (state) => this.#deciding(state),
      running: () => this.#running(),
      leave: () => this.#leave(),
      run: (process, request) => this.#run(process, request),
    });
    this.log.story.push(JSON.stringify(scenario.setting));
    coverage.setting(scenario.setting);
  }

  async play(): Promise<void> {
    for (const step of this.#scenario.steps) {
      await this.#step(step);
      if (this.#messaging) this.violations.push(...messagesSent(this.#messaging.observer));
      this.violations.push(...this.#feedHandsOff.take());
      if (this.violations.length > 0) return;
    }
    this.#putRight();
    await this.#rest.calm();
    this.violations.push(...this.#feedHandsOff.take());
  }

  /** Cells that a person moved to other rows, and headers that are not where they were, hold the sync until a person does something (G1). */
  #putRight(): void {
    this.#act({ side: 'sheet', what: 'put header right', a: 0, b: 0, c: 0 });
    if (this.log.misplaced.size > 0) this.#act({ side: 'sheet', what: 'put cells right', a: 0, b: 0, c: 0 });
  }

  get simulatedMs(): number {
    return this.#world.clock.elapsed();
  }

  end(): void {
    for (const write of this.#observer.writes) this.#coverage.write(write);
    for (const { side, person } of this.#observer.additions)
      if (side === 'sheet' && this.#scenario.setting.hasDates)
        this.#coverage.count('value', `date ${person === undefined ? '' : 'in a new row'}`);
    for (const { deletedIn } of this.log.people.values())
      if (deletedIn.size === 2) this.#coverage.count('value', 'deleted on both sides');
    if (this.#looks.spared() > 0) this.#coverage.count('value', 'run without a look', this.#looks.spared());
    this.#coverage.faultsMet(this.#world.sides);
    this.#world[Symbol.dispose]();
  }

  #onSide(event: SideEvent): void {
    this.#observer.onSide(event);
    const process = this.#world.clock.owner() as SimulatedProcess | undefined;
    this.#messaging?.observer.onSide(event, process?.pid ?? 0);
    this.#mirrors?.onSide(event);
    if (event.side === 'sheet' && event.by === 'leadsheet') this.#feedHandsOff.onWrite(event);
    if (event.side === 'message') this.#tell(`  SENT "${event.text}" to ${event.uuid}`);
    const violations = [
      process?.member && this.#holders.judge(event, process.member),
      // What another job of the process changes is no change of the sync.
      process && !this.#world.isBeside() && this.#looks.changed(process.pid, event),
    ];
    for (const violation of violations) if (violation) this.violations.push(violation);
  }

  #tell(text: string): void {
    this.log.story.push(`${new Date(this.#world.clock.now()).toISOString().slice(5, 19)} ${text}`);
  }

  async #step(step: Step): Promise<void> {
    this.#coverage.step(step);
    switch (step.do) {
      case 'act':
        return this.#act(step.act);
      case 'pass':
        return this.#world.clock.pass(step.ms);
      case 'run':
        return this.#runStep(step);
      case 'daemon':
        return this.#daemonStep(step);
      case 'pauses':
        return this.#pausesStep(step);
      case 'workers':
        return this.#workersStep(step);
      case 'drive':
        return this.#turnDrive(step);
      case 'set clock':
        this.#pausing.judge.unsure();
        this.#tell(`the clock of the machine is set by ${step.byMs / 1000} s`);
        return this.#world.clock.setWall(step.byMs);
      case 'back up':
        this.#backup = createBackup(this.#world.disk);
        return this.#tell('the state is backed up');
      case 'restore':
        if (this.#backup === undefined) return undefined;
        return this.#tamper('restored from the backup', () => restoreState(this.#world.disk, this.#backup!));
      case 'lose state':
        this.#messaging?.observer.stateLost();
        this.log.seen.clear();
        return this.#tamper('lost', () => loseState(this.#world.disk, this.#messaging && outboxName));
      case 'damage':
        return this.#tamper('damaged', () => damageState(this.#world.disk, step.a, step.b));
      case 'map':
        return this.#remap(step);
      case 'undo':
        return playUndo(step, {
          world: this.#world,
          log: this.log,
          mapping: this.#mapping,
          reports: this.#reports,
          counted: () => this.#coverage.count('decision', 'undo'),
          tell: (text) => this.#tell(text),
          violate: (law, text) => this.#violate(law, text),
          running: () => this.#running(),
          until: (process, work) => this.#until(process, work),
          quietly: (process, work) => this.#quietly(process, work),
          unleash: (of) => this.#unleash(of),
          tame: () => this.#tame(),
        });
      case 'decide':
        return this.#decide(step);
      case 'message':
        return this.#message(step);
      case 'heal':
        this.#putRight();
        return this.#heal(step);
      case 'quiet':
        this.#putRight();
        return this.#rest.calm(step);
    }
  }

  #act(act: Parameters<People['act']>[0]): void {
    this.log.seq += 1;
    if (this.#people.act(act)) this.#coverage.act(act);
  }

  #turnDrive({ how, lagMs }: Extract<Step, { do: 'drive' }>): void {
    const { drive } = this.#world.sides.sheets.model;
    this.#tell(`Drive: ${how}${how === 'lag' ? ` ${lagMs / 1000} s` : ''}`);
    this.#coverage.count('switch', `drive ${how}`);
    if (how === 'lag') drive.lagMs = lagMs;
    else if (how === 'touch') drive.touch(spreadsheetId);
    else if (how === 'expire') drive.expireTokens();
    else drive.isDeaf = how === 'deaf';
  }

  /** Changes the state while nothing runs. What leadsheet has reported so far is kept. */
  async #tamper(how: string, work: () => void): Promise<void> {
    // Another state does not know what was held: the rest of it would be edits (G1).
    if (this.log.isPartlyRight) this.#putRight();
    await this.#keepHistory();
    for (const process of this.#world.living()) this.#world.kill(process);
    this.#process = undefined;
    work();
    this.#pausing.judge.unsure();
    this.#isTampered = true;
    this.#tell(`the state is ${how}`);
  }

  #remap(remap: Remap): void {
    const before = new Set(this.#mapping.mapped());
    const told = this.#mapping.change(remap);
    if (told === undefined) return;
    // A column that left the mapping is its people's. Under another header it would stay theirs, and the tab would get a new one (W11).
    for (const field of this.#mapping.mapped()) if (!before.has(field)) this.#people.putHeaderBack(field);
    this.#world.configure(this.#mapping.setting());
    this.#filterAsMapped();
    this.#leave();
    this.#tell(told);
    this.#coverage.count('step', `map ${remap.what ?? 'presence'}`);
  }

  /** D4: contacts leave the sync, or come back to it, by another filter. */
  #filterAsMapped(): void {
    const { lists, service } = this.#world.sides;
    const scope = () =>
      new Set(
        [...service.model.contacts.all()].flatMap(({ record }) => (lists.isInScope(record) ? [record.uuid] : [])),
      );
    const before = scope();
    lists.filterBy(this.#mapping.whole().filter);
    const after = scope();
    for (const uuid of new Set([...before, ...after])) {
      if (before.has(uuid) === after.has(uuid)) continue;
      const name = this.#observer.ownerOf(uuid);
      if (name !== undefined) personLog(this.log, name).tangles.add('moved');
    }
    if (after.size > before.size) this.log.movesBack.push(this.log.seq);
  }

  async #decide({ what, a }: Extract<Step, { do: 'decide' }>): Promise<void> {
    const state = (await this.#running()).app!.store.sync(syncName);
    const last = this.#reports.at(-1);
    if (!last) return;
    if (what === 'look' || what === 'resolve seen' || what === 'cancel') return this.#decideSeen(what, a);
    let request: DecisionRequest | undefined;
    if (what === 'approve' && last.approvable !== undefined && a % 2 === 1) {
      request = approveRecords(await this.#deciding(state), a);
    } else if (what === 'approve' && last.approvable !== undefined) {
      request = approveWhole(this, last);
    } else if (what === 'refuse' && last.approvable !== undefined) {
      request = refusePlan(await this.#deciding(state), last);
    } else if (what === 'resolve') {
      const conflict = pick(
        last.problems.filter(({ kind }) => kind === 'conflict'),
        a,
      );
      if (conflict) this.log.resolvedUnseen.add(conflict.id);
      if (conflict) request = { kind: 'resolve', id: conflict.id, resolution: { use: a % 2 === 0 ? 'crm' : 'sheet' } };
    } else if (what === 'retry') {
      const problem = pick(
        last.problems.filter(({ kind }) => kind !== 'conflict'),
        a,
      );
      if (problem) request = { kind: 'retry', id: problem.id };
      if (problem) this.log.wishChanges.push(this.log.seq);
    }
    if (!request) return;
    this.#tell(`a person says: ${JSON.stringify(request)}`);
    this.#coverage.count('decision', request.kind);
    await this.#world.clock.until(state.addRequest(request as unknown as JsonObject));
  }

  async #message(step: Extract<Step, { do: 'message' }>): Promise<void> {
    const process = await this.#running();
    if (this.#messaging) await this.#until(process, () => this.#messaging!.decide(step, process));
  }

  /** Through the operator layer, as the console and the commands do. */
  async #decideSeen(what: 'look' | 'resolve seen' | 'cancel', a: number): Promise<void> {
    const process = await this.#running();
    const { store, config } = process.app!;
    const operator = { config, store, now: this.#world.clock.now };
    if (what === 'look') {
      const shown = await this.#until(process, () => readConflicts(operator, {}));
      this.#shown = shown === 'killed' || shown === undefined ? [] : shown;
      return;
    }
    this.log.seq += 1;
    const decide = what === 'cancel' ? cancelWish : resolveAsSeen;
    const told = await this.#until(process, () => decide({ operator, log: this.log, shown: this.#shown }, a));
    if (told === 'killed' || told === undefined) return;
    this.#tell(told);
    this.#coverage.count('decision', what);
  }

  async #deciding(state: SyncState): Promise<Deciding> {
    const { facts } = await this.#world.clock.until(state.load());
    const held = facts.get('held') as HeldFact | null | undefined;
    return { log: this.log, held, now: this.#world.clock.now() };
  }

  /** What the process does, or `killed`; undefined: it refused in words. */
  async #until<Result>(process: SimulatedProcess, work: () => Promise<Result>): Promise<Result | 'killed' | undefined> {
    const { clock } = this.#world;
    const working = clock.within(process, work).catch((error: unknown) => {
      if (error instanceof OperatorError || error instanceof StateError || process.stop.signal.aborted) {
        this.#tell(`refused: ${String(error)}`);
        return undefined;
      }
      throw error;
    });
    return clock.until(Promise.race([working, process.died.promise]));
  }

  /** A plan is no run: what it tells counts for nothing. */
  async #quietly<Result>(process: SimulatedProcess, work: () => Promise<Result>) {
    this.#isPlanning = true;
    const result = await this.#until(process, work);
    this.#isPlanning = false;
    return result;
  }

  async #running(): Promise<SimulatedProcess> {
    if (this.#process === undefined || this.#process.isDead || this.#process.stop.signal.aborted) {
      this.#leave();
      this.#process = await this.#world.begin();
    }
    return this.#process;
  }

  /** The process has nothing more to do, and ends. */
  #leave(): void {
    if (this.#process && !this.#process.isDead) this.#world.kill(this.#process);
    this.#process = undefined;
  }

  async #runStep({ of, mirrors, isFull, isAsked, restart, both, chaos }: Extract<Step, { do: 'run' }>): Promise<void> {
    if (restart) this.#leave();
    const process = await this.#running();
    const other = both ? await this.#world.begin() : undefined;
    this.#unleash(chaos);
    const processes = [process, ...(other ? [other] : [])];
    const runs = [
      ...(of === undefined ? processes.map((each) => this.#run(each, { isFull, isAsked })) : []),
      ...(this.#messaging && of !== 'feed' ? processes.map((each) => this.#messaging!.run(each)) : []),
    ];
    const others = this.#mirrors && mirrors && this.#mirrors.run(process, { isFull, afterMs: mirrors });
    await this.#world.clock.until(Promise.all(runs));
    if (others) await this.#world.clock.until(others);
    if (this.#scenario.setting.hasFeed) {
      const feeding = (of === 'feed' ? processes : [process]).filter(({ isDead }) => !isDead);
      await this.#world.clock.until(Promise.all(feeding.map((each) => this.#world.runBeside(each, feedName))));
    }
    await this.#tame();
    if (other && !other.isDead) this.#world.kill(other);
  }

  /** Each worker runs the job once, the next one begins `gapMs` after it. */
  async #workersStep({ workers, gapMs, isFull, chaos }: Extract<Step, { do: 'workers' }>): Promise<void> {
    this.#leave();
    const processes: SimulatedProcess[] = [];
    for (const troubles of workers) {
      const process = await this.#world.begin();
      process.member?.plan(troubles, ({ what, ms, clockStops }) => {
        this.#coverage.count(
          'fault',
          what === 'loss' ? 'connection to the database lost' : `worker suspended${clockStops ? ', clock too' : ''}`,
        );
        this.#tell(
          `  worker ${process.pid} ${what === 'loss' ? 'loses its connection' : `is suspended for ${ms / 1000} s${clockStops ? ', its clock too' : ''}`}`,
        );
      });
      processes.push(process);
    }
    this.#tell(`${processes.length} workers, ${gapMs / 1000} s apart`);
    this.#unleash(chaos);
    const runs = processes.map(async (process, index) => {
      if (index > 0) await new Promise<void>((resolve) => void setTimeout(resolve, index * gapMs));
      return process.isDead ? 'killed' : this.#run(process, { isFull, isAsked: true });
    });
    await this.#world.clock.until(Promise.all(runs));
    await this.#tame();
    for (const process of processes) if (!process.isDead) this.#world.kill(process);
  }

  async #run(
    process: SimulatedProcess,
    request: { readonly isFull: boolean; readonly isAsked: boolean },
  ): Promise<RunReport | 'killed'> {
    const report = await this.#world.run(process, request);
    if (report === 'killed') this.#tell(`run of process ${process.pid} killed`);
    return report;
  }

  async #daemonStep({ ms, both, reload, chaos }: Extract<Step, { do: 'daemon' }>): Promise<void> {
    const daemons = await this.#beginDaemons(both);
    this.#tell(`${both ? 'two daemons run' : 'the daemon runs'} for ${ms / 1000} s`);
    this.#unleash(chaos);
    if (reload) {
      await this.#world.clock.pass(ms / 2);
      await this.#reload(reload, daemons);
    }
    await this.#world.clock.pass(reload ? ms / 2 : ms);
    await this.#endDaemons(daemons);
  }

  async #pausesStep({ acts, afterMs, both, chaos }: Extract<Step, { do: 'pauses' }>): Promise<void> {
    const { clock } = this.#world;
    const pauses = this.#pausing.judge;
    const isCalm = chaos.acts.length + chaos.faults.length === 0 && chaos.end === undefined;
    const daemons = await this.#beginDaemons(both);
    this.#tell(`${both ? 'two daemons run' : 'the daemon runs'}, and people pause the sync`);
    pauses.daemon('begun', isCalm);
    this.#unleash(chaos);
    for (const act of acts) {
      await clock.pass(act.afterMs);
      await clock.until(this.#pausing.decide(act, daemons[0]));
    }
    await clock.pass(afterMs);
    this.#judged(pauses.daemon('ended', isCalm));
    await this.#endDaemons(daemons);
  }

  #judged(violation: Violation | undefined): void {
    if (violation) this.violations.push(violation);
  }

  async #beginDaemons(both: boolean): Promise<readonly Daemon[]> {
    this.#leave();
    const daemons = [await this.#world.beginDaemon(), ...(both ? [await this.#world.beginDaemon()] : [])];
    for (const { process } of daemons) this.#daemons.add(process.pid);
    return daemons;
  }

  async #endDaemons(daemons: readonly Daemon[]): Promise<void> {
    await this.#tame();
    for (const { process, daemon } of daemons) {
      if (process.isDead) continue;
      if (!process.stop.signal.aborted) process.stop.abort(new Error('stopped by SIGTERM'));
      const begun = this.#world.clock.elapsed();
      await this.#world.clock.until(daemon.end());
      const tookMs = this.#world.clock.elapsed() - begun;
      if (tookMs > 10_000) this.#violate('W8', `the daemon took ${tookMs} ms to end`);
      this.#coverage.count('stop', 'drained');
      this.#world.kill(process);
    }
    this.#tell('the daemon has ended');
  }

  async #heal(step: Extract<Step, { do: 'heal' }>): Promise<void> {
    const { clock, sides } = this.#world;
    // What the search does not show yet is not known to be broken.
    const { searchLagMs, totalDriftMax } = sides.service.switches;
    Object.assign(sides.service.switches, { searchLagMs: 0, totalDriftMax: 0 });
    this.#leave();
    const violations = await playHealing(step, {
      sides,
      tell: (text) => this.#tell(text),
      act: (act) => this.#act(act),
      pass: (ms) => clock.pass(ms),
      restart: () => this.#leave(),
      run: async (isFull) => {
        const report = await clock.until(this.#run(await this.#running(), { isFull, isAsked: true }));
        if (report === 'killed') throw new Error('nobody kills it now');
        return report;
      },
      sight: (report) => ({
        setting: this.#mapping.whole(),
        mapped: this.#mapping.mapped(),
        ownerOf: this.#observer.ownerOf,
        log: this.log,
        quiet: this.#rest.viewNow(report),
      }),
      refused: () =>
        (this.#reports.at(-1)?.problems ?? []).flatMap(({ rule, uuid }) =>
          rule === 'W5' && uuid !== null ? [uuid] : [],
        ),
      people: () => [...this.log.people.keys()],
    });
    this.#coverage.count('law', 'L14');
    this.violations.push(...violations);
    Object.assign(sides.service.switches, { searchLagMs, totalDriftMax });
  }

  /** Each living daemon takes the changed file up, or keeps the earlier one and says why. */
  async #reload(remap: Remap, daemons: readonly Daemon[]): Promise<void> {
    const before = new Set(this.#mapping.mapped());
    const told = this.#mapping.change(remap);
    if (told === undefined) return;
    // A column that left the mapping is its people's. Under another header it would stay theirs, and the tab would get a new one (W11).
    for (const field of this.#mapping.mapped()) if (!before.has(field)) this.#people.putHeaderBack(field);
    this.#world.configure(this.#mapping.setting());
    this.#filterAsMapped();
    this.#tell(`${told}, and the daemon reads it`);
    await this.#mapping.within(() => this.#takeUp(daemons));
  }

  async #takeUp(daemons: readonly Daemon[]): Promise<void> {
    const { clock } = this.#world;
    for (const { process, daemon } of daemons) {
      if (process.isDead || process.stop.signal.aborted) continue;
      const work = clock.within(process, () => daemon.reload());
      const answer = await clock.until(Promise.race([work, process.died.promise]));
      if (answer === 'killed') continue;
      this.#coverage.count('step', `reload: ${answer.outcome}`);
      if (answer.outcome !== 'taken up' && !process.stop.signal.aborted)
        this.#violate('M9', `a changed file was not taken up: ${answer.problems.join('; ')}`);
    }
  }

  #unleash(chaos: Chaos): void {
    this.#instants = 0;
    this.#sendInstants = 0;
    this.#chaos = { of: chaos, done: 0 };
    this.#readers.plan(chaos.reads);
    for (const fault of chaos.faults) {
      this.#tell(`fault ${JSON.stringify(fault)}`);
      inject(fault, {
        sides: this.#world.sides,
        hints: this.#scenario.setting.hints,
        met: (name) => this.#coverage.count('fault', name),
      });
    }
    if (chaos.disk) this.#misleadDisk(chaos.disk);
    if (chaos.diskFullAt !== undefined) {
      const operation = this.#world.disk.operations + chaos.diskFullAt;
      this.#world.disk.planFault({ operation, effect: { code: 'ENOSPC', lasting: true } });
    }
  }

  #misleadDisk({ at, how }: NonNullable<Chaos['disk']>): void {
    const { disk } = this.#world;
    this.#tell(`the disk: ${how} at operation ${at} from here on`);
    this.#coverage.count('fault', `disk ${how}`);
    // No program can promise anything else of these than a whole state (S10).
    if (how === 'unsynced' || how === 'astray') {
      if (this.log.isPartlyRight) this.#putRight();
      this.#isTampered = true;
    }
    if (how === 'read') return disk.planWrongRead(disk.reads + at);
    disk.planFault({ operation: disk.operations + at, effect: diskEffects[how] });
  }

  /** Frees the disk and ends all faults. */
  async #tame(): Promise<void> {
    const { disk: misled, diskFullAt } = this.#chaos?.of ?? {};
    if (diskFullAt !== undefined && this.#world.disk.operations >= diskFullAt)
      this.#coverage.count('fault', 'disk full');
    if (misled?.how === 'read') this.#world.disk.planWrongRead(0);
    if (misled || diskFullAt !== undefined) this.#world.disk.planFault({ operation: Infinity, effect: 'off' });
    this.#chaos = undefined;
    await this.#world.clock.until(this.#readers.ended());
    this.#readers.plan(undefined);
    this.#world.sides.service.faults.clear();
    this.#world.sides.sheets.faults.clear();
  }

  #atInstant(instant: Instant): void {
    if (this.#readers.owns(instant)) return;
    const isAboutToWrite = this.#isAboutToWrite(instant);
    if (!this.#chaos) return;
    this.#instants += 1;
    this.#readers.due(this.#instants);
    const { of: chaos } = this.#chaos;
    while ((chaos.acts[this.#chaos.done]?.at ?? Infinity) <= this.#instants) {
      const { act } = chaos.acts[this.#chaos.done]!;
      this.#chaos.done += 1;
      if (movesCells.has(act.what) && isAboutToWrite) continue;
      this.log.story.push(`  at ${instant.kind} ${instant.what}:`);
      this.#act(act);
    }
    if (sendCalls.has(instant.what)) this.#sendInstants += 1;
    if (!chaos.end || chaos.end.at !== (chaos.end.of === 'send' ? this.#sendInstants : this.#instants)) return;
    if (chaos.end.of === 'send' && !sendCalls.has(instant.what)) return;
    const place = `${instant.kind} ${instant.what}`;
    this.#coverage.count(chaos.end.how, place);
    if (chaos.end.how === 'stop') {
      this.#tell(`SIGTERM at ${place}`);
      instant.process.stop.abort(new Error('stopped by SIGTERM'));
      return;
    }
    this.#tell(`${chaos.end.how === 'kill' ? 'killed' : 'power lost'} at ${place}`);
    this.#wasKilled = true;
    if (chaos.end.how === 'kill') this.#world.kill(instant.process);
    else this.#world.losePower();
  }

  /**
   * The moment between the reading through the pins and the write through them. A row that is cut or a column that is dragged
   * then makes a value go astray, and the write's answer repairs it. No person does that then; at any other instant they may.
   */
  #isAboutToWrite({ kind, what, process }: Instant): boolean {
    const isLook = kind === 'request' && what === 'sheets POST /v4:getByDataFilter';
    const isAbout = this.#aboutToWrite.has(process) && !isLook;
    // From the request on: the look may be answered while this process waits for its disk.
    if (isLook) this.#aboutToWrite.add(process);
    // A look that finds nothing to write is followed by the removal of the pins.
    else if (kind === 'request' && what.startsWith('sheets ')) this.#aboutToWrite.delete(process);
    return isAbout;
  }

  #onEngine(event: EngineEvent, process: SimulatedProcess): void {
    if (this.#isPlanning) return;
    if (this.#mirrors?.onEvent(event, process)) return undefined;
    if (event.sync === feedName) return this.#onFeed(event);
    if (event.sync === outboxName) return this.#messaging?.onEvent(event, process);
    if (event.type === 'run-started') {
      if (this.#daemons.has(process.pid)) this.#judged(this.#pausing.judge.begun());
      this.log.pendingApprovals = 0;
      this.#observer.onRun(process.pid, event.run);
      this.#looks.begin(process.pid, this.#world.clock.now());
      this.#drifting.delete(process.pid);
    }
    if (event.type === 'notice' && event.message.includes('coming and going')) this.#drifting.add(process.pid);
    this.#coverage.engine(event);
    if (event.type === 'notice') this.log.story.push(`    ${event.message}`);
    if (event.type === 'change-done') {
      const { change, outcome } = event;
      const fields = change.fields.map(
        ({ field, after, rule }) => `${field} (${rule}) := ${JSON.stringify(after)?.slice(0, 60)}`,
      );
      const message = 'message' in outcome ? ` ${outcome.message}` : '';
      this.log.story.push(
        `    ${change.side} ${change.op} ${change.uuid ?? ''} row ${change.row} (${change.rule}) ${fields.join(', ')}: ${outcome.kind}${message}`,
      );
    }
    if (event.type !== 'run-ended') return;
    const { report } = event;
    this.#reports.push(report);
    this.log.runEnds.set(report.run, this.log.seq);
    if (isAboutMisplaced(report)) this.log.toldMisplaced = this.log.seq;
    if (report.status !== 'failed') this.log.typedOver.clear();
    if (this.#daemons.has(process.pid)) this.#judged(this.#pausing.judge.ended(report));
    this.#judgePull(report, process.pid);
    if (this.#isRecognised(report, process.pid)) this.#coverage.count('value', 'recognised that nothing changed');
    const unread = report.status === 'failed' ? undefined : this.#looks.ended(process.pid, report.run);
    if (unread) this.violations.push(unread);
    // An undo leaves what both sides agreed on elsewhere as it was.
    if (report.status !== 'failed' && report.status !== 'held' && !this.log.undoing.has(process.pid)) {
      this.log.areColumnsKnown = true;
      this.#observer.onSaved(process.pid);
      noteSeen(this.log, {
        setting: this.#scenario.setting,
        rows: viewSheet(this.#world.sides.file.content, this.log.renamed).rows,
        began: this.#observer.runs.findLast(({ pid }) => pid === process.pid)!.seq,
        personOf: this.#observer.personOf,
      });
    }
    const told = Object.entries(report.counts).filter(([, count]) => count > 0);
    this.#tell(
      `${report.isFull ? 'full ' : ''}run ${report.run}: ${report.status} ${report.error ?? ''} ${told.map((each) => each.join(' ')).join(', ')}`,
    );
    for (const { kind, uuid, row, rule, reason } of report.problems)
      this.log.story.push(`    ${kind} (${rule}) ${uuid ?? ''} row ${row}: ${reason}`);
    for (const { reason } of report.holds) this.log.story.push(`    held: ${reason}`);
  }

  /** W18: without a note, the first run of a process reads the layout of the tab as well. */
  #isRecognised({ status, isFull, cost }: RunReport, pid: number): boolean {
    const isFirst = !this.#haveRun.has(pid);
    this.#haveRun.add(pid);
    return isFirst && !isFull && status === 'succeeded' && cost.sheetReads <= 2;
  }

  #onFeed(event: EngineEvent): void {
    if (event.type !== 'run-ended') return;
    const { status, error, counts, problems } = event.report;
    const told = Object.entries(counts).filter(([, count]) => count > 0);
    this.#tell(`feed: ${status} ${error ?? ''} ${told.map((each) => each.join(' ')).join(', ')}`);
    for (const { rule, reason } of problems) this.log.story.push(`    feed (${rule}): ${reason}`);
    this.#coverage.count('feed', status);
  }

  /**
   * L12: a full run that did not see every contact is not `succeeded`, unless it reports that contacts came and went, or names the
   * contact as one that the service did not answer for (D3).
   */
  #judgePull({ run, isFull, status, problems }: RunReport, pid: number): void {
    if (problems.some(({ kind }) => kind === 'incomplete')) this.#coverage.count('value', 'incomplete pull');
    if (!isFull || status !== 'succeeded' || this.#drifting.has(pid)) return;
    const unanswered = new Set(
      problems.flatMap(({ kind, rule, uuid }) => (kind === 'waiting' && rule === 'D3' ? [uuid] : [])),
    );
    const unread = this.#observer.unreadIn(pid).filter((uuid) => !unanswered.has(uuid));
    if (unread.length === 0) return;
    this.#violate(
      'L12',
      `run ${run} succeeded, and no answer showed ${unread.join(', ')}, which were there all the while`,
    );
  }

  #violate(law: string, text: string): void {
    this.violations.push({ law, text });
  }

  async #keepHistory(): Promise<void> {
    this.#history.push(...(await this.#world.readState()).history);
  }
}

const diskEffects = {
  refused: { code: 'EIO' },
  done: { code: 'EIO', isDone: true },
  dropped: { code: 'EIO', dropsWrites: true },
  unsynced: { isUnsynced: true, lasting: true },
  astray: 'astray',
} as const;

const sendCalls: ReadonlySet<string> = new Set([
  'crm POST /flows/api/professional-network-messages',
  'crm POST /emails/api/emails/send-email',
]);

const movesCells: ReadonlySet<Act['what']> = new Set([
  'swap rows',
  'move column',
  'sort cells',
  'shift cells',
  'cut cells',
  'fill cells',
  'sort message cells',
  'cut message',
  'copy message over',
  'sort feed cells',
  'clear feed ID',
  'type over feed ID',
  'clear feed cells',
  'cut feed row',
  'copy feed row over',
]);

/** G1, I2: rows are held because they show others than their IDs say. */
function isAboutMisplaced({ holds, problems }: RunReport): boolean {
  const isFilled = ({ kind, rule, reason }: RunReport['problems'][number]) =>
    kind === 'quarantined' && rule === 'I2' && reason.startsWith('holds what row');
  return holds.some(({ reason }) => reason.includes('the IDs did not move along')) || problems.some(isFilled);
}
