// A whole sync in one process between both stand-ins: the real configuration, clients, adapter, engine and state on real
// files. Only the network is missing.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { onTestFinished } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import type { AppWorld } from '../../src/app-world.ts';
import { connectState } from '../../src/app-state.ts';
import type { Terminal } from '../../src/cli/world.ts';
import type { EngineEvent } from '../../src/engine/events.ts';
import type { PlanReport, RunReport } from '../../src/engine/report.ts';
import { planUndo, undo } from '../../src/operator/undo.ts';
import type { HistoryLine, Lease, Store } from '../../src/state/port.ts';
import { machineDisk } from '../../src/state/file/machine-disk.ts';
import { createProcesses } from '../../src/state/file/processes.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import type { Switches } from '../../src/standin/service/switches.ts';
import type { EditBehaviour } from '../../src/standin/sheets/edit.ts';
import { createConfigReader } from './kept-config.ts';
import { createMemoryKernel, never } from './memory-kernel.ts';
import { createMortalDisk } from './mortal-disk.ts';
import { createSheetsStandin } from '../../src/standin/sheets/standin.ts';
import { type CliRun, run as runCommand } from './cli.ts';
import { useJumpingClock } from './service.ts';

export const tabTitle = 'Prospects';
export const spreadsheetId = '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests';
const token = 'the-token-of-the-tests';
const account = { email: 'robot@demo.iam.gserviceaccount.com', clientId: 'c', clientSecret: 's', refreshToken: 'r' };
export const sheetsScope = 'https://www.googleapis.com/auth/spreadsheets';
const scopesDefault = [sheetsScope, 'https://www.googleapis.com/auth/drive.metadata.readonly'];
const serviceUrl = 'http://127.0.0.1:4010';
const sheetsUrl = 'http://127.0.0.1:4020';

export interface TrialOptions {
  readonly switches?: Partial<Switches>;
  /** Of the spreadsheets (docs/standin-sheets.md). */
  readonly behaviour?: Partial<EditBehaviour>;
  /** Over the defaults below, in the words of the file. */
  readonly sync?: Readonly<Record<string, unknown>>;
  readonly columns?: Readonly<Record<string, unknown>>;
  /** Header and rows of the tab; only the header when left out. */
  readonly values?: readonly (readonly (string | number | boolean | null)[])[];
  /** Feeds as in the file; each in a tab of its own. With them there are no syncs. */
  readonly feeds?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Outboxes as in the file, in the same tab by default. With them there are no syncs. */
  readonly outbox?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Left out: files in the folder of the trial. */
  readonly store?: Store;
  /** As in the file; a folder of the trial when left out. */
  readonly state?: string;
  /** More of the section `google` of the file. */
  readonly google?: Readonly<Record<string, unknown>>;
  /** What the person of the credentials agreed to; spreadsheets and metadata of Drive when left out. */
  readonly scopes?: readonly string[];
  /** Wraps requests between the program and both stand-ins. */
  readonly around?: (request: Request, next: (request: Request) => Promise<Response>) => Promise<Response>;
}

/** Puts each into the tab of the trial, unless it has one. */
function inTab(items: Readonly<Record<string, object>> = {}): Readonly<Record<string, object>> {
  const place = { spreadsheet: spreadsheetId, tab: tabTitle };
  return Object.fromEntries(Object.entries(items).map(([name, item]) => [name, { ...place, ...item }]));
}

/** Sorted, for comparing what has no order. */
export function inOrder(values: readonly unknown[]): string[] {
  const texts = values.flatMap((value) => (typeof value === 'string' ? [value] : []));
  return texts.toSorted((a, b) => (a < b ? -1 : 1));
}

export interface RunOptions {
  /** The sync of the file; `prospects` by default. */
  readonly sync?: string;
  readonly isFull?: boolean;
  readonly isAsked?: boolean;
  readonly isTold?: boolean;
  readonly signal?: AbortSignal;
}

/** Called before each request with it, after its answer, and around each write of the state. */
export type Instant = (what: Request | 'answered' | 'saving' | 'saved') => void | Promise<void>;

/** Writes to either side, and what happens around writes of the state: nothing else changes what a later run finds. */
export function isOfNote(what: Parameters<Instant>[0]): boolean {
  if (!(what instanceof Request)) return what !== 'answered';
  return what.method !== 'GET' && !/search|lookup|token|batchGet|getByDataFilter/i.test(what.url);
}

