// Narrows the operator layer to the jobs of some accounts: the one place that decides what a person of these accounts sees.
import type { Config } from '../../config/config.ts';
import { jobsIn } from '../../config/jobs.ts';
import { configOfAccounts } from '../../config/of-accounts.ts';
import type { Operator } from '../operator.ts';
import { heartbeatOf } from './heartbeat.ts';
import type { JobNames } from './job-names.ts';
import { storeOf } from './store.ts';

/**
 * All that pages and actions read goes through the result, so that a job of another account is unknown to each of them, as a name
 * that nobody gave. `accounts` of the file are looked up at each look: a reload changes them. Of what is measured over all accounts,
 * only what can be told apart is told.
 */
export function limitToAccounts(operator: Operator, accounts: readonly string[]): Operator {
  const config = narrowed(operator, accounts);
  const names: JobNames = () => namesOf(config());
  const { store, now, lookout, trends, workers, budgetOf, areNamesHidden } = operator;
  const told = heartbeatOf({ accounts, names, faulty: () => faultyOf(operator.config, accounts), budgetOf });
  return {
    get config() {
      return config();
    },
    store: storeOf(store, names, told),
    now,
    ...(lookout && {
      lookout: {
        async ask() {
          const reply = await lookout.ask();
          return reply.kind === 'told' ? { kind: 'told', told: told(reply.told) } : reply;
        },
        isRunning: (pid) => lookout.isRunning(pid),
        machine: lookout.machine,
      },
    }),
    ...(trends && {
      trends: {
        read(asked) {
          const own = [...config().accounts.keys()];
          const isAll = own.length === operator.config.accounts.size;
          const measured = trends.read(asked?.filter((account) => own.includes(account)) ?? (isAll ? undefined : own));
          return { ...measured, runs: measured.runs.filter(({ job }) => names().has(job)) };
        },
      },
    }),
    ...(workers && {
      async workers() {
        const own = names();
        return (await workers()).map((worker) => ({ ...worker, runs: worker.runs.filter(({ job }) => own.has(job)) }));
      },
    }),
    ...(budgetOf && { budgetOf: (asked) => budgetOf(asked.filter((each) => accounts.includes(each))) }),
    ...(areNamesHidden !== undefined && { areNamesHidden }),
  };
}

const namesByConfig = new WeakMap<Config, ReadonlySet<string>>();

function namesOf(config: Config): ReadonlySet<string> {
  const known = namesByConfig.get(config) ?? new Set(jobsIn(config).map(({ name }) => name));
  namesByConfig.set(config, known);
  return known;
}

/** Of a configuration of 500 jobs, made once for each list of accounts. */
const narrowedByConfig = new WeakMap<Config, Map<string, Config>>();

function narrowed(operator: Operator, accounts: readonly string[]): () => Config {
  const key = JSON.stringify(accounts);
  return () => {
    const { config } = operator;
    const byKey = narrowedByConfig.get(config) ?? new Map<string, Config>();
    narrowedByConfig.set(config, byKey);
    const known = byKey.get(key) ?? configOfAccounts(config, accounts);
    byKey.set(key, known);
    return known;
  };
}

/** Jobs of these accounts that are left out. */
function faultyOf({ faults }: Config, accounts: readonly string[]): ReadonlySet<string> {
  return new Set(
    faults.flatMap(({ kind, name, account }) =>
      kind === 'job' && account !== undefined && accounts.includes(account) ? [name] : [],
    ),
  );
}
