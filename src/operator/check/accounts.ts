// Checks accounts against each other: one that no job names, and contacts that two accounts would both write.
import type { Config } from '../../config/config.ts';
import { accountOf, areSeveral } from '../../config/accounts.ts';
import { jobsIn } from '../../config/jobs.ts';
import type { Finding } from './finding.ts';

/** `names`: the accounts that are looked at. */
export function* checkAccounts(config: Config, names: ReadonlySet<string>): Generator<Finding> {
  if (!areSeveral(config)) return;
  const used = new Set(jobsIn(config).map((job) => job.config.account));
  for (const name of config.accounts.keys()) {
    if (used.has(name) || !names.has(name)) continue;
    const detail = `no job names the account ${name}: give a job account: ${name}, or take the account out`;
    yield { verdict: 'warning', about: `account ${name}`, what: 'jobs', detail };
  }
  yield* checkLists(config, names);
}

/** Two accounts with one token see the same lists. */
function* checkLists(config: Config, names: ReadonlySet<string>): Generator<Finding> {
  const first = new Map<string, { readonly sync: string; readonly account: string }>();
  for (const { name, account, contacts } of config.syncs) {
    const { crm } = accountOf(config, { account });
    const key = JSON.stringify([crm.baseUrl, crm.token.reveal(), contacts.list.toLowerCase()]);
    const other = first.get(key);
    if (!other) first.set(key, { sync: name, account });
    else if (other.account !== account && names.has(account)) {
      const detail = `${name} of ${account} and ${other.sync} of ${other.account} have the same token and the same list "${contacts.list}": both write the same contacts; give one another list or filter`;
      yield { verdict: 'warning', about: name, what: 'list', detail };
    }
  }
}
