// What the daemon tells of itself.
import type { App } from './app.ts';
import { usageOf, usageOfAll } from './app-connections.ts';
import { areSeveral } from './config/accounts.ts';
import type { LeftOut } from './config/left-out.ts';
import { type Reloader, toAnswer } from './daemon-reload.ts';
import type { Alerts } from './daemon/alerts.ts';
import type { Daemon } from './daemon/daemon.ts';
import type { Heartbeat } from './daemon/heartbeat.ts';
import { statusToHeartbeat } from './daemon/heartbeat-content.ts';
import type { RunningRuns } from './daemon/running.ts';
import type { AccountMeasured } from './daemon/trends.ts';
import type { Job } from './engine/job.ts';
import type { Kind } from './engine/kind.ts';
import { kinds } from './engine/kinds.ts';
import type { JobStatus } from './engine/standing.ts';
import { machineName } from './lib/machine.ts';
import type { BudgetUsage, Usage } from './limits/usage.ts';

/** `syncs`, `feeds`, ... -> names. A kind without jobs has an empty list. */
export function namesByKind(jobs: Iterable<Job>): Readonly<Record<string, readonly string[]>> {
  const all = [...jobs];
  const names = ({ name: kind }: Kind) => all.flatMap((job) => (job.kind.name === kind ? [job.name] : []));
  return Object.fromEntries(Object.values(kinds).map((kind) => [kind.many, names(kind)]));
}

interface Observed {
  readonly state: Heartbeat['state'];
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly now: number;
  readonly pid: number;
  readonly app: App;
  readonly daemon: Daemon;
  readonly alerts: Alerts;
  readonly running: RunningRuns;
  readonly leftOut: readonly LeftOut[];
  readonly reloader: Reloader;
}

export function takeHeartbeat(observed: Observed): Heartbeat {
  const { state, startedAt, now, pid, app, daemon, alerts, running, leftOut, reloader } = observed;
  const refused = reloader.refused();
  const untold = leftOut.filter((each) => alerts.isTelling(each));
  return {
    version: 1,
    pid,
    ...machineName(),
    started_at: new Date(startedAt).toISOString(),
    written_at: new Date(now).toISOString(),
    state,
    syncs: daemon
      .status()
      .map((status) => statusToHeartbeat(status, alerts.surelyTold(status.name), running.of(status.name))),
    configuration: {
      left_out: leftOut.map(toAnswer),
      ...(untold.length > 0 && { untold: untold.map(({ kind, name, reason }) => ({ kind, name, reason })) }),
      refused: refused ? { at: new Date(refused.at).toISOString(), problems: [...refused.problems] } : null,
    },
    budget: spentIn(app.usage()),
    account_budgets: usageByAccount(app).flatMap(({ account, usage }) =>
      account === undefined ? [] : [{ account, budget: spentIn(usage) }],
    ),
  };
}

/** Calls of the last minute over the credentials of these accounts. */
export function budgetOf(app: App, accounts: readonly string[]): Heartbeat['budget'] {
  const meant = [...app.connections].flatMap(([name, connection]) => (accounts.includes(name) ? [connection] : []));
  return spentIn(usageOfAll(meant));
}

function spentIn(usage: Usage): Heartbeat['budget'] {
  const spent = ({ lastMinute, perMinute }: BudgetUsage) => ({ used: lastMinute, per_minute: perMinute });
  return {
    crm: spent(usage.crm),
    sheet_reads: spent(usage.sheet_reads),
    sheet_writes: spent(usage.sheet_writes),
    ...(usage.drive && { drive: spent(usage.drive) }),
  };
}

/**
 * Seconds, of the jobs that are not paused; a job that has not run yet is behind since the start. undefined: no job has a lag.
 */
export function longestLag(jobs: readonly JobStatus[], startedAt: number, now: number): number | undefined {
  const lags = jobs.flatMap(({ phase, lastSuccessAt }) => {
    return phase === 'paused' ? [] : [Math.max(0, Math.round((now - (lastSuccessAt ?? startedAt)) / 1_000))];
  });
  return lags.length === 0 ? undefined : lags.reduce((longest, lag) => Math.max(longest, lag));
}

/** What is used of the budgets of each account, and its longest lag. With one account there are none. */
export function measureAccounts(
  app: App,
  jobs: readonly JobStatus[],
  accountOf: (job: string) => string | undefined,
  { startedAt, now }: { readonly startedAt: number; readonly now: number },
): readonly AccountMeasured[] {
  const byAccount = Map.groupBy(jobs, ({ name }) => accountOf(name));
  return usageByAccount(app).flatMap(({ account, usage }) =>
    account === undefined ? [] : [{ account, usage, lag: longestLag(byAccount.get(account) ?? [], startedAt, now) }],
  );
}

/** With one account, no figure names it. */
export function usageByAccount(app: App): readonly { readonly account?: string; readonly usage: Usage }[] {
  if (!areSeveral(app.config)) return [{ usage: app.usage() }];
  return [...app.connections].map(([account, connection]) => ({ account, usage: usageOf(connection) }));
}
