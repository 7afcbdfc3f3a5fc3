// What happens once all is quiet: the program settles, then both sides, the state and three idle runs are the evidence of the laws.
import type { RunReport } from '../../src/engine/report.ts';
import type { HistoryLine, JsonObject, SyncState } from '../../src/state/port.ts';
import { unpack } from '../../src/sync/record/record.ts';
import type { Link } from '../../src/sync/record/base.ts';
import type { Coverage } from './coverage.ts';
import { feeds } from './laws/feeds.ts';
import { judge } from './laws/laws.ts';
import type { Messaging } from './messaging.ts';
import type { Mirrors } from './mirrors.ts';
import type { Evidence, Quiet, Violation } from './oracle/evidence.ts';
import type { Observer } from './oracle/observer.ts';
import type { Step } from './scenario/scenario.ts';
import { approveRecords, approveWhole, type Deciding } from './people/decisions.ts';
import { areFeedIdsCovered, feedRows } from './people/feed-acts.ts';
import type { Log } from './people/log.ts';
import { didNothing } from './picking.ts';
import type { Mapping } from './remapping.ts';
import type { SimulatedProcess } from './world/process.ts';
import { feedName, type Setting, syncName } from './world/setting.ts';
import { stateDifferences, withNote } from './world/state-differences.ts';
import { viewSheet } from './world/view.ts';
import type { World } from './world/world.ts';

interface RestDep {
  readonly world: World;
  /** As the story begins. */
  readonly setting: Setting;
  readonly mapping: Mapping;
  readonly observer: Observer;
  readonly log: Log;
  readonly coverage: Coverage;
  /** Of all runs so far. A plan takes its own away. */
  readonly reports: RunReport[];
  /** Of states that were changed from outside since. */
  readonly history: readonly HistoryLine[];
  readonly violations: Violation[];
  readonly mirrors: Mirrors | undefined;
  readonly messaging: Messaging | undefined;
  readonly isStateTampered: () => boolean;
  readonly wasKilled: () => boolean;
  readonly endChaos: () => void;
  readonly tell: (text: string) => void;
  readonly violate: (law: string, text: string) => void;
  readonly deciding: (state: SyncState) => Promise<Deciding>;
  /** The process that goes on, or a new one; `leave` ends it. */
  readonly running: () => Promise<SimulatedProcess>;
  readonly leave: () => void;
  readonly run: (
    process: SimulatedProcess,
    request: { readonly isFull: boolean; readonly isAsked: boolean },
  ) => Promise<RunReport | 'killed'>;
}

type QuietStep = Extract<Step, { readonly do: 'quiet' }>;

export interface Calm extends Omit<QuietStep, 'do' | 'isFull'> {
  readonly isFull?: boolean;
}

