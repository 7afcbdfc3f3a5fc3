// Plays a story: people act, leadsheet runs, faults strike; in between everything is quiet and the laws are checked.
import type { EngineEvent } from '../../src/engine/events.ts';
import type { RunReport } from '../../src/engine/report.ts';
import type { DecisionRequest } from '../../src/engine/decision.ts';
import type { HeldFact } from '../../src/engine/stored/facts.ts';
import type { HistoryLine, JsonObject, SyncState } from '../../src/state/port.ts';
import type { ConflictAnswer } from '../../src/operator/answers/conflicts.ts';
import { readConflicts } from '../../src/operator/conflicts.ts';
import { planUndo, undo } from '../../src/operator/undo.ts';
import { OperatorError } from '../../src/operator/errors.ts';
import { StateError } from '../../src/state/errors.ts';
import type { Change } from '../../src/sync/change.ts';
import { unpack } from '../../src/sync/record/record.ts';
import type { Link } from '../../src/sync/record/base.ts';
import { Coverage } from './coverage.ts';
import { playHealing } from './healing.ts';
import { feeds } from './laws/feeds.ts';
import { createHolderJudge } from './laws/holders.ts';
import { createLookJudge } from './laws/looks.ts';
import { judge } from './laws/laws.ts';
import type { Evidence, Quiet, Violation } from './oracle/evidence.ts';
import { createObserver, type Observer } from './oracle/observer.ts';
import { createMirrors, type Mirrors } from './mirrors.ts';
import { createMessaging, type Messaging } from './messaging.ts';
import { messagesSent } from './laws/outboxes.ts';
import { feedRows } from './people/feed-acts.ts';
import { createPeople, type People } from './people/acts.ts';
import {
  approveRecords,
  approveWhole,
  cancelWish,
  type Deciding,
  refusePlan,
  resolveAsSeen,
} from './people/decisions.ts';
import { createLog, type Log } from './people/log.ts';
import { createPausing, type Pausing } from './pausing.ts';
import { createReaders, type Readers } from './reading.ts';
import { createMapping, type Mapping } from './remapping.ts';
import type { Act, Chaos, Fault, Remap, Scenario, Step } from './scenario/scenario.ts';
import { createBackup, damageState, loseState, restoreState, type StateFiles } from './world/state-files.ts';
import type { Instant, SimulatedProcess } from './world/process.ts';
import { feedName, type FieldName, fullLookMinsDefault, outboxName, spreadsheetId, syncName } from './world/setting.ts';
import { normalOf } from './people/token.ts';
import { contactValue, viewSheet } from './world/view.ts';
import type { SideEvent } from './world/sides.ts';
import { createWorld, type World } from './world/world.ts';

export interface Played {
  readonly violations: readonly Violation[];
  readonly story: readonly string[];
  readonly coverage: Coverage;
  /** Milliseconds that passed on the clock of the story. */
  readonly simulatedMs: number;
}

/** 16 minutes: longer than a deleted contact is returned, and than any pause of a client. */
const quietMs = 16 * 60_000;

/**
 * Two runs are enough as a rule (L6). Values that the service does not store are tried three times, each with an approval
 * under narrow limits. A run that goes on for longer repeats itself.
 */
const settlingRuns = 12;

