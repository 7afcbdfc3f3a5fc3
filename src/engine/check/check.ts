// Everything that has to be right before a sync can run, one thing after the other, each with what to do about it. Looks
// on after a failure wherever that makes sense. Reads; its one write changes nothing (`checkMayWrite`).
import type { Config, FeedConfig, OutboxConfig, SyncConfig } from '../../config/config.ts';
import type { Crm } from '../../crm/port.ts';
import type { Sheets } from '../../sheets/google/table.ts';
import type { Store } from '../../state/port.ts';
import { readStanding } from '../standing.ts';
import { checkContacts } from './contacts.ts';
import { checkRecords } from './records.ts';
import { checkFiles, type ModeOf } from './files.ts';
import { type Finding, found, skipped } from './finding.ts';
import { checkSenders } from './senders.ts';
import { checkFeedTab, checkOutboxTab, checkTab, type FoundTab, sharedTabs } from './tabs.ts';

export interface CheckDep {
  readonly config: Config;
  readonly store: Store;
  /** Undefined: nothing is asked of either side. */
  readonly sides?: {
    readonly crm: Crm;
    readonly connectSheets: () => Promise<Sheets>;
    /** Whether a stand-in answers at this address of this machine. */
    readonly isStandin: (address: string) => Promise<boolean>;
    readonly signal: AbortSignal;
  };
  /** Of files and folders of this machine. */
  readonly modeOf: ModeOf;
  /** About the token by itself: when it ends. */
  readonly tokenWarning: string | undefined;
}

export async function* check({ config, store, sides, modeOf, tokenWarning }: CheckDep): AsyncGenerator<Finding> {
  yield* checkFiles(config, modeOf);
  yield tokenWarning === undefined
    ? { verdict: 'ok', about: 'service', what: 'token', detail: 'there is one, and it does not end within 30 days' }
    : { verdict: 'warning', about: 'service', what: 'token', detail: tokenWarning };
  for (const each of [...config.syncs, ...config.feeds, ...config.outboxes]) yield* checkState(each, store);
  if (!sides) {
    yield {
      verdict: 'skipped',
      about: 'both sides',
      what: 'everything else',
      detail: 'without --offline they are asked',
    };
    return;
  }
  yield* checkService(config, sides);
  yield* checkSheets(config, sides);
}

async function* checkState({ name }: SyncConfig | FeedConfig | OutboxConfig, store: Store): AsyncGenerator<Finding> {
  yield* found(name, 'state', async () => {
    const { links, enrolments, notices } = await readStanding(store.sync(name));
    // Of an outbox the ledger is all there is.
    const detail =
      links.size > 0
        ? `${links.size} links`
        : enrolments.size > 0
          ? `${enrolments.size} rows known`
          : 'new: the first run adopts what is there';
    return notices.length === 0
      ? { verdict: 'ok', detail }
      : { verdict: 'warning', detail: `${detail}; ${notices.join('; ')}` };
  });
}

type Sides = NonNullable<CheckDep['sides']>;

async function* checkService({ crm, syncs, feeds, outboxes }: Config, sides: Sides): AsyncGenerator<Finding> {
  const isStandin = await sides.isStandin(crm.baseUrl);
  const which = isStandin ? 'the stand-in' : 'the real service';
  let isReached = false;
  yield* found('service', 'connection', async () => {
    const { lists: total } = await sides.crm.probe({ signal: sides.signal, priority: 'scan' });
    isReached = true;
    const lists = total === undefined ? '' : `, ${total} lists`;
    return { verdict: 'ok', detail: `${crm.baseUrl} is ${which} and takes the token${lists}` };
  });
  for (const sync of syncs) {
    if (isReached) yield* checkContacts(sync, sides);
    else yield skipped(sync.name, 'list', 'the service did not answer');
  }
  for (const feed of feeds) {
    if (isReached) yield* checkRecords(feed, sides);
    else yield skipped(feed.name, 'records', 'the service did not answer');
  }
  for (const outbox of outboxes) {
    if (isReached) yield* checkSenders(outbox, sides);
    else yield skipped(outbox.name, 'senders', 'the service did not answer');
  }
}

async function* checkSheets({ google, syncs, feeds, outboxes }: Config, sides: Sides): AsyncGenerator<Finding> {
  let sheets: Sheets | undefined;
  yield* found('google', 'credentials', async () => {
    sheets = await sides.connectSheets();
    return { verdict: 'ok', detail: `${google.credentialsFile} is of ${sheets.account}` };
  });
  const where = google.endpoint;
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
  for (const sync of syncs) {
    if (!sheets) yield skipped(sync.name, 'tab', 'there are no credentials');
    else yield* checkTab(sync, sheets, sides.signal, tabs);
  }
  for (const feed of feeds) {
    if (!sheets) yield skipped(feed.name, 'tab', 'there are no credentials');
    else yield* checkFeedTab(feed, sheets, sides.signal, tabs);
  }
  for (const outbox of outboxes) {
    if (!sheets) yield skipped(outbox.name, 'tab', 'there are no credentials');
    else yield* checkOutboxTab(outbox, sheets, sides.signal, tabs);
  }
  yield* sharedTabs(tabs);
}
