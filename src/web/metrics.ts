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
  /** The text for the scraper, and its content type. */
  render(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsOptions {
  readonly status: () => readonly JobStatus[];
  readonly usage: () => Usage;
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

export function createMetrics({ status, usage, now, isStopping }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const runs = new Counter({
    name: 'leadsheet_runs_total',
    help: 'Runs that ended, by how they ended; `stopped` by the end of the process.',
    labelNames: ['sync', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'leadsheet_run_duration_seconds',
    help: 'How long runs took, waiting for the budgets included.',
    labelNames: ['sync'],
    buckets: [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3_600],
    registers,
  });
  const changes = new Counter({
    name: 'leadsheet_changes_total',
    help: 'Changes that were tried, by what became of them.',
    labelNames: ['sync', 'side', 'op', 'outcome'],
    registers,
  });
  const problems = new Gauge({
    name: 'leadsheet_problems',
    help: 'Problems that were open after the last run that read both sides.',
    labelNames: ['sync', 'kind'],
    registers,
  });
  const incompletePulls = new Gauge({
    name: 'leadsheet_incomplete_pulls',
    help: 'Readings of a side that were not whole in the last run that read both; 0: the data is as whole as its sources.',
    labelNames: ['sync'],
    registers,
  });
  const quarantined = new Gauge({
    name: 'leadsheet_quarantined_rows',
    help: 'Rows set aside until somebody looks.',
    labelNames: ['sync'],
    registers,
  });
  const linked = new Gauge({
    name: 'leadsheet_linked_records',
    help: 'Contacts and rows known to be the same person.',
    labelNames: ['sync'],
    registers,
  });
  const hooks = new Counter({
    name: 'leadsheet_hooks_total',
    help: 'Requests below /hooks, by what was answered; `sync` is empty where the name is none of ours or was not looked at.',
    labelNames: ['sync', 'answer'],
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
    labelNames: ['sync'],
    registers,
    collect() {
      // A paused job is not behind: it has no lag.
      this.reset();
      for (const { name, lastSuccessAt, phase } of status()) {
        if (phase === 'paused') continue;
        this.set({ sync: name }, Math.max(0, now() - (lastSuccessAt ?? startedAt)) / 1_000);
      }
    },
  });
  void new Gauge({
    name: 'leadsheet_sync_phase',
    help: '1 for the phase a sync is in.',
    labelNames: ['sync', 'phase'],
    registers,
    collect() {
      for (const sync of status()) {
        for (const phase of phases) this.set({ sync: sync.name, phase }, sync.phase === phase ? 1 : 0);
      }
    },
  });
  void new Counter({
    name: 'leadsheet_calls_total',
    help: 'Calls by the budget they count against.',
    labelNames: ['budget'],
    registers,
    collect() {
      this.reset();
      for (const [budget, { total }] of Object.entries(usage())) this.inc({ budget }, total);
    },
  });
  void new Gauge({
    name: 'leadsheet_budget_used_ratio',
    help: 'Calls of the last minute, as a share of what a minute may have.',
    labelNames: ['budget'],
    registers,
    collect() {
      for (const [budget, { lastMinute, perMinute }] of Object.entries(usage())) {
        this.set({ budget }, lastMinute / perMinute);
      }
    },
  });

  function runEnded(report: RunReport): void {
    const { sync, cost, counts } = report;
    const isStopped = isStopping() && (report.status === 'failed' || report.stopped !== undefined);
    runs.inc({ sync, status: isStopped ? 'stopped' : report.status });
    seconds.observe({ sync }, cost.seconds);
    // A failed run saw nothing: the earlier problems stay open.
    if (report.status === 'failed') return;
    for (const kind of kinds) {
      problems.set({ sync, kind }, report.problems.filter((problem) => problem.kind === kind).length);
    }
    incompletePulls.set({ sync }, report.problems.filter(({ kind }) => kind === 'incomplete').length);
    quarantined.set({ sync }, counts.quarantined);
    linked.set({ sync }, counts.linked);
  }

  return {
    observe(event) {
      if (event.type === 'run-ended') runEnded(event.report);
      if (event.type !== 'change-done') return;
      const { sync, change, outcome } = event;
      changes.inc({ sync, side: change.side, op: change.op, outcome: outcome.kind });
    },
    hookCame: (answer, sync = '') => hooks.inc({ sync, answer }),
    passwordWasWrong: () => passwordRefusals.inc(),
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
