// The checks of `check`: everything a sync needs before it can run, each with what to do. A failed check does not end the
// others. They only read, but for one write that changes nothing (`checkMayWrite`).
import type { AccountConfig, Config } from '../../config/config.ts';
import { type JobConfig, jobsIn } from '../../config/jobs.ts';
import type { Sheets } from '../../sheets/port.ts';
import type { Crm } from '../../crm/port.ts';
import { StateError } from '../../state/errors.ts';
import type { Store, SyncState } from '../../state/port.ts';
import { tabNamed } from '../../engine/facts.ts';
import { readStanding } from '../../engine/standing.ts';
import type { Facts } from '../../engine/stored/facts.ts';
import { readJob } from '../../engine/stored/stored.ts';
import { checkAccounts } from './accounts.ts';
import { checkFiles, type ModeOf } from './files.ts';
import { aboutSide, type Finding, type Found, found, skipped } from './finding.ts';
import { countText } from '../words.ts';
import { checkHints, checkNoHints } from './hints.ts';
import { askedOfService, checkServiceFor, checkTabFor } from './jobs.ts';
import { type FoundTab, sharedTabs } from './tabs.ts';

export interface CheckDep {
  readonly config: Config;
  readonly store: Store;
  /** In the order of the file. Only their jobs are looked at. */
  readonly accounts: readonly CheckedAccount[];
  /** Undefined: neither side is asked. */
  readonly asking?: {
    /** Whether a stand-in answers at this address of this machine. */
    readonly isStandin: (address: string) => Promise<boolean>;
    readonly signal: AbortSignal;
  };
  /** Why neither the state of a job nor a side is looked at. */
  readonly withoutState?: string;
  /** The mode of files and folders of this machine. */
  readonly modeOf: ModeOf;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface CheckedAccount {
  readonly account: AccountConfig;
  /** Whether the token ends soon. */
  readonly token: Found;
  /** Reads the credentials file, and asks nobody. */
  readonly connectSheets: () => Promise<Sheets>;
  /** Undefined: it is not asked. */
  readonly crm?: Crm;
}

export async function* check(dep: CheckDep): AsyncGenerator<Finding> {
  const { config, store, accounts, asking, modeOf, withoutState } = dep;
  const names = new Set(accounts.map(({ account }) => account.name));
  yield* checkFiles(config, names, modeOf);
  yield* checkAccounts(config, names);
  for (const { account, token } of accounts) {
    yield { about: aboutSide(config, account.name, 'service'), what: 'token', ...token };
  }
  const jobs = jobsIn(config).filter(({ config: { account } }) => names.has(account));
  if (withoutState === undefined) for (const { name } of jobs) yield* checkState(name, store);
  if (!asking) {
    for (const each of accounts) yield* checkCredentials(config, each);
    yield {
      verdict: 'skipped',
      about: 'both sides',
      what: 'everything else',
      detail: withoutState ?? 'without --offline they are asked',
    };
    return;
  }
  const tabs: FoundTab[] = [];
  for (const each of accounts) {
    const { account, crm } = each;
    const ofAccount = jobs.filter((job) => job.config.account === account.name);
    const side: AccountSide = { config, account, jobs: ofAccount, now: dep.now(), ...asking };
    if (crm) yield* checkService(side, crm);
    const sheets = yield* checkCredentials(config, each);
    const knownTab = async (job: JobConfig) => (withoutState === undefined ? readKnownTab(job, store) : undefined);
    yield* checkSheets(side, sheets, tabs, knownTab);
  }
  yield* sharedTabs(tabs);
  if (withoutState === undefined) yield* replacedTabs(tabs, jobs, store);
}

/** Returns undefined if the credentials cannot be used. */
async function* checkCredentials(
  config: Config,
  { account: { name, google }, connectSheets }: CheckedAccount,
): AsyncGenerator<Finding, Sheets | undefined> {
  let sheets: Sheets | undefined;
  yield* found(aboutSide(config, name, 'google'), 'credentials', async () => {
    sheets = await connectSheets();
    return { verdict: 'ok', detail: `${google.credentialsFile} is of ${sheets.account}` };
  });
  return sheets;
}

async function* checkState(name: string, store: Store): AsyncGenerator<Finding> {
  yield* found(name, 'state', async () => {
    const { links, feedLinks, messages, notices } = await readStanding(store.sync(name));
    // An outbox keeps nothing but its ledger.
    const detail =
      links.size + feedLinks.size > 0
        ? `${links.size + feedLinks.size} links`
        : messages.size > 0
          ? `${messages.size} rows known`
          : 'new: the first run adopts what is there';
    return notices.length === 0
      ? { verdict: 'ok', detail }
      : { verdict: 'warning', detail: `${detail}; ${notices.join('; ')}` };
  });
}

/** G1: the state knows the tab by its gid, and another tab has the name of the configuration by now. */
async function* replacedTabs(
  tabs: readonly FoundTab[],
  jobs: readonly JobConfig[],
  store: Store,
): AsyncGenerator<Finding> {
  for (const { owner, reference, title } of tabs) {
    const job = jobs.find(({ name }) => name === owner);
    const known = job && (await readKnownTab(job, store));
    if (known === undefined || known === reference) continue;
    const detail = `${owner} works in the tab ${known}, and "${title}" is another one (${reference}): give the old tab its name back, by the version history if it was deleted, or give the sync a new name`;
    yield { about: owner, what: 'tab', verdict: 'failed', detail };
  }
}

/** The reference of the tab in which the job works, where the configuration names the same one as in its last run. */
async function readKnownTab({ name, config }: JobConfig, store: Store): Promise<string | undefined> {
  const facts = await readFacts(store.sync(name));
  if (!facts?.identities || facts.tab !== tabNamed(config)) return undefined;
  return `gid:${facts.identities.sheet.slice(facts.identities.sheet.lastIndexOf(' ') + 1)}`;
}

/** Undefined: the state cannot be read, which `checkState` tells. */
async function readFacts(state: SyncState): Promise<Facts | undefined> {
  try {
    return readJob(await state.loadSome({})).facts;
  } catch (error) {
    if (error instanceof StateError) return undefined;
    throw error;
  }
}

interface AccountSide extends NonNullable<CheckDep['asking']> {
  readonly config: Config;
  readonly account: AccountConfig;
  readonly jobs: readonly JobConfig[];
  /** Epoch milliseconds. */
  readonly now: number;
}

async function* checkService(
  { config, account, jobs, isStandin, signal }: AccountSide,
  crm: Crm,
): AsyncGenerator<Finding> {
  const { baseUrl } = account.crm;
  const which = (await isStandin(baseUrl)) ? 'the stand-in' : 'the real service';
  let isReached = false;
  yield* found(aboutSide(config, account.name, 'service'), 'connection', async () => {
    const { lists: total } = await crm.probe({ signal, priority: 'scan' });
    isReached = true;
    const lists = total === undefined ? '' : `, ${countText(total, 'list')}`;
    return { verdict: 'ok', detail: `${baseUrl} is ${which} and takes the token${lists}` };
  });
  for (const job of jobs) {
    if (isReached) yield* checkServiceFor(job, { crm, signal });
    else yield skipped(job.name, askedOfService[job.kind], 'the service did not answer');
  }
}

async function* checkSheets(
  { config, account, jobs, isStandin, signal, now }: AccountSide,
  sheets: Sheets | undefined,
  tabs: FoundTab[],
  knownTab: (job: JobConfig) => Promise<string | undefined>,
): AsyncGenerator<Finding> {
  const where = account.google.endpoint;
  if (where !== undefined) {
    const isOne = await isStandin(where);
    yield {
      verdict: isOne ? 'ok' : 'warning',
      about: aboutSide(config, account.name, 'google'),
      what: 'endpoint',
      detail: isOne
        ? `${where} is the stand-in; without google.endpoint it is Google`
        : `${where} is not the stand-in: leave google.endpoint out to use Google`,
    };
  }
  if (sheets?.hints) yield* checkHints({ config, account, jobs }, sheets.hints);
  for (const job of jobs) {
    if (!sheets) yield skipped(job.name, 'tab', 'there are no credentials');
    else yield* checkTabFor(job, sheets, signal, tabs, await knownTab(job));
  }
  if (sheets && !sheets.hints) yield* checkNoHints({ config, account, jobs, now }, tabs);
}
