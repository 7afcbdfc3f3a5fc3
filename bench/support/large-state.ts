// Makes the state of a large configuration on disk: one sync with 100,000 contacts, a million lines of history, and many
// small jobs; without a side, because what reads it asks none.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { readConfigFile } from '../../src/app-config.ts';
import type { Config } from '../../src/config/config.ts';
import { stateTerms } from '../../src/engine/found-by.ts';
import { seal } from '../../src/state/file/seal.ts';
import { openStore } from '../../src/state/open.ts';
import type { HistoryLine, Json, JsonObject, Store } from '../../src/state/port.ts';
import { syncColumns, syncSpreadsheet } from './sync.ts';
import { noRunCounts } from '../../test/support/run-counts.ts';

export const contactCount = 100_000;
const lineCount = 1_000_000;
const days = 50;
const dayMs = 86_400_000;
/** The state keeps so many reports of one job. */
const runsOfMain = 1_000;
const fieldKeys = Object.values(syncColumns);

export interface LargeOptions {
  /** Besides `bench`, with ten contacts each. */
  readonly smallJobs: number;
  /** Of all jobs together. */
  readonly runs: number;
  readonly conflicts: number;
  /** Besides the conflicts. */
  readonly problems: number;
  /** Joins the configuration. */
  readonly config?: JsonObject;
}

export interface LargeState extends AsyncDisposable {
  readonly root: string;
  readonly configFile: string;
  readonly config: Config;
  /** Of the contacts of `bench`, by their number. */
  readonly uuids: readonly string[];
  /** Runs of `bench` that changed so many cells. */
  readonly runs: { readonly small: string; readonly large: string };
  /** Opens it as a process of its own would. */
  readonly open: () => Store;
}

/** In a folder of the project: the system's temporary folder may be in memory. */
const home = join(import.meta.dirname, '..', '..', 'state');

export async function makeLargeState(options: LargeOptions): Promise<LargeState> {
  await mkdir(home, { recursive: true });
  const root = await mkdtemp(join(home, 'bench-'));
  try {
    return await fill(root, options);
  } catch (error) {
    await rm(root, { recursive: true });
    throw error;
  }
}

