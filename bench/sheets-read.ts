// Reading 100,000 rows of 12 columns: processor time against `fetch` and `JSON.parse` of the same bytes, and the peak of
// memory. The stand-in answers from another process; what it sent the adapter is replayed to both contestants, each in a
// process of its own.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createSheets } from '../src/sheets/table.ts';
import { median } from './support/measure.ts';
import type { Bench } from './support/measure.ts';
import { benchCredentials } from './support/sheets.ts';

const rowCount = 100_000;
const rounds = 5;

/**
 * Node lets garbage pile up according to the machine's memory. Told what it may have, the adapter gets along with it: two
 * snapshots of 100,000 rows, the old and the new, and the chunk in hand.
 */
const heapLimit = ['--max-old-space-size=224', '--max-semi-space-size=8'];

const columnCount = 12;
const spreadsheetId = 'bench-spreadsheet';
const columns = Array.from({ length: columnCount - 1 }, (_, index) => ({
  key: `column_${index}`,
  header: `Column ${index}`,
  format: 'text' as const,
}));

interface Measured {
  readonly cpuMs: number;
  readonly peakMegabytes: number;
  readonly rows: number;
  readonly calls: number;
  readonly bytes: number;
}

export const bench: Bench = {
  name: 'sheets-read',
  async run() {
    const server = startRole('server', []);
    try {
      const port = await firstMessage<number>(server);
      const ratios: number[] = [];
      const ratiosKept: number[] = [];
      let adapter = await measure('adapter', port);
      let baseline = await measure('baseline', port);
      for (let round = 0; round < rounds; round += 1) {
        adapter = await measure('adapter', port);
        baseline = await measure('baseline', port);
        ratios.push(adapter.cpuMs / baseline.cpuMs);
        ratiosKept.push(adapter.cpuMs / (await measure('keeper', port)).cpuMs);
      }
      if (adapter.rows !== rowCount) throw new Error(`${adapter.rows} rows were read, not ${rowCount}`);
      return [
        {
          name: `reading 100,000 x 12 cells, ${Math.round(baseline.bytes / 1e6)} MB in ${baseline.calls} calls, CPU`,
          value: `${(adapter.cpuMs / 1_000).toFixed(2)} s`,
        },
        {
          name: 'against fetch + JSON.parse of the same bytes',
          value: `${median(ratios).toFixed(2)}x (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`,
          target: '<= 1.5x',
          met: median(ratios) <= 1.5,
        },
        {
          name: 'against the same, what was parsed being kept to the end as rows are',
          value: `${median(ratiosKept).toFixed(2)}x (${ratiosKept.map((ratio) => ratio.toFixed(2)).join(' ')})`,
        },
        {
          name: `peak memory, the heap limited by ${heapLimit.join(' ')}`,
          value: `${adapter.peakMegabytes} MB`,
          target: '< 400 MB',
          met: adapter.peakMegabytes < 400,
        },
      ];
    } finally {
      server.kill();
    }
  },
};

async function measure(role: string, port: number): Promise<Measured> {
  const child = startRole(role, [`${port}`], role === 'adapter' ? heapLimit : []);
  const measured = await firstMessage<Measured>(child);
  child.kill();
  return measured;
}

function startRole(role: string, args: readonly string[], execArgv: string[] = []): ChildProcess {
  return fork(fileURLToPath(import.meta.url), [role, ...args], { stdio: 'inherit', execArgv });
}

async function firstMessage<T>(child: ChildProcess): Promise<T> {
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`a bench process ended with ${String(code)}`))),
  ])) as [T];
  return message;
}

