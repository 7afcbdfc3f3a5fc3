// Addresses that a person opens in a browser: of a row in its spreadsheet, and of a contact in the service.
import { accountOf } from '../config/accounts.ts';
import { jobsIn } from '../config/jobs.ts';
import type { JobConfig } from '../config/jobs.ts';
import { readJob } from '../engine/stored/stored.ts';
import type { Store } from '../state/port.ts';
import type { Operator } from './operator.ts';

export interface Addresses {
  /** Undefined: no run has seen the tab yet, or the job does not exist. */
  row(job: string, row: number): string | undefined;
  /** Undefined: the account of the job has no `crm.contact_url`, the job does not exist, or its records are no contacts. */
  contact(job: string, uuid: string): string | undefined;
}

/** The addresses of the rows of these jobs. Throws StateError. */
export async function readAddresses(operator: Operator, jobs: Iterable<string>): Promise<Addresses> {
  const { config, store, now } = operator;
  const wanted = new Set(jobs);
  const tabs = new Map<string, string>();
  const contactUrls = new Map<string, string>();
  for (const job of jobsIn(config)) {
    if (!wanted.has(job.name)) continue;
    const { google, contactUrl } = accountOf(config, job.config);
    // The records of a feed are e-mails, automations and the like.
    if (contactUrl !== undefined && job.kind !== 'feed') contactUrls.set(job.name, contactUrl);
    const gid = await gidOf(store, job, now());
    if (gid !== undefined) tabs.set(job.name, tabAddress(job, gid, google.endpoint));
  }
  return {
    row: (job, row) => {
      const tab = tabs.get(job);
      return tab === undefined ? undefined : `${tab}&range=A${row}`;
    },
    contact: (job, uuid) => contactUrls.get(job)?.replace('{uuid}', () => encodeURIComponent(uuid)),
  };
}

/** As the browser shows the address of a tab. The stand-in shows a spreadsheet below its own address. */
function tabAddress({ config: { sheet } }: JobConfig, gid: number, endpoint: string | undefined): string {
  const spreadsheet =
    endpoint === undefined
      ? `https://docs.google.com/spreadsheets/d/${sheet.spreadsheetId}/edit`
      : new URL(sheet.spreadsheetId, endpoint.endsWith('/') ? endpoint : `${endpoint}/`).href;
  return `${spreadsheet}#gid=${gid}`;
}

interface Known {
  readonly gid: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A tab changes only with the configuration, or when a person makes it anew. */
const knownMs = 60_000;
const knownByStore = new WeakMap<Store, Map<string, Known>>();

/** The number of the tab in addresses. A title is known by the last run that read the tab. */
async function gidOf(store: Store, { name, config: { sheet } }: JobConfig, now: number): Promise<number | undefined> {
  const named = /^gid:(\d+)$/.exec(sheet.tab)?.[1];
  if (named !== undefined) return Number(named);
  const known = knownByStore.get(store) ?? new Map<string, Known>();
  knownByStore.set(store, known);
  const before = known.get(name);
  if (before && now - before.at < knownMs) return before.gid;
  // No link is wanted: the identity is among the facts.
  const { identities } = readJob(await store.sync(name).loadSome({ keys: [''] })).facts;
  const [spreadsheet, gid] = identities?.sheet.split(' ') ?? [];
  if (spreadsheet !== sheet.spreadsheetId || gid === undefined || !/^\d+$/.test(gid)) return undefined;
  known.set(name, { gid: Number(gid), at: now });
  return Number(gid);
}
