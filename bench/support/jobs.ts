// Many syncs of one list, each with a tab of its own, with both stand-ins in another process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Json, JsonObject } from '../../src/state/port.ts';
import { openBenchStore } from './large-state.ts';
import { answerOf, syncColumns, type SyncBench } from './sync.ts';

export interface JobsBench extends AsyncDisposable {
  readonly urls: SyncBench['urls'];
  readonly configFile: string;
  /**
   * Gives all other jobs the state of the first one: their tabs have the same rows. A first run of each would take some hundred
   * seconds.
   */
  copyState(): Promise<void>;
}

/** Tabs of one spreadsheet. TABS_OF_ONE=1 gives each sync a spreadsheet of its own. */
export const tabsOfOne = Number(process.env['TABS_OF_ONE'] ?? 50);

export function spreadsheetOf(job: number): string {
  return `1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_${String(Math.floor(job / tabsOfOne)).padStart(5, '0')}`;
}

export function tabOf(job: number): string {
  return `Tab ${job + 1}`;
}

/** The number of the tab in Google Sheets. */
export function sheetIdOf(job: number): number {
  return job + 1;
}

export function nameOf(job: number): string {
  return `job-${job + 1}`;
}

/** In a folder of the project: the system's temporary folder may be in memory. */
const home = join(import.meta.dirname, '..', '..', 'state');

function objectIn(facts: ReadonlyMap<string, Json>, name: string): JsonObject {
  const fact = facts.get(name);
  if (typeof fact !== 'object' || fact === null || Array.isArray(fact))
    throw new Error(`the first run left no ${name}`);
  return fact as JsonObject;
}

/** `config` joins the configuration. */
export async function startJobs(jobs: number, rows: number, config: JsonObject): Promise<JobsBench> {
  await mkdir(home, { recursive: true });
  const folder = await mkdtemp(join(home, 'bench-'));
  const execArgv = ['--max-old-space-size=12000'];
  const server = fork(new URL('jobs-server.ts', import.meta.url), [String(rows), String(jobs)], { execArgv });
  const urls = await answerOf<SyncBench['urls']>(server);
  const { crm, google } = urls;
  const [configFile, keyFile] = [join(folder, 'leadsheet.yaml'), join(folder, 'key.json')];
  const key = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' };
  await writeFile(keyFile, JSON.stringify(key));
  const sync = (job: number) => ({
    contacts: { list: 'Bench' },
    sheet: { spreadsheet: spreadsheetOf(job), tab: tabOf(job) },
    match: ['email'],
    columns: syncColumns,
  });
  const content = {
    crm: { base_url: crm, token: 'the-key-of-the-bench', requests_per_minute: 6_000_000, concurrency: 2 },
    google: { credentials_file: keyFile, endpoint: google, reads_per_minute: 60_000, writes_per_minute: 60_000 },
    state: `file:${join(folder, 'state')}`,
    server: null,
    ...config,
    syncs: Object.fromEntries(Array.from({ length: jobs }, (_, job) => [nameOf(job), sync(job)])),
  };
  await writeFile(configFile, stringify(content, { aliasDuplicateObjects: false }));
  async function copyState(): Promise<void> {
    const root = join(folder, 'state');
    const store = openBenchStore(root);
    const { facts } = await store.sync(nameOf(0)).load();
    const texts: (readonly [string, string])[] = [];
    for (const file of ['base.json', 'base.log', 'base.previous.log', 'rows.json'])
      texts.push([file, await readFile(join(root, nameOf(0), file), 'utf8')]);
    for (let job = 1; job < jobs; job += 1) {
      const [sheetId, spreadsheet] = [sheetIdOf(job), spreadsheetOf(job)];
      const put = new Map<string, Json>([
        ...facts,
        ['identities', { ...objectIn(facts, 'identities'), sheet: `${spreadsheet} ${sheetId}` }],
        ['tab', `${spreadsheet} ${tabOf(job)}`],
        ['table', { ...objectIn(facts, 'table'), sheetId }],
      ]);
      await mkdir(join(root, nameOf(job)), { mode: 0o700 });
      for (const [file, text] of texts) {
        const own = text.replaceAll(`"sync":"${nameOf(0)}"`, `"sync":"${nameOf(job)}"`);
        await writeFile(join(root, nameOf(job), file), own, { mode: 0o600 });
      }
      await using lease = await store.sync(nameOf(job)).acquireLease();
      await lease.load();
      await lease.commit({ facts: { put } });
    }
    // A daemon that ran before has made it.
    await store.keepIndex();
  }

  return {
    urls,
    configFile,
    copyState,
    async [Symbol.asyncDispose]() {
      const exited = once(server, 'exit');
      server.disconnect();
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