/** Answers the adapter from the stand-in, keeps the answers, and gives them again at `/recorded/N`. */
async function serveRole(): Promise<void> {
  const text = (row: number, column: number) => `value ${column} of row ${row}`;
  // Only here: the measured processes hold nothing of it.
  const { createSheetsStandin } = await import('../src/standin/sheets/standin.ts');
  const standin = createSheetsStandin({ now: Date.now, random: () => 0.5, access: 'open', quotas: 'none' });
  standin.model.create({
    id: spreadsheetId,
    tabs: [
      {
        title: 'Bench',
        rowCount: rowCount + 1,
        columnCount,
        values: [
          ['Contact ID', ...columns.map(({ header }) => header)],
          ...Array.from({ length: rowCount }, (_, row) => [
            `00000000-0000-4000-8000-${`${row}`.padStart(12, '0')}`,
            ...columns.map((_column, column) => (column % 4 === 3 ? row * column : text(row, column))),
          ]),
        ],
      },
    ],
  });
  const recorded: Buffer[] = [];
  const answers = new Map<string, Buffer>();
  const answerOne = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const number = /^\/recorded\/(\d+)$/.exec(url.pathname)?.[1];
    let answer =
      number === undefined ? answers.get(url.pathname + url.search + body.toString()) : recorded[Number(number)];
    if (answer === undefined && number === undefined) {
      const request = new Request(url, {
        method: incoming.method ?? 'GET',
        headers: { 'content-type': incoming.headers['content-type'] ?? '' },
        ...(body.length > 0 && { body }),
      });
      answer = Buffer.from(await (await standin.app.fetch(request)).arrayBuffer());
      answers.set(url.pathname + url.search + body.toString(), answer);
      if (url.pathname.startsWith('/v4/')) recorded.push(answer);
    }
    outgoing.writeHead(answer ? 200 : 404, { 'content-type': 'application/json; charset=UTF-8' });
    outgoing.end(answer);
  };
  const server = createServer((incoming, outgoing) => void answerOne(incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
}

/** The first read fills the server's memory and warms up; the second is measured. */
async function adapterRole(port: number): Promise<void> {
  const sheets = createSheets({
    credentials: benchCredentials,
    time: { now: Date.now, sleep: () => Promise.resolve(), random: () => 0.5 },
    fetch,
    endpoint: `http://127.0.0.1:${port}`,
    readsPerMinute: Infinity,
  });
  const table = sheets.openTable({
    spreadsheet: spreadsheetId,
    tab: 'Bench',
    headerRow: 1,
    idHeader: 'Contact ID',
    columns,
    owner: 'bench',
  });
  await table.read();
  const before = process.cpuUsage();
  const { rows } = await table.read();
  report(before, rows.length, 0, 0);
}

async function baselineRole(port: number, isKept: boolean): Promise<void> {
  const kept: unknown[] = [];
  const readAll = async () => {
    let bytes = 0;
    let calls = 0;
    // The first recorded answer is the list of tabs, the next ones are the first read's.
    for (let number = 1; ; number += 1) {
      const response = await fetch(`http://127.0.0.1:${port}/recorded/${number}`);
      const text = await response.text();
      if (!response.ok) return { bytes, calls };
      bytes += text.length;
      calls += 1;
      const parsed: unknown = JSON.parse(text);
      if (isKept) kept.push(parsed);
    }
  };
  await readAll();
  kept.length = 0;
  const before = process.cpuUsage();
  const { bytes, calls } = await readAll();
  report(before, 0, calls, bytes);
}

function report(before: NodeJS.CpuUsage, rows: number, calls: number, bytes: number): void {
  const { user, system } = process.cpuUsage(before);
  const measured: Measured = {
    cpuMs: Math.round((user + system) / 1000),
    peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
    rows,
    calls,
    bytes,
  };
  process.send?.(measured);
}

// As a child process of its own: one of the roles above.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [role, port] = process.argv.slice(2);
  if (role === 'server') await serveRole();
  else if (role === 'adapter') await adapterRole(Number(port));
  else if (role === 'keeper') await baselineRole(Number(port), true);
  else if (role === 'baseline') await baselineRole(Number(port), false);
}
