// Checks jobs against each other: an account that no job names, contacts that two accounts would both write, and people whom two
// syncs would both enrol.
import { isDeepStrictEqual } from 'node:util';
import type { Config, SyncConfig } from '../../config/config.ts';
import { accountOf, areSeveral } from '../../config/accounts.ts';
import { jobsIn } from '../../config/jobs.ts';
import type { Finding } from './finding.ts';

/** `names`: the accounts that are looked at. */
export function* checkAccounts(config: Config, names: ReadonlySet<string>): Generator<Finding> {
  const areMany = areSeveral(config);
  const used = new Set(jobsIn(config).map((job) => job.config.account));
  for (const name of areMany ? config.accounts.keys() : []) {
    if (used.has(name) || !names.has(name)) continue;
    const detail = `no job names the account ${name}: give a job account: ${name}, or take the account out`;
    yield { verdict: 'warning', about: `account ${name}`, what: 'jobs', detail };
  }
  const looked = config.syncs.filter(({ account }) => names.has(account));
  for (const sync of looked) yield* checkList(sync, sharers(config, sync));
}

/** Syncs that stand before this one and show the same list. Two accounts with one token see the same lists. */
function sharers(config: Config, sync: SyncConfig): readonly SyncConfig[] {
  const keyOf = ({ account, contacts }: SyncConfig) => {
    const { crm } = accountOf(config, { account });
    return JSON.stringify([crm.baseUrl, crm.token.reveal(), contacts.list.toLowerCase()]);
  };
  const before = config.syncs.slice(0, config.syncs.indexOf(sync));
  return before.filter((other) => keyOf(other) === keyOf(sync));
}

function* checkList(sync: SyncConfig, others: readonly SyncConfig[]): Generator<Finding> {
  const { name, account, contacts } = sync;
  const [first] = others;
  if (first && first.account !== account) {
    const detail = `${name} of ${account} and ${first.name} of ${first.account} have the same token and the same list "${contacts.list}": both write the same contacts; give one another list or filter`;
    yield { verdict: 'warning', about: name, what: 'list', detail };
  }
  // E1: the ledger is that of a sync.
  const enrolling = others.find((other) => other.automation && mayShare(other, sync));
  if (sync.automation && enrolling) {
    const detail = `${name} and ${enrolling.name} show the list "${contacts.list}" and have an automation column each: a person who is wished for in both tabs is enrolled twice; leave the column to one of them`;
    yield { verdict: 'warning', about: name, what: 'automation', detail };
  }
}

/** Which people two different filters share, only the service knows. */
function mayShare(a: SyncConfig, b: SyncConfig): boolean {
  const [one, other] = [a.contacts.filter, b.contacts.filter];
  return one === undefined || other === undefined || isDeepStrictEqual(one, other);
}
