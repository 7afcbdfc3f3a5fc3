// Serves both stand-ins over HTTP on free ports, and writes a configuration file for a program between them.
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type Served, serve } from '../../src/standin/serve.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { createSheetsStandin } from '../../src/standin/sheets/standin.ts';
import { type CliRun, run } from './cli.ts';

export const tab = 'Prospects';
const spreadsheetId = 'spreadsheet-of-a-test-over-http';
const token = 'the-token-of-the-tests';
const account = { email: 'robot@demo.iam.gserviceaccount.com', clientId: 'c', clientSecret: 's', refreshToken: 'r' };

export interface SidesOptions {
  /** Header and rows. */
  readonly values: readonly (readonly string[])[];
  readonly rowCount: number;
  /** Options of the one sync, in the words of the file; its list and tab are set here. */
  readonly sync: Readonly<Record<string, unknown>>;
  /** Of the service; no budget slows a test by default. */
  readonly requestsPerMinute?: number;
  /** A second sync over a spreadsheet and a list of its own, with the options of the first. */
  readonly second?: { readonly name: string; readonly values: SidesOptions['values'] };
  /** The rest of the file. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Wraps each of them. */
  readonly around?: (served: Served) => Served;
}

/** The calls of the service that change nothing. */
const reading = new Set(['contacts.search', 'contacts.lookup-one', 'contacts.get', 'lists.list', 'automations.list']);

/** [0, 1), as a process draws it. */
const drawShare = () => randomInt(2 ** 47) / 2 ** 47;

export async function createSides({
  values,
  rowCount,
  sync,
  requestsPerMinute = 60_000,
  second,
  more = {},
  around = (served) => served,
}: SidesOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-sides-'));
  const service = createServiceStandin({
    now: Date.now,
    seed: 1,
    acceptedTokens: [token],
    switches: { rateLimits: [] },
    receivedMax: 100_000,
  });
  const sheets = createSheetsStandin({
    now: Date.now,
    random: () => 0.5,
    quotas: 'none',
    credentials: { authorizedUsers: [account] },
  });
  const list = service.model.lists.add({ name: 'Prospects' });
  if (second) service.model.lists.add({ name: second.name });
  sheets.model.create({
    id: spreadsheetId,
    writers: [account.email],
    tabs: [{ title: tab, rowCount, columnCount: 12, values }],
  });
  const secondId = 'second-spreadsheet-of-a-test-over-http';
  if (second) {
    const tabs = [{ title: tab, rowCount, columnCount: 12, values: second.values }];
    sheets.model.create({ id: secondId, writers: [account.email], tabs });
  }
  const servers = [await serve(around(service.app), 0), await serve(around(sheets.app), 0)] as const;
  const person = sheets.person(spreadsheetId);
  const configFile = join(folder, 'leadsheet.yaml');
  const { clientId: client_id, clientSecret: client_secret, refreshToken: refresh_token } = account;
  const key = { type: 'authorized_user', client_id, client_secret, refresh_token };
  const keyFile = join(folder, 'google.json');
  writeFileSync(keyFile, JSON.stringify(key));
  writeFileSync(
    configFile,
    stringify({
      crm: { base_url: servers[0].url, token, requests_per_minute: requestsPerMinute },
      google: {
        credentials_file: keyFile,
        endpoint: servers[1].url,
        reads_per_minute: 60_000,
        writes_per_minute: 60_000,
      },
      state: `file:${join(folder, 'state')}`,
      ...more,
      syncs: {
        prospects: {
          contacts: { list: 'Prospects' },
          sheet: { spreadsheet: spreadsheetId, tab, status_column: 'Sync' },
          ...sync,
        },
        ...(second && {
          [second.name]: {
            contacts: { list: second.name },
            sheet: { spreadsheet: secondId, tab, status_column: 'Sync' },
            ...sync,
          },
        }),
      },
    }),
  );

  return {
    folder,
    configFile,
    serviceUrl: servers[0].url,
    token,
    service,
    sheets,
    list,
    person,

    /** The rows with content, by header. */
    rows: (): readonly Readonly<Record<string, string>>[] => {
      const [header = [], ...lines] = person.read(tab) as readonly (readonly string[])[];
      return lines
        .filter((cells) => cells.some((cell) => cell !== ''))
        .map((cells) => Object.fromEntries(header.map((name, index) => [name, cells[index] ?? ''])));
    },

    contacts: () => [...service.model.contacts.all()].map(({ record }) => record),

    addContact: (fields: Readonly<Record<string, string>>) =>
      service.model.contacts.add({ fields: { ...fields, list_uuid: list.uuid } }),

    /** The writes to either side so far. */
    writes: () => {
      const inService = service.received.entries.filter(({ operation }) => !reading.has(operation ?? ''));
      return { service: inService.map(({ operation }) => operation), sheet: sheets.log.counters.writes };
    },

    /** A command in the process of the test, beside and after those that are processes: it knows only the disk and both sides. */
    run: (...args: string[]): Promise<CliRun> => run([...args, '--config', configFile], {}, { random: drawShare }),

    close: async () => {
      for (const server of servers) await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
