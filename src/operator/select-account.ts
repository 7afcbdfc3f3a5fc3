// Selects the account that a request names.
import { defaultAccount } from '../config/default-account.ts';
import type { AccountConfig, Config } from '../config/config.ts';
import { jobsIn } from '../config/jobs.ts';
import { didYouMean } from '../lib/nearest.ts';
import { OperatorError } from './errors.ts';

/** Without a name: `default`, or the only one. Throws OperatorError. */
export function selectAccount({ accounts }: Pick<Config, 'accounts'>, name: string | undefined): AccountConfig {
  const names = [...accounts.keys()];
  const account = accounts.get(name ?? (names.length === 1 ? names[0]! : defaultAccount));
  if (account) return account;
  const there = `there are ${names.join(', ')}`;
  if (name === undefined) throw new OperatorError('unknown', `name the account, with --account: ${there}`);
  throw new OperatorError('unknown', `there is no account ${name}${didYouMean(name, names) || `; ${there}`}`);
}

/** The jobs of the account among these; all of them if none is named. Throws OperatorError. */
export function ofAccount(config: Config, names: readonly string[], account: string | undefined): readonly string[] {
  if (account === undefined) return names;
  const { name } = selectAccount(config, account);
  const own = jobsIn(config).flatMap((job) => (job.config.account === name ? [job.name] : []));
  if (own.length === 0) throw new OperatorError('nothing', `the account ${name} has no jobs`);
  const other = names.find((each) => !own.includes(each));
  if (other !== undefined)
    throw new OperatorError('unknown', `${other} is no job of the account ${name}: ${own.join(', ')}`);
  return names.length === 0 ? own : names;
}
