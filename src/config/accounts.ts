// The accounts of a configuration, and the account of a job.
import type { AccountConfig, Config } from './config.ts';
import { jobsIn } from './jobs.ts';

/** The account of a job of this configuration. */
export function accountOf(
  { accounts }: Pick<Config, 'accounts'>,
  { account }: { readonly account: string },
): AccountConfig {
  const found = accounts.get(account);
  // Loading keeps no job without its account.
  if (!found) throw new Error(`the configuration has a job of the account ${account}, and no such account`);
  return found;
}

/** The account of the job with this name; undefined: there is none. */
export function accountOfJob(config: Config, name: string): AccountConfig | undefined {
  const job = jobsIn(config).find((each) => each.name === name);
  return job && accountOf(config, job.config);
}

/** With one account, nothing that people read names it. */
export function areSeveral({ accounts }: Pick<Config, 'accounts'>): boolean {
  return accounts.size > 1;
}

/** The account of each job; empty with one account, which nothing names. */
export function accountsByJob(config: Config): ReadonlyMap<string, string> {
  if (!areSeveral(config)) return new Map();
  return new Map(jobsIn(config).map(({ name, config: { account } }) => [name, account]));
}