export interface Rest {
  readonly calm: (how?: Calm) => Promise<void>;
  /** Both sides as they are now, and what the run said of them. */
  readonly viewNow: (
    report: RunReport,
  ) => Omit<Quiet, 'idleWrites' | 'idleReports' | 'agreed' | 'standingByUuid' | 'openNotes' | 'leftovers' | 'plans'>;
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

/** L11. By chance one contact in 729 is missing from a scan of random ties (src/crm/outreach/scan/complete.ts). */
const readingsMax = 4;

export function createRest(dep: RestDep): Rest {
  const { world, setting, mapping, observer, log, coverage, reports, mirrors, messaging } = dep;

  return { calm, viewNow };

  /** No person acts, everything works, and enough time passes: then the laws must hold. */
  async function calm({ isFull = true, isApart, goesOn }: Calm = {}): Promise<void> {
    const { clock, sides } = world;
    dep.tell('everything is quiet');
    dep.endChaos();
    const { switches } = sides.service;
    const turned = { searchLagMs: switches.searchLagMs, totalDriftMax: switches.totalDriftMax };
    Object.assign(switches, { searchLagMs: 0, totalDriftMax: 0 });
    await clock.pass(quietMs);
    if (!goesOn) dep.leave();
    let process = await dep.running();
    // A process that was killed leaves marks in the sheet, which the next run of its own job removes (L10, W9).
    if (setting.hasFeed) await clock.until(world.runBeside(process, feedName));
    await messaging?.settle(process);
    const mirrored = { isFull, afterMs: [] };
    if (mirrors) for (let times = 0; times < 2; times += 1) await clock.until(mirrors.run(process, mirrored));
    let approvals = 0;
    let wasApproved = false;
    let refusedAnswers = 0;
    let toldBefore = '';
    for (let runs = 1; runs <= settlingRuns; runs += 1) {
      // G4: what is approved is done by the next run, whichever it is.
      const isWhole: boolean = isFull && !(wasApproved && reports.length % 2 === 0);
      const report: RunReport | 'killed' = await clock.until(dep.run(process, { isFull: isWhole, isAsked: true }));
      if (report === 'killed') throw new Error('nobody kills it now');
      if (report.status === 'failed' && !mayFail(report)) {
        return dep.violate(
          'L10',
          `a run fails while everything works: ${report.error ?? report.holds.map(({ reason }) => reason).join('; ')}`,
        );
      }
      // I3: a create that was answered another contact made nothing, and is told by the next run in its place.
      const answersBefore = refusedAnswers;
      refusedAnswers = report.problems.filter(({ rule }) => rule === 'I3').length;
      // D4: the run that finds a contact gone from the sync tells what waits for it once more, and the next one does not.
      const told = report.problems.map(({ kind, rule, uuid, row }) => `${kind} ${rule} ${uuid} ${row}`).join('\n');
      const isIdle = didNothing(report) && refusedAnswers <= answersBefore && told === toldBefore;
      toldBefore = told;
      const isApproved: boolean = report.approvable !== undefined && approvals < approvalsMax;
      if (isApproved) {
        approvals += 1;
        await approve(process, report, approvals === 1);
      } else if (report.approvable !== undefined || (runs >= 2 && isIdle && !wasApproved)) break;
      // What only a reading of all contacts shows is new to the run after one of changes.
      wasApproved = isApproved || isWhole !== isFull;
      await clock.pass(quietMs);
      if (isApart) {
        dep.leave();
        process = await dep.running();
      }
    }
    const quiet = await look(process);
    const evidence: Evidence = {
      ...observer,
      setting: mapping.whole(),
      mapped: mapping.mapped(),
      policies: mapping.policies(),
      directions: mapping.directions,
      log,
      reports: reports,
      history: [...dep.history, ...(await world.readState()).history],
      isStateTampered: dep.isStateTampered(),
      wasKilled: dep.wasKilled(),
      quiet,
    };
    dep.violations.push(...judge(evidence, coverage));
    if (setting.hasFeed) await judgeFeed(process);
    if (messaging) dep.violations.push(...(await messaging.judge(process)));
    Object.assign(switches, turned);
  }

  /** A failure that only a person can end, and no person of the story does. */
  function mayFail({ holds }: RunReport): boolean {
    return holds.length > 0;
  }

  /** `isFirst`: some records may be approved before the rest (G6). */
  async function approve(process: SimulatedProcess, report: RunReport, isFirst: boolean): Promise<void> {
    const state = process.app!.store.sync(syncName);
    const mayTick = isFirst && reports.length % 2 === 1;
    const ticked = mayTick ? approveRecords(await dep.deciding(state), 0) : undefined;
    const request = ticked ?? approveWhole({ log }, report);
    dep.tell(
      `a person approves ${'ids' in request ? `${request.ids.length} records` : JSON.stringify(report.planned)}`,
    );
    coverage.count('decision', request.kind);
    await world.clock.until(state.addRequest(request as unknown as JsonObject));
  }

  /** Both sides, the state, and three runs that should find nothing to do. */
  async function look(process: SimulatedProcess): Promise<Quiet> {
    const { clock, sides } = world;
    const writes = () => sides.sheets.log.counters.writes;
    let stateBefore = world.stateText();
    const sheetWrites = writes();
    const [changes, additions] = [observer.writes.length, observer.additions.length];
    const report = reports.at(-1)!;
    const idleReports: RunReport[] = [];
    for (const isFull of [true, false, false]) {
      const idle = await clock.until(dep.run(process, { isFull, isAsked: true }));
      if (idle !== 'killed') idleReports.push(idle);
      if (idleReports.length === 1) stateBefore = withNote(stateBefore, world.stateText());
      await clock.pass(1_000);
    }
    const state = await world.readState();
    const idleWrites = [
      ...observer.writes
        .slice(changes)
        .map(
          ({ side, person, field, before, after }) =>
            `${side} ${person} ${field}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
        ),
      ...observer.additions.slice(additions).map(({ side, person }) => `${side}: a record of ${person}`),
      ...(writes() === sheetWrites ? [] : [`${writes() - sheetWrites} write calls to the sheet`]),
      ...stateDifferences(stateBefore, world.stateText()),
    ];
    const names = state.fields;
    return {
      ...viewNow(report),
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
      openNotes: [...state.outbox].map(([key, { lines }]) => ({
        key,
        isTold: Array.isArray(lines) && lines.length === 0,
      })),
      leftovers: [...sides.file.content.metadataById.values()]
        .filter(({ key }) => key !== 'c' && key !== 'f')
        .map(({ id, key }) => `${key} ${id}`),
      plans: await planTwice(process),
    };
  }

  /** Both sides, and what the run said of them. */
  function viewNow(report: RunReport) {
    const { sides } = world;
    return {
      contacts: [...sides.service.model.contacts.all()].map(({ record }) => record),
      rows: viewSheet(sides.file.content, log.renamed).rows,
      isInScope: sides.lists.isInScope,
      report,
      problems: report.problems,
      isHeld: report.holds.length > 0,
    };
  }

  /** L11: the plan is the same however the service pages and wraps. */
  async function planTwice(process: SimulatedProcess): Promise<Quiet['plans']> {
    const { switches } = world.sides.service;
    const sync = process.app!.jobs.get(syncName)!;
    const known = { pageRowsMax: switches.pageRowsMax, searchRows: switches.searchRows };
    const plans: unknown[][] = [];
    for (const other of [
      { pageRowsMax: 2, searchRows: 'wrapped' },
      { pageRowsMax: 100, searchRows: 'flat' },
    ] as const) {
      Object.assign(switches, other);
      const request = { isFull: true, isAsked: true, signal: process.stop.signal };
      // A pull that was not whole says so (G5), and is another reading: where ties change places, chance decides.
      for (let tries = 1; ; tries += 1) {
        const { report } = await world.clock.until(world.clock.within(process, () => sync.plan(request)));
        reports.pop();
        if (tries < readingsMax && report.problems.some(({ kind }) => kind === 'incomplete')) continue;
        plans.push([...report.changes, ...report.problems]);
        break;
      }
    }
    Object.assign(switches, known);
    return [plans[0]!, plans[1]!];
  }

  /** Some runs while all is quiet, and one more that has nothing to do. */
  async function judgeFeed(process: SimulatedProcess): Promise<void> {
    const { clock, sides } = world;
    const { counters } = sides.sheets.log;
    const lists = [...sides.service.model.lists.table.all()];
    const nameById = new Map(lists.map(({ uuid, name }) => [uuid, name]));
    const { copied, hasMerged } = log.feed;
    const seen = (idleWrites: number) =>
      feeds({ nameById, rows: feedRows(sides), copied, areIdsCovered: areFeedIdsCovered(sides), idleWrites });
    // W5: the pauses of cells that people merged, and unmerged, are over by then.
    const runsMax = hasMerged ? 12 : 3;
    for (let runs = 0; runs < 3 || (runs < runsMax && seen(0).length > 0); runs += 1) {
      await clock.until(world.runBeside(process, feedName));
      await clock.pass(quietMs);
    }
    if (hasMerged) await clock.until(world.runBeside(process, feedName));
    const before = counters.writes;
    await clock.until(world.runBeside(process, feedName));
    coverage.count('law', 'F1, F5');
    dep.violations.push(...seen(counters.writes - before));
  }
}
