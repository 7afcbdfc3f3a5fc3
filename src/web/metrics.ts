// The metrics, by the conventions of Prometheus. docs/operations.md lists the names.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type JobStatus, phases } from '../engine/standing.ts';
import type { EngineEvent } from '../engine/events.ts';
import type { RunReport } from '../engine/report.ts';
import type { HookAnswer } from '../daemon/queue/port.ts';
import type { Usage } from '../limits/usage.ts';

export interface Metrics {
  observe(event: EngineEvent): void;
  hookCame(answer: HookAnswer, sync?: string): void;
  passwordWasWrong(): void;
  /** Jobs were removed or have another account: figures of their last runs are told no more. Those of others come with their next run. */
  forgetLastRuns(): void;
  /** The text for the scraper, and its content type. */
  render(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsOptions {
  readonly status: () => readonly JobStatus[];
  /** The usage of each account, or of all accounts under no name. */
  readonly usage: () => readonly { readonly account?: string; readonly usage: Usage }[];
  /** The account of a job, for its label. Undefined: there is one account, and no such label. */
  readonly accountOf: (sync: string) => string | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly isStopping: () => boolean;
}

const kinds = [
  'conflict',
  'quarantined',
  'held',
  'parked',
  'unreadable',
  'refused',
  'failed',
  'unknown',
  'incomplete',
  'waiting',
  'ignored',
] as const satisfies readonly RunReport['problems'][number]['kind'][];

let processMetrics: Registry | undefined;

/** Of the process, so once for all: what counts its garbage collections and measures its event loop is never let go of. */
function takeProcessMetrics(): Registry {
  if (processMetrics === undefined) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  return processMetrics;
}

export function createMetrics({ status, usage, accountOf, now, isStopping }: MetricsOptions): Metrics {
  const of = (sync: string) => {
    const account = accountOf(sync);
    return { sync, ...(account !== undefined && { account }) };
  };
  const registry = new Registry();
  const registers = [registry];
  const ofProcess = takeProcessMetrics();

  const runs = new Counter({
    name: 'leadsheet_runs_total',
    help: 'Runs that ended, by how they ended; `stopped` by the end of the process.',
    labelNames: ['sync', 'account', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'leadsheet_run_duration_seconds',
    help: 'How long runs took, waiting for the budgets included.',
    labelNames: ['sync', 'account'],
    buckets: [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3_600],
    registers,
  });
  const changes = new Counter({
    name: 'leadsheet_changes_total',
    help: 'Changes that were tried, by what became of them.',
    labelNames: ['sync', 'account', 'side', 'op', 'outcome'],
    registers,
  });
  const problems = new Gauge({
    name: 'leadsheet_problems',
    help: 'Problems that were open after the last run that read both sides.',
    labelNames: ['sync', 'account', 'kind'],
    registers,
  });
  const incompletePulls = new Gauge({
    name: 'leadsheet_incomplete_pulls',
    help: 'Readings of a side that were not whole in the last run that read both; 0: the data is as whole as its sources.',
    labelNames: ['sync', 'account'],
    registers,
  });
  const quarantined = new Gauge({
    name: 'leadsheet_quarantined_rows',
    help: 'Rows set aside until somebody looks.',
    labelNames: ['sync', 'account'],
    registers,
  });
  const linked = new Gauge({
    name: 'leadsheet_linked_records',
    help: 'Contacts and rows known to be the same person.',
    labelNames: ['sync', 'account'],
    registers,
  });
  const hooks = new Counter({
    name: 'leadsheet_hooks_total',
    help: 'Requests below /hooks, by what was answered; `sync` is empty where the name is none of ours or was not looked at.',
    labelNames: ['sync', 'account', 'answer'],
    registers,
  });
  const passwordRefusals = new Counter({
    name: 'leadsheet_password_refusals_total',
    help: 'Requests with a wrong password.',
    registers,
  });
  // Read at each scrape, so that they are current.
  const startedAt = now();
  void new Gauge({
    name: 'leadsheet_lag_seconds',
    help: 'Since a run last ended succeeded or partial; since the start, if none has. None for a paused one.',
    labelNames: ['sync', 'account'],
    registers,
    collect() {
      // A paused job is not behind: it has no lag.
      this.reset();
      for (const { name, lastSuccessAt, phase } of status()) {
        if (phase === 'paused') continue;
        this.set(of(name), Math.max(0, now() - (lastSuccessAt ?? startedAt)) / 1_000);
      }
    },
  });
  void new Gauge({
    name: 'leadsheet_sync_phase',
    help: '1 for the phase a sync is in.',
    labelNames: ['sync', 'account', 'phase'],
    registers,
    collect() {
      // A removed job has no phase.
      this.reset();
      for (const sync of status()) {
        for (const phase of phases) this.set({ ...of(sync.name), phase }, sync.phase === phase ? 1 : 0);
      }
    },
  });
  void new Counter({
    name: 'leadsheet_calls_total',
    help: 'Calls by the budget they count against.',
    labelNames: ['budget', 'account'],
    registers,
    collect() {
      this.reset();
      for (const { usage: used, ...own } of usage()) {
        for (const [budget, { total }] of Object.entries(used)) this.inc({ ...own, budget }, total);
      }
    },
  });
  void new Gauge({
    name: 'leadsheet_budget_used_ratio',
    help: 'Calls of the last minute, as a share of what a minute may have.',
    labelNames: ['budget', 'account'],
    registers,
    collect() {
      this.reset();
      for (const { usage: used, ...own } of usage()) {
        for (const [budget, { lastMinute, perMinute }] of Object.entries(used)) {
          this.set({ ...own, budget }, lastMinute / perMinute);
        }
      }
    },
  });

  function runEnded(report: RunReport): void {
    const { sync, cost, counts } = report;
    const isStopped = isStopping() && (report.status === 'failed' || report.stopped !== undefined);
    runs.inc({ ...of(sync), status: isStopped ? 'stopped' : report.status });
    seconds.observe(of(sync), cost.seconds);
    // A failed run saw nothing: the earlier problems stay open.
    if (report.status === 'failed') return;
    for (const kind of kinds) {
      problems.set({ ...of(sync), kind }, report.problems.filter((problem) => problem.kind === kind).length);
    }
    incompletePulls.set(of(sync), report.problems.filter(({ kind }) => kind === 'incomplete').length);
    quarantined.set(of(sync), counts.quarantined);
    linked.set(of(sync), counts.linked);
  }

  return {
    observe(event) {
      if (event.type === 'run-ended') runEnded(event.report);
      if (event.type !== 'change-done') return;
      const { sync, change, outcome } = event;
      changes.inc({ ...of(sync), side: change.side, op: change.op, outcome: outcome.kind });
    },
    hookCame: (answer, sync = '') => hooks.inc({ ...of(sync), answer }),
    forgetLastRuns() {
      for (const gauge of [problems, incompletePulls, quarantined, linked]) gauge.reset();
    },
    passwordWasWrong: () => passwordRefusals.inc(),
    render: () => Registry.merge([ofProcess, registry]).metrics(),
    contentType: registry.contentType,
  };
}
