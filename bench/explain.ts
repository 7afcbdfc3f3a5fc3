// Measures `explain` and the index under it: 100,000 linked contacts and 1,000,000 lines of history, each look in a fresh
// store, as a command has it.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { readConfigFile } from '../src/app-config.ts';
import { explain } from '../src/operator/explain.ts';
import { openStore } from '../src/state/open.ts';
import type { HistoryLine, JsonObject, Store } from '../src/state/port.ts';
import { type Bench, cpuMs, median } from './support/measure.ts';
import { syncColumns, syncSpreadsheet } from './support/sync.ts';

const contactCount = 100_000;
const lineCount = 1_000_000;
const days = 50;
const dayMs = 86_400_000;
const rounds = 9;
const looksMax = 200;

/** In a folder of the project: the system's temporary folder may be in memory. */
const home = join(import.meta.dirname, '..', 'state');

export const bench: Bench = {
  name: 'explain',
  async run() {
    const root = await mkdtemp(join(home, 'bench-'));
    try {
      return await measure(root);
    } finally {
      await rm(root, { recursive: true });
    }
  },
};

async function measure(root: string) {
  const config = await writeConfig(root);
  const store = () => open(join(root, 'state'));
  const uuids = Array.from({ length: contactCount }, () => randomUUID());
  await writeState(store(), uuids);
  await writeHistory(join(root, 'state', 'bench', 'history'), uuids);
  const indexMs = await timed(() => store().keepIndex());
  const { size } = await stat(join(root, 'state', '.index.sqlite'));
  const place = (round: number) => (round * 7_919 + 13) % contactCount;
  const look = async (reference: (index: number) => string) => {
    const all: number[] = [];
    const cpu: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const operator = { config, store: store(), now: () => Date.now() };
      const index = place(round);
      const explainOne = async () => {
        const { records } = await explain(operator, { reference: reference(index) });
        if (records[0]?.id !== uuids[index]) throw new Error(`${reference(index)} is another contact`);
      };
      cpu.push(await cpuMs(async () => all.push(await timed(explainOne))));
    }
    const { ms, value } = figure(all);
    return { ms, value: `${value}, CPU ${median(cpu).toFixed(0)} ms` };
  };
  const page = async (query: (index: number) => Parameters<Store['historyPage']>[0]) => {
    const opened = store();
    await opened.historyPage({ limit: 1 });
    const all: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      all.push(await timed(() => opened.historyPage(query(place(round)))));
    }
    return figure(all);
  };
  const held = (name: string, { value, ms }: ReturnType<typeof figure>) => {
    return { name, value, target: `< ${looksMax} ms`, met: ms < looksMax };
  };
  return [
    held('explain by uuid, median of 9', await look((index) => uuids[index]!)),
    held('explain by e-mail address', await look((index) => `person.${index}@company.test`)),
    held('explain by name', await look((index) => `First${index} Last`)),
    held('explain by cell', await look((index) => `Bench!C${index + 2}`)),
    { name: 'page of a contact', value: (await page((index) => ({ contact: uuids[index]!, limit: 50 }))).value },
    {
      name: 'page of a contact and a field, newest first',
      value: (await page((index) => ({ contact: uuids[index]!, field: 'position', limit: 50, newestFirst: true })))
        .value,
    },
    { name: 'newest page of all', value: (await page(() => ({ limit: 50, newestFirst: true }))).value },
    { name: 'making the index of 1,000,000 lines', value: `${(indexMs / 1_000).toFixed(1)} s` },
    { name: 'size of the index', value: `${Math.round(size / 1e6)} MB` },
  ];
}

function figure(all: readonly number[]) {
  const ms = median(all);
  return { ms, value: `${ms.toFixed(0)} ms (most ${Math.max(...all).toFixed(0)} ms)` };
}

async function writeConfig(root: string) {
  const file = join(root, 'leadsheet.yaml');
  const text = stringify({
    crm: { base_url: 'http://127.0.0.1:1', token: 'bench' },
    google: { credentials_file: join(root, 'key.json') },
    state: `file:${join(root, 'state')}`,
    server: null,
    syncs: {
      bench: {
        contacts: { list: 'Bench' },
        sheet: { spreadsheet: syncSpreadsheet, tab: 'Bench' },
        match: ['email'],
        columns: syncColumns,
      },
    },
  });
  await writeFile(file, text);
  return readConfigFile(file, { env: {}, readFile: () => text });
}

/** Twelve short values a contact. */
function valuesOf(index: number): string {
  const fields = Object.values(syncColumns).map((field) => {
    if (field === 'first_name') return `First${index}`;
    if (field === 'last_name') return 'Last';
    return field === 'email' ? `person.${index}@company.test` : `${field} ${index % 997}`;
  });
  return JSON.stringify(fields);
}

async function writeState(store: Store, uuids: readonly string[]): Promise<void> {
  await using lease = await store.sync('bench').acquireLease();
  await lease.load();
  const keys = Object.values(syncColumns);
  const links = uuids.map((uuid, index): [string, JsonObject] => [uuid, { agreed: valuesOf(index) }]);
  await lease.commit({
    links: { put: new Map(links) },
    facts: {
      put: new Map<string, JsonObject | string[]>([
        ['fields', [...keys]],
        ['identities', { crm: 'a', sheet: 'b' }],
        ['table', { columnIndexByKey: Object.fromEntries(keys.map((key, index) => [key, index])) }],
      ]),
    },
  });
  await lease.noteRows(new Map(uuids.map((uuid, index) => [index + 2, uuid])));
}

async function writeHistory(folder: string, uuids: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const keys = Object.values(syncColumns);
  const perDay = lineCount / days;
  const start = Date.now() - days * dayMs;
  for (let day = 0; day < days; day += 1) {
    const lines = Array.from({ length: perDay }, (_, index): HistoryLine => {
      const number = day * perDay + index;
      return {
        time: new Date(start + day * dayMs + index * 1_000).toISOString(),
        sync: 'bench',
        run: `${day}-${Math.floor(index / 100)}`,
        side: 'crm',
        op: 'update',
        contact: uuids[(number * 7_919) % contactCount]!,
        row: 2,
        outcome: 'done',
        field: keys[number % keys.length]!,
        before: `value ${number}`,
        after: `value ${number + 1}`,
        base: `value ${number}`,
        rule: 'merge',
        reason: 'changed in the sheet',
      };
    });
    const name = `${new Date(start + day * dayMs).toISOString().slice(0, 10)}.ndjson`;
    await writeFile(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

function open(root: string): Store {
  return openStore(`file:${root}`, {
    process: { pid: process.pid, probe: (pid) => process.kill(pid, 0) },
    now: () => Date.now(),
    randomId: () => randomUUID(),
    warn: ({ message }) => {
      throw new Error(message);
    },
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