/** A plan that is held once more after that stays held until a person does something else about it. */
const approvalsMax = 4;

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
  /** Undefined: the story has no outbox. */
  /** Undefined: the story has no further sync. */
  readonly #mirrors: Mirrors | undefined;
  readonly #pausing: Pausing;
  /** Processes of daemons, whose runs a schedule begins. */
  readonly #daemons = new Set<number>();
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
      onRequest: (request) => this.#messaging?.observer.asks(request),
      onAnswer: (process, what, body, text, request) => {
        this.#messaging?.observer.answered(process.pid, request, text);
        // Another job of the process learns nothing for the sync.
        if (this.#world.isBeside()) return;
        this.#observer.onAnswer(process.pid, what, body, text);
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
      listHere: sides.lists.here,
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
    this.log.story.push(JSON.stringify(scenario.setting));
    coverage.setting(scenario.setting);
  }

  async play(): Promise<void> {
    for (const step of this.#scenario.steps) {
      await this.#step(step);
      if (this.#messaging) this.violations.push(...messagesSent(this.#messaging.observer));
      if (this.violations.length > 0) return;
    }
    await this.#calm();
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
        this.#backup = await createBackup(this.#world.disk);
        return this.#tell('the state is backed up');
      case 'restore':
        if (this.#backup === undefined) return undefined;
        return this.#tamper('restored from the backup', () => restoreState(this.#world.disk, this.#backup!));
      case 'lose state':
        this.#messaging?.observer.stateLost();
        return this.#tamper('lost', () => loseState(this.#world.disk, this.#messaging && outboxName));
      case 'damage':
        return this.#tamper('damaged', () => damageState(this.#world.disk, step.a, step.b));
      case 'map':
        return this.#remap(step);
      case 'undo':
        return this.#undo(step);
      case 'decide':
        return this.#decide(step);
      case 'message':
        return this.#message(step);
      case 'heal':
        return this.#heal(step);
      case 'quiet':
        return this.#calm(step);
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
  async #tamper(how: string, work: () => Promise<unknown>): Promise<void> {
    await this.#keepHistory();
    for (const process of this.#world.living()) this.#world.kill(process);
    this.#process = undefined;
    await work();
    this.#pausing.judge.unsure();
    this.#isTampered = true;
    this.#tell(`the state is ${how}`);
  }

  #remap(remap: Remap): void {
    const told = this.#mapping.change(remap);
    if (told === undefined) return;
    this.#world.configure(this.#mapping.setting());
    this.#leave();
    this.#tell(told);
    this.#coverage.count('step', `map ${remap.what ?? 'presence'}`);
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

  /** S8: the plan is made while all is well; anything may happen while it is carried out. */
  async #undo({ which, part, a, deletesCreated, chaos }: Extract<Step, { do: 'undo' }>): Promise<void> {
    const written = this.#reports.filter((report) => report.status !== 'held' && !didNothing(report));
    const { run } = (which < lastUndone ? written.at(-1) : pick(written, which)) ?? {};
    if (run === undefined) return;
    const process = await this.#running();
    const { jobs, store, config } = process.app!;
    const operator = { config, store, now: this.#world.clock.now, jobs };
    const lines = (await this.#world.readState()).history.filter((line) => line.run === run);
    const contact = pick(lines, a)?.contact;
    const field = pick(this.#mapping.setting().fields, a)?.field;
    const request = {
      run,
      deletesCreated,
      ...(part === 'contact' && contact != null && { contact }),
      ...(part === 'field' && field !== undefined && { field }),
    };
    const { signal } = process.stop;
    const planned = await this.#quietly(process, () => planUndo(operator, request, signal));
    if (planned === 'killed' || planned === undefined) return;
    this.#tell(
      `a person undoes run ${run}${part === 'all' ? '' : ` (${part})`}${deletesCreated ? ', with created contacts' : ''}`,
    );
    this.#coverage.count('decision', 'undo');
    this.log.undos += 1;
    const { digest } = planned.answer;
    this.log.undoing.add(process.pid);
    this.#unleash(chaos);
    const ended = await this.#until(process, () =>
      undo(operator, { by: 'a person', through: 'console' }, request, { digest, signal }),
    );
    await this.#tame();
    this.log.undoing.delete(process.pid);
    if (ended === 'killed') return this.#tell(`undo by process ${process.pid} killed`);
    const isCalm = chaos.acts.length + chaos.faults.length === 0 && chaos.end === undefined;
    if (isCalm && ended?.answer.outcome === 'run' && ended.answer.run.status === 'succeeded')
      this.#judgePutBack(planned.report.changes);
  }

  /** S4: right after an undo that left nothing open, both sides hold what it was to put back. */
  #judgePutBack(changes: readonly Change[]): void {
    const { rows } = viewSheet(this.#world.sides.file.content, this.log.renamed);
    for (const { op, uuid, fields } of changes) {
      if (op !== 'set') continue;
      const row = rows.find(({ id }) => id === uuid);
      const contact = [...this.#world.sides.service.model.contacts.all()].find(({ record }) => record.uuid === uuid);
      for (const { field, after } of fields) {
        const name = field as FieldName;
        if (!row || !contact || !this.#mapping.mapped().has(name)) continue;
        const wanted = normalOf(name, typeof after === 'string' ? after : '');
        const [cell, value] = [row.value(name), contactValue(contact.record, name)];
        const isBack = [cell, value].every((text) => normalOf(name, text).toUpperCase() === wanted.toUpperCase());
        if (!isBack)
          this.#violate(
            'S4',
            `an undo was to put ${field} of ${uuid} back to "${wanted}", and it is "${cell}" and "${value}"`,
          );
      }
    }
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
      ...(this.#messaging ? processes.map((each) => this.#messaging!.run(each)) : []),
    ];
    const others = this.#mirrors && mirrors && this.#mirrors.run(process, { isFull, afterMs: mirrors });
    await this.#world.clock.until(Promise.all(runs));
    if (others) await this.#world.clock.until(others);
    if (this.#scenario.setting.hasFeed && !process.isDead)
      await this.#world.clock.until(this.#world.runBeside(process, feedName));
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
          `  worker ${process.pid} ${what === 'loss' ? 'loses its connection' : `is suspended for ${ms / 1000} s`}`,
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
        quiet: this.#viewNow(report),
      }),
      people: () => [...this.log.people.keys()],
    });
    this.#coverage.count('law', 'L14');
    this.violations.push(...violations);
    Object.assign(sides.service.switches, { searchLagMs, totalDriftMax });
  }

  /** Each living daemon takes the changed file up, or keeps the earlier one and says why. */
  async #reload(remap: Remap, daemons: readonly Daemon[]): Promise<void> {
    const told = this.#mapping.change(remap);
    if (told === undefined) return;
    this.#world.configure(this.#mapping.setting());
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
    for (const fault of chaos.faults) this.#inject(fault);
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
    if (how === 'unsynced' || how === 'astray') this.#isTampered = true;
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

  #inject(fault: Fault): void {
    this.#tell(`fault ${JSON.stringify(fault)}`);
    const { service, sheets } = this.#world.sides;
    const met = (name: string) => this.#coverage.count('fault', name);
    if (fault.on === 'crm') {
      const { kind, operation, when, times, status = 500, isTimed, beside } = fault;
      const shared = { times, ...(operation !== undefined && { operation }) };
      let left = fault.skip;
      const matches = () => {
        left -= 1;
        if (left >= 0) return false;
        const isOfNote = kind === 'status' || (kind === 'html' && status === 404);
        met(`crm ${kind}${isOfNote ? ` ${status}` : ''} ${when}`);
        return true;
      };
      switch (kind) {
        case 'status':
          return service.faults.inject({ ...shared, kind, status, when, matches });
        case 'rate_limited':
          return service.faults.inject({ ...shared, kind, headers: isTimed ? 'seconds' : 'none', matches });
        case 'truncated':
        case 'bad_rows':
          return service.faults.inject({ ...shared, kind, matches });
        case 'html':
          return service.faults.inject({ ...shared, kind, status: fault.status ?? 502, when, matches });
        case 'error_in_200':
          return service.faults.inject({ ...shared, kind, when, ...(beside && { beside }), matches });
        default:
          return service.faults.inject({ ...shared, kind, when, matches });
      }
    }
    const { effect, target, when, times, skip } = fault;
    const hinted = this.#scenario.setting.hints === 'version' ? 'files.get' : 'changes.list';
    const match =
      target === 'token' ? { operation: 'token' } : target === 'drive' ? { operation: hinted } : { kind: target };
    const effects = {
      lost: { type: 'lost' },
      hang: { type: 'hang' },
      empty: { type: 'empty' },
      bare: { type: 'bare' },
      cut: { type: 'cut' },
      html: { type: 'html' },
      delay: { type: 'delay', delayMs: 40_000 },
    } as const;
    const what = typeof effect === 'number' ? ({ type: 'status', status: effect } as const) : effects[effect];
    sheets.faults.add({ effect: what, when, times, skip, match });
    return undefined;
  }

  #atInstant(instant: Instant): void {
    if (this.#readers.owns(instant) || !this.#chaos) return;
    this.#instants += 1;
    this.#readers.due(this.#instants);
    const { of: chaos } = this.#chaos;
    while ((chaos.acts[this.#chaos.done]?.at ?? Infinity) <= this.#instants) {
      const { act } = chaos.acts[this.#chaos.done]!;
      this.#chaos.done += 1;
      if (movesCells.has(act.what) && isMomentOfWriting(instant)) continue;
      this.log.story.push(`  at ${instant.kind} ${instant.what}:`);
      this.#act(act);
    }
    if (instant.what === sendCall) this.#sendInstants += 1;
    if (!chaos.end || chaos.end.at !== (chaos.end.of === 'send' ? this.#sendInstants : this.#instants)) return;
    if (chaos.end.of === 'send' && instant.what !== sendCall) return;
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
    if (this.#daemons.has(process.pid)) this.#judged(this.#pausing.judge.ended(report));
    this.#judgePull(report, process.pid);
    if (this.#isRecognised(report, process.pid)) this.#coverage.count('value', 'recognised that nothing changed');
    const unread = report.status === 'failed' ? undefined : this.#looks.ended(process.pid, report.run);
    if (unread) this.violations.push(unread);
    // An undo leaves what both sides agreed on elsewhere as it was.
    if (report.status !== 'failed' && report.status !== 'held' && !this.log.undoing.has(process.pid)) {
      this.log.areColumnsKnown = true;
      this.#observer.onSaved(process.pid);
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

  /** Some runs while all is quiet, and one more that has nothing to do. */
  async #judgeFeed(process: SimulatedProcess): Promise<void> {
    const { clock, sides } = this.#world;
    const { counters } = sides.sheets.log;
    for (let runs = 0; runs < 3; runs += 1) {
      await clock.until(this.#world.runBeside(process, feedName));
      await clock.pass(quietMs);
    }
    const before = counters.writes;
    await clock.until(this.#world.runBeside(process, feedName));
    const lists = [...sides.service.model.lists.table.all()];
    const nameById = new Map(lists.map(({ uuid, name }) => [uuid, name]));
    this.#coverage.count('law', 'F1, F5');
    this.violations.push(...feeds({ nameById, rows: feedRows(sides), idleWrites: counters.writes - before }));
  }

  /** L12: a full run that did not see every contact is not `succeeded`, unless it reports that contacts came and went. */
  #judgePull({ run, isFull, status, problems }: RunReport, pid: number): void {
    if (problems.some(({ kind }) => kind === 'incomplete')) this.#coverage.count('value', 'incomplete pull');
    if (!isFull || status !== 'succeeded' || this.#drifting.has(pid)) return;
    const unread = this.#observer.unreadIn(pid);
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

  /** No person acts, everything works, and enough time passes: then the laws must hold. */
  async #calm(how: Omit<Extract<Step, { do: 'quiet' }>, 'do'> = {}): Promise<void> {
    const { isApart, goesOn } = how;
    const isFull = how.isFull !== false;
    const { clock, sides } = this.#world;
    this.#tell('everything is quiet');
    this.#chaos = undefined;
    const { switches } = sides.service;
    const turned = { searchLagMs: switches.searchLagMs, totalDriftMax: switches.totalDriftMax };
    Object.assign(switches, { searchLagMs: 0, totalDriftMax: 0 });
    await clock.pass(quietMs);
    if (!goesOn) this.#leave();
    let process = await this.#running();
    // A process that was killed leaves marks in the sheet, which the next run of its own job removes (L10).
    await this.#messaging?.settle(process);
    const mirrored = { isFull, afterMs: [] };
    for (let times = 0; this.#mirrors && times < 2; times += 1) await clock.until(this.#mirrors.run(process, mirrored));
    let approvals = 0;
    let wasApproved = false;
    for (let runs = 1; runs <= settlingRuns; runs += 1) {
      const report = await clock.until(this.#run(process, { isFull, isAsked: true }));
      if (report === 'killed') throw new Error('nobody kills it now');
      if (report.status === 'failed' && !this.#mayFail(report)) {
        return this.#violate(
          'L10',
          `a run fails while everything works: ${report.error ?? report.holds.map(({ reason }) => reason).join('; ')}`,
        );
      }
      const isApproved = report.approvable !== undefined && approvals < approvalsMax;
      if (isApproved) {
        approvals += 1;
        await this.#approve(process, report, approvals === 1);
      } else if (report.approvable !== undefined || (runs >= 2 && didNothing(report) && !wasApproved)) break;
      wasApproved = isApproved;
      await clock.pass(quietMs);
      if (isApart) {
        this.#leave();
        process = await this.#running();
      }
    }
    const quiet = await this.#look(process);
    const evidence: Evidence = {
      ...this.#observer,
      setting: this.#mapping.whole(),
      mapped: this.#mapping.mapped(),
      directions: this.#mapping.directions,
      log: this.log,
      reports: this.#reports,
      history: [...this.#history, ...(await this.#world.readState()).history],
      isStateTampered: this.#isTampered,
      wasKilled: this.#wasKilled,
      quiet,
    };
    this.violations.push(...judge(evidence, this.#coverage));
    if (this.#scenario.setting.hasFeed) await this.#judgeFeed(process);
    if (this.#messaging) this.violations.push(...(await this.#messaging.judge(process)));
    Object.assign(switches, turned);
  }

  /** A failure that only a person can end, and no person of the story does. */
  #mayFail({ holds }: RunReport): boolean {
    return holds.length > 0;
  }

  /** `isFirst`: some records may be approved before the rest (G6). */
  async #approve(process: SimulatedProcess, report: RunReport, isFirst: boolean): Promise<void> {
    const state = process.app!.store.sync(syncName);
    const mayTick = isFirst && this.#reports.length % 2 === 1;
    const ticked = mayTick ? approveRecords(await this.#deciding(state), 0) : undefined;
    const request = ticked ?? approveWhole(this, report);
    this.#tell(
      `a person approves ${'ids' in request ? `${request.ids.length} records` : JSON.stringify(report.planned)}`,
    );
    this.#coverage.count('decision', request.kind);
    await this.#world.clock.until(state.addRequest(request as unknown as JsonObject));
  }

  /** Both sides, the state, and three runs that should find nothing to do. */
  async #look(process: SimulatedProcess): Promise<Quiet> {
    const { clock, sides } = this.#world;
    const writes = () => sides.sheets.log.counters.writes;
    let stateBefore = this.#world.stateText();
    const sheetWrites = writes();
    const [changes, additions] = [this.#observer.writes.length, this.#observer.additions.length];
    const report = this.#reports.at(-1)!;
    const idleReports: RunReport[] = [];
    for (const isFull of [true, false, false]) {
      const idle = await clock.until(this.#run(process, { isFull, isAsked: true }));
      if (idle !== 'killed') idleReports.push(idle);
      if (idleReports.length === 1) stateBefore = withNote(stateBefore, this.#world.stateText());
      await clock.pass(1_000);
    }
    const state = await this.#world.readState();
    const idleWrites = [
      ...this.#observer.writes
        .slice(changes)
        .map(
          ({ side, person, field, before, after }) =>
            `${side} ${person} ${field}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
        ),
      ...this.#observer.additions.slice(additions).map(({ side, person }) => `${side}: a record of ${person}`),
      ...(writes() === sheetWrites ? [] : [`${writes() - sheetWrites} write calls to the sheet`]),
      ...stateDifferences(stateBefore, this.#world.stateText()),
    ];
    const names = state.fields;
    return {
      ...this.#viewNow(report),
      problems: idleReports.at(-1)?.problems ?? [],
      isHeld: (idleReports.at(-1)?.holds.length ?? 0) > 0,
      idleWrites,
      idleReports,
      agreed: new Map(
        [...state.links].map(([uuid, link]) => {
          const values = unpack((link as unknown as Link).agreed);
          return [uuid, new Map(names.map((name, index) => [name, values[index]] as const))] as const;
        }),
      ) as Quiet['agreed'],
      standingByUuid: new Map(
        [...state.links].flatMap(([uuid, link]) =>
          typeof link['standing'] === 'string' ? [[uuid, link['standing']] as const] : [],
        ),
      ),
      openNotes: [...state.outbox.keys()],
      leftovers: [...sides.file.content.metadataById.values()]
        .filter(({ key }) => key !== 'c' && key !== 'f')
        .map(({ id, key }) => `${key} ${id}`),
      plans: await this.#planTwice(process),
    };
  }

  /** Both sides, and what the run said of them. */
  #viewNow(report: RunReport) {
    const { sides } = this.#world;
    return {
      contacts: [...sides.service.model.contacts.all()].map(({ record }) => record),
      rows: viewSheet(sides.file.content, this.log.renamed).rows,
      listUuid: sides.lists.here(),
      report,
      problems: report.problems,
      isHeld: report.holds.length > 0,
    };
  }

  /** L11: the plan is the same however the service pages and wraps. */
  async #planTwice(process: SimulatedProcess): Promise<Quiet['plans']> {
    const { switches } = this.#world.sides.service;
    const sync = process.app!.jobs.get(syncName)!;
    const known = { pageRowsMax: switches.pageRowsMax, searchRows: switches.searchRows };
    const plans: unknown[][] = [];
    for (const other of [
      { pageRowsMax: 2, searchRows: 'wrapped' },
      { pageRowsMax: 100, searchRows: 'flat' },
    ] as const) {
      Object.assign(switches, other);
      const request = { isFull: true, isAsked: true, signal: process.stop.signal };
      const { report } = await this.#world.clock.until(this.#world.clock.within(process, () => sync.plan(request)));
      this.#reports.pop();
      plans.push([...report.changes, ...report.problems]);
    }
    Object.assign(switches, known);
    return [plans[0]!, plans[1]!];
  }
}

/** Of a thousand undos, so many are of the last run. */
const lastUndone = 700;

/** `part`: 0 to 999. */
function pick<Item>(items: readonly Item[], part: number): Item | undefined {
  return items[Math.floor((part * items.length) / 1000)];
}

const diskEffects = {
  refused: { code: 'EIO' },
  done: { code: 'EIO', isDone: true },
  dropped: { code: 'EIO', dropsWrites: true },
  unsynced: { isUnsynced: true, lasting: true },
  astray: 'astray',
} as const;

const sendCall = 'crm POST /flows/api/professional-network-messages';

const movesCells: ReadonlySet<Act['what']> = new Set(['swap rows', 'move column']);

/**
 * The moment between the reading through the pins and the write through them. A row that is cut or a column that is dragged
 * then makes a value go astray, and the write's answer repairs it. No person does that then; at any other instant they may.
 */
function isMomentOfWriting({ kind, what }: Instant): boolean {
  return kind === 'answer'
    ? what === 'sheets POST /v4:getByDataFilter'
    : what === 'sheets POST /v4/values:batchUpdateByDataFilter';
}

function didNothing({ counts, problems }: RunReport): boolean {
  // A change of that moment is planned again.
  if (problems.some(({ rule }) => rule === 'W3')) return false;
  const { created, updated, appended, set, deleted, removed, enrolled, cancelled } = counts;
  return created + updated + appended + set + deleted + removed + enrolled + cancelled === 0;
}

/**
 * W18: the first run with nothing to do may note that, and fold the log with it. What is stored then takes the place of what
 * was there before.
 */
function withNote(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const others = (text = '[]') =>
    JSON.stringify(JSON.parse(text), (_, value: unknown) =>
      Array.isArray(value) && ['quiet', 'watermark', 'unplaced'].includes(value[0] as string) ? null : value,
    ).replaceAll('null,', '');
  const last = (files: ReadonlyMap<string, string>) => (files.get('base.log') ?? '').trimEnd().split('\n').at(-1)!;
  const isNoted = after.has('database')
    ? others(before.get('database')) === others(after.get('database'))
    : last(after) !== last(before) && /^\{[^{]*"put":\{"facts":\{.*"quiet":\{"of":/.test(last(after));
  if (!isNoted) return before;
  const isOfNote = (name: string) => name === 'database' || name.startsWith('base');
  return new Map(
    [...before.keys(), ...after.keys()].flatMap((name) => {
      const text = (isOfNote(name) ? after : before).get(name);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

function stateDifferences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .map(
      (name) =>
        `the file ${name} of the state: ${(after.get(name) ?? '').slice((before.get(name) ?? '').length).slice(0, 300)}`,
    );
}