async function fill(root: string, options: LargeOptions): Promise<LargeState> {
  const small = Array.from({ length: options.smallJobs }, (_, index) => `job-${index + 1}`);
  const { file: configFile, config } = await writeConfig(root, ['bench', ...small], options.config ?? {});
  const open = () => openBenchStore(join(root, 'state'));
  const store = open();
  const uuids = Array.from({ length: contactCount }, () => randomUUID());
  const runs = { small: '20260101-000000-small', large: '20260101-000001-large' };
  await writeState(store, 'bench', uuids, options);
  await writeHistory(join(root, 'state', 'bench', 'history'), uuids, runs);
  for (const name of small) {
    await writeState(
      store,
      name,
      Array.from({ length: 10 }, () => randomUUID()),
      { conflicts: 0, problems: 0 },
    );
  }
  const ofSmall = small.length === 0 ? 0 : Math.ceil((options.runs - runsOfMain) / small.length);
  const ids = Array.from({ length: Math.min(runsOfMain, options.runs) - 2 }, (_, index) => `run-${index}`);
  await writeRuns(root, 'bench', options.runs === 0 ? [] : [...ids, runs.small, runs.large]);
  for (const name of small)
    await writeRuns(
      root,
      name,
      Array.from({ length: ofSmall }, (_, index) => `${name}-${index}`),
    );
  return {
    root,
    configFile,
    config,
    uuids,
    runs,
    open,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}

/** A warning ends the bench: a figure beside one says nothing. */
export function openBenchStore(folder: string): Store {
  return openStore(`file:${folder}`, {
    process: { pid: process.pid, probe: (pid) => process.kill(pid, 0) },
    now: () => Date.now(),
    randomId: () => randomUUID(),
    terms: stateTerms,
    warn: ({ message }) => {
      throw new Error(message);
    },
  });
}

async function writeConfig(root: string, names: readonly string[], more: JsonObject) {
  const file = join(root, 'leadsheet.yaml');
  const keyFile = join(root, 'key.json');
  const key = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' };
  await writeFile(keyFile, JSON.stringify(key), { mode: 0o600 });
  const sync = (tab: string) => ({
    contacts: { list: tab },
    sheet: { spreadsheet: syncSpreadsheet, tab },
    match: ['email'],
    columns: syncColumns,
  });
  const content = {
    crm: { base_url: 'http://127.0.0.1:1', token: 'the-key-of-the-bench' },
    google: { credentials_file: keyFile },
    state: `file:${join(root, 'state')}`,
    server: null,
    ...more,
    syncs: Object.fromEntries(names.map((name) => [name, sync(name === 'bench' ? 'Bench' : name)])),
  };
  const text = stringify(content, { aliasDuplicateObjects: false });
  await writeFile(file, text);
  return { file, config: readConfigFile(file, { env: {}, readFile: () => text }) };
}

/** Twelve short values a contact. */
function valuesOf(index: number): readonly string[] {
  return fieldKeys.map((field) => {
    if (field === 'first_name') return `First${index}`;
    if (field === 'last_name') return 'Last';
    return field === 'email' ? `person.${index}@company.test` : `${field} ${index % 997}`;
  });
}

/** Paused, so that a daemon leaves it alone. */
async function writeState(
  store: Store,
  name: string,
  uuids: readonly string[],
  { conflicts, problems }: Pick<LargeOptions, 'conflicts' | 'problems'>,
): Promise<void> {
  await using lease = await store.sync(name).acquireLease();
  await lease.load();
  const position = fieldKeys.indexOf('position');
  const links = uuids.map((uuid, index): [string, JsonObject] => {
    const values = valuesOf(index);
    const agreed = JSON.stringify(values);
    if (index >= conflicts) return [uuid, { agreed }];
    const side = (text: string) => JSON.stringify(values.with(position, `${text} ${index}`));
    const notes = { position: { conflictSince: Date.now() - index * 60_000 } };
    return [uuid, { agreed, crm: side('of the service'), sheet: side('of the sheet'), isOpen: true, notes }];
  });
  const row = (index: number) => index + 2;
  const conflict = (uuid: string, index: number): JsonObject => ({
    id: `${uuid}/position`,
    kind: 'conflict',
    uuid,
    row: row(index),
    field: 'position',
    rule: 'M1',
    reason: 'both sides changed it',
  });
  const refused = (uuid: string, index: number): JsonObject => ({
    id: uuid,
    kind: 'refused',
    uuid,
    row: row(conflicts + index),
    field: null,
    rule: 'W5',
    reason: 'the service refused it: the address is not valid',
  });
  const open = [
    ...uuids.slice(0, conflicts).map(conflict),
    ...uuids.slice(conflicts, conflicts + problems).map(refused),
  ];
  const lastRun: JsonObject = {
    run: `${name}-last`,
    status: open.length > 0 ? 'partial' : 'succeeded',
    // Before the last report, so that a status reads that, too.
    endedAt: new Date(Date.now() - 3_600_000).toISOString(),
    counts: { ...countsOf(0), linked: uuids.length, conflicts, held: problems },
    problems: open,
  };
  const paused = { by: 'bench', at: new Date().toISOString(), through: 'cli' };
  await lease.commit({
    links: { put: new Map(links) },
    facts: {
      put: new Map<string, Json>([
        ['fields', [...fieldKeys]],
        ['identities', { crm: 'a', sheet: 'b' }],
        ['table', { columnIndexByKey: Object.fromEntries(fieldKeys.map((key, index) => [key, index])) }],
        ['lastRun', lastRun],
        ['paused', paused],
      ]),
    },
  });
  await lease.noteRows(new Map(uuids.map((uuid, index) => [row(index), uuid])));
}

function countsOf(updated: number): JsonObject {
  return { ...noRunCounts, linked: contactCount, updated };
}

/** As the driver writes them; through a lease, each would wait for the disk. */
async function writeRuns(root: string, job: string, ids: readonly string[]): Promise<void> {
  const folder = join(root, 'state', job, 'runs');
  await mkdir(folder, { recursive: true });
  const start = Date.now() - ids.length * 600_000;
  for (const [index, run] of ids.entries()) {
    const endedAt = new Date(start + index * 600_000).toISOString();
    const status = index % 11 === 0 ? 'partial' : index % 29 === 0 ? 'failed' : 'succeeded';
    const problem = (n: number): JsonObject => ({
      id: `p${n}`,
      kind: 'refused',
      uuid: null,
      row: n + 2,
      field: null,
      rule: 'W5',
      reason: 'it was refused',
    });
    const report = {
      sync: job,
      kind: 'sync',
      run,
      status,
      startedAt: endedAt,
      endedAt,
      isFull: index % 20 === 0,
      counts: countsOf(3),
      cost: { crmCalls: 12, sheetReads: 2, sheetWrites: 1, seconds: 4 },
      problems: Array.from({ length: status === 'partial' ? 10 : 0 }, (_, n) => problem(n)),
      holds: [],
      planned: { creates: 0, changes: 3, blanks: 0, deletes: 0, missing: 0, enrolments: 0 },
      ...(status === 'failed' && { error: 'the service did not answer' }),
    };
    const name = `${String(index + 1).padStart(10, '0')}.${endedAt.replaceAll(/[:.]/g, '-')}.${run}.json`;
    await writeFile(join(folder, name), seal({ report }), { mode: 0o600 });
  }
}

/** On the last day, the first 5,000 lines are of the large run, and the next 5 of the small one. */
async function writeHistory(folder: string, uuids: readonly string[], runs: LargeState['runs']): Promise<void> {
  await mkdir(folder, { recursive: true });
  const perDay = lineCount / days;
  const start = Date.now() - days * dayMs;
  const runOf = (day: number, index: number) => {
    if (day < days - 1 || index >= 5_005) return `${day}-${Math.floor(index / 100)}`;
    return index < 5_000 ? runs.large : runs.small;
  };
  for (let day = 0; day < days; day += 1) {
    const lines = Array.from({ length: perDay }, (_, index): HistoryLine => {
      const number = day * perDay + index;
      return {
        time: new Date(start + day * dayMs + index * 1_000).toISOString(),
        sync: 'bench',
        run: runOf(day, index),
        side: 'crm',
        op: 'update',
        contact: uuids[(number * 7_919) % contactCount]!,
        row: 2,
        outcome: number % 1_009 === 0 ? 'failed' : 'done',
        field: fieldKeys[number % fieldKeys.length]!,
        before: `value ${number}`,
        after: `value ${number + 1}`,
        base: `value ${number}`,
        rule: 'M2',
        reason: 'changed in the sheet',
      };
    });
    const name = `${new Date(start + day * dayMs).toISOString().slice(0, 10)}.ndjson`;
    await writeFile(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}