export const defaultColumns = {
  'First name': 'first_name',
  'Last name': 'last_name',
  Company: 'company_name',
  Email: 'email',
  Status: 'status',
};

export interface ContactSeed {
  readonly uuid?: string;
  readonly list_uuid?: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly company_name?: string;
  readonly email?: string;
  readonly position?: string;
  readonly network?: string;
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
    ...(options.behaviour && { behaviour: options.behaviour }),
    credentials: { authorizedUsers: [{ ...account, scopes: options.scopes ?? scopesDefault }] },
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
    { mode: 0o600 },
  );
  const answer = async (request: Request): Promise<Response> =>
    request.url.startsWith(serviceUrl) ? service.fetch(request) : sheets.fetch(request);
  /** The current process. A killed one gets no answers, and its writes are dropped. */
  let alive = { pid: 1, died: Promise.withResolvers<'killed'>(), isDead: false };
  /** Operations on the disk that have begun and not ended, of any process. */
  const writing = new Set<Promise<unknown>>();
  const kernel = createMemoryKernel((pid) => (pid === alive.pid && !alive.isDead ? String(pid) : undefined));
  let instant: Instant = () => {};
  const configFile = join(folder, 'leadsheet.yaml');
  writeFileSync(
    configFile,
    stringify({
      crm: { base_url: serviceUrl, token, requests_per_minute: 6_000 },
      google: {
        credentials_file: keyFile,
        endpoint: sheetsUrl,
        reads_per_minute: 60_000,
        writes_per_minute: 60_000,
        ...options.google,
      },
      state: options.state ?? `file:${join(folder, 'state')}`,
      server: null,
      feeds: inTab(options.feeds),
      outbox: inTab(options.outbox),
      syncs:
        options.feeds || options.outbox
          ? {}
          : {
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
  const readConfig = createConfigReader(configFile);
  const events: EngineEvent[] = [];
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
    transport: (url: string, init: RequestInit) => worldOf(alive).transport(url, init),
    keyFile,
    account,
    start,
    startBeside,
    cli,
    cliUntil,
    cliAt,
    run,
    runFeed: runFeedNamed,
    attempt,
    attemptFeed,
    attemptUndo,
    plan,
    grid,
    addContact,
    contacts,
    kill,
    atEachInstant: (called: Instant) => void (instant = called),
    stateFiles,
    history,
    rowOf,
    rowNumberOf,
    columnIndexOf,
    contactOf,
    type,
    change,
    crmCalls,
    writes,
  };

  function rowOf(email: string): Record<string, unknown> {
    const rows = grid().filter((row) => row['Email'] === email);
    if (rows.length !== 1) throw new Error(`${rows.length} rows of ${email}`);
    return rows[0]!;
  }

  function rowNumberOf(email: string): number {
    return grid().findIndex((row) => row['Email'] === email) + 2;
  }

  /** From 0. */
  function columnIndexOf(header: string): number {
    return person.read(`'${tabTitle}'!1:1`)[0]!.indexOf(header);
  }

  function contactOf(email: string) {
    const found = contacts().filter((each) => each.work_email === email || each.personal_email === email);
    if (found.length !== 1) throw new Error(`${found.length} contacts of ${email}`);
    return found[0]!;
  }

  /** A person sets a cell, by the row's e-mail address and the column's header. */
  function type(email: string, columnHeader: string, value: string): void {
    const index = columnIndexOf(columnHeader);
    const cell = `'${tabTitle}'!${String.fromCodePoint(65 + index)}${rowNumberOf(email)}`;
    if (value === '') person.clear(cell);
    else person.paste(cell, [[value]]);
  }

  /** A person edits a contact in the service. */
  function change(email: string, fields: Parameters<typeof service.model.contacts.change>[1]['fields']): void {
    service.model.contacts.change(contactOf(email).uuid, { ...(fields && { fields }) });
  }

  /** Requests that the service received, of one operation or all. */
  function crmCalls(operation?: string) {
    return service.received.entries.filter((entry) => operation === undefined || entry.operation === operation);
  }

  /** Writes to either side since the trial began: operations of the service, and writes of the sheet. */
  function writes() {
    const reads = new Set(['contacts.search', 'contacts.lookup-one', 'contacts.get', 'lists.list', 'lists.get']);
    return {
      crm: crmCalls().flatMap(({ operation }) => (reads.has(String(operation)) ? [] : [String(operation)])),
      sheet: sheets.log.counters.writes,
    };
  }

  /** Like kill -9: sent requests arrive, no answer is seen, and no file is written any more. */
  function kill(): void {
    alive.isDead = true;
    alive.died.resolve('killed');
    app = undefined;
  }

  function worldOf(own: typeof alive): AppWorld {
    const dead = () => Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' });
    return {
      async transport(url, init) {
        if (own.isDead) throw dead();
        const request = new Request(url, init);
        await instant(request);
        if (own.isDead) throw dead();
        const response = await (options.around ? options.around(request, answer) : answer(request));
        await instant('answered');
        if (own.isDead) throw dead();
        return response;
      },
      now: () => Date.now(),
      elapsed: () => performance.now(),
      random,
      randomId: randomUUID,
      process: {
        pid: own.pid,
        probe: (pid) => {
          if (own.isDead || pid !== own.pid) throw Object.assign(new Error('no such process'), { code: 'ESRCH' });
        },
      },
    };
  }

  function mortal(store: Store, own: typeof alive): Store {
    const step = async <Result>(write: () => Promise<Result>): Promise<Result> => {
      await instant('saving');
      if (own.isDead) return new Promise<Result>(() => {});
      const result = await write();
      await instant('saved');
      return own.isDead ? new Promise<Result>(() => {}) : result;
    };
    const mortalLease = (lease: Lease): Lease => ({
      epoch: lease.epoch,
      remainingMs: () => lease.remainingMs(),
      load: () => lease.load(),
      glance: (uuids) => lease.glance(uuids),
      commit: (batch) => step(() => lease.commit(batch)),
      appendHistory: (lines) => step(() => lease.appendHistory(lines)),
      appendRun: (record) => step(() => lease.appendRun(record)),
      noteRows: (idByRow) => lease.noteRows(idByRow),
      async [Symbol.asyncDispose]() {
        if (own.isDead) return new Promise<void>(() => {});
        return lease[Symbol.asyncDispose]();
      },
    });
    return {
      jobs: () => store.jobs(),
      sync(name) {
        const state = store.sync(name);
        return {
          load: () => state.load(),
          addRequest: (request) => state.addRequest(request),
          readRuns: (query) => state.readRuns(query),
          readRun: (id) => state.readRun(id),
          readRows: () => state.readRows(),
          loadSome: (wanted) => state.loadSome(wanted),
          acquireLease: async (wait) => mortalLease(await state.acquireLease(wait)),
        };
      },
      history: (query) => store.history(query),
      historyPage: (query) => store.historyPage(query),
      runsPage: (query) => store.runsPage(query),
      lastRuns: (query) => store.lastRuns(query),
      mayHave: (jobs, wanted) => store.mayHave(jobs, wanted),
      loadSomeOf: (jobs, wanted) => store.loadSomeOf(jobs, wanted),
      keepIndex: (how) => store.keepIndex(how),
      readHeartbeat: () => store.readHeartbeat(),
      writeHeartbeat: (heartbeat) => store.writeHeartbeat(heartbeat),
      readLogins: () => store.readLogins(),
      changeLogins: (changed) => store.changeLogins(changed),
    };
  }

  /** Every file of the state but the locks: name -> content and instant of the last write. */
  function stateFiles(name = 'prospects'): Record<string, string> {
    const at = join(folder, 'state', name);
    const names = existsSync(at) ? readdirSync(at, { recursive: true, encoding: 'utf8' }) : [];
    const files = names.filter((each) => !each.startsWith('lock') && statSync(join(at, each)).isFile());
    return Object.fromEntries(
      files.map((each) => [each, `${statSync(join(at, each)).mtimeMs} ${readFileSync(join(at, each), 'utf8')}`]),
    );
  }

  async function history(sync = options.outbox ? undefined : 'prospects'): Promise<HistoryLine[]> {
    return Array.fromAsync((app ?? (await start())).store.history(sync === undefined ? {} : { sync }));
  }

  /**
   * Begins a process, which remembers only what is on disk. A write of a killed process ends first, as if it had been
   * killed right after: no dead process writes beside a living one.
   */
  async function start(given = options.store): Promise<App> {
    app?.[Symbol.dispose]();
    while (writing.size > 0) await Promise.allSettled(writing);
    const config = readConfig();
    const own = { pid: alive.pid + 1, died: Promise.withResolvers<'killed'>(), isDead: false };
    alive = own;
    const world = worldOf(own);
    const warn = (message: string) => void events.push({ type: 'notice', sync: '', message });
    const machine = {
      disk: createMortalDisk(machineDisk, own, writing),
      processes: createProcesses(world.process),
      kernelLocks: kernel.locksOf(own.pid),
      every: never,
      elapsed: () => performance.now(),
    };
    const store = mortal(given ?? connectState(config, { ...world, machine }, warn), own);
    const started = await createApp(config, { ...world, store }, (event) => events.push(event));
    app = started;
    onTestFinished(() => started[Symbol.dispose]());
    return started;
  }

  /** Another process, which runs beside the current one on a store of its own connection. */
  async function startBeside(store: Store): Promise<App> {
    const config = readConfig();
    const own = { pid: alive.pid + 1_000, died: Promise.withResolvers<'killed'>(), isDead: false };
    const started = await createApp(config, { ...worldOf(own), store }, (event) => events.push(event));
    onTestFinished(() => started[Symbol.dispose]());
    return started;
  }

  /** A run that ends; use `attempt` for one that may be killed. */
  async function run(request: RunOptions = {}): Promise<RunReport> {
    const report = await attempt(request);
    if (report === 'killed') throw new Error('the process was killed');
    return report;
  }

  async function attempt(request: RunOptions = {}): Promise<RunReport | 'killed'> {
    const { jobs } = app ?? (await start());
    const { died } = alive;
    const running = jobs.get(request.sync ?? 'prospects')!.run({
      isFull: request.isFull ?? false,
      isAsked: request.isAsked ?? true,
      ...(request.isTold !== undefined && { isTold: request.isTold }),
      signal: request.signal ?? new AbortController().signal,
    });
    return Promise.race([running, died.promise]);
  }

  async function runFeedNamed(name: string, signal = new AbortController().signal): Promise<RunReport> {
    const report = await attemptFeed(name, signal);
    if (report === 'killed') throw new Error('the process was killed');
    return report;
  }

  async function attemptFeed(name: string, signal = new AbortController().signal): Promise<RunReport | 'killed'> {
    return attempt({ sync: name, signal });
  }

  /** Plans and carries out an undo; it may be killed at any instant. Returns why it did nothing, if it did nothing. */
  async function attemptUndo(undone: string, deletesCreated = false): Promise<'run' | 'another plan' | 'killed'> {
    const { jobs, store, config } = app ?? (await start());
    const { died } = alive;
    const operator = { config, store, now: () => Date.now(), jobs };
    const request = { run: undone, deletesCreated };
    const { signal } = new AbortController();
    const undoing = async () => {
      const { digest } = (await planUndo(operator, request, signal)).answer;
      return (await undo(operator, { by: 'tester', through: 'console' }, request, { digest, signal })).answer.outcome;
    };
    return Promise.race([undoing(), died.promise]);
  }

  /** Runs a command line in a process that remembers only what is on disk. */
  async function cli(...args: string[]): Promise<CliRun> {
    return cliUntil(new AbortController().signal, ...args);
  }

  /** Like `cli`, with a stop. */
  async function cliUntil(stop: AbortSignal, ...args: string[]): Promise<CliRun> {
    return runCommand(args, { LEADSHEET_CONFIG: configFile }, { ...worldOf(alive), stop });
  }

  /** Like `cli`, at a terminal. */
  async function cliAt(terminal: Terminal, ...args: string[]): Promise<CliRun> {
    const world = { ...worldOf(alive), terminal: () => terminal };
    return runCommand(args, { LEADSHEET_CONFIG: configFile }, world);
  }

  async function plan(): Promise<PlanReport> {
    const { jobs } = app ?? (await start());
    const request = { isFull: false, isAsked: true, signal: new AbortController().signal };
    return (await jobs.get('prospects')!.plan(request)).report;
  }

  /** Each row as header -> shown value, without blank cells. */
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
