// A whole sync in-process: the real configuration, clients, adapter, engine and state on real files, between both
// stand-ins. Only the network is missing.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { onTestFinished } from 'vitest';
import { type App, type AppWorld, createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { EngineEvent } from '../../src/engine/events.ts';
import type { PlanReport, RunReport } from '../../src/engine/report.ts';
import { planSync, runSync } from '../../src/engine/run.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import type { Switches } from '../../src/standin/service/switches.ts';
import { createSheetsStandin } from '../../src/standin/sheets/standin.ts';
import { type CliRun, run as runCommand } from './cli.ts';
import { useJumpingClock } from './service.ts';

const tabTitle = 'Prospects';
const spreadsheetId = '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests';
const token = 'the-token-of-the-tests';
const account = { email: 'robot@demo.iam.gserviceaccount.com', clientId: 'c', clientSecret: 's', refreshToken: 'r' };
const serviceUrl = 'http://127.0.0.1:4010';
const sheetsUrl = 'http://127.0.0.1:4020';

export interface TrialOptions {
  readonly switches?: Partial<Switches>;
  /** Over the defaults below, in the words of the file. */
  readonly sync?: Readonly<Record<string, unknown>>;
  readonly columns?: Readonly<Record<string, unknown>>;
  /** Header and rows of the tab; only the header when left out. */
  readonly values?: readonly (readonly (string | number | boolean | null)[])[];
  /** Stands between the program and both stand-ins. */
  readonly around?: (request: Request, next: (request: Request) => Promise<Response>) => Promise<Response>;
}

const defaultColumns = {
  'First name': 'first_name',
  'Last name': 'last_name',
  Company: 'company_name',
  Email: 'email',
  Status: 'status',
};

export interface ContactSeed {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly company_name?: string;
  readonly email?: string;
}

export function createSyncTrial(options: TrialOptions = {}) {
  useJumpingClock();
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const service = createServiceStandin({
    now: () => Date.now(),
    seed: 1,
    acceptedTokens: [token],
    switches: { rateLimits: [], ...options.switches },
    receivedMax: 200_000,
  });
  let chance = 0.5;
  const random = () => (chance = (chance * 16_807 + 0.123) % 1);
  const sheets = createSheetsStandin({
    now: () => Date.now(),
    random,
    quotas: 'none',
    credentials: { authorizedUsers: [account] },
  });
  const columns = options.columns ?? defaultColumns;
  const file = sheets.model.create({
    id: spreadsheetId,
    writers: [account.email],
    tabs: [
      {
        title: tabTitle,
        sheetId: 7,
        rowCount: 1000,
        columnCount: 26,
        values: options.values ?? [Object.keys(columns)],
      },
    ],
  });
  const list = service.model.lists.add({ name: 'Prospects' });
  const keyFile = join(folder, 'key.json');
  writeFileSync(
    keyFile,
    JSON.stringify({
      type: 'authorized_user',
      client_id: account.clientId,
      client_secret: account.clientSecret,
      refresh_token: account.refreshToken,
    }),
  );
  const answer = async (request: Request): Promise<Response> =>
    request.url.startsWith(serviceUrl) ? service.fetch(request) : sheets.fetch(request);
  const transport = async (url: string, init: RequestInit) => {
    const request = new Request(url, init);
    return options.around ? options.around(request, answer) : answer(request);
  };
  const configFile = join(folder, 'leadsheet.yaml');
  writeFileSync(
    configFile,
    stringify({
      crm: { base_url: serviceUrl, token, requests_per_minute: 60_000 },
      google: { credentials_file: keyFile, endpoint: sheetsUrl, reads_per_minute: 60_000, writes_per_minute: 60_000 },
      state: `file:${join(folder, 'state')}`,
      server: null,
      syncs: {
        prospects: {
          contacts: { list: 'Prospects' },
          sheet: { spreadsheet: spreadsheetId, tab: tabTitle },
          match: ['email'],
          columns,
          ...options.sync,
        },
      },
    }),
  );
  const events: EngineEvent[] = [];
  const world: AppWorld = {
    transport,
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random,
    randomId: randomUUID,
    process: { pid: process.pid, probe: (pid) => process.kill(pid, 0) },
  };
  const person = sheets.person(spreadsheetId);
  let app: App | undefined;

  return {
    folder,
    service,
    sheets,
    file,
    list,
    person,
    events,
    configFile,
    transport,
    keyFile,
    account,
    start,
    cli,
    cliUntil,
    run,
    plan,
    grid,
    addContact,
    contacts,
  };

  /** A process that begins: nothing is remembered but what is on disk. */
  async function start(): Promise<App> {
    app?.[Symbol.dispose]();
    const { readFileSync } = await import('node:fs');
    const config = loadConfig(configFile, { env: {}, readFile: (path) => readFileSync(path, 'utf8') });
    const started = await createApp(config, world, (event) => events.push(event));
    app = started;
    onTestFinished(() => started[Symbol.dispose]());
    return started;
  }

  async function run(request: { isFull?: boolean; isAsked?: boolean; signal?: AbortSignal } = {}): Promise<RunReport> {
    const { syncs } = app ?? (await start());
    return runSync(syncs.get('prospects')!, {
      isFull: request.isFull ?? false,
      isAsked: request.isAsked ?? true,
      signal: request.signal ?? new AbortController().signal,
    });
  }

  /** A command line as somebody types it, in a process of its own as far as memory goes. */
  async function cli(...args: string[]): Promise<CliRun> {
    return cliUntil(new AbortController().signal, ...args);
  }

  /** As `cli`, and somebody ends it. */
  async function cliUntil(stop: AbortSignal, ...args: string[]): Promise<CliRun> {
    return runCommand(args, { LEADSHEET_CONFIG: configFile }, { ...world, stop });
  }

  async function plan(): Promise<PlanReport> {
    const { syncs } = app ?? (await start());
    const request = { isFull: false, isAsked: true, signal: new AbortController().signal };
    return (await planSync(syncs.get('prospects')!, request)).report;
  }

  /** Each row as header -> shown value, blank cells left out. */
  function grid(): Record<string, unknown>[] {
    const [header = [], ...rows] = person.read(`'${tabTitle}'`);
    return rows.map((row) =>
      Object.fromEntries(
        header.flatMap((name, index) =>
          row[index] == null || row[index] === '' ? [] : [[cellText(name), row[index]]],
        ),
      ),
    );
  }

  function cellText(value: unknown): string {
    return typeof value === 'string' ? value : JSON.stringify(value);
  }

  function addContact(seed: ContactSeed) {
    const { email, ...fields } = seed;
    const name = [seed.first_name, seed.last_name].filter(Boolean).join(' ');
    const stored = {
      list_uuid: list.uuid,
      ...fields,
      ...(name && { name }),
      ...(email !== undefined && { work_email: email }),
    };
    return service.model.contacts.add({ fields: stored }).record;
  }

  function contacts() {
    return [...service.model.contacts.all()].map(({ record }) => record);
  }
}
