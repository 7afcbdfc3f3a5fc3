// Measures the state in PostgreSQL, on the disk of this machine: commits, loads, pages, and runs of a cold worker.
import { randomInt, randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../src/app.ts';
import { readConfigFile } from '../src/app-config.ts';
import { overHttp } from '../src/crm/outreach/call/over-http.ts';
import { stateTerms } from '../src/engine/found-by.ts';
import { type Database, endSharedDatabases } from '../src/postgres/pool.ts';
import { openStore } from '../src/state/open.ts';
import type { Batch, HistoryLine, Json, JsonObject, Store } from '../src/state/port.ts';
import { type PostgresServer, openDatabase, startPostgres } from '../test/support/postgres-server.ts';
import { type Bench, cpuMs, median, timed } from './support/measure.ts';
import { startSync, syncColumns } from './support/sync.ts';

const rounds = 30;
const fieldKeys = Object.values(syncColumns);

/** In a folder of the project: the system's temporary folder may be in memory. */
const home = join(import.meta.dirname, '..', 'state');

export const bench: Bench = {
  name: 'postgres',
  async run() {
    await mkdir(home, { recursive: true });
    const folder = await mkdtemp(join(home, 'bench-'));
    // The server runs as another account.
    await chmod(folder, 0o777);
    try {
      await using server = await startPostgres([], folder);
      const figures = [
        ...(await stateFigures(server)),
        ...(await pages(server)),
        ...(await coldRuns('PostgreSQL', await server.createDatabase())),
        ...(await coldRuns('files')),
      ];
      const load = loadavg()
        .map((value) => value.toFixed(1))
        .join(' ');
      return [...figures, { name: 'load of the machine at the end (1, 5, 15 minutes)', value: load }];
    } finally {
      await endSharedDatabases();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

function open(database: Database): Store {
  return openStore(database, {
    process: { pid: process.pid, probe: (pid) => process.kill(pid, 0) },
    now: () => Date.now(),
    randomId: () => randomUUID(),
    terms: stateTerms,
    warn: ({ message }) => {
      throw new Error(message);
    },
  });
}

function linkOf(index: number, round: number): JsonObject {
  const values = fieldKeys.map((field) => {
    if (field === 'first_name') return `First${index}`;
    if (field === 'last_name') return 'Last';
    return field === 'email' ? `person.${index}@company.test` : `${field} ${(index + round) % 997}`;
  });
  return { agreed: JSON.stringify(values) };
}

async function stateFigures(server: PostgresServer) {
  const database = openDatabase(await server.createDatabase());
  const uuids = Array.from({ length: 2_000 }, () => randomUUID());
  const links = (from: number, count: number, round: number): Batch => ({
    links: { put: new Map(uuids.slice(from, from + count).map((uuid, index) => [uuid, linkOf(from + index, round)])) },
  });
  const fields: Batch = { facts: { put: new Map<string, Json>([['fields', [...fieldKeys]]]) } };
  const newMs: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    await using lease = await open(database).sync(`new ${round}`).acquireLease();
    await lease.load();
    await lease.commit(fields);
    newMs.push(await timed(() => lease.commit(links(0, 1_000, 0))));
  }
  const [commitMs, intentMs, leaseMs, idleMs]: number[][] = [[], [], [], []];
  {
    await using lease = await open(database).sync('s').acquireLease();
    await lease.load();
    await lease.commit(fields);
    await lease.commit(links(0, 2_000, 0));
    for (let round = 1; round <= rounds; round += 1) {
      const batch = links((round % 2) * 1_000, 1_000, round);
      commitMs!.push(await timed(() => lease.commit(batch)));
    }
    for (let round = 0; round < 100; round += 1) {
      const put = new Map([[`${uuids[round]} a`, { state: 'intended', at: new Date().toISOString() }]]);
      intentMs!.push(await timed(() => lease.commit({ ledger: { put }, outbox: { put } })));
    }
  }
  const loadMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    loadMs.push(
      await timed(async () => {
        const loaded = await open(database).sync('s').load();
        if (loaded.links.size !== 2_000) throw new Error(`${loaded.links.size} links were loaded`);
      }),
    );
  }
  const warm = open(database);
  await warm.sync('s').load();
  for (let round = 0; round < rounds; round += 1) {
    leaseMs!.push(
      await timed(async () => {
        await using lease = await warm.sync('s').acquireLease();
        idleMs!.push(await timed(() => lease.load()));
      }),
    );
  }
  await database.end();
  return [
    bounded(`1,000 changed records committed, median of ${rounds}`, commitMs!, 25),
    figure('1,000 new records and their terms committed, median of 7', newMs),
    bounded('one intent committed, median of 100', intentMs!, 5),
    bounded(`2,000 records loaded by a process that has none, median of ${rounds}`, loadMs, 15),
    figure('a load that finds nothing new', idleMs!),
    figure('lease, load and release of an idle run', leaseMs!),
  ];
}

async function pages(server: PostgresServer) {
  const database = openDatabase(await server.createDatabase());
  const store = open(database);
  const contacts = Array.from({ length: 2_000 }, () => randomUUID());
  const start = Date.now() - 60 * 86_400_000;
  {
    await using lease = await store.sync('s').acquireLease();
    for (let chunk = 0; chunk < 100; chunk += 1) {
      const lines = Array.from({ length: 1_000 }, (_, index): HistoryLine => {
        const number = chunk * 1_000 + index;
        return {
          time: new Date(start + number * 50_000).toISOString(),
          sync: 's',
          run: `r${Math.floor(number / 100)}`,
          contact: contacts[number % contacts.length]!,
          field: fieldKeys[number % fieldKeys.length]!,
          outcome: number % 1_009 === 0 ? 'failed' : 'done',
          before: `value ${number}`,
          after: `value ${number + 1}`,
          reason: 'changed in the sheet',
        };
      });
      await lease.appendHistory(lines);
    }
  }
  const newest = { limit: 50, newestFirst: true } as const;
  const measure = async (work: () => Promise<unknown>) => {
    const ms: number[] = [];
    for (let round = 0; round < rounds; round += 1) ms.push(await timed(work));
    return ms;
  };
  const last = await measure(() => store.historyPage(newest));
  const ofContact = await measure(() => store.historyPage({ ...newest, contact: contacts[randomInt(2_000)]! }));
  const failed = await measure(() => store.historyPage({ ...newest, sync: 's', outcome: 'failed' }));
  await database.end();
  return [
    figure('history, 100,000 lines: the newest page of 50', last),
    figure('the same of one contact', ofContact),
    figure('the same of failed changes of one job', failed),
  ];
}

/** Warm: a worker that ran the job before. Cold: one that did not, in a process that has run others. */
async function coldRuns(where: string, state?: string) {
  await using sync = await startSync(2_000, 'empty', undefined, state);
  const text = await readFile(sync.configFile, 'utf8');
  const config = readConfigFile(sync.configFile, {
    env: {},
    readFile: (path) => (path === sync.configFile ? text : readFileSync(path, 'utf8')),
  });
  const connect = () =>
    createApp(
      config,
      {
        transport: fetch,
        serviceTransport: overHttp,
        now: () => Date.now(),
        elapsed: () => performance.now(),
        random: () => randomInt(2 ** 32) / 2 ** 32,
        randomId: () => randomUUID(),
        process: { pid: process.pid, probe: (pid) => process.kill(pid, 0) },
      },
      () => {},
    );
  const run = async (app: Awaited<ReturnType<typeof connect>>) => {
    const report = await app.jobs
      .get('bench')!
      .run({ isFull: false, isAsked: false, signal: new AbortController().signal });
    if (report.status !== 'succeeded') throw new Error(`a run ended as ${report.status}: ${report.error}`);
  };
  using warm = await connect();
  await run(warm);
  const [warmMs, coldMs, warmCpu, coldCpu]: number[][] = [[], [], [], []];
  for (let round = 0; round < 15; round += 1) {
    warmCpu!.push(await cpuMs(async () => warmMs!.push(await timed(() => run(warm)))));
    using cold = await connect();
    coldCpu!.push(await cpuMs(async () => coldMs!.push(await timed(() => run(cold)))));
  }
  const ratio = (cold: readonly number[], of: readonly number[]) => median(cold) / median(of);
  const wall = ratio(coldMs!, warmMs!);
  return [
    figure(`idle run over 2,000 rows, ${where}, warm`, warmMs!),
    figure('the same, cold', coldMs!),
    {
      name: 'cold against warm, time',
      value: `${wall.toFixed(2)}x`,
      ...(state !== undefined && { target: '<= 1.5x', met: wall <= 1.5 }),
    },
    {
      name: 'cold against warm, CPU of the worker',
      value: `${ratio(coldCpu!, warmCpu!).toFixed(2)}x (${median(coldCpu!).toFixed(0)} ms against ${median(warmCpu!).toFixed(0)} ms)`,
    },
  ];
}

function figure(name: string, ms: readonly number[]) {
  return { name, value: `${median(ms).toFixed(1)} ms (most ${Math.max(...ms).toFixed(1)})` };
}

function bounded(name: string, ms: readonly number[], bound: number) {
  return { ...figure(name, ms), target: `<= ${bound} ms`, met: median(ms) <= bound };
}
