// A spreadsheet for testing the adapter: the stand-in in-process, a person at the sheet, and a clock that only waiting
// moves.
import { type Credentials } from '../../src/sheets/google/credentials.ts';
import { type SheetsDep, createSheets } from '../../src/sheets/google/table.ts';
import type { Fetch } from '../../src/sheets/google/endpoint.ts';
import type { Row, Sheets, Snapshot, Table, TableMemory, TableSpec } from '../../src/sheets/port.ts';
import { type NewTab, type SpreadsheetFile } from '../../src/standin/sheets/model.ts';
import type { Person } from '../../src/standin/sheets/people.ts';
import {
  type SheetsStandin,
  type SheetsStandinOptions,
  createSheetsStandin,
} from '../../src/standin/sheets/standin.ts';
import { UserRefreshClient } from 'google-auth-library';

export const spreadsheetId = '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests';

/** A small generator that repeats its numbers: https://en.wikipedia.org/wiki/Linear_congruential_generator */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const consent = { clientId: 'client', clientSecret: 'secret', refreshToken: 'refresh' };

/** The credentials of a person who gave consent. */
export const anyCredentials: Credentials = {
  account: 'robot@demo.iam.gserviceaccount.com',
  createAuthClient: (transporterOptions) =>
    new UserRefreshClient({
      ...consent,
      useAuthRequestParameters: false,
      transporterOptions,
    }),
};

/** The content of a credentials file of an identity provider, which has no key. */
export const externalAccount = {
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
  credential_source: { file: '/var/run/token' },
};

export const spec: TableSpec = {
  spreadsheet: spreadsheetId,
  tab: 'Prospects',
  headerRow: 1,
  idHeader: 'Contact ID',
  columns: [
    { key: 'first_name', header: 'First name', format: 'text' },
    { key: 'email', header: 'Email', format: 'text' },
    { key: 'score', header: 'Score', format: 'number' },
  ],
  owner: 'prospects',
};

export const header = ['Contact ID', 'First name', 'Notes', 'Email', 'Score'];

export interface TrialOptions {
  readonly tab?: Partial<NewTab>;
  readonly values?: NewTab['values'];
  readonly standin?: Partial<SheetsStandinOptions>;
  readonly client?: Partial<SheetsDep>;
  /** Wraps fetch between the adapter and the stand-in. */
  readonly wrapFetch?: (fetch: Fetch) => Fetch;
  readonly seed?: number;
}

export interface Trial {
  readonly standin: SheetsStandin;
  readonly file: SpreadsheetFile;
  readonly person: Person;
  readonly sheets: Sheets;
  readonly slept: readonly number[];
  /** Moves the clock. */
  pass(ms: number): void;
  /** Called before each request to Sheets, with its path; for edits and faults in between. */
  onRequest: (path: string) => void;
  /** Replaces the stand-in for requests to Sheets. */
  reroute: Fetch;
  openTable(overrides?: Partial<TableSpec>, memory?: TableMemory): Table;
}

export function createTrial(options: TrialOptions = {}): Trial {
  const random = createRandom(options.seed ?? 1);
  let now = Date.UTC(2026, 0, 1);
  const slept: number[] = [];
  const standin = createSheetsStandin({
    now: () => now,
    random,
    quotas: 'none',
    credentials: { authorizedUsers: [{ email: anyCredentials.account, ...consent }] },
    ...options.standin,
  });
  const file = standin.model.create({
    id: spreadsheetId,
    writers: [anyCredentials.account],
    tabs: [
      {
        title: 'Prospects',
        sheetId: 7,
        rowCount: 20,
        columnCount: 8,
        values: options.values ?? [header],
        ...options.tab,
      },
      { title: 'Other', sheetId: 8, values: [['untouched']] },
    ],
  });
  const fetch: Fetch = (url, init) => {
    if (url.hostname !== 'sheets.googleapis.com') return standin.fetch(url, init);
    trial.onRequest(`${init.method} ${url.pathname}`);
    return trial.reroute(url, init);
  };
  const time = {
    elapsed: () => now,
    random,
    sleep: async (ms: number) => {
      slept.push(ms);
      now += ms;
    },
  };
  const sheets = createSheets({
    credentials: anyCredentials,
    time,
    fetch: options.wrapFetch?.(fetch) ?? fetch,
    readsPerMinute: Infinity,
    writesPerMinute: Infinity,
    ...options.client,
  });
  const trial: Trial = {
    standin,
    file,
    person: standin.person(spreadsheetId),
    sheets,
    slept,
    pass: (ms) => (now += ms),
    onRequest: () => undefined,
    reroute: standin.fetch,
    openTable: (overrides = {}, memory) => sheets.openTable({ ...spec, ...overrides }, memory),
  };
  return trial;
}

/** A table whose columns carry their anchors, and its first snapshot. */
export async function openAnchored(trial: Trial): Promise<{ table: Table; snapshot: Snapshot }> {
  const table = trial.openTable();
  await table.ensure(await table.read(), []);
  return { table, snapshot: await table.read() };
}

export function rowOf(snapshot: Snapshot, id: string): Row {
  const row = snapshot.rows.find((each) => each.id === id);
  if (!row) throw new Error(`no row ${id} among ${snapshot.rows.map((each) => each.id).join(', ')}`);
  return row;
}

/** All developer metadata of the file that is not an anchor. */
export function temporaryMarks(trial: Trial): string[] {
  return [...trial.file.content.metadataById.values()]
    .filter(({ key }) => key !== 'c')
    .map(({ id, key }) => `${key}${id}`);
}

/** Another program's metadata on the tab: all of the 30,000 characters that the anchors leave, but so many. */
export function fillMetadata({ file, person }: Trial, charactersLeft = 0, sheetId = 7): void {
  const used = [...file.content.metadataById.values()].reduce(
    (sum, { key, value }) => sum + key.length + (value?.length ?? 0),
    0,
  );
  const developerMetadata = {
    metadataKey: 'x',
    metadataValue: 'x'.repeat(30_000 - used - charactersLeft - 1),
    location: { sheetId },
    visibility: 'DOCUMENT',
  };
  person.request({ createDeveloperMetadata: { developerMetadata } });
}

/** Another program makes metadata with the id that the adapter has just drawn for a mark of its own. */
export function takeMetadataId({ person }: Trial, { body }: RequestInit, keyBehind = ''): void {
  const [, id] = new RegExp(`"metadataId":(\\d+)${keyBehind}`).exec(typeof body === 'string' ? body : '') ?? [];
  const developerMetadata = {
    metadataId: Number(id),
    metadataKey: 'x',
    location: { spreadsheet: true },
    visibility: 'DOCUMENT',
  };
  person.request({ createDeveloperMetadata: { developerMetadata } });
}
