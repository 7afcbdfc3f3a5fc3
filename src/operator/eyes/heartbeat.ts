// What the daemon tells of itself, for a person who sees some accounts.
import { parseHeartbeat, type Heartbeat } from '../../daemon/view.ts';
import type { Operator } from '../operator.ts';
import type { JobNames } from './job-names.ts';

interface Told {
  readonly accounts: readonly string[];
  readonly names: JobNames;
  /** Jobs of these accounts that are left out. */
  readonly faulty: () => ReadonlySet<string>;
  readonly budgetOf: Operator['budgetOf'];
}

/** A reason may name a job of another account: two jobs on one tab, two accounts with one token. */
const reason = 'its part of the configuration has a fault: ask the person who runs leadsheet';
const nothingUsed = { used: 0, per_minute: 0 };

/** Undefined: there is none, or it is not readable. Each part is named, so that a new one stays out. */
export function heartbeatOf({ accounts, names, faulty, budgetOf }: Told) {
  return (told: unknown): Heartbeat | undefined => {
    const heartbeat = parseHeartbeat(told);
    if (!heartbeat) return undefined;
    const { version, pid, host, boot, started_at, written_at, state, syncs, configuration, account_budgets } =
      heartbeat;
    const own = names();
    const jobs = new Set([...own, ...faulty()]);
    const { left_out: leftOut, refused } = configuration;
    return {
      version,
      pid,
      host,
      boot,
      started_at,
      written_at,
      state,
      syncs: syncs.filter(({ name }) => own.has(name)),
      configuration: {
        left_out: leftOut
          .filter(({ kind, name }) => (kind === 'job' ? jobs.has(name) : kind === 'account' && accounts.includes(name)))
          .map(({ kind, name, jobs: affected }) => ({
            kind,
            name,
            reason,
            jobs: affected.filter((job) => jobs.has(job)),
          })),
        refused: refused && { at: refused.at, problems: [] },
      },
      budget: budgetOf?.(accounts) ?? { crm: nothingUsed, sheet_reads: nothingUsed, sheet_writes: nothingUsed },
      account_budgets: account_budgets.filter(({ account }) => accounts.includes(account)),
    };
  };
}
