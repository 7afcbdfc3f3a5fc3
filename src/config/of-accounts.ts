// Narrows a configuration to some of its accounts: what a person may know who sees only these.
import type { Config } from './config.ts';
import { defaultAccount } from './default-account.ts';

/**
 * Deny by default: each option is named here, so that a new one stays out. Neither users, included files nor faults are in it,
 * because their texts may name other accounts. `written` says only which options are no defaults.
 */
export function configOfAccounts(config: Config, accounts: readonly string[]): Config {
  const isSeen = ({ account }: { readonly account: string }) => accounts.includes(account);
  const [syncs, feeds, outboxes] = [
    config.syncs.filter(isSeen),
    config.feeds.filter(isSeen),
    config.outboxes.filter(isSeen),
  ];
  const { path, state, postgres, log, written, options } = config;
  const { crm, google } = options;
  const isDefaultSeen = accounts.includes(defaultAccount);
  return {
    path,
    isPart: true,
    accounts: new Map([...config.accounts].filter(([name]) => accounts.includes(name))),
    state,
    postgres,
    log,
    included: [],
    faults: [],
    syncs,
    feeds,
    outboxes,
    options: {
      ...(isDefaultSeen && { ...(crm && { crm }), ...(google && { google }) }),
      ...(options.accounts && { accounts: only(options.accounts, accounts) }),
      state: options.state,
      postgres: options.postgres,
      log: options.log,
      alerts: {},
      server: null,
      syncs: only(options.syncs, namesOf(syncs)),
      feeds: only(options.feeds, namesOf(feeds)),
      outbox: only(options.outbox, namesOf(outboxes)),
    },
    written,
  };
}

function namesOf(jobs: readonly { readonly name: string }[]): readonly string[] {
  return jobs.map(({ name }) => name);
}

function only<Item>(items: Readonly<Record<string, Item>>, names: readonly string[]): Record<string, Item> {
  return Object.fromEntries(Object.entries(items).filter(([name]) => names.includes(name)));
}
