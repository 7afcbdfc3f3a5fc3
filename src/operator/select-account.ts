// Selects the account that a request names.
import { defaultAccount } from '../config/accounts.ts';
import type { AccountConfig, Config } from '../config/config.ts';
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
