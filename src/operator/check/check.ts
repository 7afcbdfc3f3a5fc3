// The checks of `check`: everything a sync needs before it can run, each with what to do. A failed check does not end the
// others. They only read, but for one write that changes nothing (`checkMayWrite`).
import type { Config } from '../../config/config.ts';
import { jobsIn } from '../../config/jobs.ts';
import type { Sheets } from '../../sheets/port.ts';
import type { Crm } from '../../crm/port.ts';
import type { Store } from '../../state/port.ts';
import { readStanding } from '../../engine/standing.ts';
import { checkFiles, type ModeOf } from './files.ts';
import { type Finding, type Found, found, skipped } from './finding.ts';
import { askedOfService, checkServiceFor, checkTabFor } from './jobs.ts';
import { type FoundTab, sharedTabs } from './tabs.ts';

export interface CheckDep {
  readonly config: Config;
  readonly store: Store;
  /** Reads the credentials file, and asks nobody. */
  readonly connectSheets: () => Promise<Sheets>;
  /** Undefined: neither side is asked. */
  readonly sides?: {
    readonly crm: Crm;
    /** Whether a stand-in answers at this address of this machine. */
    readonly isStandin: (address: string) => Promise<boolean>;
    readonly signal: AbortSignal;
  };
  /** The mode of files and folders of this machine. */
  readonly modeOf: ModeOf;
  /** Whether the token ends soon. */
  readonly token: Found;
}

export async function* check(dep: CheckDep): AsyncGenerator<Finding> {
  const { config, store, sides, modeOf, token } = dep;
  yield* checkFiles(config, modeOf);
  yield { about: 'service', what: 'token', ...token };
  for (const { name } of jobsIn(config)) yield* checkState(name, store);
  if (!sides) {
    yield* checkCredentials(dep);
    yield {
      verdict: 'skipped',
      about: 'both sides',
      what: 'everything else',
      detail: 'without --offline they are asked',
    };
    return;
  }
  yield* checkService(config, sides);
  const sheets = yield* checkCredentials(dep);
  yield* checkSheets(config, sides, sheets);
}

/** Returns undefined if the credentials cannot be used. */
async function* checkCredentials({
  config: { google },
  connectSheets,
}: CheckDep): AsyncGenerator<Finding, Sheets | undefined> {
  let sheets: Sheets | undefined;
  yield* found('google', 'credentials', async () => {
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

type Sides = NonNullable<CheckDep['sides']>;

async function* checkService(config: Config, sides: Sides): AsyncGenerator<Finding> {
  const { crm } = config;
  const isStandin = await sides.isStandin(crm.baseUrl);
  const which = isStandin ? 'the stand-in' : 'the real service';
  let isReached = false;
  yield* found('service', 'connection', async () => {
    const { lists: total } = await sides.crm.probe({ signal: sides.signal, priority: 'scan' });
    isReached = true;
    const lists = total === undefined ? '' : `, ${total} lists`;
    return { verdict: 'ok', detail: `${crm.baseUrl} is ${which} and takes the token${lists}` };
  });
  for (const job of jobsIn(config)) {
    if (isReached) yield* checkServiceFor(job, sides);
    else yield skipped(job.name, askedOfService[job.kind], 'the service did not answer');
  }
}

async function* checkSheets(config: Config, sides: Sides, sheets: Sheets | undefined): AsyncGenerator<Finding> {
  const where = config.google.endpoint;
  if (where !== undefined) {
    const isStandin = await sides.isStandin(where);
    yield {
      verdict: isStandin ? 'ok' : 'warning',
      about: 'google',
      what: 'endpoint',
      detail: isStandin
        ? `${where} is the stand-in; without google.endpoint it is Google`
        : `${where} is not the stand-in: leave google.endpoint out to use Google`,
    };
  }
  const tabs: FoundTab[] = [];
  for (const job of jobsIn(config)) {
    if (!sheets) yield skipped(job.name, 'tab', 'there are no credentials');
    else yield* checkTabFor(job, sheets, sides.signal, tabs);
  }
  yield* sharedTabs(tabs);
}
